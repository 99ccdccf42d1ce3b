"""`engine run` against bad numbers, broken files, the learner's own mistakes, full disks and signals: a sentence, never
a traceback."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from labs.engine import EngineConfig, EngineError, Request, VirtualExecutor, core, run
from labs.workload_files import MOST_LINE
from quizapp.cli import app
from quizapp.engine_flags import RULES

ROOT = Path(__file__).parents[2]
LONG = ("--workload", "gen:azure_code", "--requests", "500000")
runner = CliRunner()


def refused(*arguments: str, code: int = 2) -> str:
    result = runner.invoke(app, ["engine", "run", *arguments])
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    return result.stderr


def served(*arguments: str) -> tuple[dict, str]:
    result = runner.invoke(app, ["engine", "run", *arguments, "--json"])
    assert result.exit_code == 0, repr(result.exception) + result.stderr
    return json.loads(result.stdout), result.stderr


# ---- numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--slots", "9" * 23), "it must be at most 100,000"),
        (("--kv-blocks", "9" * 23), "it must be at most 10,000,000"),
        (("--groups", "9" * 23), "requests; 1,000,000 is the most"),
        (("--seed", "9" * 23), "--seed is"),
        (("--seed", "-" + "9" * 23), "--seed is"),
        (("--threads", "0"), "'--threads'"),
        (("--bypass", "-1"), "--bypass is -1; it must be at least 0"),
        (("--slo", "ttft=9,ttft=2"), "ttft is there twice; give each limit once"),
        (("--slo", "ttft=1.7e308"), "is not ttft=MS or itl=MS with a time of 0 to 1e12 ms"),
        (("--policy", "priority", "--aging", "inf"), "--aging is inf; it must be at most"),
        (("--scheme", "dynamic", "--slots", "16", "--max-queue-delay", "inf"), "--max-queue-delay is inf"),
        (("--scale", "1e-300"), "--scale 1e-300 makes a length of"),
        (("--scale", "5e-324"), "makes a length of inf tokens"),
        (("--workload", "gen:azure_code", "--requests", "9" * 23), "'--requests'"),
        (("--workload", "gen:azure_code", "--rate", "5e-324"), "--rate is 5e-324"),
        (("--workload", "gen:azure_code", "--rate", "1", "--burstiness", "1.7e308"), "--burstiness is 1.7e+308"),
        (("--workload", "gen:azure_code", "--rate", "1", "--burstiness", "5e-324"), "--burstiness is 5e-324"),
    ],
)
def test_a_number_out_of_all_bounds_is_refused(arguments, sentence: str) -> None:
    assert sentence in refused(*arguments)


# ---- flags without effect ----------------------------------------------------------------------------------------

IDLE = [
    ("--model small", "", "--executor torch"),
    ("--dtype bfloat16", "", "--executor torch"),
    ("--device cpu", "", "--executor torch"),
    ("--threads 1", "", "--executor torch"),
    ("--fast", "", "--executor torch"),
    ("--no-flush", "", "--scheme static"),
    ("--no-flush", "--scheme dynamic", "--scheme static"),
    ("--bypass 2", "--scheme sequential", ""),
    ("--tenant-slots 2", "--scheme sequential", ""),
    ("--max-prefills 1", "--scheme sequential", ""),
    ("--prefill first", "--scheme sequential", ""),
    ("--aging 5", "", "--policy priority"),
    ("--no-strict-priority", "--policy fair", "--policy priority"),
    ("--victim largest", "--admission reserve", "--admission optimistic"),
    ("--victim largest", "--kv contiguous --policy priority", "--kv paged"),
    ("--victim largest", "--scheme sequential", ""),
    ("--preempt swap", "--admission reserve", ""),
    ("--preempt swap", "--kv contiguous", ""),
    ("--preempt swap", "--admission reserve --policy priority --no-strict-priority", ""),
    ("--preempt swap", "--admission reserve --policy priority --scheme static", ""),
    ("--swap-blocks 9", "", "--preempt swap"),
    ("--burstiness 2", "--workload gen:azure_code", "--rate"),
]
"""(flag, what stands beside it, what its sentence must name)"""
ACTS = [
    "--no-flush --scheme static",
    "--aging 5 --no-strict-priority --policy priority",
    "--victim largest",
    "--victim lowest --scheme static",
    "--swap-blocks 9 --preempt swap --bypass 2 --tenant-slots 2 --max-prefills 1 --prefill first",
    "--preempt swap --swap-blocks 3 --policy priority --kv contiguous",
    "--preempt swap --policy priority --scheme sequential",
    "--burstiness 2 --rate 3 --workload gen:azure_code --requests 8",
    "--slots 3 --scheme sequential",
    "--aging 10000 --model tiny --victim last --bypass 0 --prefill mixed --preempt recompute --exact --flush",
]
ALWAYS = {"workload", "groups", "scale", "scheme", "policy", "slots", "kv_blocks", "block_size", "admission", "kv"}
ALWAYS |= {"slo", "executor", "clock", "seed", "check", "tokens", "events", "json"}
ELSEWHERE = {"requests", "rate", "max_queue_delay", "preferred", "token_budget", "chunk", "respond"}
"""Refused where they have no effect by the workload or by EngineConfig."""


@pytest.mark.parametrize(("flag", "beside", "named"), IDLE)
def test_a_flag_that_would_change_nothing_is_refused(flag: str, beside: str, named: str) -> None:
    said = refused(*flag.split(), *beside.split())
    assert re.match(rf"{flag}(\.0)? would change nothing: ", said)
    assert named in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("flags", ACTS)
def test_flags_that_act_or_say_what_is_so_anyway_are_taken(flags: str) -> None:
    assert served(*flags.split())[0]["finished"] > 0


FOREIGN = ["--requests 3", "--rate 3", "--max-queue-delay 5", "--preferred 2", "--respond batch"]
FOREIGN += ["--chunk 8 --scheme static", "--token-budget 99 --scheme dynamic"]


@pytest.mark.parametrize("flags", FOREIGN)
def test_flags_of_another_workload_or_scheme_are_refused(flags: str) -> None:
    refused(*flags.split())


def test_every_flag_is_known_to_act_always_or_is_refused_somewhere() -> None:
    known = {parameter.name for parameter in get_command(app).commands["engine"].commands["run"].params}
    ruled = {name for rule in RULES for name in rule.flags}
    assert not ruled & (ALWAYS | ELSEWHERE)
    assert known - {"help"} == ruled | ALWAYS | ELSEWHERE
    tried = {flag.split()[0].removeprefix("--no-").removeprefix("--").replace("-", "_") for flag, _, _ in IDLE}
    assert tried == ruled - {"exact"} | {"fast"}


def test_kv_memory_that_cannot_be_is_refused_before_the_pool_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    class Small(VirtualExecutor):
        def allocate(self, num_blocks: int, block_size: int) -> None:
            raise EngineError(f"{num_blocks} blocks are too many")

    def built(*_: object, **__: object) -> None:
        raise AssertionError("the pool was built")

    monkeypatch.setattr(core, "BlockPool", built)
    with pytest.raises(EngineError, match="9000000 blocks are too many"):
        run(EngineConfig(kv_blocks=9_000_000), [Request("r1", 1, output_len=1)], Small())


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf", "1e-9"])
def test_a_large_generated_workload_is_checked_like_a_small_one(scale: str) -> None:
    assert f"--scale {'1e-09' if scale == '1e-9' else 'is'}" in refused(
        *("--workload", "gen:azure_code", "--requests", "20000", "--scale", scale, "--kv-blocks", "100")
    )


def test_kv_memory_that_no_one_could_keep_books_of_is_refused(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    work.write_text('{"prompt_len": 10000000, "output_len": 1}\n' * 2)
    told = refused("--workload", str(work), "--block-size", "1")
    assert "can use 20,000,000 KV blocks of 1 tokens and 10,000,000 is the most" in told
    assert "--block-size" in told


# ---- workload files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["arrival_ms", "temperature", "top_p"])
def test_a_whole_number_beyond_all_floats_is_refused(tmp_path, field: str) -> None:
    work = tmp_path / "w.jsonl"
    work.write_text(json.dumps({"prompt_len": 1, "output_len": 1, field: 10**400}))
    told = refused("--workload", str(work))
    assert f"{work}:1: {field} is 1000" in told
    assert len(told) < 300, "the number is not repeated in full"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"prompt": [1], "prompt_len": true, "output_len": 1}', "prompt_len is true; give a whole number"),
        ('{"id": 1%s, "prompt_len": 1, "output_len": 1}' % ("0" * 300), "1 to 200 characters"),
        ('{"timestamp": 0, "input_length": 1, "output_length": 1, "hash_ids": [[1]]}', "hash_ids is [1]"),
        ('{"%s": 1, "prompt_len": 1, "output_len": 1}' % ("k" * 100_000), "unknown field 'kkkk"),
    ],
)
def test_a_field_that_is_not_what_it_should_be(tmp_path, line: str, sentence: str) -> None:
    work = tmp_path / "w.jsonl"
    work.write_text(line)
    told = refused("--workload", str(work))
    assert sentence in told
    assert len(told) < 500


def test_lines_end_at_line_feeds_only(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    work.write_text('{"id": "a\u2028b", "prompt_len": 1, "output_len": 1}\r\n{"prompt_len": 1}\n', "utf-8", newline="")
    told = refused("--workload", str(work))
    assert f'{work}:1: id is "a\\u2028b"; give a printable text' in told
    assert f"{work}:2: neither output_len" in told


def test_a_file_without_line_ends_does_not_fill_the_memory(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    with work.open("wb") as stream:
        stream.truncate(MOST_LINE + 1)  # a hole of zeros
    assert "a line is longer than 64,000,000 characters" in refused("--workload", str(work))


def test_copies_of_a_workload_need_ids_of_their_own(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    work.write_text("\n".join(json.dumps({"id": name, "prompt_len": 1, "output_len": 1}) for name in ("a", "a#2")))
    assert "--groups 2: a copy would have an id" in refused("--workload", str(work), "--groups", "2")


def test_the_event_log_does_not_overwrite_the_workload(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    line = '{"prompt_len": 1, "output_len": 1}\n'
    work.write_text(line)
    (tmp_path / "link").symlink_to(work)
    said = refused("--workload", str(work), "--events", str(tmp_path / "link"))
    assert "is no event log, so it is not overwritten" in said
    assert work.read_text() == line


@pytest.mark.parametrize("flags", [("--requests", "-1", "--groups", "-30000"), ("--requests", "-5")])
def test_negative_counts_do_not_make_a_positive_one(flags) -> None:
    assert "at least 1" in refused("--workload", "gen:azure_code", *flags)


def test_why_requests_were_refused_is_said_beside_the_result(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    work.write_text('{"prompt_len": 900, "output_len": 1}\n' * 8 + '{"prompt_len": 16, "output_len": 20}\n')
    said, told = served("--workload", str(work), "--kv-blocks", "2")
    assert said["finish_reasons"] == {"kv_exhausted": 1, "too_large": 8}
    assert "too_large: request 'line1' needs 57 KV blocks for its prompt (900 tokens) and the pool has 2" in told
    assert "... and 4 more" in told


# ---- a policy of the learner's own -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("def rank(r): return 1", "p.py: `rank` failed on request 'r1': TypeError: rank() takes 1 positional"),
        ("a\0", "p.py:1: not valid Python"),
        ("raise BaseException('b')", "p.py:1: BaseException: b"),
        ("def rank(r, now):\n    raise GeneratorExit", "p.py:2: `rank` failed"),
        ("def rank(r, now): return 'x' * 1000000", "...xxx"),
        ("class N:\n    def __repr__(self): 1/0\ndef rank(r, now): return N()", "`rank` returned <N instance"),
        ("def rank(r, now): return ('a', 10**6000)", "`rank` returned a tuple that cannot be shown"),
        ("class N(int):\n    def __lt__(self, other): 1/0\ndef rank(r, now): return N()", "`rank` returned 0 for"),
        ("def rank(r, now): raise ValueError('x ' * 3_000_000)", "ValueError: x x"),
        ("class E(Exception):\n    def __str__(self): 1/0\ndef rank(r, now): raise E", "<exception str() failed>"),
        ("def rank(r, now): return rank(r, now)", "RecursionError"),
    ],
)
def test_what_a_policy_file_may_do_wrong(tmp_path, code: str, sentence: str) -> None:
    (tmp_path / "p.py").write_text(code)
    told = refused("--policy", str(tmp_path / "p.py"), "--slots", "2")
    assert sentence in told
    assert len(told) < 600


def test_a_policy_may_print_and_have_dataclasses(tmp_path) -> None:
    (tmp_path / "p.py").write_text(
        "from dataclasses import dataclass\nprint('loaded')\n@dataclass\nclass Seen:\n    n: int = 0\n"
        "def rank(request, now_ms):\n    print('asked about', request.id)\n    return -request.output_len\n"
    )
    said, told = served("--policy", str(tmp_path / "p.py"), "--slots", "2")
    assert said["steps"] == served("--policy", "lpt", "--slots", "2")[0]["steps"]
    assert told.startswith("loaded\nasked about r1\n")


# ---- disks and signals -------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("groups", ["1", "30"])
def test_a_full_disk_ends_the_run_with_one_sentence(groups: str) -> None:
    told = refused("--groups", groups, "--events", "/dev/full", code=1)
    assert told == "/dev/full: cannot write the event log (No space left on device)\n"


def test_an_interrupt_is_passed_on_as_it_is_even_in_the_middle_of_a_step() -> None:
    class Interrupted:
        vocab_size = None
        block_bytes = 0

        def allocate(self, num_blocks: int, block_size: int) -> None: ...

        def run(self, plan):
            plan.chunks[0].seq.blocks.append(1)  # a change that a signal cut in half
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(EngineConfig(), [Request("a", 5, output_len=2)], Interrupted())


def test_any_other_error_in_a_step_gives_everything_back() -> None:
    freed = []

    class Broken(Exception):
        pass

    def fail_at_the_third(event) -> None:
        freed.extend(event.actions("free"))
        if event.step == 3 and event.chunks:
            raise Broken

    with pytest.raises(Broken):
        run(EngineConfig(), [Request("a", 5, output_len=9)], on_event=fail_at_the_third)
    assert [action[1] for action in freed] == ["a"]


def test_seeds_that_torch_cannot_take_are_refused_by_the_config() -> None:
    EngineConfig(seed=2**63 - 1)
    with pytest.raises(EngineError, match="--seed"):
        EngineConfig(seed=2**63)


def on_a_terminal(*arguments: str, columns: int = 80, then: int | None = None) -> tuple[str, int]:
    """What `engine` shows on a terminal, and how it ended; `then`: the signal it gets once the bar is there."""
    pid, screen = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm", "COLUMNS": str(columns), "PYTHONPATH": str(ROOT)}
        os.execv(sys.executable, [sys.executable, "-m", "quizapp", "engine", *arguments])
    shown, sent, deadline = b"", False, time.monotonic() + 60
    try:
        while time.monotonic() < deadline:
            if not select.select([screen], [], [], 1)[0]:
                continue
            try:
                part = os.read(screen, 65536)
            except OSError:  # its other end is closed
                break
            if not part:
                break
            shown += part
            if then is not None and not sent and b"step" in shown:
                os.kill(pid, then)
                sent = True
        else:
            os.kill(pid, signal.SIGKILL)
    finally:
        os.close(screen)
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_a_run_quietly_and_leaves_the_cursor_visible(number: int, code: int) -> None:
    shown, ended = on_a_terminal("run", *LONG, then=number)
    assert ended == code, shown[-2000:]
    assert "/500000" in shown, "the bar knows how many requests there are"
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert "Traceback" not in shown


def test_the_result_fits_a_terminal_of_80_columns() -> None:
    shown, ended = on_a_terminal("run", "--scheme", "static")
    assert ended == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).replace("\r", "").split("\n")
    assert max(map(len, lines)) == 80
    times = next(line for line in lines if line.startswith("ttft_ms"))
    assert times.split("\u2502")[1:] == [f" {'12,060':>6} "] * 5 + [f" {'12,060':>6}"]
    assert any("gap between two consecutive tokens" in line for line in lines)


def test_no_figure_is_cut_on_a_narrow_terminal() -> None:
    shown, ended = on_a_terminal("run", "--scheme", "static", columns=40)
    assert ended == 0
    assert "\u2026" not in shown


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{sys.executable} -m quizapp engine run --tokens | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.startswith("continuous, fcfs, 8 slots")
    assert done.stderr == ""


# ---- nothing served, fields twice ----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("run",), ("run", "--json"), ("explain",)], ids=" ".join)
@pytest.mark.parametrize(("length", "more"), [(0, ()), (9, ("--kv-blocks", "1", "--block-size", "1"))])
def test_a_run_that_served_nobody_has_failed(tmp_path, words, length, more) -> None:
    """Whether they are invalid or larger than the pool: the result is printed, and it is none."""
    file = tmp_path / "w.jsonl"
    file.write_text("".join(f'{{"id": "{one}", "prompt_len": {length}, "output_len": 2}}\n' for one in "ab"))
    result = runner.invoke(app, ["engine", *words, "--workload", str(file), *more])
    assert result.exit_code == 1
    assert result.stdout
    assert result.stderr.splitlines()[-1] == "Nothing was served: 2 requests refused."


def test_a_run_that_refused_some_requests_is_no_failure(tmp_path) -> None:
    file = tmp_path / "w.jsonl"
    file.write_text('{"id": "a", "prompt_len": 0, "output_len": 2}\n{"id": "b", "prompt_len": 1, "output_len": 2}\n')
    document, told = served("--workload", str(file))
    assert (document["requests"], document["finished"]) == (2, 1)
    assert told.startswith("invalid: request 'a'")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('{"id": "a", "prompt_len": 4, "prompt_len": 9, "output_len": 2}', "prompt_len"),
        ('{"timestamp": 1, "input_length": 4, "output_length": 2, "output_length": 2}', "output_length"),
        ('{"id": "a", "\\u001b": 1, "\\u001b": 2}', "\\u001b"),
    ],
)
def test_a_field_that_is_there_twice_is_refused(tmp_path, line: str, name: str) -> None:
    file = tmp_path / "w.jsonl"
    file.write_text('{"id": "b", "prompt_len": 1, "output_len": 2}\n' + line + "\n")
    assert refused("--workload", str(file)) == f'{file}:2: "{name}" is there twice; keep one\n'
