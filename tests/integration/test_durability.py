"""Killed, damaged, copied, shared: what was committed stays, and the indexes come back."""

import dataclasses
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import rag.index.indexes
from rag.errors import CitewellError, LibraryBusy, LibraryDamaged
from rag.index.faults import writable
from rag.library import Library
from tests.integration import crash_child

KILLS = int(os.environ.get("CITEWELL_TEST_KILLS", "20"))


@pytest.fixture
def hashed(monkeypatch):
    monkeypatch.setattr(rag.index.indexes, "LocalEmbedder", crash_child.HashEmbedder)
    monkeypatch.setattr(rag.index.indexes, "checksum", lambda folder: "hashes")
    monkeypatch.setattr(rag.library, "find_embedder", lambda config, name: Path())


def papers(count, edition=0):
    rng = random.Random(5)
    words = [f"word{n}" for n in range(400)]
    for n in range(count):
        text = " ".join(rng.choices(words, k=30))
        yield {"_id": str(n), "text": f"{text} edition{edition if n % 3 == 0 else 0}."}


def write(folder, count, edition=0):
    folder.mkdir(exist_ok=True)
    lines = "\n".join(json.dumps(record) for record in papers(count, edition))
    (folder / "a.jsonl").write_text(lines, encoding="utf-8")


@pytest.fixture
def filled(config, tmp_path, hashed):
    write(tmp_path / "in", 40)
    with Library.open(config, create=True) as library:
        library.index([tmp_path / "in"])
    return config


def consistent(library):
    """Each paper shown is in both indexes, once, with the text that it has now."""
    shown = library._record.papers()
    vectors = library._indexes.vectors.of([number for number, _ in shown])
    assert set(vectors) == {number for number, _ in shown}
    assert library._indexes.words.count() == len(shown)
    for _, paper in random.Random(1).sample(shown, min(5, len(shown))):
        assert library.search(paper.text, k=1)[0].paper == paper


@pytest.mark.timeout(900)
def test_nothing_committed_is_lost_when_killed_at_any_moment(config, tmp_path, hashed):
    folder = tmp_path / "in"
    env = {
        **os.environ,
        "CITEWELL_LIBRARY": str(config.library),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    rng = random.Random(3)
    committed: set[str] = set()
    for round_ in range(KILLS):
        write(folder, 120, edition=round_ // 4)
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.crash_child", str(folder)],
            stdout=subprocess.PIPE, text=True, env=env,
        )  # fmt: skip
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        time.sleep(rng.expovariate(2.0))
        child.kill()
        committed |= {i for line in child.stdout for i in line.split() if i != "finished"}
        child.wait()
        child.stdout.close()
    with Library.open(config) as library:
        assert committed <= {paper.paper_id for paper in library.papers()}
        consistent(library)
        library.index([folder])
        assert library.count() == 120
        assert {p.text for p in library.papers()} == {
            r["text"] for r in papers(120, (KILLS - 1) // 4)
        }
        consistent(library)


@pytest.mark.parametrize("part", ["chroma", "words"])
@pytest.mark.parametrize("fault", ["deleted", "emptied", "truncated"])
def test_a_damaged_index_is_made_anew_from_the_record_alone(filled, tmp_path, part, fault):
    shutil.rmtree(tmp_path / "in")
    damaged = filled.library / part
    if fault == "deleted":
        shutil.rmtree(damaged)
    for path in list(damaged.rglob("*")):
        if path.is_file() and fault == "emptied":
            path.write_bytes(b"")
        elif path.is_file() and fault == "truncated":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with Library.open(filled) as library:
        assert library.count() == 40
        consistent(library)


def test_the_record_is_backed_up_by_copying_one_file(filled, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(filled.library / "record.sqlite3", copy)
    with Library.open(dataclasses.replace(filled, library=copy)) as library:
        assert library.count() == 40
        consistent(library)


def test_a_damaged_record_says_what_to_do(filled):
    path = filled.library / "record.sqlite3"
    path.write_bytes(b"no database" * 500)
    with pytest.raises(LibraryDamaged, match="Put back a copy"):
        Library.open(filled)


def test_a_record_of_a_newer_version_is_left_alone(filled):
    with sqlite3.connect(filled.library / "record.sqlite3") as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'format'")
    connection.close()
    with pytest.raises(LibraryDamaged, match="newer Citewell"):
        Library.open(filled)


def test_an_open_library_sees_what_another_adds_changes_and_removes(filled, tmp_path):
    with Library.open(filled) as reader:
        assert len(reader.search("word1 word2", k=99)) == 40
        with Library.open(filled) as writer:
            write(tmp_path / "in", 55, edition=1)
            writer.index([tmp_path / "in"])
            writer.remove([writer.papers()[0].paper_id])
        assert reader.count() == 54
        consistent(reader)


def test_a_second_writer_is_told_to_wait(filled, tmp_path, monkeypatch):
    monkeypatch.setattr("rag.library._LOCK_SECONDS", 0.05)
    with Library.open(filled) as one, Library.open(filled) as two, one._writing():
        with pytest.raises(LibraryBusy, match="Another process"):
            two.index([tmp_path / "in"])
        assert two.search("word1", k=1)


def test_a_full_disk_and_a_folder_that_cannot_be_written_say_what_to_do(tmp_path, monkeypatch):
    with pytest.raises(CitewellError, match=r"full.*Free some space"), writable(tmp_path):
        raise sqlite3.OperationalError("database or disk is full")
    with pytest.raises(CitewellError, match=r"full.*Free some space"), writable(tmp_path):
        raise OSError(28, "No space left on device")
    with pytest.raises(CitewellError, match="cannot be written"), writable(tmp_path):
        raise sqlite3.OperationalError("attempt to write a readonly database")


def test_six_thousand_one_liners_go_in_by_batches_the_store_takes(
    config, tmp_path, hashed, monkeypatch
):
    monkeypatch.setattr(rag.index.indexes, "_BATCH", 6000)
    lines = [json.dumps({"text": f"Paper {n} counts to {n}."}) for n in range(6000)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    with Library.open(config, create=True) as library:
        assert library.index([tmp_path / "a.jsonl"]).added == 6000
        assert library.search("Paper 4321 counts to 4321.", k=1)[0].paper.text.endswith("4321.")
