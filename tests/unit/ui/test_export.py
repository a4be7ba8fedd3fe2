from rag.types import Answer, AnswerSentence, Cell, Citation, Paper, Row, Source, Table
from rag.ui.export import cited_papers, markdown
from rag.ui.turn import Turn

PAPER = Paper(
    "p1",
    "One.",
    "Deep <nets> & 5%",
    "given",
    (Source("f", "1"),),
    authors=("Ada Byron", "Bo Li"),
    year=2025,
    doi="10.1/x",
)
CITATION = Citation(1, "p1", PAPER.title, "It_gains *much*.", 0, 4, ("f",))


def turn(**more):
    answer = Answer(
        "Why [so]?",
        "single",
        "",
        sentences=(
            AnswerSentence("It gains.", (1,), "supported"),
            AnswerSentence("Made up.", (), "unsupported"),
        ),
        citations=(CITATION,),
        **more,
    )
    return Turn(answer, papers={"p1": PAPER})


def test_an_answer_is_written_with_its_references_and_without_what_was_folded():
    text = markdown([turn()])
    assert text.startswith("## Why \\[so\\]?\n\nIt gains. [1]\n")
    assert "- [1] Deep \\<nets\\> & 5%: “It\\_gains \\*much\\*.”" in text
    assert "Made up" not in text


def test_a_comparison_is_written_as_a_table():
    table = Table(("data",), (Row("p1", (Cell("a | b", (1,)),)),))
    text = markdown([turn(table=table)])
    assert "| Paper | data |\n| --- | --- |\n| Deep \\<nets\\> & 5% | a \\| b |" in text


def test_cited_papers_come_once_each():
    assert cited_papers([turn(), turn()]) == [PAPER]
