"""The runs of a lab: the engine works in a child, its steps are seen as they come, finished runs are seen again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from textual import on

from quizapp.tui.lab_bench import Bench, empty_recording
from quizapp.tui.lab_recording import read_into
from quizapp.tui.messages import Reply
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.widgets.run_pane import RunPane


class LabReady(Reply):
    """value: LabView, as it is in the store now."""


class RunPlanned(Reply):
    """value: RunPlan."""


class Recalled(Reply):
    """value: (lab id, receipt, Recording or None, settings), read back from an event log."""


class RunScreen(QuizScreen, inherit_bindings=False):
    """`view` is the LabView that is open. Subclasses give `renew`, `paint` and `warn`."""

    def __init__(self) -> None:
        super().__init__()
        self.view: Any = None
        self.fast = False
        """The transfer is predicted at once."""
        self.seeing = False
        self.bench = Bench(self._hear, lambda: self.pane.wake())
        self.moving = False
        """Something that moves the lab on is on its way to the disk."""

    def renew(self) -> None:
        """Everything anew: the lab stands elsewhere now."""
        raise NotImplementedError

    def paint(self) -> None:
        raise NotImplementedError

    def warn(self, words: str) -> None:
        raise NotImplementedError

    @property
    def pane(self) -> RunPane:
        return self.query_one(RunPane)

    @property
    def wide(self) -> bool:
        return self.size.width >= 110

    @property
    def sees_run(self) -> bool:
        return self.bench.recording is not None and (self.seeing or self.wide)

    # The lab in the store

    def ask_lab(self, job: Callable[[Any], Any], reply: type[Reply] = LabReady) -> None:
        def run(study: Any) -> Any:
            from quizapp.study.labs import Labs

            return job(Labs(study))

        self.ask_store(reply, run)

    def move_on(self, job: Callable[[Any], Any], reply: type[Reply] = LabReady) -> None:
        self.moving = True
        self.ask_lab(job, reply)

    async def on_unmount(self) -> None:
        await self.bench.close()

    # Running

    def action_run(self) -> None:
        part = self.view.part_of(self.fast)
        left = self.view.runs_left(part)
        if left and not self.bench.running:
            name, run = self.view.lab.id, left[0].id
            self.move_on(lambda labs: labs.plan_run(name, part, run), RunPlanned)

    @on(RunPlanned)
    def _planned(self, message: RunPlanned) -> None:
        self.moving = False
        self.seeing = True
        self.bench.start(message.value)
        self.paint()
        self.pane.wake()
        self.pane.scroll_home(animate=False)

    def _hear(self, message: Mapping[str, Any]) -> None:
        """What the child says besides steps."""
        kind = message.get("type")
        if kind == "started":
            self.bench.config["kv_blocks"] = message.get("kv_blocks")
            self.bench.say(str(message.get("notice") or ""))
        elif kind == "done":
            self._ran(message)
        elif kind in ("error", "cancelled"):
            self.bench.give_up()
            self.renew()
            self.warn(str(message.get("message") or "The run was cancelled."))

    def _ran(self, message: Mapping[str, Any]) -> None:
        from labs.session import Receipt

        name, receipt = self.view.lab.id, Receipt.model_validate(message["receipt"])
        self.bench.say(f"This machine took {message['wall_s']:.1f} s. {message['notice']}")
        self.bench.done(more=any(run.id != receipt.run for run in self.view.runs_left(receipt.part)))
        self.move_on(lambda labs: labs.record_receipt(name, receipt))
        if not receipt.agrees:
            self.quiz.tell("The oracle does not agree with this run, so it does not count. Run it again.", bad=True)

    def action_cancel(self) -> None:
        self.bench.give_up()
        self.renew()
        self.warn("The run was cancelled and nothing of it was kept. Your predictions stand.")

    def look_at(self, receipt: Any) -> None:
        """Brings a finished run into sight; reads its log back when it is not on the bench, as after a restart."""
        if self.bench.running:
            return
        if self.bench.has(receipt.part, receipt.run):
            self.bench.look(receipt.part, receipt.run)
            return
        name = self.view.lab.id

        def job(labs: Any) -> Any:
            config = labs.config_of(receipt, name)
            return name, receipt, read_into(empty_recording(config), Path(receipt.events)), config

        self.ask_lab(job, Recalled)

    def receipts(self) -> list[Any]:
        """Of the finished runs of this attempt, in the lab's order."""
        parts = ("main", "transfer") if self.view.part_of(self.fast) == "transfer" else ("main",)
        found = (self.view.receipt(part, run.id) for part in parts for run in self.view.lab.part_runs(part))
        return [receipt for receipt in found if receipt is not None]

    @on(Recalled)
    def _recalled(self, message: Recalled) -> None:
        name, receipt, recording, config = message.value
        if recording is not None and self.view is not None and name == self.view.lab.id and not self.bench.running:
            self.bench.put(receipt.part, receipt.run, recording, config)
            self.paint()

    # Looking at a run

    def action_look(self) -> None:
        self.seeing = not self.seeing
        self.paint()

    def action_play(self) -> None:
        self.pane.play()

    def action_seek(self, delta: int) -> None:
        self.pane.seek(delta)

    def action_faster(self, delta: int) -> None:
        self.pane.faster(delta)

    def action_zoom(self) -> None:
        self.pane.zoom()

    def action_other_run(self) -> None:
        receipts = self.receipts()
        if receipts and not self.bench.running:
            keys = [(one.part, one.run) for one in receipts]
            at = keys.index(self.bench.shown) if self.bench.shown in keys else -1
            self.look_at(receipts[(at + 1) % len(receipts)])
            self.pane.paint()
