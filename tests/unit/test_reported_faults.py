"""Faults that users of other chats over documents reported, tried as their kinds.

docs/robustness.md names the reports.
"""

import pytest

from rag.answer.chat import Chat
from rag.answer.prompt import Prompts
from rag.resources import prompts_dir
from rag.types import EvidenceFound
from tests.fakes import ScriptedModel, Shelf, best_sentence, by_words, finished, make_paper

TREES = make_paper(
    "trees",
    "TreeBuilder: Molecules Grown as Trees",
    "We propose TreeBuilder, which grows molecules as trees from a root fragment. "
    "TreeBuilder reaches 91.5% validity on the QM9 dataset.",
)
ICE = make_paper(
    "ice", "Glaciers in Retreat", "Glaciers retreat fast. Meltwater speeds up their sliding."
)
GPU = "Which GPU did TreeBuilder use?"


def ask(question, history=(), *, model=None, shelf=None):
    chat = Chat(shelf or Shelf(TREES, ICE), model or by_words(), Prompts(prompts_dir()))
    return finished(chat.ask(question, history))


def cited(answer):
    used = {n for s in answer.sentences for n in s.citations}
    return {c.paper_id for c in answer.citations if c.n in used}


def knows_no_gpu():
    return ScriptedModel(best_sentence, lambda prompt: -7.0 if "GPU" in prompt.task else 7.0)


def test_what_was_refused_once_is_refused_again_after_a_question_that_was_answered():
    model = knows_no_gpu()
    _, refused = ask(GPU, model=model)
    _, answered = ask("What does TreeBuilder propose?", [refused], model=model)
    _, again = ask(GPU, [refused, answered], model=model)
    assert refused.abstained
    assert not answered.abstained
    assert again.abstained
    assert again.citations == ()


def test_the_same_question_asked_again_and_again_gets_the_same_answer():
    history = []
    for _ in range(5):
        history.append(ask("What does TreeBuilder propose?", history)[1])
    assert {answer.text for answer in history} == {history[0].text}
    assert {answer.error for answer in history} == {None}


def test_the_sources_of_a_turn_are_its_own_and_not_those_of_the_turn_before():
    _, first = ask("What does TreeBuilder propose?")
    events, second = ask("What speeds up the sliding of glaciers?", [first])
    shown = next(event for event in events if isinstance(event, EvidenceFound))
    assert shown.citations[0].paper_id == "ice"
    assert cited(second) == {"ice"}


def test_a_list_is_not_cut_off_at_a_round_number():
    graphs = [
        make_paper(f"g{n}", f"Graph Study {n}", f"We train graph neural networks on town {n}.")
        for n in range(130)
    ]
    bread = [
        make_paper(f"b{n}", f"Bread Study {n}", f"We bake sourdough loaves in oven {n}.")
        for n in range(20)
    ]
    _, answer = ask("Which papers train graph neural networks?", shelf=Shelf(*graphs, *bread))
    assert len(answer.entries) == 130
    assert answer.text.startswith("130 of 150 papers")
    assert any("The other 121 are listed for their words" in notice for notice in answer.notices)
    assert answer.scanned == (150, 150)


@pytest.mark.parametrize(
    "question",
    ["What is this collection about?", "What is this about?", "What's in here?", "Summarise this"],
)
def test_a_general_question_about_the_library_needs_no_word_of_it(question):
    _, answer = ask(question)
    assert answer.kind == "overview"
    assert not answer.abstained
    assert cited(answer) == {"trees", "ice"}


@pytest.mark.parametrize("question", ["Что предлагает TreeBuilder?", "TreeBuilder 提出了什么？"])
def test_a_question_in_another_script_is_kept_letter_for_letter(question):
    _, answer = ask(question, model=ScriptedModel("What does TreeBuilder propose?"))
    assert answer.question == question


def test_a_question_in_spanish_is_answered_from_the_same_paper_with_a_note():
    def says(prompt):
        asked = "What does TreeBuilder propose?"
        return asked if "Translate this question" in prompt.task else best_sentence(prompt)

    _, answer = ask("¿Qué propone el artículo sobre TreeBuilder?", model=ScriptedModel(says))
    assert {c.paper_id for c in answer.citations} == {"trees"}
    assert any("What does TreeBuilder propose?" in notice for notice in answer.notices)


def test_a_paper_removed_between_two_turns_is_cited_no_more():
    shelf = Shelf(TREES, ICE)
    _, first = ask("What does TreeBuilder propose?", shelf=shelf)
    shelf.remove("trees")
    _, second = ask("How does it grow molecules?", [first], shelf=shelf)
    assert "trees" not in cited(second)
    assert second.error is None
