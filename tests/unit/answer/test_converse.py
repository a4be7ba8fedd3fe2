"""What a message refers to in the talk so far."""

import pytest

from rag.answer.converse import (
    language_wanted,
    last_answer,
    papers_of,
    refer,
    wants_rework,
)
from rag.types import Answer, AnswerSentence, Citation, PaperRef, Row, Table


def cited(*paper_ids, kind="single", abstained=False):
    citations = tuple(
        Citation(n, i, f"Title {i}", "quote", 0, 5, ("list.txt",))
        for n, i in enumerate(paper_ids, start=1)
    )
    sentences = tuple(AnswerSentence("It grows.", (c.n,), "supported") for c in citations)
    return Answer("What grows?", kind, "It grows.", abstained, None, sentences, citations)


COMPARED = Answer(
    "Compare", "compare", "", table=Table(("Problem",), (Row("a", ()), Row("b", ()), Row("c", ()))),
    citations=cited("a").citations,
)  # fmt: skip
LISTED = Answer(
    "Which papers?", "list", "", entries=(PaperRef("x", "X", (1,)), PaperRef("y", "Y", (1,)))
)
REFUSED = Answer("Which GPU?", "single", "", True, "not_stated", nearest=(PaperRef("n", "N"),))
SMALL_TALK = Answer("thanks", "smalltalk", "Hello.", True)


@pytest.mark.parametrize(
    "text",
    [
        "How much memory does it save?",
        "What is its main result?",
        "Does the paper release code?",
        "How does this method work with large graphs and small trees?",
        "Why did the authors choose the second dataset and drop the rest?",
    ],
)
def test_a_pronoun_refers_to_the_paper_spoken_of(text):
    found = refer(text, [cited("lora")])
    assert (found.paper_ids, found.pronoun) == (("lora",), True)


@pytest.mark.parametrize("text", ["And the dataset?", "What about speed?", "why?", "any code?"])
def test_a_message_that_is_cut_short_refers_to_the_paper_spoken_of(text):
    found = refer(text, [cited("lora")])
    assert found.paper_ids == ("lora",)
    assert found.elliptic


@pytest.mark.parametrize(
    "text",
    [
        "Which optimiser trains vision transformers without labelled photographs?",
        "What does TreeBuilder propose?",
    ],
)
def test_a_standalone_question_refers_to_nothing(text):
    assert refer(text, [cited("lora")]).paper_ids == ()


def test_without_a_talk_nothing_is_referred_to():
    assert refer("How much memory does it save?", []).paper_ids == ()
    assert refer("How much memory does it save?", [SMALL_TALK]).paper_ids == ()


@pytest.mark.parametrize(
    ("text", "paper"),
    [
        ("And the second one?", "b"),
        ("What does the first paper use?", "a"),
        ("What does the latter find?", "c"),
        ("Tell me more about the last one", "c"),
    ],
)
def test_an_ordinal_picks_from_the_papers_compared(text, paper):
    found = refer(text, [COMPARED])
    assert (found.paper_ids, found.plural) == ((paper,), False)


def test_an_ordinal_past_the_end_picks_nothing_and_keeps_the_set():
    assert refer("And the fourth one?", [COMPARED]).paper_ids == ("a", "b", "c")


@pytest.mark.parametrize(
    "text", ["Which of these release code?", "And their data?", "Do both win?"]
)
def test_plural_words_refer_to_the_whole_set(text):
    found = refer(text, [LISTED])
    assert (found.paper_ids, found.plural) == (("x", "y"), True)


def test_they_stands_for_the_authors_where_one_paper_was_spoken_of():
    assert not refer("What do they propose?", [cited("lora")]).plural


def test_adding_a_paper_keeps_the_set():
    found = refer("Add the RADAR paper", [COMPARED])
    assert (found.paper_ids, found.add) == (("a", "b", "c"), True)
    assert not refer("Add the RADAR paper", [cited("lora")]).add


def test_small_talk_and_empty_turns_are_passed_over():
    first = cited("lora")
    assert last_answer([first, SMALL_TALK]) is first
    assert refer("What is its result?", [first, SMALL_TALK]).paper_ids == ("lora",)


def test_papers_of_an_answer_come_from_table_entries_marks_or_the_nearest():
    assert papers_of(COMPARED) == ("a", "b", "c")
    assert papers_of(LISTED) == ("x", "y")
    assert papers_of(cited("p", "q", "p")) == ("p", "q")
    assert papers_of(REFUSED) == ("n",)


@pytest.mark.parametrize(
    "text",
    [
        "shorter please",
        "Say it simpler",
        "as bullet points",
        "in German",
        "in one sentence",
        "auf Deutsch",
    ],
)
def test_a_request_for_another_form_reworks_the_last_answer(text):
    assert wants_rework(text, [cited("lora")])


@pytest.mark.parametrize(
    ("text", "history"),
    [
        ("shorter please", []),
        ("shorter please", [SMALL_TALK]),
        ("shorter please", [REFUSED]),
        ("Is training shorter with QLoRA?", [cited("lora")]),
        ("Which of the many datasets in the benchmark are in German or in French today?",
         [cited("lora")]),
    ],
)  # fmt: skip
def test_other_messages_are_no_rework(text, history):
    assert not wants_rework(text, history)


def test_the_language_wanted_is_named_in_english():
    assert language_wanted("in German") == "German"
    assert language_wanted("auf Deutsch bitte") == "German"
    assert language_wanted("en español") == "Spanish"
    assert language_wanted("shorter") is None


def test_such_points_back_and_such_as_does_not():
    spoken = refer("What data do such methods learn from?", [cited("lora")])
    assert spoken.pronoun
    assert not refer(
        "Which metals such as copper rust in salt water quickly?", [cited("lora")]
    ).pronoun
