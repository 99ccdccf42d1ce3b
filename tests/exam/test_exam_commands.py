"""`quizapp exam` from the command line: JSON that scripts rely on, and a whole exam line by line."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from exam.helpers import EXAM, key_of, open_study, own_bank, pass_time
from quizapp.cli import app
from quizapp.exam import sitting as sit_room
from quizapp.plain.exam import ExamSession
from quizapp.plain.exam_wording import response_words
from quizapp.study.exams import Exams
from quizapp.study.seat import Seat

SECRETS = ("correct", "why", "explain", "misconception", "question_id")


def call(home: Path, *arguments: str, code: int = 0, given: str = ""):
    result = CliRunner().invoke(app, ["--db", str(home / "quizapp.db"), "exam", *arguments], input=given)
    assert result.exit_code == code, result.output
    return result


def test_json_of_a_running_exam_tells_nothing_of_right_and_wrong(tmp_path: Path) -> None:
    assert call(tmp_path, "resume", "--json", code=1).stdout == ""
    told = json.loads(call(tmp_path, "start", EXAM, "--questions", "10", "--json").stdout)
    assert (told["questions"], told["answered"], told["minutes"]) == (10, 0, 12)
    assert not any(f'"{word}"' in json.dumps(told) for word in SECRETS)
    listed = json.loads(call(tmp_path, "list", "--json").stdout)
    assert listed["running"]["id"] == told["id"]
    assert listed["offers"][0]["id"] == EXAM
    assert listed["offers"][0]["pass_mark"] == "undisclosed"
    again = call(tmp_path, "start", EXAM, "--json", code=1)
    assert "is running" in again.stderr
    call(tmp_path, "resume", "--plain", given="/submit\nyes\n")
    result = json.loads(call(tmp_path, "result", "--json").stdout)
    assert (result["unanswered"], result["right"], len(result["items"])) == (10, 0, 10)
    assert json.loads(call(tmp_path, "list", "--json").stdout)["history"][0]["number"] == told["id"]
    review = call(tmp_path, "result", "--review", "wrong").stdout
    assert review.count("not answered, 0 seconds") == 10


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["start", "nothing", "--plain"], 1, "There is no exam 'nothing'"),
        (["start", "nca-genl", "--plain"], 1, "No mock exam of"),
        (["start", EXAM, "--questions", "61", "--plain"], 1, "1 to 60 questions"),
        (["start", "ncp-genl-serving", "--questions", "51", "--plain"], 1, "1 to 50 questions"),
        (["start", EXAM], 2, f"quizapp exam start {EXAM} --plain"),
        (["start", "nothing"], 2, "There is no exam 'nothing'; there are nca-genl"),
        (["start"], 2, "use --plain"),
        (["resume"], 2, "use --plain"),
        (["result"], 1, "No mock exam was handed in yet"),
        (["result", "7"], 1, "There is no handed-in mock exam 7"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(tmp_path: Path, arguments: list[str], code: int, words: str) -> None:
    said = call(tmp_path, *arguments, code=code)
    assert words in said.stderr
    assert "Traceback" not in said.output


def seated(home: Path, count: int = 10) -> tuple[Seat, Exams]:
    exams = Exams(open_study(home))
    return Seat(exams, exams.start(EXAM, count)), exams


def sit(seat: Seat, *lines: str) -> str:
    target = io.StringIO()
    ExamSession(seat, io.StringIO("".join(f"{line}\n" for line in lines)), target).run()
    return target.getvalue()


def test_a_whole_exam_line_by_line(tmp_path: Path) -> None:
    seat, exams = seated(tmp_path)
    answers = [response_words(seat.desk.variant(n), key_of(seat.desk.variant(n))) for n in range(10)]
    said = sit(seat, *answers, "/submit", "no", "/submit", "yes")
    assert said.count("Type yes to hand in") == 2
    assert "10 of 10 right, 100 %." in said
    before, _, _ = said.partition("Result of")
    assert "Correct" not in before
    assert not any(line.startswith(("Answer:", "Right order:", "Right pairs:")) for line in before.splitlines())
    assert exams.result().summary["right"] == 10


def test_commands_move_flag_strike_and_clear(tmp_path: Path) -> None:
    seat, _ = seated(tmp_path)
    single = next(n for n in range(10) if seat.desk.variant(n).question.kind == "single")
    said = sit(
        seat, f"/g {single + 1}", "/x A", "/f", "B", f"/g {single + 1}", "/c", "/x A", "/g 99", "/t", "/o", "/zzz"
    )
    assert "A is struck out." in said
    assert "A. " in said
    assert "Your answer so far: B." in said
    assert "The answer is taken back." in said
    assert "A is back." in said
    assert "Type /g and a number from 1 to 10." in said
    assert f"Flagged: {single + 1}." in said
    assert "12 minutes left." in said
    assert "Commands begin with a slash" in said
    assert "The exam goes on" in said
    assert seat.sitting.replies[single].response is None
    assert seat.sitting.flagged == (single,)


def test_the_kinds_of_question_are_told_before_the_first(tmp_path: Path) -> None:
    seat, exams = seated(tmp_path)
    (offer,) = (one for one in exams.offers() if one.blueprint.id == EXAM)
    assert any(
        "Kinds of question here: one right option, several right options, typed numbers" in w for w in offer.says
    )
    said = sit(seat).partition("Question 1 of")[0]
    kinds = {question.kind for question in seat.desk.questions.values()}
    assert ("typed numbers" in said) == ("numeric" in kinds)
    assert ("ordering" in said) == ("order" in kinds)
    assert "The real exam is said to have 50–60 questions in 60 minutes, all multiple choice" in said


def test_sources_are_told_by_title_and_address(tmp_path: Path) -> None:
    listed = call(tmp_path, "list").stdout
    assert "https://www.nvidia.com/en-us/learn/certification/generative-ai-llm-associate/" in listed
    assert "nca-genl-page" not in listed


def test_an_unclear_answer_is_asked_again_and_not_stored(tmp_path: Path) -> None:
    seat, _ = seated(tmp_path, 25)
    numeric = next(n for n in range(25) if seat.desk.variant(n).question.kind == "numeric")
    said = sit(seat, f"/g {numeric + 1}", "1,23,456")
    assert "can be read in more than one way" in said
    assert seat.sitting.replies[numeric].response is None


def test_time_runs_out_between_two_lines(tmp_path: Path) -> None:
    seat, exams = seated(tmp_path)

    class Slow(io.StringIO):
        def readline(self, *args):  # type: ignore[no-untyped-def]
            pass_time(exams._study, minutes=8)
            return super().readline(*args)

    target = io.StringIO()
    first = response_words(seat.desk.variant(0), key_of(seat.desk.variant(0)))
    ExamSession(seat, Slow(f"{first}\n{first}\n{first}\n"), target).run()
    assert "4 minutes left." in target.getvalue()
    assert "The time is over" in target.getvalue()
    told = exams.result().summary
    assert told["timed_out"]
    assert (told["right"], told["unanswered"]) == (1, 9)


@pytest.mark.parametrize("kind", ["single", "multiple", "order", "match", "numeric", "short"])
def test_lines_without_end_are_refused_at_once(kind: str) -> None:
    from quizapp.bank.errors import Unclear
    from quizapp.bank.response import read_plain
    from quizapp.bank.variant import make_variant

    question = next(q for q in own_bank().questions.values() if q.kind == kind)
    for line in ("1" * 1_000_000, "A" * 1_000_000, "9" * 5_000 + "B", "1 " * 400_000):
        with pytest.raises(Unclear, match="too long"):
            read_plain(make_variant(question, 1), line)


def test_a_number_of_five_thousand_digits_is_no_question_to_go_to(tmp_path: Path) -> None:
    call(tmp_path, "start", EXAM, "--questions", "10", "--json")
    told = call(tmp_path, "resume", "--plain", given=f"/g {'9' * 5_000}\n/g 3\n/q\n")
    assert "Type /g and a number from 1 to 10." in told.stdout
    assert "3 of 10" in told.stdout or "3/10" in told.stdout


def test_a_result_of_a_number_that_no_store_has(tmp_path: Path) -> None:
    assert "no handed-in mock exam" in call(tmp_path, "result", "12345", code=1).stderr
    call(tmp_path, "result", "9" * 23, code=2)


def test_a_clock_set_back_before_handing_in_does_not_send_the_answers_back(tmp_path: Path) -> None:
    with open_study(tmp_path) as study:
        exams = Exams(study)
        seat = Seat(exams, exams.start(EXAM, 10))
        seat.answer(key_of(seat.variant), True)
        began = seat.desk.started_at
        pass_time(study, days=-365 * 40)
        seat.hand_in()
        with study.database.reading() as connection:
            earliest, handed_in = connection.execute(
                "SELECT (SELECT min(reviewed_at) FROM review), (SELECT submitted_at FROM sitting)"
            ).fetchone()
    assert earliest is not None
    assert min(earliest, handed_in) >= int(began.timestamp() * 1000)


def test_a_review_of_nothing_says_so_and_one_time_is_no_times(tmp_path: Path) -> None:
    seat, exams = seated(tmp_path)
    index, belief = next(
        (n, option.id)
        for n in range(10)
        for option in getattr(seat.desk.variant(n).question, "options", ())
        if seat.desk.variant(n).question.kind == "single" and option.misconception
    )
    seat.go(index)
    seat.answer(belief)
    seat.hand_in()
    exams._study.close()
    for which, words in (("changed", "no changed answer"), ("flagged", "nothing flagged")):
        assert words in call(tmp_path, "result", "--review", which).stdout
    said = call(tmp_path, "result", "--review", "wrong").stdout
    assert "Nothing went wrong" not in said
    assert "  1 time: " in said
    assert "1 times" not in said


def test_numbers_and_their_nouns_agree(tmp_path: Path) -> None:
    seat, _ = seated(tmp_path, 1)
    said = sit(seat, "/submit", "yes")
    assert "1 question, 1 minute. Type" in said
    assert "1 unanswered question will count" in said
    assert not re.search(r"\b1 (questions|minutes|seconds|times)\b", said)


def test_what_the_app_kept_unread_is_told_line_by_line(tmp_path: Path) -> None:
    seat, exams = seated(tmp_path, 25)
    numeric = next(n for n in range(25) if seat.desk.variant(n).question.kind == "numeric")
    exams.save(seat.desk, sit_room.answer(seat.sitting, numeric, None, exams.now(), unread="vh"))
    desk = exams.running()
    assert desk is not None
    said = sit(Seat(exams, desk), f"/g {numeric + 1}", "/submit", "yes")
    assert "You typed vh, which cannot be read; it counts as unanswered." in said
    assert "25 unanswered, counted as wrong." in said


def test_choice_questions_only_from_the_command_line(tmp_path: Path) -> None:
    told = json.loads(call(tmp_path, "start", EXAM, "--questions", "25", "--choice-only", "--json").stdout)
    assert {item["kind"] for item in told["items"]} <= {"single", "multiple"}
    listed = json.loads(call(tmp_path, "list", "--json").stdout)["offers"][0]
    assert listed["choice_only"]["pool"] < listed["pool"]
    only = ", ".join(map(str, listed["choice_only"]["lengths"]))
    assert f"With --choice-only: {only}." in call(tmp_path, "list").stdout
    assert "--choice-only --plain" in call(tmp_path, "start", "--choice-only", code=2).stderr


def test_without_a_name_the_exam_of_settings_is_begun(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    study.save_settings(exam="ncp-genl-serving")
    study.close()
    assert json.loads(call(tmp_path, "start", "--questions", "10", "--json").stdout)["blueprint"] == "ncp-genl-serving"
