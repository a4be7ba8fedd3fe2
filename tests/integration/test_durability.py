"""Killed, damaged, copied, shared: what was committed stays, and the indexes come back."""

import dataclasses
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import time
from contextlib import closing
from pathlib import Path

import pytest

import rag.index.indexes
from rag.errors import LibraryBusy
from rag.index.record import PaperRecord
from rag.library import Library
from tests.integration.hashed import consistent, papers, write

FIXTURES = Path(__file__).parents[1] / "fixtures"
KILLS = int(os.environ.get("CITEWELL_TEST_KILLS", "20"))


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


def test_the_store_of_an_older_chroma_is_used_as_it_is(filled):
    # Written by chromadb 0.4.24: the vectors of the 40 papers, which stand in no other file.
    shutil.rmtree(filled.library / "chroma")
    with tarfile.open(FIXTURES / "chroma-0.4.24.tar.gz") as store:
        store.extractall(filled.library, filter="data")
    rename_library(filled, "000000000000")
    store = next((filled.library / "chroma").glob("*/data_level0.bin"))
    with Library.open(filled) as library:
        assert library.count() == 40
        consistent(library)
        assert store.exists()


def test_a_store_that_this_chroma_cannot_read_is_made_anew(filled, tmp_path):
    shutil.rmtree(tmp_path / "in")
    with closing(sqlite3.connect(filled.library / "chroma/chroma.sqlite3")) as store:
        store.execute("UPDATE migrations SET hash = 'of another version'")
        store.commit()
    rename_library(filled, "111111111111")
    with Library.open(filled) as library:
        assert library.count() == 40
        consistent(library)


def test_a_store_that_is_known_to_be_good_is_not_tried_out_again(filled, monkeypatch):
    with closing(PaperRecord.open(filled.library)) as record:
        record.set_meta("chroma_files", "as an older version wrote it")
    Library.open(filled).close()
    monkeypatch.setattr("rag.index.indexes.is_usable", lambda *_: pytest.fail("tried again"))
    Library.open(filled).close()


def rename_library(config, name):
    with closing(PaperRecord.open(config.library)) as record:
        record.set_meta("library", name)
        record.set_meta("chroma_files", None)


def test_the_record_is_backed_up_by_copying_one_file(filled, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(filled.library / "record.sqlite3", copy)
    with Library.open(dataclasses.replace(filled, library=copy)) as library:
        assert library.count() == 40
        consistent(library)


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


def test_six_thousand_one_liners_go_in_by_batches_the_store_takes(
    config, tmp_path, hashed, monkeypatch
):
    monkeypatch.setattr(rag.index.indexes, "_BATCH", 6000)
    lines = [json.dumps({"text": f"Paper {n} counts to {n}."}) for n in range(6000)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    with Library.open(config, create=True) as library:
        assert library.index([tmp_path / "a.jsonl"]).added == 6000
        assert library.search("Paper 4321 counts to 4321.", k=1)[0].paper.text.endswith("4321.")
