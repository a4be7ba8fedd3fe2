"""What the page says about where text goes, and how that changes with the model."""

import dataclasses
import time

import pytest

from rag.ui.app import backend_of
from rag.ui.backend import Backend


def started(sent_to):
    backend = Backend(lambda: "library", lambda library: "chat", "tiny", sent_to)
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
    backend.change_model("small", lambda library: "chat")
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
    backend = Backend(lambda: "library", lambda library: "chat", "tiny", None, lambda *_: ahead)
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
    backend.change_model("small", lambda library: "chat")
    assert ahead.calls[:2] == ["start", "close"]


def test_without_anything_read_ahead_nothing_is_said():
    assert started(None).ahead() == ""
