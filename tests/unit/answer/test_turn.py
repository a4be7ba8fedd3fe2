"""Prose about one paper: streamed, checked, corrected, folded; and when to refuse."""

from dataclasses import replace

import pytest

from rag.answer.chat import Chat
from rag.answer.prompt import Prompts
from rag.answer.rework import answer_rework
from rag.answer.single import answer_single
from rag.answer.turn import MAX_WORDS, WORDS
from rag.resources import prompts_dir
from rag.types import EvidenceFound, SentenceDone, Token
from tests.fakes import ScriptedModel, Shelf, make_paper, make_turn

LIGHT = make_paper(
    "light",
    "BrightNet: Quick Restoration of Dark Photographs",
    "Dark photographs are hard to restore on small devices. "
    "BrightNet restores dark photographs with a single shallow network. "
    "Alone it runs 2.5 times faster than earlier networks. "
    "Together with LUMEN it reaches a speedup of 9 times.",
)
FOX = make_paper("fox", "Foxes", "Foxes sleep in the forest. They hunt mice at night.")
SHELF = Shelf(FOX, LIGHT)
TRUE = "BrightNet restores dark photographs with a single shallow network."
QUESTION = "How does BrightNet restore dark photographs?"


def single(question, model, *, focus=(), summary=False, shelf=SHELF, length="normal"):
    turn = replace(make_turn(question, shelf, model), length=length)
    events = list(answer_single(turn, focus, summary=summary))
    return events, turn.draft.done()


def test_a_supported_answer_is_shown_with_its_source():
    events, answer = single(QUESTION, ScriptedModel(TRUE))
    assert isinstance(events[0], EvidenceFound)
    assert not answer.abstained
    assert answer.sentences[0].verdict == "supported"
    quotes = [c.quote for c in answer.citations if c.n in answer.sentences[0].citations]
    assert TRUE in quotes
    assert answer.text.startswith(TRUE.rstrip("."))


def test_the_tokens_streamed_are_the_text_of_the_model():
    events, answer = single(QUESTION, ScriptedModel(f"{TRUE} It runs alone 2.5 times faster."))
    streamed = "".join(event.text for event in events if isinstance(event, Token))
    assert streamed.startswith(TRUE)
    assert answer.timings.first_token_s is not None
    ends = [event.index for event in events if isinstance(event, SentenceDone)]
    assert ends == list(range(len(ends)))


def test_text_that_the_abstract_does_not_hold_is_folded():
    _, answer = single(QUESTION, ScriptedModel(f"{TRUE} It was sold to Argentina for gold coins."))
    verdicts = {s.text: s.verdict for s in answer.sentences}
    assert verdicts["It was sold to Argentina for gold coins."] == "unsupported"
    assert "Argentina" not in answer.text


def test_a_wrong_figure_is_replaced_by_the_quoted_source():
    _, answer = single(
        "What speedup does BrightNet reach together with LUMEN?",
        ScriptedModel("BrightNet reaches a speedup of 2.5 times."),
    )
    assert "2.5" not in answer.text
    assert "“Together with LUMEN it reaches a speedup of 9 times.”" in answer.sentences[0].text
    assert answer.sentences[0].verdict == "supported"


@pytest.mark.parametrize("refusal", ["Not stated.", "The abstract does not state how this works."])
def test_a_refusal_of_the_model_is_never_shown_where_the_evidence_is_strong(refusal):
    events, answer = single(QUESTION, ScriptedModel(refusal, margin=9.0))
    assert not [event for event in events if isinstance(event, Token)]
    assert not answer.abstained
    assert TRUE in answer.text
    assert answer.citations


def test_a_terse_answer_is_followed_by_the_words_of_the_abstract():
    _, answer = single("Does BrightNet restore dark photographs?", ScriptedModel("Yes."))
    assert TRUE in answer.text


def test_a_sentence_that_the_model_repeats_is_said_once():
    _, answer = single(QUESTION, ScriptedModel(f"{TRUE} " * 5))
    assert [s.text for s in answer.sentences].count(TRUE) == 1


def test_an_answer_has_at_most_eighty_words():
    twins = (f"In case {n}, {TRUE[0].lower()}{TRUE[1:]}" for n in "abcdefghijkl")
    _, answer = single(QUESTION, ScriptedModel(" ".join(twins)))
    assert len(answer.sentences) > 3
    shown = [s for s in answer.sentences if s.verdict != "unsupported"]
    assert sum(len(s.text.split()) for s in shown) <= MAX_WORDS


def test_a_short_answer_ends_sooner_and_a_long_one_quotes_more_of_the_abstract():
    text = f"{TRUE} Alone BrightNet runs 2.5 times faster than earlier networks."
    sizes = {}
    for length in WORDS:
        _, answer = single(QUESTION, ScriptedModel(text), length=length)
        shown = [s for s in answer.sentences if s.verdict != "unsupported"]
        sizes[length] = sum(len(s.text.split()) for s in shown)
        assert all(s.verdict == "supported" for s in shown)
        assert sizes[length] <= WORDS[length]
    twins = " ".join(f"In case {n}, {TRUE[0].lower()}{TRUE[1:]}" for n in "abcdefghijkl")
    _, answer = single(QUESTION, ScriptedModel(twins), length="short")
    assert sum(len(s.text.split()) for s in answer.sentences) <= WORDS["short"]
    assert sizes["short"] <= sizes["normal"] < sizes["long"]


def test_where_no_abstract_states_it_the_answer_is_a_refusal_that_names_the_nearest():
    _, answer = single(QUESTION, ScriptedModel(TRUE, margin=-9.0))
    assert answer.abstained
    assert answer.citations == ()
    assert "light" in [p.paper_id for p in answer.nearest]
    assert LIGHT.title in answer.text


def test_a_subject_that_the_library_lacks_is_told_from_a_detail_that_an_abstract_lacks():
    model = ScriptedModel(TRUE, margin=-9.0)
    reasons = {
        "Who won the football cup?": "not_in_library",
        "Which GPU restores dark photographs in BrightNet?": "full_text_needed",
        "Does BrightNet restore dark photographs of ghosts?": "not_stated",
    }
    assert {q: single(q, model)[1].reason for q in reasons} == reasons


def test_the_paper_of_the_talk_is_read_before_those_that_are_found():
    model = ScriptedModel("Foxes sleep in the forest.")
    single("How does it work with photographs?", model, focus=(FOX,))
    assert "Foxes" in model.prompts[0].document


def test_of_two_close_papers_the_one_that_states_the_answer_is_read():
    close = Shelf(
        make_paper("a", "Alpha", "Alpha networks restore photographs at dawn."),
        make_paper("b", "Beta", "Beta networks restore photographs at dusk."),
    )
    model = ScriptedModel(lambda p: p.document.splitlines()[-1], margin={"at dusk": 6.0})
    _, answer = single("Which networks restore photographs?", model, shelf=close)
    cited = {c.n: c.paper_id for c in answer.citations}
    assert {cited[n] for s in answer.sentences for n in s.citations} == {"b"}


def test_a_model_that_cannot_judge_is_not_asked_to():
    model = ScriptedModel(TRUE, can_judge=False)
    _, answer = single(TRUE, model)
    assert not any("Yes or No" in prompt.task for prompt in model.prompts)
    assert not answer.abstained


def test_without_a_judge_weak_evidence_is_a_refusal():
    _, answer = single("Who won the football cup?", ScriptedModel(TRUE, can_judge=False))
    assert answer.abstained


def test_a_summary_is_written_without_asking_whether_the_answer_is_stated():
    model = ScriptedModel(TRUE, margin=-9.0)
    _, answer = single("Summarise the BrightNet paper", model, summary=True)
    assert not answer.abstained
    assert all("Yes or No" not in prompt.task for prompt in model.prompts)


def test_an_empty_library_is_a_refusal_without_any_model():
    model = ScriptedModel(TRUE)
    _, answer = single(QUESTION, model, shelf=Shelf())
    assert (answer.abstained, answer.reason, answer.nearest) == (True, "not_in_library", ())
    assert model.prompts == []


# ------------------------------------------------------------ rework


def reworked(request, script, *, remove=False):
    shelf = Shelf(FOX, LIGHT)
    _, first = single(QUESTION, ScriptedModel(TRUE), shelf=shelf)
    if remove:
        shelf.remove("light")
    model = ScriptedModel(script)
    turn = make_turn(request, shelf, model)
    list(answer_rework(turn, [first], request))
    return turn.draft.done(), model


def test_a_shorter_form_is_checked_against_the_same_source():
    answer, model = reworked("shorter", "BrightNet restores dark photographs.")
    assert answer.sentences[0].verdict == "supported"
    assert {c.paper_id for c in answer.citations} == {"light"}
    assert all(prompt.document == "" for prompt in model.prompts)


def test_a_shorter_form_that_invents_is_folded():
    answer, _ = reworked("shorter", "Argentina sold it for gold coins.")
    assert {s.verdict for s in answer.sentences} == {"unsupported"}
    assert answer.text == ""


def test_a_translation_keeps_its_sources():
    answer, _ = reworked("in German", "BrightNet erhellt dunkle Bilder mit einem flachen Netz.")
    assert answer.text.startswith("BrightNet erhellt dunkle Bilder")
    assert answer.citations


def test_a_translation_that_changes_a_figure_or_a_name_is_not_shown():
    answer, _ = reworked("in German", "DarkNet erhellt 3 dunkle Bilder.")
    assert "DarkNet" not in answer.text
    assert TRUE.rstrip(".") in answer.text


def test_an_answer_whose_paper_is_gone_is_not_reworked():
    answer, model = reworked("shorter", TRUE, remove=True)
    assert model.prompts == []
    assert answer.citations == ()


def test_an_answer_is_shown_once_it_cannot_be_a_refusal_any_more():
    def held_back(text):
        events, _ = single(QUESTION, ScriptedModel(text, piece=1))
        return len(next(e.text for e in events if isinstance(e, Token)).split())

    assert held_back(TRUE) == 4
    assert held_back("It restores dark photographs with a single shallow network of its own.") == 12


def test_a_comparison_of_papers_that_are_only_counted_shows_evidence_before_it_judges():
    shelf = Shelf(*(make_paper(f"f{i}", f"Foxes {i}", f"Foxes hunt {i} mice.") for i in range(4)))
    model = ScriptedModel("Foxes hunt mice.")
    chat = Chat(shelf, model, Prompts(prompts_dir()))
    events = chat.ask("How do the two papers on foxes that hunt mice differ?")
    shown = next(event for event in events if isinstance(event, EvidenceFound))
    assert shown.citations
    assert model.prompts == []


def test_the_best_sentence_is_quoted_even_where_the_prose_runs_on_about_others():
    hard = "Dark photographs are hard to restore on small devices"
    prose = " ".join(f"{hard} because of reason {n} and its many consequences." for n in range(4))
    shelf = Shelf(
        make_paper(
            "light", "BrightNet",
            f"{prose} BrightNet restores dark photographs with a single shallow network.",
        )
    )  # fmt: skip
    _, answer = single(QUESTION, ScriptedModel(prose), shelf=shelf)
    assert any("single shallow network" in sentence.text for sentence in answer.sentences)
    assert sum(len(s.text.split()) for s in answer.sentences) <= MAX_WORDS + 3


def test_a_question_whether_there_is_a_paper_is_answered_with_its_name():
    _, answer = single("Is there any work that restores dark photographs?", ScriptedModel(TRUE))
    assert answer.text.startswith("BrightNet: BrightNet restores")


def test_a_question_why_something_is_not_so_is_no_false_premise():
    question = "Why can't BrightNet restore dark photographs on small devices?"
    _, answer = single(question, ScriptedModel(TRUE))
    assert "otherwise" not in answer.text
