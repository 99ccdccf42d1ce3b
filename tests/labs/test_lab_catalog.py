"""Every lab fails unsolved and passes solved, and its runs give the audited figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.checking import examine, load_solver
from labs.engine import run
from labs.lab import CATALOG, LabError, load_catalog, load_lab
from labs.measures import evaluate, flatten, tell
from labs.runner import perform, verify
from labs.scaffold import new_lab
from labs.setting import make_setting, transfer_text
from quizapp.bank.load import load_bank

LABS = load_catalog()
LONG = {"02-window-dial", "05-kv-caps-batch", "13-percentiles"}
"""Labs whose runs have thousands of steps: one seed here, three under `prove` and in `quizapp lab test`."""

FIGURES = [
    ("01-static-waste", "main", {"steps": 600, "slot_steps": 4800, "useful": 1225, "idle_steps(r1)": 580}),
    ("01-static-waste", "main", {"idle_steps(r6)": 540, "idle_steps(r7)": 200, "waste": 1 - 1225 / 4800}),
    ("01-static-waste", "alone", {"steps": 1225, "duration_s": 24.98, "ttft_ms_of(r8)": 13_000}),
    ("03-backfill", "static", {"steps": 1200, "duration_s": 24.12}),
    ("03-backfill", "main", {"steps": 660, "backfilled": 8, "start_step(r16)": 61, "duration_s": 13.62}),
    ("04-order", "main", {"steps": 660, "mean_finish_step": 172.8125}),
    ("04-order", "sjf", {"steps": 640, "mean_finish_step": 167.5}),
    ("04-order", "lpt", {"steps": 600, "mean_finish_step": 189.375}),
    ("05-kv-caps-batch", "main", {"resident_max": 8, "steps": 200, "kv.used_peak": 1000}),
    ("05-kv-caps-batch", "half", {"resident_max": 4, "steps": 400}),
    ("05-kv-caps-batch", "ample", {"resident_max": 16, "steps": 100}),
    ("06-reserve-or-risk", "reserve", {"resident_max": 3, "steps": 1060, "preemptions": 0}),
    ("06-reserve-or-risk", "main", {"steps": 660, "preemptions": 0}),
    ("06-reserve-or-risk", "tight", {"steps": 856, "preemptions": 7}),
    ("07-prefill-interference", "whole", {"longest_gap_ms(r1)": 1220, "ttft_ms_of(long)": 1220}),
    ("07-prefill-interference", "main", {"longest_gap_ms(r1)": 173.6, "ttft_ms_of(long)": 1360}),
    ("07-prefill-interference", "small", {"longest_gap_ms(r1)": 58.4, "ttft_ms_of(long)": 1840}),
    ("08-noisy-tenant", "main", {"worst_wait_steps(human)": 1610, "steps": 1620}),
    ("08-noisy-tenant", "fair", {"worst_wait_steps(human)": 210, "steps": 1620}),
    ("08-noisy-tenant", "urgent", {"worst_wait_steps(human)": 20, "preemptions": 4}),
    ("08-noisy-tenant", "capped", {"worst_wait_steps(human)": 40, "steps": 2200}),
    ("15-no-help", "static", {"steps": 200, "waste": 0}),
    ("15-no-help", "main", {"steps": 200}),
    ("15-no-help", "single", {"mean_running": 1}),
]


@pytest.mark.parametrize(("name", "which", "wanted"), FIGURES, ids=[f"{a}-{b}" for a, b, _ in FIGURES])
def test_the_audited_figures(name, which, wanted):
    setting = make_setting(LABS[name], "main", which, 0, executor="virtual")
    result = run(setting.config, setting.requests, clock=setting.clock, keep_events=True)
    counters, story = flatten(result.counters), tell(result.events or [])
    assert {key: evaluate(key, story, counters) for key in wanted} == pytest.approx(wanted)


@pytest.mark.parametrize("blocks", [(104, 856, 7), (120, 760, 2), (144, 665, 1), (145, 660, 0)])
def test_optimistic_admission_preempts_below_145_blocks(blocks):
    size, steps, preemptions = blocks
    setting = make_setting(LABS["06-reserve-or-risk"], "main", "main", 0, {"blocks": size}, "virtual")
    counters = run(setting.config, setting.requests).counters
    assert (counters["steps"], counters["preemptions"]) == (steps, preemptions)


@pytest.mark.parametrize("name", LABS)
def test_unsolved_fails_and_the_solver_passes(name, tmp_path):
    tested = examine(LABS[name], tmp_path, (1,) if name in LONG else (1, 2, 3), "virtual")
    assert tested.problems == []
    assert tested.unsolved_fails
    assert tested.solver_passes


@pytest.mark.prove
@pytest.mark.parametrize("name", LABS)
def test_the_same_on_the_torch_engine_as_each_lab_asks_for_it(name, tmp_path):
    tested = examine(LABS[name], tmp_path, (1, 2, 3))
    assert tested.problems == []


def test_the_torch_engine_gives_the_virtual_plan(tmp_path):
    lab = LABS["15-no-help"].model_copy(update={"model": "tiny"})
    for which in ("static", "main", "single"):
        setting = make_setting(lab, "main", which, 1)
        real = perform(lab, setting, tmp_path / f"{which}.jsonl", "now").receipt
        made_up = run(setting.config, setting.requests, clock=setting.clock).counters
        assert real.executor == "torch"
        assert real.agrees
        assert verify(lab, real) == []
        assert {key: real.counters[key] for key in flatten(made_up)} == flatten(made_up)


def test_ten_labs_name_only_what_exists():
    questions = load_bank().questions
    assert len(LABS) == 10
    for lab in LABS.values():
        assert set(lab.needs) <= set(LABS)
        assert set(lab.followups) <= set(questions)
        assert len(lab.followups) >= 2
        assert load_solver(lab)


def test_every_family_begins_worked_and_the_right_cause_has_no_favourite_place():
    first = {}
    for lab in LABS.values():
        first.setdefault(lab.family, []).append(lab.guidance)
    assert all("worked" in levels for levels in first.values())
    places = [[o.correct for o in lab.explain.options].index(True) for lab in LABS.values()]
    assert max(places.count(place) for place in set(places)) <= 4


@pytest.mark.parametrize("name", LABS)
def test_numbers_differ_between_learners(name):
    lab = LABS[name]
    which = lab.transfer.runs[0].id
    hashes = {make_setting(lab, "transfer", which, seed).config_hash() for seed in range(1, 9)}
    assert len(hashes) == 8
    assert "{" not in transfer_text(lab, 3)


def test_prose_copies_no_eight_words_in_a_row_from_the_lessons():
    lessons = sorted((Path(__file__).parents[2].parent / "shared" / "seeds").glob("*.txt"))
    if not lessons:
        pytest.skip("the lessons are not here")

    def runs_of_eight(text: str) -> set[str]:
        words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
        return {" ".join(words[i : i + 8]) for i in range(len(words) - 7)}

    theirs = set().union(*(runs_of_eight(file.read_text("utf-8")) for file in lessons))
    for lab in LABS.values():
        for file in ("text.md", "lab.yaml"):
            shared = runs_of_eight((CATALOG / lab.id / file).read_text("utf-8")) & theirs
            # the lesson's own eight output lengths are numbers, not prose
            assert not {words for words in shared if not all(word.isdigit() for word in words.split())}, lab.id


# ---- authors -------------------------------------------------------------------------------------------------------


def test_a_new_lab_passes_its_examination_and_a_broken_one_says_where(tmp_path):
    folder = new_lab("20-my-lab", tmp_path)
    assert examine(load_lab(folder), tmp_path, (1, 2, 3), "virtual", tmp_path).solver_passes
    with pytest.raises(LabError, match="exists already"):
        new_lab("20-my-lab", tmp_path)
    with pytest.raises(LabError, match="two digits and a slug"):
        new_lab("My Lab", tmp_path)

    solver = folder / "solve.py"
    solver.write_text(solver.read_text().replace("100 * slot_waste(own", "90 * slot_waste(own"))
    tested = examine(load_lab(folder), tmp_path, (1,), "virtual", tmp_path)
    assert not tested.solver_passes
    assert any("own-waste" in problem for problem in tested.problems)

    text = folder / "text.md"
    text.write_text(text.read_text().replace("## observe", "## look"))
    problems = examine(load_lab(folder), tmp_path, (1,), "virtual", tmp_path).problems
    assert "text.md has no section '## observe'" in problems


def test_a_lab_whose_transfer_is_the_lesson_again_is_found_out(tmp_path):
    folder = new_lab("21-copied", tmp_path)
    file = folder / "lab.yaml"
    file.write_text(file.read_text().replace("  workload: {lengths: [40, 60, 80, 90], vary: true}\n", ""))
    tested = examine(load_lab(folder), tmp_path, (1,), "virtual", tmp_path)
    assert not tested.unsolved_fails
    assert any("copying" in problem for problem in tested.problems)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("minutes: 5", "minutes: 500", "field 'minutes'"),
        ("run: own", "run: elsewhere", "elsewhere"),
        ("correct: true, ", "", "exactly one cause"),
        ("family: mechanism ", "famly: mechanism ", "famly"),
        ("target: engine.slots", "target: slots", "target"),
        ("id: 20-my-lab", "id: [", "not valid YAML"),
    ],
)
def test_mistakes_in_a_lab_file_are_named(tmp_path, old, new, said):
    folder = new_lab("20-my-lab", tmp_path)
    file = folder / "lab.yaml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(LabError, match=r"lab\.yaml") as caught:
        load_lab(folder)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("knobs", "said"),
    [({"policy": "sjf"}, "no knob 'policy'"), ({"slots": "5"}, "choose 4, 8, 16"), ({"groups": "all"}, "choose")],
)
def test_knobs_take_only_what_they_list(knobs, said):
    with pytest.raises(LabError, match=said):
        make_setting(LABS["03-backfill"], "main", "main", 0, knobs)
    assert make_setting(LABS["03-backfill"], "main", "main", 0, {"slots": "4"}).config.slots == 4
