"""The sentences shown first, and figures that belong to something else."""

import pytest

from rag.answer.evidence import clause_with, figure_elsewhere, first_evidence
from tests.fakes import Shelf, make_paper, sentences_of

PAPER = make_paper(
    "p1",
    "BrightNet: quick restoration",
    "BrightNet restores dark photographs. "
    "Alone it runs 2.5 times faster than before. "
    "Together with LUMEN it reaches a speedup of 9 times, while with DUSK it reaches 3 times.",
)


@pytest.mark.parametrize(
    ("claim", "question", "sentence"),
    [
        ("It is 2.5 times faster.", "How much faster is it together with LUMEN?", 2),
        ("The speedup is 3 times.", "What is the speedup with LUMEN?", 2),
        ("The speedup is 9 times.", "What is the speedup with DUSK?", 2),
    ],
)
def test_a_figure_that_stands_beside_another_name_is_found_out(claim, question, sentence):
    assert figure_elsewhere(claim, question, sentences_of(PAPER)) == sentence


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("The speedup is 9 times.", "What is the speedup with LUMEN?"),
        ("The speedup is nine times.", "What is the speedup with LUMEN?"),
        ("It restores dark photographs.", "What does it do with LUMEN?"),
        ("It is 2.5 times faster.", "How much faster is it alone?"),
        ("It is 2.5 times faster.", "How much faster is it without LUMEN?"),
        ("It is 2.5 times faster.", "How much faster is it with ZORBLAX?"),
    ],
    ids=["right", "in words", "no figure", "no name", "excluded name", "unknown name"],
)
def test_a_right_figure_or_one_that_no_name_tells_apart_is_left_alone(claim, question):
    assert figure_elsewhere(claim, question, sentences_of(PAPER)) is None


def test_a_clause_ends_at_separators():
    sentence = "with LUMEN it reaches 9 times, while with DUSK it reaches 3 times"
    assert clause_with(sentence, "dusk") == " with DUSK it reaches 3 times"
    assert clause_with(sentence, "lumen") == "with LUMEN it reaches 9 times"
    assert clause_with(sentence, "absent") == sentence


def test_first_evidence_is_verbatim_numbered_and_led_by_the_best_paper():
    other = make_paper("p2", "Dark photographs", "Dark photographs are noisy. They are old.")
    hits = Shelf(other, PAPER).search("How does BrightNet restore dark photographs?")
    shown = first_evidence(hits)
    assert [c.n for c in shown] == list(range(1, len(shown) + 1))
    assert shown[0].paper_id == hits[0].paper.paper_id == "p1"
    assert {c.paper_id for c in shown} == {"p1", "p2"}
    for citation in shown:
        paper = {"p1": PAPER, "p2": other}[citation.paper_id]
        assert paper.text[citation.start : citation.end] == citation.quote


def test_without_hits_there_is_no_evidence():
    assert first_evidence([]) == ()
