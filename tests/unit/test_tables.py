"""A comparison as Markdown and CSV, safe for what the abstracts hold."""

import csv
import io

from rag.tables import table_csv, table_markdown
from rag.types import Answer, Cell, Citation, Row, Table

TABLE = Table(
    ("problem", "code"),
    (
        Row("p1", (Cell("slow, a|b", (1,)), Cell("not stated in the abstract"))),
        Row("p2", (Cell('a "b"\n<i>', (2,)), Cell("yes"))),
    ),
)
CITATIONS = (Citation(1, "p1", "Tree", "slow, a|b", 0, 9, ("a.txt",)),)
ANSWER = Answer("q", "compare", "Both are slow. [1]", citations=CITATIONS, table=TABLE)
TITLES = {"p1": "Tree_Gen"}


def test_markdown_has_a_row_a_paper_and_the_sources():
    assert table_markdown(ANSWER, TITLES).splitlines() == [
        "| paper | problem | code |",
        "| --- | --- | --- |",
        "| Tree\\_Gen | slow, a\\|b [1] | not stated in the abstract |",
        '| p2 | a "b" \\<i> [2] | yes |',
        "",
        "Both are slow. [1]",
        "",
        "- [1] Tree: “slow, a|b”",
    ]


def test_csv_is_read_back_as_it_was():
    assert list(csv.reader(io.StringIO(table_csv(ANSWER, TITLES)))) == [
        ["paper", "problem", "code"],
        ["Tree_Gen", "slow, a|b [1]", "not stated in the abstract"],
        ["p2", 'a "b"\n<i> [2]', "yes"],
    ]


def test_without_a_table_there_is_the_answer_alone():
    refusal = Answer("q", "compare", "Not covered.")
    assert (table_markdown(refusal, {}), table_csv(refusal, {})) == ("Not covered.", "")


def test_escapes_of_latex_are_read_as_meant():
    cell = Cell(r"5\% of the cost\_b", (1,))
    answer = Answer("q", "compare", r"Gains of 5\%.", table=Table(("gain",), (Row("p1", (cell,)),)))
    titles = {"p1": r"Cost \& Gain"}
    text = table_markdown(answer, titles)
    assert "| Cost & Gain | 5% of the cost\\_b [1] |" in text
    assert "Gains of 5%." in text
    assert "Cost & Gain,5% of the cost_b [1]" in table_csv(answer, titles)
