"""What the model writes, cleaned as it comes, and what it is given to read."""

import itertools

import pytest

from rag.answer.prompt import Prompts
from rag.answer.read import ANSWER_TOKENS, Reader, is_refusal, last, tidy
from rag.resources import prompts_dir
from tests.fakes import ScriptedModel, make_paper


def pieces(text, size):
    return [text[i : i + size] for i in range(0, len(text), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plan [9]</think>Answer [1].<|im_end|>user:", "Answer."),
        ("<think>plan [9]</think>Answer.", "Answer."),
        ("<think>a plan that never ends", ""),
        ("The gain is 3 points [1", "The gain is 3 points"),
        ("The gain is 3 points [Source", "The gain is 3 points"),
        ("The gain is 3 points 【", "The gain is 3 points"),
        ("The gain is 3 points.<|im_e", "The gain is 3 points."),
        ("The gain is <3 points and p [ns", "The gain is <3 points and p [ns"),
        ("It works [1, 2].", "It works."),
        ("It works [1-3] well.", "It works well."),
        ("It works [Source 1].", "It works."),
        ("It works 【2】.", "It works."),
        ("It works [7] and [12].", "It works and."),
        ("It works.\nuser: And now?\nassistant: Yes.", "It works."),
        ("It works.\n\nQuestion: what else?", "It works."),
        ("It works.<|endoftext|>", "It works."),
        ("It works.</s>", "It works."),
        ("It works.<end_of_turn>", "It works."),
        ("The set [a, b] and p < 0.05 stay.", "The set [a, b] and p < 0.05 stay."),
        ("Line one.\nLine two.", "Line one. Line two."),
    ],
)
def test_the_finished_text_is_clean_however_it_is_cut_into_pieces(raw, clean, size):
    finished = last(tidy(pieces(raw, size)))
    assert finished == clean


@pytest.mark.parametrize(
    "raw",
    [
        "plan [9]</think>Answer [1].<|im_end|>user:",
        "<think>plan [9]</think>Answer [1] stays. More text follows.",
        "It works [Source 1] in 【2】 cases. user of it: all.",
    ],
)
def test_each_text_shown_on_the_way_is_free_of_marks(raw):
    for text in tidy(pieces(raw, 2)):
        assert not any(mark in text for mark in ("[9]", "[1", "<|", "think", "【", "user:"))


def test_text_grows_while_it_is_streamed():
    shown = list(tidy(pieces("The tree grows from the root to the leaves of the plant.", 4)))
    assert len(shown) > 5
    assert all(b.startswith(a) for a, b in itertools.pairwise(shown))


def test_reading_ends_where_the_model_invents_a_turn():
    def source():
        yield from ["It works.", "\nuser:", " more"]
        raise AssertionError("read past the invented turn")

    assert last(tidy(source())) == "It works."


@pytest.mark.parametrize(
    "text",
    [
        "The abstract does not state which GPU was used.",
        "The abstract doesn't mention any dataset.",
        "Not stated.",
        "This is not explicitly mentioned in the text.",
        "I'm sorry, but I cannot answer.",
        "There is no information about the learning rate.",
        "The paper does not provide details on hardware.",
    ],
)
def test_refusals_of_the_model_are_seen(text):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "TreeBuilder does not need pretraining.",
        "The method is not limited to molecules.",
        "They mention that labels are scarce.",
        "It is stated in terms of energy.",
    ],
)
def test_answers_that_only_sound_alike_are_no_refusals(text):
    assert not is_refusal(text)


def reader(model):
    return Reader(model, Prompts(prompts_dir()))


def test_text_that_is_cut_off_for_its_length_says_so():
    long = "word " * 2 * ANSWER_TOKENS
    endless = ScriptedModel(lambda prompt: long[: 5 * ANSWER_TOKENS], piece=5)
    brief = ScriptedModel("It grows")
    paper = make_paper("p", "Trees", "Trees grow.")
    assert last(reader(endless).write(paper, "summary")).endswith("word…")
    assert last(reader(brief).write(paper, "summary")) == "It grows"


def test_a_generated_title_is_not_read_as_the_papers_own():
    paper = make_paper("p", "Trees", "Trees grow.", source="generated")
    given = make_paper("p", "Trees", "Trees grow.")
    assert "Title:" not in reader(ScriptedModel()).document(paper)
    assert reader(ScriptedModel()).document(given).startswith("Title: Trees\n")


def test_an_abstract_too_long_for_the_model_is_cut_and_the_task_keeps_its_room():
    model = ScriptedModel(context_tokens=1000)
    paper = make_paper("p", "Long", "word " * 5000)
    document = reader(model).document(paper)
    assert 0 < model.count_tokens(document) <= 310


def test_all_tasks_about_a_paper_share_the_prefix_and_the_document():
    model = ScriptedModel("Trees grow.")
    paper = make_paper("p", "Trees", "Trees grow.")
    own = reader(model)
    last(own.write(paper, "answer", question="What grows?"))
    own.margin(paper, "states_answer", "What grows?")
    own.margin(paper, "belongs", "Which papers grow?")
    assert len({(p.system, p.document) for p in model.prompts}) == 1
    assert len({p.task for p in model.prompts}) == 3
