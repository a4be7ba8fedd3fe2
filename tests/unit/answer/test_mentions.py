"""Which papers a question names or describes."""

import pytest

from rag.answer.mentions import find_mentions, phrases
from tests.fakes import Shelf, make_paper, make_turn

SHELF = Shelf(
    make_paper("tree", "TreeBuilder: Molecules Grown as Trees",
               "TreeBuilder grows molecules as trees from a root fragment."),
    make_paper("mask", "Confidence Masks for Segmentation",
               "We learn a confidence mask that marks uncertain pixels in segmentation."),
    make_paper("flow", "PCFM: Physical Flows",
               "PCFM keeps physical constraints in flow matching. PCFM needs no training."),
    make_paper("user", "Robots That Grasp", "Our robots grasp cups and beat DUSK in the kitchen."),
)  # fmt: skip


def found(question):
    return [
        (m.text, m.paper and m.paper.paper_id)
        for m in find_mentions(make_turn("", SHELF), question)
    ]


@pytest.mark.parametrize(
    ("question", "ids"),
    [
        ("Compare PCFM and TreeBuilder.", ["flow", "tree"]),
        ("How do TreeBuilder and the confidence mask paper differ?", ["tree", "mask"]),
        ("PCFM vs. TreeBuilder", ["flow", "tree"]),
        ("What is the difference between the robot grasping paper and PCFM?", ["user", "flow"]),
        ("Compare the physical flow method with the confidence mask method", ["flow", "mask"]),
        ("Which error does PCFM report and which error does TreeBuilder report?", ["flow", "tree"]),
        ("What does PCFM prove and what does the paper on grasping cups prove?", ["flow", "user"]),
        ("On DUSK, how do PCFM and TreeBuilder differ?", ["flow", "tree"]),
    ],
)
def test_names_and_descriptions_are_looked_up_each_on_its_own_in_order(question, ids):
    assert [paper for _, paper in found(question)] == ids


def test_a_name_that_no_paper_has_is_missing_and_named_last():
    assert found("Compare ZORBLAX and TreeBuilder.") == [
        ("TreeBuilder", "tree"),
        ("ZORBLAX", None),
    ]


def test_a_described_paper_that_is_not_there_is_missing():
    mentions = found("Compare the quantum cryptography paper and TreeBuilder.")
    assert ("TreeBuilder", "tree") in mentions
    assert (next(m for m in mentions if m[1] is None))[0].endswith("quantum cryptography paper")


def test_the_same_paper_is_found_once():
    assert [i for _, i in found("Compare TreeBuilder, TreeBuilder and PCFM")] == ["tree", "flow"]


def test_a_name_in_a_title_wins_over_one_that_is_only_mentioned():
    shelf = Shelf(
        make_paper("other", "A Study", "We compare with DUSK. DUSK is slow. DUSK is old."),
        make_paper("dusk", "DUSK: Dark Photographs", "A method for dark photographs."),
    )
    mentions = find_mentions(make_turn("", shelf), "DUSK and others")
    assert mentions[0].paper is not None
    assert mentions[0].paper.paper_id == "dusk"


def test_words_that_stand_for_no_paper_are_no_phrases():
    assert phrases("How do they differ?") == []
    assert phrases("Compare PCFM's training and the mask paper") == ["PCFM", "the mask paper"]


def test_one_paper_of_a_kind_is_found_by_what_its_sentence_says_of_it():
    shelf = Shelf(
        make_paper("walk", "Walking robots", "Robots walk by reinforcement learning."),
        make_paper("climb", "Climbing robots", "Robots climb; a curriculum picks ladders."),
        make_paper("bread", "Sour bread", "Bread rises under a curriculum of proofing steps."),
    )
    turn = make_turn("", shelf)
    question = "One robots paper and one bread paper use a curriculum. What does it pick?"
    found = {m.text: m.paper.paper_id for m in find_mentions(turn, question)}
    assert found == {"One robots paper": "climb", "one bread paper": "bread"}
    plain = find_mentions(turn, "One robots paper and one bread paper. What do they pick?")
    assert plain[0].paper.paper_id == "walk"


@pytest.mark.parametrize("lead", ["now add", "then also include", "please bring in", "and add"])
def test_a_paper_that_is_to_be_added_is_found_after_any_lead(lead):
    assert phrases(f"{lead} the one on confidence masks") == ["the one on confidence masks"]
