"""Libraries beside each other, as the page makes and opens them, with real files."""

import time

import pytest

from rag.answer.prompt import Prompts
from rag.errors import UsageError
from rag.library import Library
from rag.machine import LocalMachine
from rag.resources import prompts_dir
from rag.shelves import MAIN
from rag.types import Scope
from rag.ui.app import backend_of
from tests.fakes import by_words
from tests.integration.hashed import write


@pytest.fixture
def machine(filled, monkeypatch):
    from rag.answer.chat import Chat

    def open_chat(config, library):
        return Chat(library, by_words(), Prompts(prompts_dir()))

    monkeypatch.setattr("rag.machine.open_chat_of", open_chat)
    monkeypatch.setattr("rag.ui.app.open_chat_of", open_chat)
    backend = backend_of(filled)
    backend.start()
    yield LocalMachine(filled, backend), backend
    settled(backend)
    backend.close()
    backend.library.close()


def settled(backend):
    while not backend.ready:
        time.sleep(0.01)


def test_a_new_library_lies_beside_the_main_one_and_both_keep_their_papers(
    machine, config, tmp_path
):
    machine, backend = machine
    settled(backend)
    machine.create_library("Thesis")
    settled(backend)
    assert (backend.count(), backend.name) == (0, "Thesis")
    assert machine.libraries() == ((MAIN, "Thesis"), "Thesis", MAIN)
    assert machine.imports() == config.data_dir / "libraries" / "Thesis" / "imports"
    write(tmp_path / "more", 3)
    with backend.writing() as library:
        library.index([tmp_path / "more"])
    assert backend.count() == 3
    machine.open_library(MAIN)
    settled(backend)
    assert (backend.count(), backend.name) == (40, "")
    assert machine.imports() == config.library / "imports"
    machine.open_library("Thesis")
    settled(backend)
    assert backend.count() == 3


def test_a_folder_outside_is_never_opened(machine, config):
    machine, backend = machine
    settled(backend)
    for name in ("../library", str(config.data_dir), "unknown"):
        with pytest.raises(UsageError):
            machine.open_library(name)
    assert backend.count() == 40


def test_papers_are_listed_by_all_their_words_in_parts(filled, tmp_path):
    (tmp_path / "two.jsonl").write_text(
        '{"title": "Ölbohrung", "abstract": "Deep drilling.", "authors": ["Änne Müller"]}\n'
        '{"title": "Drills", "abstract": "Shallow holes.", "year": 2024}\n'
    )
    with Library.open(filled) as library:
        library.index([tmp_path / "two.jsonl"])
        total, papers = library.listed(words="drilling")
        assert (total, {paper.title for paper in papers}) == (2, {"Ölbohrung", "Drills"})
        assert library.listed(words="drills muller")[1][0].title == "Ölbohrung"
        assert library.listed(words="drills whale") == (0, ())
        assert library.listed(Scope(years=(2024, 2024)), "drills")[1][0].title == "Drills"
        total, part = library.listed(first=38, count=3)
        assert total == 42
        assert part == library.papers()[38:41]
