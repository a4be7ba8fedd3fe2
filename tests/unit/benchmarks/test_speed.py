"""How the speed of systems is set side by side."""

from xml.etree import ElementTree

import pytest

from benchmarks.baselines.tutorial import prompt
from benchmarks.speed import TARGETS, targets
from benchmarks.speed_answers import Forgetting
from benchmarks.speed_plot import draw
from benchmarks.speed_turns import (
    KINDS,
    Turn,
    by_kind,
    conversations,
    measures,
    ratio,
    shown,
    spread,
)


def turn(total, first=None, evidence=None):
    return Turn(evidence, first, first, total, 10)


def test_there_are_twenty_questions():
    talks = conversations(None)
    counts = {k: len(v) for k, v in by_kind(talks, [[None] * (len(t) - 1) for t in talks]).items()}
    assert counts == {"single": 6, "followup": 6, "compare": 4, "list": 4}


def test_fewer_talks_are_the_first_of_each_kind():
    assert [kind for kind, *_ in conversations(1)] == ["single", "compare", "list"]
    assert conversations(1)[0] == conversations(None)[0]
    kinds = [kind for kind, *_ in conversations(2)]
    assert [kinds.count(kind) for kind in ("single", "compare", "list")] == [2, 2, 1]


def test_turns_after_the_first_are_follow_ups():
    talks = [["single", "a", "b"], ["list", "c"]]
    found = by_kind(talks, [[turn(1), turn(2)], [turn(3)]])
    assert [found[kind] for kind in KINDS] == [[turn(1)], [turn(2)], [], [turn(3)]]


def test_the_ratio_is_the_median_of_the_questions_and_skips_what_never_came():
    ours = [turn(1), turn(9), turn(2)]
    theirs = [turn(10), turn(10), turn(10)]
    assert ratio(ours, theirs, "whole answer") == 0.2
    assert ratio([turn(1), turn(1, 2)], [turn(1, 4), turn(1, 4)], "first token") == 0.5
    assert ratio([turn(1)], [turn(1)], "first token") is None


def test_a_measure_can_be_set_against_another():
    assert ratio([turn(1, evidence=0.1)], [turn(9, 5)], "evidence", "first token") == 0.02


def test_prose_has_no_entries_or_cells():
    assert "first entry or cell" not in measures("single")
    assert "first entry or cell" in measures("list")


def test_numbers_are_shown_with_their_range():
    assert spread([3.0, 1.0, None, 2.0]) == "2.00 (1.00 to 3.00)"
    assert spread([None]) == "-"
    assert (shown(None), shown(0.125, 1)) == ("-", "0.1")


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"speed": {"whole": 0.45}}, "met"),
        ({"speed": {"whole": 0.46}}, "not met"),
        ({"speed": {"whole": None}}, "not measured"),
        ({}, "not measured"),
    ],
)
def test_a_target_says_whether_it_is_met(figures, said):
    rows = {row[0]: row[-1] for row in targets(figures, "model").rows}
    assert rows["whole answer"] == said
    assert len(rows) == len(TARGETS)


def test_gains_must_reach_their_bound_from_below_and_memory_is_in_gigabytes():
    figures = {"speed-decode": {"gain": 1.6, "least": 0.9}, "speed-serve": {"memory": 1.2e9}}
    rows = {row[0]: row[2:] for row in targets(figures, "model").rows}
    assert rows["writing, of one token a step"] == ("1.600", "met")
    assert rows["writing, the least gain of an answer"] == ("0.900", "not met")
    assert rows["anonymous memory of the served page, GB"] == ("1.200", "met")


def test_states_are_forgotten_and_remembered():
    states = Forgetting(1000)
    states.put("a", b"one")
    states.forget()
    assert states.get("a") is None
    states.put("b", b"two")
    states.remember()
    assert (states.get("a"), states.get("b")) == (b"one", b"two")


def test_the_tutorials_prompt_numbers_the_abstracts():
    assert (
        prompt(["One.", "Two."], "Why?") == "Abstracts:\n\n[1] One.\n\n[2] Two.\n\nQuestion: Why?"
    )


def test_the_picture_is_well_formed_and_its_bars_have_the_lengths_of_the_numbers(tmp_path):
    path = tmp_path / "images" / "speed.svg"
    draw(path, "A < B", ("x", "y"), [("Seconds", {"single": [4.0, 1.0], "list": [None, 2.0]})])
    root = ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    bars = [float(bar.get("width")) for bar in root.iter(f"{space}rect") if bar.get("rx")]
    assert bars[2:] == [490.0, 122.5, 0.0, 245.0]
    texts = [text.text for text in root.iter(f"{space}text")]
    assert texts[0] == "A < B"
    assert {"4.0 s", "1.0 s", "-", "2.0 s"} <= set(texts)
