"""A turn in the terminal: checked sentences and sources on stdout, the rest on stderr."""

import pytest

from rag.terminal import show
from rag.types import (
    Answer,
    AnswerSentence,
    Cell,
    Citation,
    Done,
    EvidenceFound,
    Notice,
    PaperRef,
    Row,
    SentenceDone,
    Table,
    Token,
)

CITATION = Citation(1, "p1", "TreeGen", "TreeGen works.", 0, 14, ("a.txt",))
GOOD = AnswerSentence("It works.", (1,), "supported")
BAD = AnswerSentence("It is famous.", (), "unsupported")


def turn() -> list:
    answer = Answer("q", "single", "It works. [1]", sentences=(GOOD, BAD), citations=(CITATION,))
    return [
        EvidenceFound((CITATION,)),
        Token(0, "It wor"),
        SentenceDone(0, GOOD, (CITATION,)),
        SentenceDone(1, BAD, ()),
        Notice("history shortened"),
        Done(answer),
    ]


def test_checked_sentences_then_sources_then_what_was_not_found(capsys):
    show(turn())
    out = capsys.readouterr().out
    assert out.splitlines() == [
        "It works. [1]",
        "",
        "[1] TreeGen: “TreeGen works.”",
        "Not found in the abstracts:",
        "- It is famous.",
    ]


def test_evidence_and_notices_go_to_stderr(capsys):
    show(turn())
    err = capsys.readouterr().err
    assert "evidence [1] TreeGen" in err
    assert "history shortened" in err


def test_a_refusal_names_the_nearest_papers(capsys):
    answer = Answer(
        "q", "single", "Not covered.", abstained=True, nearest=(PaperRef("p1", "TreeGen"),)
    )
    show([Done(answer)])
    assert capsys.readouterr().out.splitlines() == [
        "Not covered.",
        "The nearest papers:",
        "- TreeGen (p1)",
    ]


def test_a_comparison_shows_each_cell_with_its_citation(capsys):
    table = Table(("problem",), (Row("p1", (Cell("slow", (1,)),)),))
    show([Done(Answer("q", "compare", "Both.", table=table, citations=(CITATION,)))])
    assert "  problem: slow [1]" in capsys.readouterr().out


@pytest.mark.parametrize("hostile", ["\x1b[2J", "\x07", "\x1c", "\x9b31m", "\u202e"])
def test_text_cannot_steer_the_terminal(capsys, hostile):
    show([Done(Answer("q", "single", f"a{hostile}b"))])
    assert hostile[0] not in capsys.readouterr().out


def test_events_without_an_end_are_an_error():
    with pytest.raises(TypeError):
        show([Token(0, "x")])


def test_escapes_of_latex_are_read_as_meant(capsys):
    sentence = AnswerSentence(r"It gains 5\%.", (1,), "supported")
    nearest = (PaperRef("p1", r"Cost \& Gain"),)
    answer = Answer("q", "single", "", sentences=(sentence,), nearest=nearest)
    show([SentenceDone(0, sentence, ()), Done(answer)])
    out = capsys.readouterr().out
    assert "It gains 5%. [1]" in out
    assert "- Cost & Gain (p1)" in out
