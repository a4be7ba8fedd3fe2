from rag.types import (
    Answer,
    AnswerSentence,
    Cell,
    CellFound,
    Citation,
    Done,
    EntryFound,
    EvidenceFound,
    Failed,
    Notice,
    PaperRef,
    Queued,
    Routed,
    Row,
    Scanned,
    SentenceDone,
    Table,
    Token,
)
from rag.ui.turn import WAITING_CELL, advance, begin, named_papers

QUOTE = Citation(1, "p1", "Paper one", "A fact.", 0, 7, ("list.txt",))


def after(*events):
    draft = begin("Why?")
    for event in events:
        draft = advance(draft, event)
    return draft


def test_a_queued_question_says_its_place():
    assert "next" in after(Queued(1)).stage
    assert "number 3" in after(Queued(3)).stage


def test_evidence_is_known_before_any_word():
    draft = after(Routed("single", "why"), EvidenceFound((QUOTE,)))
    assert draft.evidence == (QUOTE,)
    assert draft.answer.sentences == ()


def test_tokens_wait_until_their_sentence_is_checked():
    draft = after(Token(0, "A f"), Token(0, "act."))
    assert draft.pending == "A fact."
    checked = advance(
        draft, SentenceDone(0, AnswerSentence("A fact!", (1,), "supported"), (QUOTE,))
    )
    assert checked.pending == ""
    assert checked.answer.sentences[0].text == "A fact!"
    assert checked.answer.citations == (QUOTE,)


def test_entries_and_scan_progress_grow():
    draft = after(Scanned(17, 31), EntryFound(PaperRef("p1", "Paper one", (1,)), (QUOTE,)))
    assert draft.answer.entries == (PaperRef("p1", "Paper one", (1,)),)
    assert draft.stage == "Scanned 17 of 31 papers"


def test_cells_fill_a_table_whose_gaps_wait():
    draft = after(
        CellFound("p1", "One", "problem", Cell("a"), ()),
        CellFound("p1", "One", "data", Cell("b"), ()),
        CellFound("p2", "Two", "problem", Cell("c", (1,)), (QUOTE,)),
    )
    assert draft.answer.table == Table(
        ("problem", "data"),
        (Row("p1", (Cell("a"), Cell("b"))), Row("p2", (Cell("c", (1,)), WAITING_CELL))),
    )
    assert draft.titles == {"p1": "One", "p2": "Two"}


def test_notices_and_failures_are_kept():
    draft = after(Notice("history shortened"), Failed("Ask again."))
    assert draft.answer.notices == ("history shortened",)
    assert draft.answer.error == "Ask again."


def test_the_final_answer_replaces_what_was_drawn():
    final = Answer("Why?", "single", "Because.")
    draft = after(Token(0, "Bec"), Done(final))
    assert draft.answer is final
    assert draft.finished
    assert draft.pending == ""


def test_named_papers_come_from_every_part_without_repeats():
    answer = Answer(
        "q",
        "list",
        "",
        citations=(QUOTE,),
        nearest=(PaperRef("p2", "Two"),),
        entries=(PaperRef("p1", "One"), PaperRef("p3", "Three")),
        table=Table((), (Row("p4", ()),)),
    )
    assert named_papers(answer, ()) == ("p1", "p4", "p3", "p2")
