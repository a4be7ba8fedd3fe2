"""docs/api.md: every example runs as it stands, with the small model."""

import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import SMALL_MODEL

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
ADDRESS = "127.0.0.1:7860"
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def blocks(heading):
    """The Python blocks below a heading of the page."""
    section = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)
    text = next(part for part in section if part.startswith(heading))
    return re.findall(r"```python\n(.*?)```", text, re.S)


@pytest.fixture(scope="module")
def place(installed, tmp_path_factory):
    """A folder to run in, and the environment of the examples."""
    folder = tmp_path_factory.mktemp("examples")
    environ = {
        **os.environ,
        "PYTHONPATH": str(PAGE.parents[1]),
        "CITEWELL_DATA": str(installed.data_dir),
        "CITEWELL_MODEL": SMALL_MODEL,
        "CITEWELL_LIBRARY": str(folder / "bees"),
        "NO_PROXY": "127.0.0.1",
    }
    return folder, environ


def run(code, place):
    folder, environ = place
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environ, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python_output(place):
    (block,) = blocks("Python")
    return run(block, place)


@pytest.fixture(scope="module")
def port(place, python_output, tmp_path_factory):
    """The port of `citewell serve --mcp` over the library of the first example."""
    pytest.importorskip("mcp", reason="needs the extra: pip install 'citewell[mcp]'")
    folder, environ = place
    own = {**environ, "CITEWELL_DATA": str(tmp_path_factory.mktemp("data"))}
    Path(own["CITEWELL_DATA"], "models").symlink_to(Path(environ["CITEWELL_DATA"], "models"))
    command = [sys.executable, "-m", "rag.cli", "serve", "--mcp", "--port", "0"]
    server = subprocess.Popen(command, cwd=folder, env=own, stderr=subprocess.PIPE, text=True)
    address = next(filter(None, (_address(line) for line in server.stderr)))
    while not _answers(address):
        assert server.poll() is None
        time.sleep(0.2)
    yield address.rpartition(":")[2]
    server.terminate()
    server.wait(60)


def _address(line):
    found = re.search(r"http://127\.0\.0\.1:\d+", line)
    return found and found[0]


def _answers(address):
    try:
        return LOCAL.open(f"{address}/gradio_api/info", timeout=10).status == 200
    except OSError:
        return False


def test_the_python_example_indexes_finds_and_answers(python_output):
    lines = python_output.splitlines()
    assert lines[0] == "2 papers added, 2 in the library"
    assert lines[1].endswith("Bees and the Sun")


def test_the_http_example_lists_searches_asks_and_compares(place, port):
    (block,) = blocks("HTTP")
    out = run(block.replace(ADDRESS, f"127.0.0.1:{port}"), place)
    assert out.startswith("Glass Fibres against Frost ")


def test_the_mcp_example_finds_the_tools_and_calls_one(place, port):
    (block,) = blocks("MCP")
    out = run(block.replace(ADDRESS, f"127.0.0.1:{port}"), place)
    assert out.startswith("['search', 'ask', 'compare', 'list_papers']")
    assert "Glass Fibres against Frost" in out
