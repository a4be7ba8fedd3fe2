"""Papers side by side: what is compared, about what, and in whose words."""

import pytest

from rag.answer.compare import (
    NOT_STATED,
    Comparison,
    answer_compare,
    aspect_of,
    resolve,
    short_name,
)
from rag.answer.mentions import Mention
from rag.types import CellFound, EvidenceFound, Paper, SentenceDone
from tests.fakes import ScriptedModel, Shelf, make_paper, make_turn

TREE = make_paper(
    "tree",
    "TreeBuilder: Molecules Grown as Trees",
    "String generators often fail to yield valid molecules. "
    "We propose TreeBuilder, which grows molecules as trees. "
    "Experiments on QM9 cover 130 thousand molecules. "
    "TreeBuilder outperforms string generators by 12 points. "
    "Our code is available at https://github.com/example/treebuilder.",
)
FLOW = make_paper(
    "flow",
    "PCFM: Physical Flows",
    "Physical constraints remain hard for flow matching. "
    "We introduce PCFM, which keeps constraints during sampling. "
    "PCFM achieves lower error than projection.",
)
MASK = make_paper("mask", "Confidence Masks", "We propose a confidence mask for segmentation.")
SHELF = Shelf(TREE, FLOW, MASK)
ASPECT = {"TreeBuilder grows": "TreeBuilder grows molecules as trees.",
          "keeps constraints": "PCFM keeps constraints during sampling."}  # fmt: skip


def compared(question, *, model=None, shelf=SHELF, count=None):
    turn = make_turn(question, shelf, model or ScriptedModel(ASPECT))
    turn.draft.kind = "compare"
    events = list(answer_compare(turn, resolve(turn, question, count)))
    return events, turn


@pytest.mark.parametrize(
    ("question", "mentions", "asked", "gone"),
    [
        (
            "How do TreeBuilder and the mask paper differ in training data?",
            ["TreeBuilder", "the mask paper"],
            "training data",
            ["TreeBuilder", "mask", "differ"],
        ),
        ("Compare PCFM's speed with TreeBuilder's speed", ["PCFM", "TreeBuilder"], "speed",
         ["PCFM", "TreeBuilder"]),
        ("Which error does PCFM report and which error does TreeBuilder report?",
         ["PCFM", "TreeBuilder"], "Which error does it report", ["PCFM", "TreeBuilder", "and"]),
        ("the two mask papers: what steers the training in one and in the other?",
         [], "what steers the training", ["two", "papers", "other"]),
    ],
)  # fmt: skip
def test_the_aspect_is_the_question_without_the_papers_it_names(question, mentions, asked, gone):
    aspect = aspect_of(question, [Mention(text, None) for text in mentions])
    assert asked in aspect
    assert not any(word in aspect for word in gone)


def test_a_plain_comparison_asks_each_paper_for_everything():
    mentions = [Mention("PCFM", None), Mention("TreeBuilder", None)]
    aspect = aspect_of("Compare PCFM and TreeBuilder.", mentions)
    assert "approach" in aspect
    assert "PCFM" not in aspect


def test_the_table_has_a_row_for_each_paper_and_a_cell_for_each_column():
    _, turn = compared("Compare TreeBuilder and PCFM")
    table = turn.draft.table
    assert [row.paper_id for row in table.rows] == ["tree", "flow"]
    assert all(len(row.cells) == len(table.columns) for row in table.rows)
    assert {"Problem", "Approach", "Findings", "Code"} <= set(table.columns)


def test_each_cell_is_a_sentence_of_its_own_paper_or_says_that_there_is_none():
    _, turn = compared("Compare TreeBuilder and PCFM")
    cited = {c.n: c for c in turn.draft.citations}
    for row, paper in zip(turn.draft.table.rows, (TREE, FLOW), strict=True):
        for cell in row.cells:
            if cell.text == NOT_STATED:
                assert cell.citations == ()
                continue
            (citation,) = (cited[n] for n in cell.citations)
            assert citation.paper_id == row.paper_id
            assert citation.quote == cell.text
            assert paper.text[citation.start : citation.end] == citation.quote


def test_columns_get_the_sentences_that_fit_them():
    _, turn = compared("Compare TreeBuilder and PCFM")
    columns = turn.draft.table.columns
    tree, flow = (dict(zip(columns, r.cells, strict=True)) for r in turn.draft.table.rows)
    assert "often fail" in tree["Problem"].text
    assert "We propose TreeBuilder" in tree["Approach"].text
    assert "outperforms" in tree["Findings"].text
    assert "github.com" in tree["Code"].text
    assert flow["Code"].text == NOT_STATED


def test_cells_are_told_one_by_one_after_the_evidence_and_before_the_prose():
    events, turn = compared("Compare TreeBuilder and PCFM")
    kinds = [type(event) for event in events]
    assert kinds[0] is EvidenceFound
    cells = [event for event in events if isinstance(event, CellFound)]
    rows = turn.draft.table.rows
    assert [event.cell for event in cells] == [cell for row in rows for cell in row.cells]
    assert max(i for i, k in enumerate(kinds) if k is CellFound) < kinds.index(SentenceDone)


def test_the_prose_speaks_of_each_paper_from_its_own_abstract():
    _, turn = compared("Compare TreeBuilder and PCFM")
    cited = {c.n: c.paper_id for c in turn.draft.citations}
    said = [s for s in turn.draft.sentences if s.verdict != "unsupported"]
    assert {cited[n] for s in said for n in s.citations} == {"tree", "flow"}
    assert said[0].text.startswith("TreeBuilder: ")
    assert said[-1].text.startswith("PCFM: ")


def test_each_paper_is_asked_without_the_other_being_named():
    model = ScriptedModel(ASPECT)
    compared("How do TreeBuilder and PCFM differ in sampling?", model=model)
    tasks = [p for p in model.prompts if "Title: TreeBuilder" in p.document]
    assert tasks
    assert not any("PCFM" in p.task or "PCFM" in p.document for p in tasks)


def test_where_the_model_refuses_the_abstract_itself_is_quoted():
    _, turn = compared("Compare TreeBuilder and PCFM", model=ScriptedModel("Not stated."))
    said = turn.draft.sentences
    assert len(said) == 2
    assert all("“" in s.text and s.citations and s.verdict == "supported" for s in said)


def test_a_side_that_is_not_in_the_library_is_named():
    _, turn = compared("Compare TreeBuilder, PCFM and ZORBLAX")
    assert any("ZORBLAX" in notice for notice in turn.draft.notices)
    assert [row.paper_id for row in turn.draft.table.rows] == ["tree", "flow"]


def test_a_crowd_of_papers_on_one_side_does_not_push_the_other_out():
    crowd = [
        make_paper(f"a{i}", f"Alphas {i}", f"We propose alpha pruning for networks, version {i}.")
        for i in range(8)
    ]
    beta = make_paper("beta", "Betas", "We study beta distillation of speech recordings.")
    turn = make_turn("", Shelf(*crowd, beta))
    found = resolve(turn, "Compare the alpha pruning paper and the beta distillation paper.", None)
    assert "beta" in [p.paper_id for p in found.papers]
    assert len(found.papers) == 2


def test_a_described_number_of_papers_is_chosen_by_the_model():
    shelf = Shelf(
        *(
            make_paper(f"r{i}", f"Game {i}", f"Reinforcement learning for game {i}.")
            for i in range(3)
        ),
        make_paper("r9", "Robots", "Reinforcement learning for robots that grasp."),
    )
    model = ScriptedModel(margin={"robots that grasp": 5.0, "game 2": 4.0})
    turn = make_turn("How do the two reinforcement learning papers differ?", shelf, model)
    found = resolve(turn, turn.question, 2)
    assert {p.paper_id for p in found.papers} == {"r9", "r2"}


def test_papers_of_the_talk_are_compared_again_and_more_can_be_added():
    turn = make_turn("", SHELF)
    again = resolve(turn, "And their data?", None, known=(TREE, FLOW))
    more = resolve(turn, "Add the confidence mask paper", None, known=(TREE, FLOW), add=True)
    assert again.papers == (TREE, FLOW)
    assert more.papers == (TREE, FLOW, MASK)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("TreeBuilder: Molecules Grown as Trees", "TreeBuilder"),
        ("Confidence Masks", "Confidence Masks"),
        ("A title that is much too long: and more", "A title that is much too long: and more"),
    ],
)
def test_the_short_name_is_the_systems_own(title, name):
    assert short_name(make_paper("p", title, "X.")) == name


def test_a_title_only_paper_can_be_compared():
    bare: Paper = make_paper("bare", "Bare", "")
    turn = make_turn("Compare", Shelf(TREE, bare), ScriptedModel(ASPECT))
    list(answer_compare(turn, Comparison((TREE, bare), (), "the root")))
    assert all(cell.text == NOT_STATED for cell in turn.draft.table.rows[1].cells)
