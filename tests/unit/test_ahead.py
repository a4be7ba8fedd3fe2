"""Papers are read while nobody asks, and the reading is out of the way at once."""

import threading

import pytest

from rag.ahead import ReadAhead
from rag.answer.prompt import Prompts
from rag.errors import Stopped, UnknownPaper, UsageError
from rag.resources import prompts_dir
from tests.fakes import ScriptedModel, Shelf, make_paper

PAPERS = [make_paper(f"p{n}", f"Paper {n}", f"We study subject number {n}.") for n in range(4)]
PATIENCE = 30


class ChangingShelf(Shelf):
    """A library that can be added to."""

    def __init__(self, *papers):
        super().__init__(*papers)
        self.changes = 0

    def add(self, paper):
        self._papers[paper.paper_id] = paper
        self.changes += 1

    def newest(self, limit):
        return list(self._papers.values())[::-1][:limit]

    def generation(self):
        return self.changes

    def count(self):
        return len(self._papers)


class PreparingModel(ScriptedModel):
    """Notes the titles it reads; `on_read` is called with each title and may raise."""

    def __init__(self, room=100, on_read=lambda title, stop: None):
        super().__init__()
        self.read, self._room, self._on_read = [], room, on_read

    def prepare(self, prompt, *, stop):
        title = prompt.document.splitlines()[0].removeprefix("Title: ")
        if title in self.read:
            return True
        if len(self.read) == self._room:
            return False
        self._on_read(title, stop)
        self.read.append(title)
        return True


@pytest.fixture
def reading():
    """Start a ReadAhead that ends with the test."""
    begun = []

    def begin(shelf, model, busy=lambda: False):
        ahead = ReadAhead(shelf, model, Prompts(prompts_dir()), busy)
        begun.append(ahead)
        ahead.start()
        return ahead

    yield begin
    for ahead in begun:
        ahead.close()


def until(condition):
    tick = threading.Event()
    for _ in range(PATIENCE * 100):
        if condition():
            return
        tick.wait(0.01)
    raise AssertionError("it did not happen")


def at_rest(ahead):
    until(lambda: ahead.progress()[2])


def test_every_paper_is_read_newest_first(reading):
    model = PreparingModel()
    ahead = reading(ChangingShelf(*PAPERS), model)
    at_rest(ahead)
    assert model.read == ["Paper 3", "Paper 2", "Paper 1", "Paper 0"]
    assert ahead.progress() == (4, 4, True)


def test_reading_ends_where_there_is_no_more_room(reading):
    model = PreparingModel(room=2)
    ahead = reading(ChangingShelf(*PAPERS), model)
    at_rest(ahead)
    assert model.read == ["Paper 3", "Paper 2"]
    assert ahead.progress() == (2, 4, True)


def test_a_library_that_has_changed_is_looked_through_again(reading):
    model, shelf = PreparingModel(), ChangingShelf(*PAPERS)
    ahead = reading(shelf, model)
    at_rest(ahead)
    shelf.add(make_paper("new", "New Paper", "We study something new."))
    until(lambda: "New Paper" in model.read)
    at_rest(ahead)
    assert ahead.progress() == (5, 5, True)
    assert len(model.read) == 5


def test_nothing_is_read_while_there_is_a_question(reading):
    asked, looks = threading.Event(), []
    asked.set()

    def busy():
        looks.append(1)
        return asked.is_set()

    model = PreparingModel()
    ahead = reading(ChangingShelf(*PAPERS), model, busy)
    until(lambda: len(looks) > 3)
    assert model.read == []
    asked.clear()
    at_rest(ahead)
    assert len(model.read) == 4


def test_a_question_breaks_the_reading_off_and_the_paper_is_read_afterwards(reading):
    asked, broken = threading.Event(), []

    def on_read(title, stop):
        if title == "Paper 2" and not broken:
            asked.set()
            assert stop.is_set()
            broken.append(title)
            raise Stopped("Stopped.")

    model = PreparingModel(on_read=on_read)
    ahead = reading(ChangingShelf(*PAPERS), model, asked.is_set)
    until(lambda: bool(broken))
    assert model.read == ["Paper 3"]
    asked.clear()
    at_rest(ahead)
    assert model.read == ["Paper 3", "Paper 2", "Paper 1", "Paper 0"]


@pytest.mark.parametrize("error", [UnknownPaper("gone"), UsageError("too long")])
def test_a_paper_that_cannot_be_read_does_not_hold_up_the_others(reading, error):
    def on_read(title, stop):
        if title == "Paper 2":
            raise error

    model = PreparingModel(on_read=on_read)
    at_rest(reading(ChangingShelf(*PAPERS), model))
    assert model.read == ["Paper 3", "Paper 1", "Paper 0"]


def test_at_the_end_the_reading_breaks_off(reading):
    begun = threading.Event()

    def on_read(title, stop):
        begun.set()
        until(stop.is_set)
        raise Stopped("Stopped.")

    model = PreparingModel(on_read=on_read)
    ahead = reading(ChangingShelf(*PAPERS), model)
    assert begun.wait(PATIENCE)
    ahead.close()
    assert not ahead._thread.is_alive()
    assert model.read == []


def test_once_all_is_read_the_papers_are_not_looked_at_again(reading):
    shelf, looks = ChangingShelf(*PAPERS), []
    newest = shelf.newest
    shelf.newest = lambda limit: looks.append(limit) or newest(limit)
    ahead = reading(shelf, PreparingModel())
    at_rest(ahead)
    ahead._ended.wait(2.5)
    assert len(looks) == 1
