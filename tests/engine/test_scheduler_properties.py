"""The engine as somebody drives it by hand: requests come, steps are taken, requests are given up, in any order.

Every invariant is checked after every step, the executor fails loudly at any slot that is read and was not written,
and in the end everybody has been answered once, with the text of the request alone, and every block is free.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from labs.engine import EngineConfig, Request, run
from labs.engine.clocks import make_clock
from labs.engine.core import Engine

from .ledger import LedgerExecutor
from .strategies import any_knobs, examples

LENGTHS = st.tuples(st.integers(1, 40), st.integers(0, 40), st.integers(0, 3), st.sampled_from("abc"))


class EngineMachine(RuleBasedStateMachine):
    @initialize(knobs=any_knobs(), tokens=st.integers(40, 110), optimist=st.booleans())
    def make(self, knobs: dict[str, Any], tokens: int, optimist: bool) -> None:
        knobs["kv_blocks"] = max(1, tokens // knobs["block_size"])
        if optimist:  # and so, with little memory, preemptions
            knobs |= {"admission": "optimistic", "kv": "paged"}
        self.finished: list[str] = []
        self.outputs: dict[str, list[int]] = {}
        self.engine = Engine(
            EngineConfig(**knobs, check=True), LedgerExecutor(), make_clock("lesson"), on_finish=self._finish
        )
        self.requests: dict[str, Request] = {}
        self.refused: set[str] = set()
        self.aborted: set[str] = set()

    def _finish(self, seq: Any) -> None:
        assert seq.id not in self.outputs, f"{seq.id} was answered twice"
        self.finished.append(seq.id)
        self.outputs[seq.id] = seq.output

    @rule(lengths=LENGTHS)
    def add(self, lengths: tuple[int, int, int, str]) -> None:
        prompt, output, priority, tenant = lengths
        name = f"r{len(self.requests) + 1}"
        arrival = self.engine.now_ns
        request = Request(name, prompt, output_len=output, priority=priority, tenant=tenant, arrival_ns=arrival)
        self.requests[name] = request
        if self.engine.add(request) is None:
            self.refused.add(name)

    @precondition(lambda self: self.requests)
    @rule(count=st.integers(1, 12))
    def step(self, count: int) -> None:
        for _ in range(count):
            steps, event = self.engine.steps, self.engine.step()
            if event is None:
                return
            assert self.engine.steps == steps + bool(event.chunks)
            assert event.chunks or event.before, "an event in which nothing happened"
            assert all(start < stop for _, start, stop in event.chunks)

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def abort(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.requests)))
        lives = name in self.engine.live
        assert self.engine.abort(name) is lives
        assert self.engine.abort(name) is False
        if lives:
            self.aborted.add(name)

    @invariant()
    def nobody_is_lost(self) -> None:
        assert set(self.engine.live) == set(self.requests) - self.refused - set(self.finished)
        waiting, running = len(self.engine.scheduler.queue), len(self.engine.scheduler.running)
        assert waiting + running == len(self.engine.live)
        assert running <= self.engine.config.rows

    def teardown(self) -> None:
        if not hasattr(self, "engine"):
            return
        engine = self.engine
        engine.close()
        while not engine.idle:
            if engine.step() is None:  # a dynamic batch waits for company until its time is up
                assert engine.wake_ns is not None
                engine.now_ns = max(engine.now_ns, engine.wake_ns)
        assert sorted([*self.finished, *self.refused]) == sorted(self.requests)
        assert engine.pool.free == engine.pool.num_blocks
        assert (engine.memory.host_blocks, engine.pool.reserved) == (0, 0)
        for name, output in self.outputs.items():
            alone = run(EngineConfig(), [self.requests[name]], LedgerExecutor(), keep_outputs=True).outputs
            assert alone is not None
            assert output == alone[0][: len(output)]
            whole = len(output) == self.requests[name].limit
            assert whole or name in self.aborted or engine.pool.blocks_for(self._longest(name)) > engine.pool.num_blocks

    def _longest(self, name: str) -> int:
        """Tokens whose KV the request needs at its end."""
        return self.requests[name].prompt_len + self.requests[name].limit


TestEngine = EngineMachine.TestCase
TestEngine.settings = examples(100, steps=25)
