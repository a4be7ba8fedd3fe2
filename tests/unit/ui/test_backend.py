"""What the page says about where text goes, and how that changes with the model."""

import dataclasses
import time

import pytest

from rag.errors import LibraryBusy, LibraryDamaged
from rag.ui.app import backend_of
from rag.ui.backend import Backend


class Shelf:
    def __init__(self, count=1):
        self.closed, self._count = False, count

    def count(self):
        return self._count

    def listed(self, count):
        return self._count, tuple(range(self._count))[:count]

    def generation(self):
        return 7

    def close(self):
        self.closed = True


class Talk:
    def __init__(self, library=None):
        self.asked = self.closed = False

    def busy(self):
        return self.asked

    def close(self):
        self.closed = True


def started(sent_to):
    backend = Backend(Shelf, Talk, "tiny", sent_to)
    backend.start()
    return waited(backend)


def waited(backend):
    while not backend.ready:
        time.sleep(0.01)
    return backend


def test_a_model_on_this_machine_is_offline():
    assert started(None).state == "offline"


def test_a_model_elsewhere_is_named_with_its_host():
    assert started("models.example.org").state == "text is sent to models.example.org"


def test_changing_to_a_model_of_this_machine_is_offline_again():
    backend = started("models.example.org")
    backend.change_model("small", Talk)
    assert waited(backend).state == "offline"


@pytest.mark.parametrize(
    ("model", "host"), [("http://192.0.2.7:8000/v1", "192.0.2.7"), ("http://[::1]:8000/v1", None)]
)
def test_the_host_is_that_of_the_settings(config, model, host):
    assert backend_of(dataclasses.replace(config, model=model)).sent_to == host


class Ahead:
    def __init__(self, ready, total, at_rest):
        self.calls, self._progress = [], (ready, total, at_rest)

    def start(self):
        self.calls.append("start")

    def close(self):
        self.calls.append("close")

    def progress(self):
        return self._progress


def reading(*progress):
    ahead = Ahead(*progress)
    backend = Backend(Shelf, Talk, "tiny", None, lambda *_: ahead)
    backend.start()
    while not ahead.calls:
        time.sleep(0.01)
    return backend, ahead


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        ((18, 31, False), "18 of 31 papers ready to be asked about at once"),
        ((31, 31, True), "31 of 31 papers ready to be asked about at once"),
        (
            (560, 20000, True),
            "560 of 20,000 papers ready to be asked about at once; "
            "the disk limit has room for no more",
        ),
    ],
)
def test_it_says_how_many_papers_have_been_read_ahead(progress, words):
    assert reading(*progress)[0].ahead() == words


def test_reading_ahead_ends_with_the_page_and_with_the_model():
    backend, ahead = reading(1, 2, False)
    backend.close()
    backend.close()
    assert ahead.calls == ["start", "close"]
    assert backend.ahead() == ""
    backend, ahead = reading(1, 2, False)
    backend.change_model("small", Talk)
    assert ahead.calls[:2] == ["start", "close"]


def test_without_anything_read_ahead_nothing_is_said():
    assert started(None).ahead() == ""


def with_shelf():
    shelf, chat = Shelf(), Talk()
    backend = Backend(lambda: shelf, lambda library: chat)
    backend.start()
    return waited(backend), shelf, chat


def settled(done):
    while not done():
        time.sleep(0.01)


def test_another_library_is_opened_for_all_and_the_old_one_closed():
    backend, old, old_chat = with_shelf()
    before, new = backend.edition, Shelf(3)
    backend.change_library("Thesis", lambda: new, Talk)
    assert waited(backend).library is new
    assert backend.name == "Thesis"
    assert backend.edition != before
    assert len(backend.sample()) == 3
    settled(lambda: old.closed and old_chat.closed)


def test_a_library_that_cannot_be_opened_leaves_all_as_it_was():
    backend, old, chat = with_shelf()

    def damaged():
        raise LibraryDamaged("broken")

    with pytest.raises(LibraryDamaged):
        backend.change_library("Thesis", damaged, Talk)
    assert (backend.library, backend.name) == (old, "")
    assert (old.closed, chat.closed) == (False, False)


def test_no_other_library_is_opened_while_a_question_runs_or_papers_are_written():
    backend, _, chat = with_shelf()
    chat.asked = True
    with pytest.raises(LibraryBusy, match="question"):
        backend.change_library("Thesis", Shelf, Talk)
    chat.asked = False
    with backend.writing(), pytest.raises(LibraryBusy, match="Papers"):
        backend.change_library("Thesis", Shelf, Talk)
    backend.change_library("Thesis", Shelf, Talk)


def test_the_old_model_is_closed_before_another_loads_but_not_before_it_has_answered():
    backend, _, old = with_shelf()
    old.asked, seen = True, []
    backend.change_model("small", lambda library: seen.append(old.closed) or Talk())
    assert not backend.ready
    assert not old.closed
    old.asked = False
    waited(backend)
    assert seen == [True]
