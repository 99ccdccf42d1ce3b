"""The engine: requests in, one event a step out. Single threaded; `abort` may be called at any point, also mid-step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from labs.engine.clocks import Clock
from labs.engine.config import EngineConfig
from labs.engine.events import OnEvent, StepEvent
from labs.engine.executor import Executor
from labs.engine.invariants import check_invariants
from labs.engine.memory import KvMemory
from labs.engine.pool import BlockPool
from labs.engine.scheduler import Scheduler
from labs.engine.types import (
    EngineError,
    FinishReason,
    Request,
    Sequence,
    Stall,
    check_token_ids,
    made_up_prompt,
)

OnFinish = Callable[[Sequence], None]


class Engine:
    """`config.kv_blocks` must be a number here (`labs.engine.api.run` works it out from the workload)."""

    def __init__(
        self,
        config: EngineConfig,
        executor: Executor,
        clock: Clock,
        on_event: OnEvent | None = None,
        on_finish: OnFinish | None = None,
    ) -> None:
        if config.kv_blocks is None:
            raise EngineError("kv_blocks is not set; give the number of KV blocks")
        self.config = config
        self.executor = executor
        self.clock = clock
        executor.allocate(config.kv_blocks, config.block_size)  # first: it refuses at once what no memory can hold
        self.pool = BlockPool(config.kv_blocks, config.block_size, contiguous=config.kv == "contiguous")
        self.memory = KvMemory(config, self.pool, executor)
        self._event = StepEvent()
        self.memory.log = self._event.before
        self.scheduler = Scheduler(config, self.memory)
        self.live: dict[str, Sequence] = {}
        self.now_ns = 0
        self.steps = 0
        self.scheduler_ns = 0  # wall time spent outside the executor
        self.executor_ns = 0
        self._on_event = on_event
        self._on_finish = on_finish
        self._next_key = 0
        self._in_step = False
        self._aborts: list[Sequence] = []

    # ---- requests ----------------------------------------------------------------------------------------------

    def add(self, request: Request) -> Sequence | None:
        """Queue a request. One that can never run is finished here, with a reason; others are not harmed."""
        try:
            seq = self._accept(request)
        except EngineError as error:
            reason = error.args[1] if len(error.args) > 1 else FinishReason.INVALID
            self.memory.log.append(("refuse", request.id, reason.value, error.args[0]))
            return None
        self.memory.log.append(("arrive", request.id, request.arrival_ns, request.prompt_len, request.tenant))
        self.live[request.id] = seq
        if seq.limit == 0:
            self._finish(seq, FinishReason.LENGTH, "")
        else:
            self.scheduler.queue.push(seq)
        return seq

    def _accept(self, request: Request) -> Sequence:
        who = f"request '{request.id}'"
        if request.id in self.live:
            raise EngineError(f"{who} is already in the engine; ids of live requests must differ")
        if request.prompt_len < 1 or request.prompt == ():
            raise EngineError(f"{who} has an empty prompt; give at least one token")
        if request.prompt is not None and len(request.prompt) != request.prompt_len:
            raise EngineError(f"{who} says prompt_len {request.prompt_len} but has {len(request.prompt)} tokens")
        limit, declared = request.limit, request.declared_max
        if min(limit, declared, request.min_new_tokens) < 0:
            raise EngineError(f"{who} asks for a negative number of tokens")
        if request.min_new_tokens > limit:
            raise EngineError(f"{who} has min_new_tokens {request.min_new_tokens} above its limit of {limit}")
        sampling = request.sampling
        if not (math.isfinite(sampling.temperature) and sampling.temperature >= 0 and 0 < sampling.top_p <= 1):
            raise EngineError(f"{who} needs a temperature of 0 or more and a top_p above 0 and at most 1")
        self._check_size(request, who)
        prompt = request.prompt
        vocab = self.executor.vocab_size
        if vocab is not None:
            check_token_ids(request, request.stop_ids, "stop token", vocab)
            if prompt is None:
                prompt = made_up_prompt(request, vocab, self.config.seed)
            check_token_ids(request, prompt, "prompt token", vocab)
            if len(set(request.stop_ids)) >= vocab:
                raise EngineError(f"{who} stops at every token of the vocabulary")
        self._next_key += 1
        return Sequence(request, key=self._next_key, limit=limit, prompt=prompt, total=request.prompt_len)

    def _check_size(self, request: Request, who: str) -> None:
        """Refuse at once what can never fit: every later check would only wait for ever."""
        longest = self.config.max_context
        if longest is not None and request.prompt_len + request.declared_max > longest:
            raise EngineError(
                f"{who} needs {request.prompt_len} + {request.declared_max} tokens; the model's context is {longest}",
                FinishReason.TOO_LARGE,
            )
        tokens = request.prompt_len + (max(request.declared_max, 1) - 1 if self.config.reserves else 0)
        needed = self.pool.blocks_for(tokens)
        if needed > self.pool.num_blocks:
            what = "its declared maximum" if self.config.reserves else "its prompt"
            raise EngineError(
                f"{who} needs {needed} KV blocks for {what} ({tokens} tokens) and the pool has {self.pool.num_blocks}; "
                f"raise --kv-blocks",
                FinishReason.TOO_LARGE,
            )

    def abort(self, request_id: str) -> bool:
        """Give a request up, whatever it is doing; False when it is not (or no longer) here. Idempotent."""
        seq = self.live.get(request_id)
        if seq is None:
            return False
        if self._in_step:
            if seq in self._aborts:
                return False
            self._aborts.append(seq)  # the step owns it until its tokens are committed
        else:
            self._finish(seq, FinishReason.ABORTED, "")
        return True

    def close(self) -> None:
        """No more requests will come: a static batch need not wait for company."""
        self.scheduler.closed = True

    def abort_all(self) -> None:
        """Give everything up: every block is free afterwards."""
        for seq in list(self.live.values()):
            self._finish(seq, FinishReason.ABORTED, "")
        if not self._event.empty:
            self._flush()

    def _finish(self, seq: Sequence, reason: FinishReason, message: str) -> None:
        self.scheduler.finish(seq, reason, message)
        self._forget_finished()

    def _forget_finished(self) -> None:
        for seq in self.scheduler.finished:
            del self.live[seq.id]
            if self._on_finish is not None:
                self._on_finish(seq)
        self.scheduler.finished.clear()

    # ---- one step ----------------------------------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        return not self.live

    @property
    def wake_ns(self) -> int | None:
        """When a waiting dynamic batch leaves even without company."""
        return self.scheduler.gate.wake_ns if self.scheduler.gate is not None else None

    def step(self) -> StepEvent | None:
        """One iteration, or None when nothing can happen before the next arrival or `wake_ns`.

        Raises Stall when work remains and nothing will ever change. On any error every request is aborted and every
        block is free again; only a signal can cut a change in half, and then the engine is of no further use.
        """
        self._in_step = True
        try:
            computed = self._iterate(self._event)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            self._in_step = False
            self.abort_all()
            raise
        self._in_step = False
        for seq in self._aborts:
            self._finish(seq, FinishReason.ABORTED, "")
        self._aborts.clear()
        if self.config.check:
            check_invariants(self.scheduler, self.live.values())
        if computed or not self._event.empty:
            return self._flush()
        self._refuse_to_stall()
        return None

    def _flush(self) -> StepEvent:
        """Emit the event that was being filled and begin the next one."""
        event, self._event = self._event, StepEvent(start_ns=self.now_ns)
        self.memory.log = self._event.before
        event.step = self.steps
        if self._on_event is not None and not event.empty:
            self._on_event(event)
        return event

    def _iterate(self, event: StepEvent) -> bool:
        began = time.perf_counter_ns()
        event.start_ns = self.now_ns
        plan = self.scheduler.plan(self.now_ns)
        if not plan.chunks:
            self._forget_finished()
            return False
        started = time.perf_counter_ns()
        result = self.executor.run(plan)
        ended = time.perf_counter_ns()
        event.duration_ns = self.clock(plan, ended - began)
        self.now_ns += event.duration_ns
        self.steps += 1
        event.chunks = [(seq.request.id, start, stop) for seq, start, stop in plan.chunks]
        event.prefill_tokens = plan.prefill_tokens
        event.pad_prompt, event.pad_decode = sum(plan.pad_prompt), plan.pad_decode
        done, failed = self.scheduler.commit(plan, result, event)
        event.running = len(self.scheduler.running)
        event.waiting = len(self.scheduler.queue)
        event.allocated, event.reserved = self.pool.allocated, self.pool.reserved
        event.used, event.used_tokens = self.memory.used, self.memory.used_tokens
        self.memory.log = event.after
        self.scheduler.retire(done)
        for seq in failed:  # alone: the others are not harmed
            message = result.failed.get(seq.key, "the executor returned no token")
            self.scheduler.finish(seq, FinishReason.ERROR, message)
        self._forget_finished()
        self.executor_ns += ended - started
        self.scheduler_ns += started - began + time.perf_counter_ns() - ended
        return True

    def _refuse_to_stall(self) -> None:
        """The progress law: nothing ran, so somebody must be waiting for something that can still come."""
        scheduler = self.scheduler
        if not self.live or not (scheduler.closed or scheduler.running) or self.wake_ns is not None:
            return
        head = scheduler.queue.peek(self.now_ns)
        needs = (
            "nothing" if head is None else f"request '{head.id}' needs {self.memory.blocks_to_admit(head)} KV blocks"
        )
        if scheduler.gate is not None and self.config.scheme == "static" and not self.config.flush:
            needs = (
                f"a static batch needs {self.config.slots} requests and {len(scheduler.queue)} wait "
                f"(no more will come; let it flush)"
            )
        free = self.pool.num_blocks - self.pool.reserved
        message = f"the engine stalled with {len(self.live)} requests: {needs}; {free} blocks are free"
        self.abort_all()
        raise Stall(message)
