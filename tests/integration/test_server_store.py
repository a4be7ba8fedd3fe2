"""The same library against a Chroma server, with the results of the local store."""

import contextlib
import dataclasses
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag.errors import StoreUnreachable
from rag.library import Library
from rag.resources import seeds_dir


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    port = free_port()
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path",
               str(tmp_path_factory.mktemp("server")), "--port", str(port)]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait_for(port, process):
    for _ in range(600):
        assert process.poll() is None, "the Chroma server ended"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    pytest.fail("the Chroma server did not start")


def ranking(library, question):
    return [(hit.paper.text, round(hit.dense, 4)) for hit in library.search(question, k=5)]


def test_a_server_gives_the_results_of_the_local_store(installed, server, tmp_path):
    local = dataclasses.replace(installed, library=tmp_path / "local")
    remote = dataclasses.replace(installed, library=tmp_path / "remote", store=server)
    with Library.open(local, create=True) as here, Library.open(remote, create=True) as there:
        for library in (here, there):
            assert library.index([seeds_dir()]).added == 31
        for question in ("molecule generation", "What beats REPA?", "robots"):
            assert ranking(here, question) == ranking(there, question)
        gone = there.papers()[0].paper_id
        there.remove([gone])
        assert gone not in {hit.paper.paper_id for hit in there.search("gradients", k=31)}
        assert not (remote.library / "chroma").exists()


def test_a_server_that_does_not_answer_says_how_to_start_it(installed, tmp_path):
    store = f"http://127.0.0.1:{free_port()}"
    config = dataclasses.replace(installed, library=tmp_path / "library", store=store)
    with Library.open(config, create=True) as library:
        with pytest.raises(StoreUnreachable, match="chroma run"):
            library.index([seeds_dir()])
        assert library.papers() == ()
