"""Prompts are files whose placeholders are checked when they are loaded."""

import shutil
from pathlib import Path

import pytest

from rag.answer.prompt import PLACEHOLDERS, Prompts
from rag.answer.read import Reader
from rag.errors import PromptError
from rag.resources import prompts_dir
from tests.fakes import ScriptedModel, make_paper

GOLDEN = Path(__file__).parents[2] / "golden"
PAPER = make_paper(
    "p1",
    "TreeBuilder: Molecules Grown as Trees",
    "Strings often yield \\textit{invalid} molecules. We propose TreeBuilder {a generator}.",
)
VALUES = {
    "question": "How many trees {title} grow?",
    "aspect": "the root",
    "text": "It grows [1].",
    "language": "German",
    "request": "shorter, please",
}
ABOUT = ("answer", "follow_up", "states_answer", "belongs", "asked_about", "aspect", "summary")
ALONE = ("translate", "render", "rework")


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(prompts_dir(), tmp_path / "prompts")
    return tmp_path / "prompts"


def rendered(name):
    prompts = Prompts(prompts_dir())
    values = {key: VALUES[key] for key in PLACEHOLDERS[name]}
    if name in ALONE:
        prompt = prompts.alone(name, **values)
    else:
        document = Reader(ScriptedModel(), prompts).document(PAPER)
        prompt = prompts.about(document, name, **values)
    return f"[system]\n{prompt.system}\n[document]\n{prompt.document}\n[task]\n{prompt.task}\n"


@pytest.mark.parametrize("name", [*ABOUT, *ALONE])
def test_the_rendered_prompt_is_the_golden_one(name):
    assert rendered(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_every_prompt_file_is_known_and_has_a_golden_text():
    files = {path.stem for path in prompts_dir().glob("*.txt")}
    assert files == set(PLACEHOLDERS)
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {*ABOUT, *ALONE}
    assert files - {"system", "document"} == {*ABOUT, *ALONE}


def test_values_with_braces_stay_as_they_stand():
    prompts = Prompts(prompts_dir())
    prompt = prompts.about("{question} {0}", "answer", question="Is {title} {x}?")
    assert prompt.document == "{question} {0}"
    assert "Question: Is {title} {x}?" in prompt.task


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("answer", "Answer the question."),
        ("answer", "Question: {question} {title}"),
        ("answer", "Question: {querstion}"),
        ("system", "You read {title}."),
    ],
    ids=["missing", "one too many", "misspelt", "none expected"],
)
def test_wrong_placeholders_are_named_when_prompts_are_loaded(folder, name, text):
    (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    with pytest.raises(PromptError, match=f"{name}.txt"):
        Prompts(folder)


def test_a_missing_file_is_named_with_what_to_do(folder):
    (folder / "belongs.txt").unlink()
    with pytest.raises(PromptError, match=r"belongs\.txt.*Install again"):
        Prompts(folder)
