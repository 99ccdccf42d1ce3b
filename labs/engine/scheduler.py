"""Who computes what in the next iteration. All four schemes are this one scheduler; they differ only in when
membership may change: always (continuous, and sequential with its one slot), or between batches (static, dynamic).

Order of a plan: urgent requests take places, running sequences get the block of their next token (preempting when
none is free), decodes are planned, and prefill chunks fill what the token budget leaves.
"""

from __future__ import annotations

import heapq
from collections import Counter

from labs.engine.batches import BatchGate
from labs.engine.config import EngineConfig
from labs.engine.events import StepEvent
from labs.engine.memory import KvMemory
from labs.engine.policies import FairQueue, PriorityQueue, first, make_queue, resumed
from labs.engine.types import Chunk, FinishReason, Plan, Sequence, State, StepResult

UNLIMITED = 1 << 60


class Scheduler:
    def __init__(self, config: EngineConfig, memory: KvMemory) -> None:
        self.config = config
        self.memory = memory
        self.queue = make_queue(config)
        self.running: list[Sequence] = []  # in the order of admission; replaced, never changed, while planning
        self.gate = BatchGate(config) if config.batches_requests else None
        self.closed = False  # no more requests will come
        self.finished: list[Sequence] = []  # since the engine last looked
        self._free_slots = list(range(config.rows))
        self._ranked = config.policy in ("fcfs", "sjf", "lpt", "priority")
        self._charges = isinstance(self.queue, FairQueue)
        self._prefill_run = 0  # prefill-only iterations in a row while a decode waited
        self._now_ns = 0
        self._lost_memory = False  # this plan preempted for memory: admitting again would only thrash

    # ---- planning ----------------------------------------------------------------------------------------------

    def plan(self, now_ns: int) -> Plan:
        self._now_ns = now_ns
        self._lost_memory = False
        self.memory.swap_bytes = 0
        if self.gate is not None:
            plan = self._plan_batch(self.gate)
        elif self.config.prefill == "first":
            plan = self._plan_prefill_first()
        else:
            plan = self._plan_mixed()
        plan.swap_bytes = self.memory.swap_bytes
        return plan

    def _plan_mixed(self) -> Plan:
        self._place_urgent()
        decodes, half_done = self._decodes()
        budget = UNLIMITED if self.config.token_budget is None else self.config.token_budget - len(decodes)
        return self._add_prefills(Plan(decodes, decode_tokens=len(decodes)), half_done, budget)

    def _plan_prefill_first(self) -> Plan:
        """Prefill-only iterations come first, but a waiting decode sits out at most `max_prefill_run` of them."""
        self._place_urgent()
        decode_waits = any(seq.decoding for seq in self.running)
        if self._prefill_run < self.config.max_prefill_run:
            half_done = [seq for seq in self.running if not seq.decoding]
            plan = self._add_prefills(Plan([]), half_done, self.config.token_budget or UNLIMITED)
            if plan.prefill_tokens:
                self._prefill_run += decode_waits
                return plan
        self._prefill_run = 0
        decodes, _ = self._decodes()
        return Plan(decodes, decode_tokens=len(decodes))

    def _plan_batch(self, gate: BatchGate) -> Plan:
        """Request-level batching: one padded prefill iteration, then decodes until the slowest member is done."""
        decodes, starting = self._decodes()
        if not self.running:
            self._end_batch(gate)
            for _ in range(gate.size(self.queue, self.closed, self._now_ns)):
                seq = self._candidate()
                if seq is None:
                    break
                self._admit(seq)
                starting.append(seq)
            gate.begin(len(starting))
        back = [seq for seq in starting if seq.decoding]  # its KV came back from the host: nothing to prefill
        prompts = [Chunk(seq, seq.computed, seq.total) for seq in starting if not seq.decoding]
        chunks = decodes + [Chunk(seq, seq.computed, seq.total) for seq in back] + prompts
        if not prompts:
            return Plan(chunks, decode_tokens=len(chunks), pad_decode=gate.rows - len(chunks) if chunks else 0)
        longest = max(stop - start for _, start, stop in chunks)
        padding = [longest - (stop - start) for _, start, stop in chunks]
        padding += [longest] * (gate.rows - len(chunks))
        tokens = sum(stop - start for _, start, stop in prompts)
        return Plan(chunks, tokens, decode_tokens=len(back), pad_prompt=[pad for pad in padding if pad])

    def _decodes(self) -> tuple[list[Chunk], list[Sequence]]:
        """A chunk for every sequence whose newest token waits, with memory for it; and the half-done prefills."""
        chunks: list[Chunk] = []
        half_done: list[Sequence] = []
        for seq in self.running:
            start = seq.computed
            if start != seq.total - 1 or start < seq.request.prompt_len:
                half_done.append(seq)
            elif start != seq.capacity or self._grow(seq):
                chunks.append(Chunk(seq, start, start + 1))
        if self._lost_memory:  # some of those listed above may have been preempted since
            chunks = [chunk for chunk in chunks if chunk.seq.state is State.RUNNING]
            half_done = [seq for seq in half_done if seq.state is State.RUNNING]
        return chunks, half_done

    def _add_prefills(self, plan: Plan, half_done: list[Sequence], budget: int) -> Plan:
        """Fill the budget: half-done prefills and newly admitted requests, in the policy's order.

        A half-done prefill pauses when a more urgent newcomer takes the budget.
        """
        most = self.config.chunk or UNLIMITED
        places = self.config.max_prefills or UNLIMITED
        if self._ranked:
            half_done.sort(key=lambda seq: seq.rank)
        half_done.reverse()  # the next one is popped from the end
        while budget > 0 and places > 0:
            newcomer = self._candidate()
            if half_done and (newcomer is None or not (self._ranked and newcomer.rank < half_done[-1].rank)):
                seq = half_done.pop()
            elif newcomer is not None:
                seq = newcomer
                self._admit(seq)
                if seq.decoding:  # its KV came back from the host: nothing to prefill
                    if self.config.prefill == "mixed":
                        plan.chunks.append(Chunk(seq, seq.computed, seq.total))
                        plan.decode_tokens += 1
                        budget -= 1
                    continue
            else:
                break
            tokens = min(seq.total - seq.computed, most, budget)
            plan.chunks.append(Chunk(seq, seq.computed, seq.computed + tokens))
            plan.prefill_tokens += tokens
            budget -= tokens
            places -= 1
        return plan

    # ---- admission ---------------------------------------------------------------------------------------------

    def _candidate(self) -> Sequence | None:
        """The next waiting sequence for which there is a slot and memory, if it may be admitted now."""
        if not self._free_slots or self._lost_memory:
            return None
        head = self._within_share(self.queue.peek(self._now_ns))
        if head is None or self.memory.fits(head):
            return head
        if resumed(head) or head.bypassed >= self.config.max_bypass:
            return None
        for seq in first(self.queue, 1 + self.config.max_bypass, self._now_ns):
            if seq is not head and self._within_share(seq) is seq and self.memory.fits(seq):
                head.bypassed += 1
                return seq
        return None

    def _within_share(self, head: Sequence | None) -> Sequence | None:
        """The first waiting sequence whose tenant may hold one more slot."""
        most = self.config.tenant_slots
        if most is None or head is None:
            return head
        held = Counter(seq.request.tenant for seq in self.running)
        if held[head.request.tenant] < most:
            return head
        allowed = (seq for seq in self.queue if held[seq.request.tenant] < most)
        return min(allowed, key=lambda seq: self.queue.order(seq, self._now_ns), default=None)

    def _admit(self, seq: Sequence) -> None:
        if self._charges and not resumed(seq):
            self.queue.charge(seq, seq.prompt_len, 0)
        if isinstance(self.queue, PriorityQueue):
            seq.priority_held = self.queue.aged(seq, self._now_ns)
        self.queue.discard(seq)
        seq.slot = heapq.heappop(self._free_slots)
        self.memory.log.append(("admit", seq.id, seq.slot))
        self.memory.admit(seq)
        self.running = [*self.running, seq]

    def _place_urgent(self) -> None:
        """Strict priority: a more urgent request takes the place of a running one when it has none."""
        if not (isinstance(self.queue, PriorityQueue) and self.config.strict_priority):
            return
        while (urgent := self.queue.most_urgent(self._now_ns)) is not None:
            if self._free_slots and self.memory.fits(urgent):
                return  # admission will see to it
            victims = [seq for seq in self.running if seq.priority_held > urgent.request.priority]
            free = self.memory.pool.num_blocks - self.memory.pool.reserved + sum(seq.reserved for seq in victims)
            if not victims or free < self.memory.blocks_to_admit(urgent):
                return
            while victims and not (self._free_slots and self.memory.fits(urgent)):
                victim = max(victims, key=lambda seq: seq.priority_held)
                victims.remove(victim)
                self._preempt(victim)
            if self._free_slots and self.memory.fits(urgent):
                self._admit(urgent)

    # ---- preemption --------------------------------------------------------------------------------------------

    def _grow(self, seq: Sequence) -> bool:
        """Memory for its next token, preempting victims until there is some. False when it lost its own place."""
        if seq.state is not State.RUNNING:
            return False
        if self.memory.pool.blocks_for(seq.total) > self.memory.pool.num_blocks:
            self.finish(
                seq,
                FinishReason.KV_EXHAUSTED,
                f"request '{seq.id}' needs {self.memory.pool.blocks_for(seq.total)} KV blocks for {seq.total} tokens "
                f"and the pool has {self.memory.pool.num_blocks}",
            )
            return False
        while not self.memory.grow(seq):
            victim = self._victim()
            self._lost_memory = True
            self._preempt(victim)
            if victim is seq:
                return False
        return True

    def _victim(self) -> Sequence:
        candidates = self.running
        if isinstance(self.queue, PriorityQueue) and self.config.strict_priority:
            least_urgent = max(seq.priority_held for seq in candidates)
            candidates = [seq for seq in candidates if seq.priority_held == least_urgent]
        if self.config.victim == "last":
            return candidates[-1]
        newest_first = candidates[::-1]
        if self.config.victim == "lowest":
            return max(newest_first, key=lambda seq: seq.request.priority)
        return max(newest_first, key=lambda seq: len(seq.blocks))

    def _preempt(self, seq: Sequence) -> None:
        self.memory.preempt(seq)
        self._leave(seq)
        self.running = [other for other in self.running if other is not seq]
        self.queue.push(seq)

    # ---- after the executor ------------------------------------------------------------------------------------

    def commit(self, plan: Plan, result: StepResult, event: StepEvent) -> tuple[list[Sequence], list[Sequence]]:
        """Move `computed` forward and append each token to the sequence it belongs to.

        Returns the sequences that are done and those that the executor failed on.
        """
        tokens, stored, out = result.tokens, self.memory.stored, event.tokens
        size = self.memory.pool.block_size
        single = 0
        done: list[Sequence] = []
        failed = [seq for seq, _, _ in plan.chunks if seq.key in result.failed] if result.failed else []
        for seq, start, stop in plan.chunks:
            if stop - start == 1 and start % size:  # inside a block that is used already
                single += 1
            else:
                stored(start, stop)
            seq.computed = stop
            if stop == seq.total:
                token = tokens.get(seq.key)
                if token is None:
                    if seq not in failed:
                        failed.append(seq)
                    continue
                seq.output.append(token)
                seq.total = stop + 1
                out.append((seq.request.id, token))
                if len(seq.output) >= seq.limit or (seq.request.stop_ids and self._stops(seq, token)):
                    done.append(seq)
        self.memory.used_tokens += single
        if self._charges:
            for seq, _, stop in plan.chunks:
                if seq.total == stop + 1:
                    self.queue.charge(seq, 0, 1)
        return done, failed

    def _stops(self, seq: Sequence, token: int) -> bool:
        request = seq.request
        return request.output_len is None and token in request.stop_ids and len(seq.output) >= request.min_new_tokens

    def retire(self, done: list[Sequence]) -> None:
        """Finish the sequences that reached their end, and close a batch whose last member is done."""
        for seq in done:
            reason = FinishReason.LENGTH if len(seq.output) >= seq.limit else FinishReason.STOP
            self._close(seq, reason, "")
        if done:
            self.running = [seq for seq in self.running if seq.state is State.RUNNING]
        if self.gate is not None and not self.running:
            self._end_batch(self.gate)

    def finish(self, seq: Sequence, reason: FinishReason, message: str = "") -> None:
        """End a sequence in any state; a finished one is left alone."""
        if seq.state is State.FINISHED:
            return
        self.queue.discard(seq)
        self._close(seq, reason, message)
        self.running = [other for other in self.running if other is not seq]
        if self.gate is not None and not self.running:
            self._end_batch(self.gate)

    def _close(self, seq: Sequence, reason: FinishReason, message: str) -> None:
        self.memory.release(seq)
        self._leave(seq)
        seq.state, seq.reason, seq.message = State.FINISHED, reason, message
        self.finished.append(seq)
        self.memory.log.append(("finish", seq.id, reason.value, message))
        if self.gate is not None and self.config.answers_with_batch and reason is not FinishReason.ABORTED:
            self.gate.hold(seq.id)
        else:
            self.memory.log.append(("deliver", seq.id))

    def _leave(self, seq: Sequence) -> None:
        """Free its slot: at once, or with its batch."""
        if seq.slot < 0:
            return
        if self.gate is not None:
            self.gate.slots.append(seq.slot)
        else:
            heapq.heappush(self._free_slots, seq.slot)
        seq.slot = -1

    def _end_batch(self, gate: BatchGate) -> None:
        slots, answers = gate.end()
        for slot in slots:
            heapq.heappush(self._free_slots, slot)
        self.memory.log.extend(("deliver", request_id) for request_id in answers)
