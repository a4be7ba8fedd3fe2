"""A turn while it is written: numbering, the text, and what was used."""

from rag.answer.draft import Draft
from rag.types import Prompt
from tests.fakes import ScriptedModel, make_paper, sentences_of

ONE = make_paper("p1", "Trees", "Trees grow. They bear fruit.")
TWO = make_paper("p2", "Roots", "Roots drink.")


def draft(model=None):
    return Draft("What grows?", "single", model or ScriptedModel())


def test_a_span_has_one_number_however_often_it_is_cited():
    own = draft()
    numbers = [
        own.cite(ONE, 0, 11),
        own.cite(TWO, 0, 12),
        own.cite(ONE, 0, 11),
        own.cite(ONE, 0, 5),
    ]
    assert numbers == [1, 2, 1, 3]
    assert [c.n for c in own.citations] == [1, 2, 3]


def test_a_citation_quotes_its_span():
    own = draft()
    own.cite_sentence(ONE, sentences_of(ONE)[1])
    citation = own.citations[0]
    assert citation.quote == "They bear fruit." == ONE.text[citation.start : citation.end]
    assert citation.sources == ("list.txt",)


def test_marks_stand_before_the_full_stop_and_folded_sentences_stay_out_of_the_text():
    own = draft()
    own.say("Trees grow.", (1,), "supported")
    own.say("They fly.", (), "unsupported")
    own.say("They bear fruit", (1, 2), "partial")
    answer = own.done()
    assert answer.text == "Trees grow [1]. They bear fruit [1][2]"
    assert [s.text for s in answer.sentences] == ["Trees grow.", "They fly.", "They bear fruit"]


def test_a_sentence_event_carries_its_place_and_its_citations_only():
    own = draft()
    own.cite(ONE, 0, 11)
    own.cite(TWO, 0, 12)
    own.say("Trees grow.", (1,), "supported")
    event = own.say("Roots drink.", (2,), "supported")
    assert event.index == 1
    assert [c.paper_id for c in event.citations] == ["p2"]


def test_a_reason_or_small_talk_is_an_abstention():
    refused, greeted, told = draft(), draft(), draft()
    refused.reason = "not_stated"
    greeted.kind = "smalltalk"
    assert [d.done().abstained for d in (refused, greeted, told)] == [True, True, False]


def test_the_usage_is_that_of_this_turn_alone():
    model = ScriptedModel("abcdef")
    prompt = Prompt("one", "two", "three")
    list(model.write(prompt, limit=9))
    own = draft(model)
    list(model.write(prompt, limit=9))
    timings = own.done().timings
    assert (timings.prompt_tokens, timings.completion_tokens) == (3, 2)
    assert timings.first_token_s is None


def test_the_first_token_is_timed_once():
    own = draft()
    own.first_token()
    first = own.first_token_s
    own.first_token()
    assert own.first_token_s == first is not None
    assert own.done().timings.total_s >= first
