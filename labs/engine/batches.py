"""When a request-level batch may start, and what it holds until it ends."""

from __future__ import annotations

from labs.engine.config import EngineConfig
from labs.engine.policies import Queue


class BatchGate:
    """Static: exactly `slots` requests (fewer, padded with empty rows, only when no more will come).

    Dynamic, as Triton's dynamic batcher does it: at once when a preferred size or the largest size can be formed,
    otherwise when the oldest request has waited `max_queue_delay`; rows are only those of its members.
    """

    def __init__(self, config: EngineConfig) -> None:
        self.config = config
        self.rows = 0  # rows computed each step of the current batch
        self.slots: list[int] = []  # slots of members that are done
        self.wake_ns: int | None = None  # when waiting longer changes the answer
        self._answers: list[str] = []

    def size(self, queue: Queue, closed: bool, now_ns: int) -> int:
        """How many requests to take now; 0 is: wait."""
        self.wake_ns = None
        waiting = len(queue)
        if not waiting:
            return 0
        if waiting >= self.config.slots:
            return self.config.slots
        if self.config.scheme == "static":
            return waiting if closed and self.config.flush else 0
        sizes = [size for size in self.config.preferred if size <= waiting]
        if sizes:
            return max(sizes)
        deadline = min(seq.request.arrival_ns for seq in queue) + self.config.max_queue_delay_ns
        if now_ns >= deadline:
            return waiting
        self.wake_ns = deadline
        return 0

    def begin(self, members: int) -> None:
        self.rows = self.config.slots if self.config.scheme == "static" and members else members

    def hold(self, request_id: str) -> None:
        """Its answer leaves with the batch."""
        self._answers.append(request_id)

    def end(self) -> tuple[list[int], list[str]]:
        """Slots and answers that leave now."""
        slots, answers = self.slots, self._answers
        self.slots, self._answers = [], []
        return slots, answers
