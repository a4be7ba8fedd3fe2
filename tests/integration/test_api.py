"""The way in for Python programs, over the real encoder and a model of the test's own."""

import pytest

import rag
from rag.errors import CitewellError, ServerFailed
from tests.fakes import ScriptedModel


@pytest.fixture
def talking(installed, tmp_path, monkeypatch):
    """A chat over two papers, with a model that says what the test tells it."""
    monkeypatch.setenv("CITEWELL_DATA", str(installed.data_dir))
    (tmp_path / "papers.txt").write_text(
        "LoRA freezes the pretrained weights and trains low-rank matrices.\n\n"
        "Honeybees find their way home by the sun, which 120 tracked bees show.\n"
    )
    with rag.Library(tmp_path / "library") as library:
        library.index(tmp_path / "papers.txt")
        yield lambda model: rag.Chat(library, model=model)


def test_a_talk_remembers_its_answers_and_can_be_begun_anew(talking):
    chat = talking(ScriptedModel("LoRA trains low-rank matrices."))
    assert "[1]" in chat.ask("What does LoRA train?").text
    assert [answer.question for answer in chat.history] == ["What does LoRA train?"]
    *_, last = chat.events("And what does it freeze?")
    assert last.answer is chat.history[1]


def test_a_turn_that_fails_raises_its_message_and_is_not_remembered(talking):
    def broken(prompt):
        raise ServerFailed("The model server broke off. Ask again.")

    chat = talking(ScriptedModel(margin=broken))
    with pytest.raises(CitewellError, match="Ask again"):
        chat.ask("What does LoRA train?")
    assert chat.history == []
