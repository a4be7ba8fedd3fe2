import re
from dataclasses import replace
from html.parser import HTMLParser

from rag.types import (
    Answer,
    AnswerSentence,
    Cell,
    Citation,
    Paper,
    PaperRef,
    Row,
    Scanned,
    Source,
    Table,
)
from rag.ui.turn import Turn, advance, begin
from rag.ui.turn_html import draft_html, turn_html

HOSTILE = "<img src=x onerror=alert(1)>\"' {{x}} ${y} `z`"
QUOTE = Citation(1, "p1", "Paper one", "A fact.", 0, 7, ("list.txt",))
OTHER = Citation(2, "p2", "Paper two", "More.", 0, 5, ("list.txt",))


def sentence(text, citations=(1,), verdict="supported"):
    return AnswerSentence(text, citations, verdict)


def answer(*sentences, **more):
    return Answer("Why?", "single", "", sentences=sentences, citations=(QUOTE, OTHER), **more)


def drawn(given, last=True, **more):
    return turn_html(Turn(given, **more), 0, last=last)


def chips(html):
    return re.findall(r'data-ref="c(\d+)"', html)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.handlers = set(), []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.handlers += [name for name, _ in attributes if name.startswith("on")]


def test_each_citation_is_a_button_after_its_sentence():
    html = drawn(answer(sentence("One thing.", (1, 2))))
    assert chips(html) == ["1", "2"]
    assert html.index("thing.") < html.index('data-ref="c1"')
    assert 'aria-label="Source 1: Paper one"' in html


def test_a_mark_in_the_text_becomes_the_button_only_if_it_is_a_citation_of_the_sentence():
    html = drawn(answer(sentence("One [1] and [7] and [2].", (1,))))
    assert chips(html) == ["1"]
    assert "[7]" in html
    assert "[2]" in html
    assert html.count("[1]") == 1


def test_a_number_without_a_citation_never_becomes_a_button():
    assert chips(drawn(answer(sentence("One.", (9,))))) == []


def test_unsupported_sentences_are_folded_and_not_in_the_prose():
    html = drawn(answer(sentence("Sure."), sentence("Made up.", (), "unsupported")))
    assert "Made up." in html[html.index("<details") :]
    assert "Made up." not in html[: html.index("<details")]
    assert "Not found in the abstracts (1)" in html


def test_a_partly_supported_sentence_says_so_in_words():
    assert ">partly</span>" in drawn(answer(sentence("Half.", (1,), "partial")))


def test_a_refusal_says_why_and_offers_the_nearest_papers():
    html = drawn(
        Answer(
            "Who?",
            "single",
            "",
            abstained=True,
            reason="not_in_library",
            nearest=(PaperRef("p1", "Paper one"),),
        )
    )
    assert "Nothing in this library is about that." in html
    assert 'data-ref="pp1"' in html


def test_a_table_names_its_papers_and_tells_missing_cells_apart():
    table = Table(("data",), (Row("p1", (Cell("A fact.", (1,)),)), Row("p3", (Cell("none"),))))
    papers = {"p3": Paper("p3", "t", "Paper three", "given", (Source("f", "1"),))}
    html = drawn(answer(table=table), papers=papers)
    assert "Paper one" in html
    assert "Paper three" in html
    assert '<td class="none">none</td>' in html
    assert chips(html) == ["1"]


def test_a_list_shows_each_entry_with_the_sentence_that_made_it_count():
    html = drawn(
        answer(
            entries=(PaperRef("p1", "Paper one", (1,)),),
            borderline=(PaperRef("p2", "Paper two"),),
            scanned=(31, 31),
            judged=31,
        )
    )
    assert "<q>A fact.</q>" in html
    assert "Borderline (1)" in html
    assert "Scanned 31 of 31 papers, 31 read closely." in html


def test_only_the_last_turn_can_be_asked_again():
    assert 'data-on="retry"' in drawn(answer(sentence("x")), last=True)
    assert 'data-on="retry"' not in drawn(answer(sentence("x")), last=False)


def test_a_stopped_turn_says_so():
    assert "Stopped before the end." in drawn(answer(), stopped=True)


def test_the_running_turn_shows_unchecked_text_apart_and_what_it_does():
    from dataclasses import replace

    draft = replace(begin("Why?"), pending="Perhaps <b>", stage="Writing and checking")
    html = draft_html(draft, 0)
    assert '<span class="pending">Perhaps &lt;b&gt;</span>' in html
    assert "Writing and checking…" in html


def test_hostile_text_in_any_place_is_only_text():
    citation = Citation(1, HOSTILE, HOSTILE, HOSTILE, 0, 7, (HOSTILE,))
    reference = PaperRef(HOSTILE, HOSTILE, (1,))
    everything = Answer(
        HOSTILE,
        "list",
        HOSTILE,
        sentences=(sentence(HOSTILE), sentence(HOSTILE, (), "unsupported")),
        citations=(citation,),
        nearest=(reference,),
        table=Table((HOSTILE,), (Row(HOSTILE, (Cell(HOSTILE, (1,)),)),)),
        entries=(reference,),
        borderline=(reference,),
        notices=(HOSTILE,),
        error=HOSTILE,
    )
    tags = Tags()
    tags.feed(drawn(everything, evidence=(citation,)))
    assert not tags.seen & {"img", "script", "a", "iframe", "svg", "style"}
    assert tags.handlers == []


def test_evidence_of_papers_that_an_answer_does_not_cite_says_that_it_was_only_looked_at():
    given = Answer("Why?", "single", "", sentences=(sentence("One thing."),), citations=(QUOTE,))
    html = drawn(given, evidence=(QUOTE, OTHER))
    assert "<cite>Paper one</cite>" in html
    assert "<cite>also looked at: Paper two</cite>" in html


def test_evidence_is_not_called_other_before_the_answer_is_finished():
    draft = replace(begin("Why?"), answer=answer(), evidence=(QUOTE, OTHER))
    draft = replace(draft, answer=replace(draft.answer, citations=(QUOTE,)))
    assert "also looked at" not in draft_html(draft, 0)


def test_papers_that_seem_to_belong_are_shown_until_the_list_is_there():
    draft = replace(begin("Which?"), likely=(PaperRef("p1", "Paper <one>"),))
    assert "Likely so far" in draft_html(draft, 0)
    assert "Paper &lt;one&gt;" in draft_html(draft, 0)
    found = replace(draft.answer, entries=(PaperRef("p1", "Paper <one>"),))
    assert "Likely so far" not in draft_html(replace(draft, answer=found), 0)


def test_what_was_scanned_is_said_once_while_scanning_and_once_after_it():
    draft = advance(begin("Which?"), Scanned(17, 31))
    assert draft_html(draft, 0).count("Scanned") == 1
    assert drawn(answer(scanned=(31, 31))).count("Scanned") == 1
