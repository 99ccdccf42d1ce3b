"""Loading: each mistake is one sentence with file, line, id and field; the good questions load all the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quizapp.bank import cache
from quizapp.bank.errors import BankError
from quizapp.bank.files import MAX_BYTES
from quizapp.bank.load import load_bank
from quizapp.bank.model import content_hash, key_hash
from quizapp.bank.schema import Common
from quizapp.bank.variant import make_variant

from .samples import COMMON_YAML, GOOD, numeric, order, short

MakeBank = Callable[..., Path]
NUMERIC = f"""\
- id: bad
  kind: numeric
  ask: How much is {{n}}?
{COMMON_YAML}  params: {{n: {{values: [1, 2]}}}}
  why: "{{answer}}"
"""


def errors_of(root: Path) -> list[BankError]:
    bank = load_bank([root])
    assert "good" in bank.questions, "the good question loads beside the bad one"
    assert "bad" not in bank.questions
    return bank.errors


def changed(old: str, new: str) -> str:
    text = GOOD.replace("id: good", "id: bad", 1)
    assert old in text
    return text.replace(old, new, 1)


def numeric_text(answer: str, more: str = "") -> str:
    return f"{NUMERIC}  answer: {answer}\n{more}"


@pytest.mark.parametrize(
    ("text", "line", "field", "words"),
    [
        (changed("  ask: Which one?", "  ask: Which one?\n  hint: none"), 4, "hint", "not a known field"),
        (changed("explain", "explian"), 5, "explian", "did you mean 'explain'?"),
        (
            changed("why: It is not., misconception: slip", "correct: true, why: It is."),
            1,
            "",
            "set 'kind: multiple' or fix one",
        ),
        (changed("correct: true, ", "misconception: slip, "), 1, "", "mark exactly one with 'correct: true'"),
        (changed(", why: It is.}", "}"), 11, "options.a.why", "missing"),
        (changed("text: no,", "text: 12,"), 13, "options.c.text", "put it in quotes: '12'"),
        (changed("text: no,", "text: true,"), 13, "options.c.text", "put it in quotes: 'true'"),
        (changed("It is not., misconception: slip", "It is not."), 12, "options.b", "names no misconception"),
        (changed("misconception: slip", "misconception: slop"), 12, "options.b.misconception", "did you mean 'slip'?"),
        (changed("{id: b,", "{id: a,"), 1, "", "'a' is there twice"),
        (changed("[paper]", "[papper]"), 7, "sources.0", "source 'papper' is not listed (did you mean 'paper'?)"),
        (changed("[paper]", "[]"), 7, "sources", "at least 1"),
        (changed("sources: [paper]", "sources: paper"), 7, "sources", "must be a list"),
        (changed("[exam-1]", "[exam-9]"), 6, "objectives.0", "objective 'exam-9' is not listed"),
        (changed("difficulty: 2", "difficulty: 2\n  covers: [b-section]"), 10, "covers.0", "lesson section"),
        (changed("difficulty: 2", "difficulty: 9"), 9, "difficulty", "at most 5"),
        (changed("difficulty: 2", "difficulty: '2'"), 9, "difficulty", "plain number"),
        (changed("as_of: 2026-11", "as_of: 2026-13"), 8, "as_of", "2026-11-29"),
        (changed("as_of: 2026-11", "as_of: 86400"), 8, "as_of", "not a date"),
        (changed("style: mechanism", "style: mechanic"), 4, "style", "must be one of"),
        (changed("kind: single", "kind: sinlge"), 2, "kind", "did you mean 'single'?"),
        (changed("  kind: single\n", ""), 1, "kind", "'kind' is missing"),
        (changed("id: bad", "id: Bad Name"), 1, "id", "lower-case"),
        (changed("    - {id: b", "    - {id: d, id: b"), 12, "options.id", "twice"),
        (numeric_text("no"), 12, "answer", "'answer' is 'no'; write 'value: NUMBER', or 'function: NAME'"),
        (numeric_text("12"), 12, "answer", "write 'value: NUMBER'"),
        (numeric_text("{value: '12'}"), 12, "answer.value", "plain number"),
        (numeric_text("{value: 1_000}"), 12, "answer.value", "plain number"),
        (numeric_text("{value: .inf}"), 12, "answer.value", "plain number"),
        (numeric_text("{}"), 12, "answer", "either 'value' or 'function'"),
        (numeric_text("{function: ratoi, args: {a: $n, b: 2}}"), 12, "answer.function", "did you mean 'ratio'?"),
        (numeric_text("{function: __import__, args: {name: os}}"), 1, "", "argument 'os'"),
        (numeric_text("{function: ratio, args: {a: $n, c: 2}}"), 12, "answer.function", "it takes a, b"),
        (numeric_text("{function: ratio, args: {a: $n, b: 0}}"), 12, "answer", "cannot be computed"),
        (numeric_text("{function: ratio, args: {a: $m, b: 1}}"), 1, "", "argument '$m' is not a parameter"),
        (numeric_text("{function: fcfs_steps, args: {lengths: [1], slots: 999999999}}"), 12, "answer", "at most"),
        (numeric_text("{value: 1}", "  unit: 'a/b/c'\n"), 13, "unit", "cannot be read"),
        (numeric_text("{value: 1}").replace("{n}?", "{m}?"), 1, "", "uses {m}"),
        (numeric_text("{value: 1}").replace("{values: [1, 2]}", "{min: 0, max: 1e9}"), 10, "params.n", "10,000 values"),
        ("- just text\n", 1, "", "not a question"),
    ],
)
def test_one_mistake_is_one_sentence(bank_of: MakeBank, text: str, line: int, field: str, words: str) -> None:
    root = bank_of(bad=text, good=GOOD)
    errors = errors_of(root)
    assert [(e.line, e.field) for e in errors] == [(line, field)], errors
    assert words in errors[0].message
    assert errors[0].file.endswith("mybank/topic/bad.yaml")
    assert str(errors[0]).startswith(f"{errors[0].file}:{line}: ")
    assert "\n" not in str(errors[0])


def test_all_mistakes_are_reported_at_once(bank_of: MakeBank) -> None:
    bad = changed("text: That, why", "text: 7, correct: true, why").replace("difficulty: 2", "difficulty: 9")
    second = GOOD.replace("id: good", "id: other").replace("[paper]", "[nowhere]")
    errors = errors_of(bank_of(bad=bad + second, good=GOOD))
    assert [e.id for e in errors] == ["bad", "bad", "bad", "other"]
    assert {"difficulty", "options.b.text", "", "sources.0"} == {e.field for e in errors}


def test_a_repeated_id_names_both_places(bank_of: MakeBank) -> None:
    bank = load_bank([bank_of(a=GOOD, b="\n" + GOOD)])
    (error,) = bank.errors
    assert error.line == 2
    assert "topic/a.yaml:1" in error.message
    assert len(bank.questions) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"- id: caf\xe9\n", "UTF-8"),
        ("- id: x\n".encode("utf-16"), "UTF-8"),
        (b"", "empty"),
        (b"# only a comment\n", "empty"),
        (b"a: 1\n", "must be a list"),
        (b"text", "must be a list"),
        (b"x" * (MAX_BYTES + 1), "split it"),
    ],
)
def test_unusable_files_do_not_stop_the_others(bank_of: MakeBank, content: bytes, words: str) -> None:
    root = bank_of(good=GOOD)
    (root / "topic" / "bad.yaml").write_bytes(content)
    errors = errors_of(root)
    assert len(errors) == 1
    assert words in errors[0].message


def test_a_byte_order_mark_and_windows_lines_are_fine(bank_of: MakeBank) -> None:
    root = bank_of()
    (root / "topic").mkdir()
    (root / "topic" / "good.yaml").write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    bank = load_bank([root])
    assert (list(bank.questions), bank.errors) == (["good"], [])
    (root / "topic" / "good.yaml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode() + b'- id: "open\n')
    bank = load_bank([root])
    assert list(bank.questions) == ["good"], "the mark is no part of the first entry when a later one is broken"


def test_special_files_and_links(bank_of: MakeBank, tmp_path: Path) -> None:
    root = bank_of(good=GOOD)
    outside = tmp_path / "secret.yaml"
    outside.write_text(GOOD.replace("good", "secret"))
    (tmp_path / "elsewhere").mkdir()
    topic = root / "topic"
    (topic / "folder.yaml").mkdir()
    (topic / "out.yaml").symlink_to(outside)
    (topic / "nothing.yaml").symlink_to(topic / "gone.yaml")
    (topic / "away").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(topic / "pipe.yaml")
    (topic / "inside.yaml").symlink_to(topic / "good.yaml")
    bank = load_bank([root])
    said = {Path(e.file).name: e.message for e in bank.errors}
    assert list(bank.questions) == ["good"]
    assert "link that leads out" in said["out.yaml"]
    assert "cannot be read" in said["nothing.yaml"]
    assert "linked folder" in said["away"]
    assert "regular file" in said["pipe.yaml"]
    assert "already used" in said["inside.yaml"], "a link within the bank is followed"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(bank_of: MakeBank) -> None:
    root = bank_of(good=GOOD, bad=GOOD)
    (root / "topic" / "bad.yaml").chmod(0)
    (error,) = load_bank([root]).errors
    assert "permissions" in error.message


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    bank = load_bank([tmp_path / "gone"])
    assert [e.message for e in bank.errors] == ["there is no such folder; check the path of the bank"]


def test_tables_are_checked(bank_of: MakeBank) -> None:
    root = bank_of(good=GOOD)
    (root / "misconceptions.yaml").write_text("slip: {name: x, belief: y}\n")
    (root / "misconception.yaml").write_text("slip: {name: x, belief: y}\n")
    (root / "sources.yaml").write_text("paper: {title: x, address: ftp://x, checked: 2026-11}\n")
    bank = load_bank([root])
    messages = [f"{Path(e.file).name}:{e.line} {e.message}" for e in bank.errors]
    assert any(m.startswith("misconceptions.yaml:1 'slip': 'truth' is missing") for m in messages)
    assert any("did you mean 'misconceptions'?" in m for m in messages)
    assert any(m.startswith("sources.yaml:1 'paper': 'address'") for m in messages)
    assert bank.questions == {}, "what names nothing is not asked"


def test_every_reference_of_a_loaded_question_resolves() -> None:
    bank = load_bank()
    assert len(bank.questions) > 100
    for question in bank.questions.values():
        assert set(question.sources) <= set(bank.sources)
        assert set(question.objectives) <= set(bank.objectives)
        assert set(question.covers) <= set(bank.lessons)


def test_an_added_bank_uses_the_tables_of_the_first(bank_of: MakeBank) -> None:
    root = bank_of(tables=False, mine=GOOD.replace("[exam-1]", "[nca-genl-4.1]"))
    source = next(iter(load_bank().sources))
    misconception = next(iter(load_bank().misconceptions))
    text = (root / "topic" / "mine.yaml").read_text().replace("paper", source).replace("slip", misconception)
    (root / "topic" / "mine.yaml").write_text(text)
    bank = load_bank(extra=[root])
    assert bank.topic["good"] == "topic"
    assert len(bank.questions) == len(load_bank().questions) + 1


def test_a_single_file_and_a_flat_folder_are_banks(bank_of: MakeBank) -> None:
    root = bank_of(good=GOOD)
    lent = load_bank([root])
    assert list(load_bank([root / "topic" / "good.yaml"], lent=lent).topic.items()) == [("good", "topic")]
    assert list(load_bank([root / "topic"], lent=lent).topic.items()) == [("good", "topic")]


def test_hostile_text_loads_as_text(bank_of: MakeBank) -> None:
    hostile = ["[red]", "[/]", "\\x1b[2J", "\\u202eabc", "漢字かな", "x" * 10_000, "{0} %s $HOME", "<b>", "é\\u0301"]
    options = "".join(
        f'    - {{id: o{i}, text: "{t}", why: w, misconception: slip}}\n' for i, t in enumerate(hostile[:7])
    )
    text = (
        GOOD.partition("  options:\n")[0] + "  options:\n    - {id: k, text: '<b>', correct: true, why: w}\n" + options
    )
    bank = load_bank([bank_of(good=text)])
    assert bank.errors == []
    texts = [o.text for o in bank.questions["good"].options]  # type: ignore[union-attr]
    assert texts[1:4] == ["[red]", "[/]", "\x1b[2J"]
    assert len(texts[6]) == 10_000


class TestCache:
    def test_the_cached_bank_is_the_same(self, bank_of: MakeBank, tmp_path: Path) -> None:
        root = bank_of(good=GOOD, bad=changed("[paper]", "[papper]"))
        read = load_bank([root], cache=tmp_path / "cache")
        assert (tmp_path / "cache" / cache.NAME).exists()
        assert load_bank([root], cache=tmp_path / "cache") == read

    def test_a_change_is_seen(self, bank_of: MakeBank, tmp_path: Path) -> None:
        root = bank_of(good=GOOD)
        load_bank([root], cache=tmp_path)
        (root / "topic" / "good.yaml").write_text(GOOD.replace("Which one?", "Which of these?"))
        assert load_bank([root], cache=tmp_path).questions["good"].ask == "Which of these?"
        (root / "topic" / "more.yaml").write_text(GOOD.replace("good", "more"))
        assert set(load_bank([root], cache=tmp_path).questions) == {"good", "more"}

    def test_a_change_that_keeps_the_size_is_seen(self, bank_of: MakeBank, tmp_path: Path) -> None:
        root = bank_of(good=GOOD)
        file = root / "topic" / "good.yaml"
        load_bank([root], cache=tmp_path)
        before = file.stat()
        file.write_text(GOOD.replace("Which one?", "Which two?"))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000))
        assert file.stat().st_size == before.st_size
        assert load_bank([root], cache=tmp_path).questions["good"].ask == "Which two?"

    @pytest.mark.parametrize("damage", [b"", b"\xff\n{}", b"{", b"HEAD\n{}", b"HEAD\nnull", b"HEAD", b"HEAD\nBODY]"])
    def test_a_damaged_cache_is_ignored(self, bank_of: MakeBank, tmp_path: Path, damage: bytes) -> None:
        root = bank_of(good=GOOD)
        load_bank([root], cache=tmp_path)
        head, _, body = (tmp_path / cache.NAME).read_bytes().partition(b"\n")
        (tmp_path / cache.NAME).write_bytes(damage.replace(b"HEAD", head).replace(b"BODY", body[:-1]))
        assert set(load_bank([root], cache=tmp_path).questions) == {"good"}

    def test_a_cache_that_cannot_be_written_is_done_without(self, bank_of: MakeBank, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        assert set(load_bank([bank_of(good=GOOD)], cache=tmp_path / "file" / "cache").questions) == {"good"}


def test_hashes_tell_the_key_from_the_words(bank_of: MakeBank) -> None:
    def hashes(text: str) -> tuple[str, str]:
        bank = load_bank([bank_of(good=text)])
        return bank.content_hash("good"), bank.key_hash("good")

    content, key = hashes(GOOD)
    assert hashes(GOOD) == (content, key)
    reworded = hashes(GOOD.replace("Which one?", "Which of these?"))
    assert reworded[0] != content
    assert reworded[1] == key
    swapped = GOOD.replace("correct: true, why", "why").replace(
        "text: This, why: It is.}", "text: This, why: It is., misconception: slip}"
    )
    swapped = swapped.replace(
        "text: no, why: It is not either., misconception: slip", "text: no, correct: true, why: x"
    )
    assert hashes(swapped)[1] != key


@pytest.mark.parametrize(
    ("change", "decides"),
    [
        ({"ask": "How much?"}, False),
        ({"why": "Other words."}, False),
        ({"difficulty": 5}, False),
        ({"tolerance_abs": 0.5}, True),
        ({"tolerance_rel": 0.1}, True),
        ({"unit": "GiB"}, True),
        ({"decimals": 0}, True),
        ({"answer": {"value": 11}}, True),
        ({"params": {"n": {"values": [1]}}}, True),
    ],
)
def test_what_decides_a_number_is_its_key(change: dict[str, object], decides: bool) -> None:
    item = numeric()
    other = type(item).model_validate({**item.model_dump(), **change})
    assert (key_hash(item) != key_hash(other)) is decides
    assert content_hash(item) != content_hash(other)


def test_the_order_and_the_accepted_texts_are_keys() -> None:
    steps = order()
    assert key_hash(steps) != key_hash(steps.model_copy(update={"items": steps.items[::-1]}))  # type: ignore[union-attr]
    typed = short()
    assert key_hash(typed) != key_hash(typed.model_copy(update={"accept": ["other"]}))
    assert key_hash(typed) != key_hash(typed.model_copy(update={"exact": True}))


VALUES = st.sampled_from(
    ["", "no", "true", "12", "-1", "1e400", "[]", "{}", "[1, [2, {a: b}]]", "{a: 1}", "'{n}'", '"\\u202e"',
     "2026-02-30", "{value: 1e30}",
     "{function: ratio, args: {a: $n, b: [1]}}", "{function: product, args: {values: x}}",
     "[{id: a}, {id: a}, 3, null]", "{n: {min: 1, max: 0}}", "{answer: {values: [1]}}", "{n: {values: [1e300, true]}}"]
)  # fmt: skip
FIELDS = st.sampled_from(
    [*Common.model_fields, "kind", "options", "choose", "params", "answer", "unit", "traps", "why", "decimals", "items",
     "pairs", "extra", "accept", "reject", "misconception", "tolerance_abs", "other"]
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([GOOD, numeric_text("{value: 1}")]), st.dictionaries(FIELDS, VALUES, min_size=1, max_size=4))
def test_nothing_an_author_writes_raises(bank_of: MakeBank, text: str, changes: dict[str, str]) -> None:
    kept = [line for line in text.splitlines() if not any(line[2:].startswith(f"{name}:") for name in changes)]
    entry = "\n".join([*kept, *(f"  {name}: {value}" for name, value in changes.items())])
    bank = load_bank([bank_of(bad=entry + "\n", fine=GOOD.replace("id: good", "id: fine"))])
    assert "fine" in bank.questions
    assert all(error.message and "\n" not in error.message for error in bank.errors)
    for question in bank.questions.values():
        assert make_variant(question, 99).ask


def test_names_that_are_not_text_are_one_mistake_each_and_the_rest_loads(bank_of: MakeBank, tmp_path: Path) -> None:
    root = bank_of(good=GOOD)
    (root / "t\udcff").mkdir()
    for name in ("t\udcff/a.yaml", "t\udcff/b.yaml", "topic/x\udcff.yaml", "topic/note\udcff.txt"):
        (root / name).write_text(GOOD.replace("id: good", "id: bad"))
    bank = load_bank([root], cache=tmp_path / "cache")
    assert list(bank.questions) == ["good"]
    assert [str(error).removeprefix(str(root)) for error in bank.errors] == [
        "/topic/x\\xff.yaml: its name is not UTF-8; rename it",
        "/t\\xff: its name is not UTF-8; rename it",
    ]
    assert load_bank([root], cache=tmp_path / "cache") == bank, "the cache was written and read"


def test_a_bank_in_a_folder_whose_name_is_not_text_loads(bank_of: MakeBank, tmp_path: Path) -> None:
    root = bank_of(good=GOOD).rename(tmp_path / "b\udcff")
    (root / "loose.yaml").write_text(GOOD.replace("id: good", "id: loose"))
    bank = load_bank([root], cache=tmp_path / "cache")
    assert (bank.topic, bank.errors) == ({"good": "topic", "loose": "b\\xff"}, [])
    assert (tmp_path / "cache" / cache.NAME).exists()
    assert load_bank([root / "topic" / "good.yaml"], lent=bank).file["good"].endswith("b\\xff/topic/good.yaml")


@pytest.mark.skipif(not Path("/proc").exists(), reason="only some systems let a working folder be removed")
def test_a_bank_in_a_working_folder_that_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    (error,) = load_bank([Path(".")]).errors
    assert str(error) == ".: the working folder is not there any more; change to one that is"


def test_a_mistake_is_one_line_whatever_the_names_hold(bank_of: MakeBank) -> None:
    root = bank_of(good=GOOD)
    (root / "red\x1b[31m\n").mkdir()
    (root / "red\x1b[31m\n" / "a.yaml").write_text('- id: "my\\none\\ttwo\\e[31m\\u202e"\n  kind: "a\\nb"\n')
    (error,) = errors_of(root)
    said = str(error).removeprefix(str(root))
    assert said.startswith(r"/red\x1b[31m\n/a.yaml:2: question 'my\none\ttwo\x1b[31m\u202e': 'kind' is 'a\nb'; it must")
    assert said.isprintable()


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x7f", "\x9f", "\ufffe"])
def test_a_control_character_is_named_on_its_own_line(bank_of: MakeBank, character: str) -> None:
    broken = GOOD.replace("id: good", "id: bad").replace("Because it", f"Because{character}it")
    first = GOOD.count("\n")
    (error,) = errors_of(bank_of(a=GOOD + broken))
    assert error.line == first + 1 + broken[: broken.index(character)].count("\n")
    assert "a control character is in the text" in error.message
