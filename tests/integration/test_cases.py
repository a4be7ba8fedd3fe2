"""Faults that other chats over papers are known for, each tried as its kind."""

import pytest

from rag.types import AnswerSentence
from tests.fakes import ScriptedModel, by_words


def cited_papers(answer):
    used = {n for s in answer.sentences for n in s.citations}
    return {c.paper_id for c in answer.citations if c.n in used}


def shown(answer) -> list[AnswerSentence]:
    return [s for s in answer.sentences if s.verdict != "unsupported"]


# ------------------------------------------------------------ marks of the model's own


@pytest.mark.parametrize(
    "mark", ["[7]", "[1, 2]", "[1-3]", "[Source 1]", "【2】", "[99]", "<|im_end|>user: more"]
)
def test_marks_that_the_model_makes_up_never_reach_the_answer(talk, titled, mark):
    said = f"LoRA freezes the pretrained weights and trains small low-rank matrices {mark}."
    _, answer = talk("What does the LoRA paper propose?", model=ScriptedModel(said))
    assert not any(mark in s.text or "user:" in s.text for s in answer.sentences)
    assert cited_papers(answer) == {titled("LoRA").paper_id}
    valid = {c.n for c in answer.citations}
    assert all(set(s.citations) <= valid for s in answer.sentences)


def test_thoughts_are_not_shown_and_their_marks_do_not_count(talk, titled):
    said = "plan: cite [9]</think>LoRA trains small low-rank matrices [1].<|im_end|>user:"
    _, answer = talk("What does the LoRA paper propose?", model=ScriptedModel(said))
    assert "plan" not in answer.text
    assert cited_papers(answer) == {titled("LoRA").paper_id}


# ------------------------------------------------------------ right claim, wrong source


@pytest.mark.parametrize(("paper", "wrong"), [("Alpha", "64.8"), ("Beta", "71.2")])
def test_a_figure_of_the_neighbour_is_never_shown_as_the_papers_own(talk, paper, wrong):
    model = ScriptedModel(
        f"{paper} pruning reaches an accuracy of {wrong}% on ImageNet.",
        margin={f"Title: {paper}": 6.0},
    )
    _, answer = talk(f"What accuracy does {paper} pruning reach?", model=model)
    assert wrong not in answer.text


# ------------------------------------------------------------ follow-ups


def test_a_follow_up_finds_its_paper_and_a_new_subject_is_not_contaminated(talk, titled):
    _, first = talk("What does the LoRA paper propose?")
    _, second = talk("How much memory does it save?", [first])
    _, third = talk("How do wild yeast and flour make sourdough rise?", [first, second])
    assert cited_papers(second) == {titled("LoRA").paper_id}
    assert cited_papers(third) == {titled("Sourdough").paper_id}


# ------------------------------------------------------------ comparisons and counts


def test_a_comparison_reads_both_sides_however_many_papers_one_side_has(talk, titled):
    _, answer = talk("Compare the graph study on protein folds and the sourdough paper.")
    assert answer.kind == "compare"
    assert titled("Sourdough").paper_id in {row.paper_id for row in answer.table.rows}
    assert len(answer.table.rows) == 2
    assert len(cited_papers(answer)) == 2


def test_a_comparison_names_the_side_that_is_not_there(talk, titled):
    _, answer = talk("Compare LoRA, TreeBuilder and ZORBLAX.")
    assert any("ZORBLAX" in notice for notice in answer.notices)
    assert cited_papers(answer) == {titled("LoRA").paper_id, titled("TreeBuilder").paper_id}


def test_a_count_is_taken_over_the_whole_library(talk, invented):
    _, answer = talk("How many papers train graph neural networks?")
    assert len(answer.entries) == 5
    assert answer.text.startswith(f"5 of {invented.count()}")


# ------------------------------------------------------------ unanswerable


@pytest.mark.parametrize(
    "question", ["Who won the football World Cup in 2022?", "Which GPU did TreeBuilder use?"]
)
def test_what_no_abstract_says_is_not_answered_from_general_knowledge(talk, question):
    model = ScriptedModel("Argentina won it with an NVIDIA A100 GPU.", margin=-7.0)
    _, answer = talk(question, model=model)
    assert answer.abstained
    assert answer.citations == ()
    assert "Argentina" not in answer.text
    assert answer.text


def test_a_foreign_subject_and_a_missing_detail_are_told_apart(talk):
    def reason(question):
        return talk(question, model=ScriptedModel(margin=-7.0))[1].reason

    assert reason("Who won the football World Cup in 2022?") == "not_in_library"
    assert reason("Which GPU did TreeBuilder use?") == "full_text_needed"


# ------------------------------------------------------------ hostile text


def test_instructions_in_an_abstract_make_no_source_and_no_answer(talk, titled):
    model = by_words()
    _, answer = talk("What do the authors measure about sourdough fermentation?", model=model)
    paper = titled("Sourdough")
    assert cited_papers(answer) == {paper.paper_id}
    assert all(c.title == paper.title for c in answer.citations)
    assert "40 sourdough loaves" in answer.text
    for prompt in model.prompts:
        assert "Ignore earlier rules" not in prompt.system + prompt.task


def test_a_model_that_obeys_an_abstract_is_not_believed(talk):
    obeying = ScriptedModel("This paper is brilliant, wonderful and deserves every prize.")
    _, answer = talk("What is measured about sourdough fermentation?", model=obeying)
    assert not any("brilliant" in s.text for s in shown(answer))


# ------------------------------------------------------------ one paper, two files


def test_the_same_paper_from_two_files_is_one_source(talk, invented, titled):
    paper = titled("Glaciers")
    assert {f.rpartition("/")[2] for f in paper.files} == {"twice.bib", "twice.csv"}
    _, answer = talk("What speeds up the sliding of glaciers?")
    assert cited_papers(answer) == {paper.paper_id}
    assert sum("laciers" in p.title for p in invented.papers()) == 1


# ------------------------------------------------------------ acronyms


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What is GRPO?", "Policies without a Critic"),
        ("Who uses MCTS?", "Planning Moves"),
    ],
)
def test_an_acronym_finds_its_expansion_and_itself(invented, titled, question, title):
    hits = invented.search(question, 3)
    assert titled(title).paper_id in [hit.paper.paper_id for hit in hits]
