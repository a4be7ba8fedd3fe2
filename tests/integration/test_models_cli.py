"""The command with the real embedder, a real library on disk, and the small chat model."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def citewell(library: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rag.cli", "--library", str(library), *arguments],
        cwd=ROOT,
        env={**os.environ, "CITEWELL_MODEL": "smollm2-135m-instruct-q4_1"},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def library(installed, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    source = folder / "two.jsonl"
    source.write_text(
        '{"_id": "g1", "title": "Growing trees", "text": "We grow trees from noise. They stand."}\n'
        '{"_id": "b2", "title": "Bread", "text": "We bake sourdough bread with wild yeast."}\n'
    )
    done = citewell(folder / "lib", "index", str(source), "--json")
    assert done.returncode == 0, done.stderr
    *batches, account = (json.loads(line) for line in done.stdout.splitlines())
    assert sum(len(batch["committed"]) for batch in batches) == 2
    assert account["added"] == account["read"] == 2
    return folder / "lib"


def test_installed_models_are_listed_with_their_paths(installed):
    done = subprocess.run(
        [sys.executable, "-m", "rag.cli", "models", "list", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    models = {model["name"]: model for model in json.loads(done.stdout)}
    embedder = models["all-MiniLM-L6-v2"]
    assert embedder["installed"]
    assert (Path(embedder["path"]) / "modules.json").is_file()


def test_an_installed_model_verifies(installed, tmp_path):
    done = citewell(tmp_path, "models", "verify", "smollm2-135m-instruct-q4_1")
    assert (done.returncode, done.stdout) == (0, "smollm2-135m-instruct-q4_1: right\n")


def test_the_library_is_listed_as_the_contract_says(library):
    papers = json.loads(citewell(library, "list", "--json").stdout)
    assert [(p["title"], p["title_source"], p["source_ids"]) for p in papers] == [
        ("Growing trees", "given", ["g1"]),
        ("Bread", "given", ["b2"]),
    ]


def test_searching_in_a_batch_gives_ranked_source_ids(library, tmp_path):
    queries, results = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    queries.write_text('{"_id": "q", "text": "how is bread made?"}\n')
    done = citewell(library, "search", "-k", "1", "--batch", str(queries), str(results))
    assert done.returncode == 0, done.stderr
    line = json.loads(results.read_text())
    assert (line["id"], line["results"][0]["source_ids"]) == ("q", ["b2"])


def test_removing_an_unknown_paper_ends_with_2_and_removes_nothing(library):
    assert citewell(library, "remove", "nobody").returncode == 2
    assert len(json.loads(citewell(library, "list", "--json").stdout)) == 2


def test_asking_in_a_batch_writes_one_line_a_conversation(library, tmp_path):
    asked, answered = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    asked.write_text('{"id": "c1", "turns": ["What is baked with wild yeast?", ""]}\n')
    done = citewell(library, "ask", "--batch", str(asked), str(answered))
    assert done.returncode == 0, done.stderr
    (line,) = map(json.loads, answered.read_text().splitlines())
    first, empty = line["turns"]
    assert line["id"] == "c1"
    assert {"question", "kind", "abstained", "answer", "sentences", "citations"} <= set(first)
    assert (empty["abstained"], empty["reason"]) == (True, "no_question")


def test_doctor_finds_a_working_machine_sound(library):
    done = citewell(library, "doctor", "--json")
    findings = json.loads(done.stdout)
    assert [f for f in findings if not f["ok"]] == []
    assert done.returncode == 0


def test_doctor_names_the_cure_for_a_missing_library(installed, tmp_path):
    done = citewell(tmp_path / "none", "doctor", "--json")
    (finding,) = [f for f in json.loads(done.stdout) if not f["ok"]]
    assert finding["subject"] == "library"
    assert "citewell index" in finding["cure"]
    assert done.returncode == 1
