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
