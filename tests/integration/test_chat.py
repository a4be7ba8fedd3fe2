"""The chat over a real library: events, citations, history, stop and errors."""

import threading

import pytest

from rag.answer.chat import MOST_WORDS, Chat
from rag.answer.prompt import Prompts
from rag.errors import ServerFailed, UnknownPaper
from rag.resources import prompts_dir
from rag.types import (
    CellFound,
    Done,
    EvidenceFound,
    Failed,
    Notice,
    Queued,
    Routed,
    Scope,
    SentenceDone,
)
from tests.fakes import ScriptedModel, by_words, finished

QUESTIONS = [
    "What does the LoRA paper propose?",
    "How does TreeBuilder grow molecules?",
    "Compare LoRA and TreeBuilder.",
    "Which papers train graph neural networks?",
    "What is this collection about?",
]


def cited_papers(answer):
    used = {n for s in answer.sentences for n in s.citations}
    return {c.paper_id for c in answer.citations if c.n in used}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_citation_is_a_verbatim_part_of_its_abstract_and_has_its_own_number(
    talk, invented, question
):
    _, answer = talk(question)
    assert not answer.abstained
    assert answer.citations
    numbers = [c.n for c in answer.citations]
    assert len(set(numbers)) == len(numbers)
    for c in answer.citations:
        assert invented.paper(c.paper_id).text[c.start : c.end] == c.quote != ""
    used = {n for s in answer.sentences for n in s.citations}
    assert used <= set(numbers)


def test_a_single_question_is_answered_from_the_right_paper(talk, titled):
    events, answer = talk(QUESTIONS[0])
    assert answer.kind == "single"
    assert cited_papers(answer) == {titled("LoRA").paper_id}
    kinds = [type(event) for event in events]
    assert kinds.index(Routed) < kinds.index(EvidenceFound) < kinds.index(SentenceDone)
    assert kinds[-1] is Done
    assert answer.timings.evidence_s <= answer.timings.first_token_s <= answer.timings.total_s


def test_a_refusal_cites_nothing_and_names_the_nearest(talk, titled):
    _, answer = talk("Which optimiser does LoRA use?", model=ScriptedModel("Adam.", margin=-8.0))
    assert answer.abstained
    assert answer.reason in ("not_stated", "full_text_needed")
    assert answer.citations == ()
    assert "Adam" not in answer.text
    assert titled("LoRA").paper_id in [p.paper_id for p in answer.nearest]


def test_a_paper_whose_name_is_in_the_library_is_not_said_to_be_missing(talk):
    _, answer = talk("Has LoRA won prizes?", model=ScriptedModel(margin=-8.0))
    assert answer.reason != "not_in_library"


def test_a_pronoun_is_about_the_paper_spoken_of(talk, titled):
    _, first = talk(QUESTIONS[0])
    _, second = talk("How much less memory does it need?", [first])
    assert cited_papers(second) == {titled("LoRA").paper_id}
    assert "3 times less memory" in second.text


def test_two_conversations_do_not_mix(talk, titled):
    _, lora = talk(QUESTIONS[0])
    _, tree = talk(QUESTIONS[1])
    _, about_tree = talk("What does it propose?", [tree])
    _, about_lora = talk("What does it propose?", [lora])
    assert cited_papers(about_tree) == {titled("TreeBuilder").paper_id}
    assert cited_papers(about_lora) == {titled("LoRA").paper_id}


def test_a_list_counts_what_it_lists(talk, invented):
    _, answer = talk("How many papers train graph neural networks? List them.")
    titles = {entry.title for entry in answer.entries}
    assert titles == {f"Graph Study {i}" for i in range(5)}
    assert answer.text.startswith(f"{len(answer.entries)} of {invented.count()}")
    assert answer.scanned == (invented.count(), invented.count())


def test_which_of_them_looks_at_the_last_list_only(talk):
    _, first = talk("Which papers train graph neural networks?")
    _, second = talk("Which of these are about protein folds?", [first])
    assert second.scanned == (5, 5)
    assert {e.paper_id for e in second.entries} <= {e.paper_id for e in first.entries}


def test_a_comparison_is_a_table_with_a_row_a_paper(talk, titled):
    events, answer = talk("Compare LoRA and TreeBuilder.")
    assert answer.kind == "compare"
    rows = {row.paper_id: row for row in answer.table.rows}
    assert set(rows) == {titled("LoRA").paper_id, titled("TreeBuilder").paper_id}
    assert all(len(row.cells) == len(answer.table.columns) for row in rows.values())
    assert sum(isinstance(event, CellFound) for event in events) == 2 * len(answer.table.columns)
    assert cited_papers(answer) == set(rows)


def test_papers_can_be_compared_by_their_ids(invented, titled):
    chat = Chat(invented, by_words(), Prompts(prompts_dir()))
    ids = [titled("Alpha").paper_id, titled("Beta").paper_id]
    _, answer = finished(chat.compare(ids, "accuracy"))
    assert [row.paper_id for row in answer.table.rows] == ids
    with pytest.raises(UnknownPaper):
        next(chat.compare(["nothing", *ids]))


def test_an_answer_stays_within_its_scope(talk, titled):
    scope = Scope(paper_ids=frozenset({titled("TreeBuilder").paper_id}))
    _, answer = talk(QUESTIONS[0], scope=scope)
    assert cited_papers(answer) <= scope.paper_ids


def test_a_stop_keeps_what_was_shown_and_the_history_stays_usable(talk, titled):
    stop = threading.Event()
    sentence = "We propose LoRA, which freezes the pretrained weights and trains small matrices. "
    model = ScriptedModel(sentence * 2, on_piece=lambda count: stop.set() if count > 40 else None)
    events, answer = talk(QUESTIONS[0], model=model, stop=stop)
    assert any("Stopped" in e.text for e in events if isinstance(e, Notice))
    assert any("Stopped" in notice for notice in answer.notices)
    assert answer.error is None
    _, after = talk("How much less memory does it need?", [answer])
    assert titled("LoRA").paper_id in cited_papers(after)


def test_a_stop_before_the_first_word_is_an_empty_turn(talk):
    stop = threading.Event()
    stop.set()
    events, answer = talk(QUESTIONS[0], stop=stop)
    assert isinstance(events[-1], Done)
    assert answer.sentences == ()
    assert any("Stopped" in notice for notice in answer.notices)


def test_an_error_becomes_an_event_and_stands_in_the_answer(talk):
    def broken(prompt):
        raise ServerFailed("The model server is away. Start it again.")

    events, answer = talk(QUESTIONS[0], model=ScriptedModel(broken, margin=9.0))
    failed = [event.text for event in events if isinstance(event, Failed)]
    assert failed == [answer.error] == ["The model server is away. Start it again."]
    _, after = talk(QUESTIONS[0], [answer])
    assert after.error is None
    assert after.citations


def test_two_at_once_are_answered_in_turn(invented):
    chat = Chat(invented, by_words(), Prompts(prompts_dir()))
    first = chat.ask(QUESTIONS[0])
    next(first)
    second = chat.ask(QUESTIONS[1])
    assert next(second) == Queued(1)
    _, one = finished(first)
    _, two = finished(second)
    assert "LoRA" in one.text
    assert "trees" in two.text


def test_a_question_that_is_abandoned_lets_the_next_one_in(invented):
    chat = Chat(invented, by_words(), Prompts(prompts_dir()))
    left = chat.ask(QUESTIONS[0])
    next(left)
    left.close()
    events, _ = finished(chat.ask(QUESTIONS[1]))
    assert not any(isinstance(event, Queued) for event in events)


@pytest.mark.parametrize("text", ["", "   \n", "?!"])
def test_an_empty_question_asks_for_one(talk, text):
    _, answer = talk(text)
    assert (answer.kind, answer.abstained, answer.reason) == ("smalltalk", True, "no_question")
    assert answer.citations == ()


def test_small_talk_needs_no_paper_and_no_model(talk):
    model = ScriptedModel()
    _, answer = talk("Hello!", model=model)
    assert (answer.kind, answer.abstained, answer.reason) == ("smalltalk", True, None)
    assert model.prompts == []


def test_a_long_message_is_shortened_with_a_notice_and_its_question_answered(talk, titled):
    ramble = "I have been thinking about bread and rivers. " * 190
    assert len(ramble.split()) > 1500
    _, answer = talk(f"{ramble} What does the LoRA paper propose?")
    assert any(str(MOST_WORDS) in notice for notice in answer.notices)
    assert titled("LoRA").paper_id in cited_papers(answer)


def test_the_last_answer_is_reworked_from_the_same_source(talk, titled):
    _, first = talk(QUESTIONS[0])
    shorter = ScriptedModel("LoRA trains small low-rank matrices.")
    _, second = talk("Shorter, please", [first], model=shorter)
    assert "LoRA trains small low-rank matrices" in second.text
    assert cited_papers(second) == {titled("LoRA").paper_id}
