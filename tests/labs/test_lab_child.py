"""The engine's own process: it speaks JSON lines, hears a cancel at once, and never outlives its parent."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from labs.lab import find_lab
from labs.runner import verify
from labs.session import Receipt


class Talk:
    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "labs.child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def send(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def run(self, lab="15", which="main", file="log.jsonl", **more):
        path = str(self.folder / file)
        start = {"cmd": "run", "lab": lab, "run": which, "part": "main", "seed": 3, "executor": "virtual"}
        self.send(**{**start, "events_path": path, "at": "now", **more})

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def until(self, *kinds):
        heard = []
        while True:
            heard.append(self.hear())
            if heard[-1]["type"] in kinds:
                return heard


@pytest.fixture
def talk(tmp_path):
    one = Talk(tmp_path)
    yield one
    one.process.kill()
    one.process.wait()


def test_a_run_is_told_step_by_step_and_ends_with_a_receipt_that_holds(talk, tmp_path):
    talk.run()
    began = time.monotonic()
    heard = talk.until("done", "error")
    took = time.monotonic() - began
    assert heard[0]["type"] == "started"
    assert heard[0]["slots"] == 8
    assert len(heard[0]["requests"]) == 8
    steps = [event["step"] for message in heard if message["type"] == "step" for event in message["events"]]
    assert steps == list(range(1, 201))
    assert len(heard) <= 20 * took + 4
    receipt = Receipt.model_validate(heard[-1]["receipt"])
    assert verify(find_lab("15"), receipt) == []
    assert [file.name for file in tmp_path.iterdir()] == ["log.jsonl"]


def test_a_cancel_is_answered_at_once_and_the_next_run_goes_on(talk, tmp_path):
    for _ in range(3):
        talk.run(lab="13")
        talk.until("step")
        talk.send(cmd="cancel")
        assert talk.until("cancelled", "done", "error")[-1]["type"] == "cancelled"
        assert list(tmp_path.iterdir()) == []
    talk.run()
    talk.send(cmd="cancel")  # before it has begun
    assert talk.until("cancelled", "done")[-1]["type"] == "cancelled"
    talk.send(cmd="cancel")  # nothing to cancel
    talk.run()
    assert talk.until("done", "error", "cancelled")[-1]["type"] == "done"


def test_it_ends_by_itself_when_its_parent_is_gone(talk, tmp_path):
    talk.run(lab="13")
    talk.until("step")
    talk.process.stdin.close()
    assert talk.process.wait(timeout=20) == 0
    assert list(tmp_path.iterdir()) == []


def test_killed_in_a_run_it_leaves_no_receipt(talk, tmp_path):
    talk.run(lab="13")
    talk.until("step")
    talk.process.send_signal(signal.SIGKILL)
    talk.process.wait()
    assert not (tmp_path / "log.jsonl").exists()
    assert all(file.name.endswith(".partial") for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"lab": "99"}, "no lab '99'"),
        ({"which": "none"}, "no main run 'none'"),
        ({"set": {"slots": "many"}}, "no knob 'slots'"),
        ({"executor": "abacus"}, "torch or virtual"),
        ({"events_path": "/proc/nowhere/log.jsonl"}, "cannot be written"),
        ({"seed": None}, "not complete"),
    ],
)
def test_what_cannot_be_run_is_answered_in_a_sentence(talk, change, said):
    talk.run(**change)
    message = talk.until("error", "done")[-1]
    assert message["type"] == "error"
    assert said in message["message"]


def test_garbage_is_answered_and_survived(talk):
    talk.process.stdin.write("not json\n[1]\n")
    talk.process.stdin.flush()
    assert talk.hear()["type"] == "error"
    assert talk.hear()["type"] == "error"
    talk.run()
    assert talk.until("done", "error")[-1]["type"] == "done"
