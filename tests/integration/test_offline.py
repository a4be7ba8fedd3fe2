"""Offline, proven: index, ask and serve, while every attempt to leave the machine is noted."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SMALL_MODEL

HERE = Path(__file__).parent / "offline"
ROOT = Path(__file__).parents[2]
ALONE = ["unshare", "--user", "--map-root-user", "--net"]


def can_be_alone():
    if shutil.which(ALONE[0]) is None:
        return False
    return subprocess.run([*ALONE, "true"], capture_output=True).returncode == 0


@pytest.fixture
def environ(installed, tmp_path):
    """Empty caches, the models, and the watch that Python imports at its start."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "models").symlink_to(installed.models_dir)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CITEWELL_", "HF_"))}
    return kept | {
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": f"{HERE}{os.pathsep}{ROOT}",
        "CITEWELL_DATA": str(data),
        "CITEWELL_CACHE": str(tmp_path / "cache"),
        "CITEWELL_MODEL": SMALL_MODEL,
        "CITEWELL_TEST_ATTEMPTS": str(tmp_path / "attempts"),
    }


def test_index_ask_and_serve_make_no_attempt_to_leave_this_machine(environ, tmp_path):
    papers = tmp_path / "papers.txt"
    papers.write_text("We propose TreeBuilder, which grows molecules as trees.\n\nIce melts.\n")
    alone = can_be_alone()
    command = [sys.executable, str(HERE / "everything.py"), str(papers)]
    done = subprocess.run(
        [*ALONE, *command] if alone else command,
        env=environ | {"CITEWELL_TEST_ALONE": "1" if alone else "0"},
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    attempts = tmp_path / "attempts"
    assert not attempts.exists(), attempts.read_text()
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result.pop("written") > 0
    assert result == {"unrouted": 0, "error": None, "page": True}


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.create_connection(('192.0.2.7', 80))",
        "socket.getaddrinfo('example.org', 443)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.7', 53))",
        "socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
    ],
)
def test_the_watch_notes_and_refuses_what_leaves_the_machine(environ, tmp_path, attempt):
    code = f"import socket; {attempt}"
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True)
    assert "no network in this test" in done.stderr
    assert (tmp_path / "attempts").exists()


def test_the_watch_lets_this_machine_be_reached(environ, tmp_path):
    code = (
        "import socket; s = socket.create_server(('127.0.0.1', 0)); "
        "socket.create_connection(('localhost', s.getsockname()[1]))"
    )
    subprocess.run([sys.executable, "-c", code], env=environ, check=True)
    assert not (tmp_path / "attempts").exists()
