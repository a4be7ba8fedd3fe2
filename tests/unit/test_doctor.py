"""Each finding names what was looked at, whether it is sound, and the cure."""

import dataclasses
import subprocess
import sys

import pytest

from rag import doctor
from rag.doctor import Finding, examine
from rag.errors import EmbedderMismatch, LibraryDamaged, LibraryMissing, StoreUnreachable
from rag.llm.build import Smoke
from tests.scripted_server import Script, serving


@pytest.fixture
def findings(config, monkeypatch) -> dict[str, Finding]:
    """Of an empty machine whose build works."""
    monkeypatch.setattr(doctor.build, "smoke", lambda model: Smoke(True, "AVX2 = 1"))
    return {finding.subject: finding for finding in examine(config)}


def test_everything_is_looked_at_once(findings):
    assert list(findings) == [
        "data folder",
        "cache folder",
        "embedder",
        "chat model",
        "privacy",
        "llama-cpp-python",
        "library",
    ]


def test_missing_models_are_cured_by_the_pull_that_brings_them(findings):
    assert findings["embedder"].cure == "citewell models pull all-MiniLM-L6-v2"
    assert findings["chat model"].cure == (
        "citewell models pull qwen2.5-coder-1.5b-instruct-q4_k_m"
    )


def test_a_missing_library_is_cured_by_index(findings):
    assert findings["library"].cure == "citewell index FILE_OR_FOLDER"


def test_every_unsound_finding_has_a_cure_and_every_sound_one_has_none(findings):
    assert all(finding.ok != bool(finding.cure) for finding in findings.values())


def test_a_build_that_dies_is_cured_by_building_for_this_cpu(config, monkeypatch):
    monkeypatch.setattr(doctor.build, "smoke", lambda model: Smoke(False, "it died of signal 4"))
    finding = next(f for f in examine(config) if f.subject == "llama-cpp-python")
    assert not finding.ok
    assert "python -m rag.llm.build" in finding.cure


def test_a_folder_that_cannot_be_made_is_found(config, tmp_path):
    (tmp_path / "file").touch()
    blocked = dataclasses.replace(config, data_dir=tmp_path / "file" / "data")
    finding = next(examine(blocked))
    assert (finding.subject, finding.ok) == ("data folder", False)
    assert "CITEWELL_DATA" in finding.cure


def test_a_full_disk_is_found(config, monkeypatch):
    usage = doctor.shutil.disk_usage("/")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage._replace(free=1000))
    finding = next(examine(config))
    assert not finding.ok
    assert "space" in finding.cure


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (LibraryMissing("x"), "citewell index"),
        (EmbedderMismatch("x"), "--rebuild"),
        (StoreUnreachable("x"), "message"),
        (LibraryDamaged("x"), "message"),
    ],
)
def test_each_fault_of_a_library_has_its_own_cure(error, cure):
    assert cure in doctor._library_cure(error)


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.getaddrinfo('example.org', 80)",
        "urllib.request.urlopen('http://127.0.0.1:9')",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    ],
)
def test_the_offline_check_sees_and_refuses_every_attempt_to_connect(attempt):
    guard = doctor._WITHOUT_NETWORK.split("from rag.cli")[0]
    code = f"{guard}\nimport socket, urllib.request\n{attempt}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "no network in this check" in done.stderr
    finding = doctor._offline_problem("index", done)
    assert finding is not None
    assert "tried to connect" in finding.text


def test_a_command_that_fails_offline_without_connecting_is_told_apart():
    done = subprocess.CompletedProcess([], 3, "", "citewell: the model is not there")
    finding = doctor._offline_problem("ask", done)
    assert finding is not None
    assert "the model is not there" in finding.text


def findings_with(config, model):
    found = examine(dataclasses.replace(config, model=model))
    return {finding.subject: finding for finding in found}


def test_a_model_server_is_asked_for_its_models_and_needs_no_build(config):
    with serving(Script()) as address:
        found = findings_with(config, address)
    assert found["chat model"].ok
    assert "folder/tiny.gguf" in found["chat model"].text
    assert found["privacy"].text == "nothing leaves this machine"
    assert "llama-cpp-python" not in found


def test_a_model_server_that_is_down_or_elsewhere_is_found(config, monkeypatch):
    monkeypatch.setattr("rag.llm.wire._CONNECT_SECONDS", 0.2)
    found = findings_with(config, "http://192.0.2.7:9/v1")
    assert "cannot be reached" in found["chat model"].text
    assert found["privacy"].text == "questions and abstracts are sent to 192.0.2.7"


def test_a_model_on_another_machine_is_not_offline(config):
    finding = doctor._examine_offline(dataclasses.replace(config, model="http://192.0.2.7/v1"))
    assert not finding.ok
    assert "192.0.2.7" in finding.text
