from dataclasses import dataclass

import pytest

from rag.errors import LibraryBusy, UsageError
from rag.types import Skip
from rag.ui.imports import keep_files, keep_text, run_import, safe_name

ENDINGS = (".txt", ".bib")


@dataclass(frozen=True)
class Account:
    read: int = 3
    added: int = 2
    changed: int = 0
    unchanged: int = 0
    duplicate: int = 0
    removed: int = 0
    skipped: tuple = (Skip("a <b>.txt", "line 3", "no text"),)


@pytest.mark.parametrize(
    ("upload", "name"),
    [
        ("../../etc/x.txt", "x.txt"),
        ("..\\..\\x.txt", "x.txt"),
        ("a\0b<c>|d.txt", "a_b_c_d.txt"),
        ("Größe (2).bib", "Größe (2).bib"),
        ("...", "file"),
        ("x" * 300 + ".txt", "x" * 96 + ".txt"),
    ],
)
def test_a_file_name_never_leads_out_of_the_folder(upload, name):
    assert safe_name(upload) == name


def test_files_are_copied_and_the_same_file_twice_is_one(tmp_path):
    upload = tmp_path / "up" / "a.txt"
    upload.parent.mkdir()
    upload.write_text("one")
    folder = tmp_path / "kept"
    assert keep_files([str(upload)] * 2, folder, ENDINGS) == [folder / "a.txt"] * 2
    upload.write_text("two")
    assert keep_files([str(upload)], folder, ENDINGS) == [folder / "a (2).txt"]
    assert (folder / "a.txt").read_text() == "one"


def test_files_of_other_kinds_and_too_many_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"x\.exe is of no kind"):
        keep_files(["/tmp/x.exe"], tmp_path, ENDINGS)
    with pytest.raises(UsageError, match="At most"):
        keep_files(["/tmp/x.txt"] * 201, tmp_path, ENDINGS)


@pytest.mark.parametrize(
    ("text", "ending"),
    [("@article{x,", ".bib"), ("TY  - JOUR", ".ris"), ('[{"title": 1}]', ".json"), ("A", ".txt")],
)
def test_pasted_text_becomes_a_file_of_its_kind(tmp_path, text, ending):
    (path,) = keep_text(text, tmp_path)
    assert path.suffix == ending
    assert path.read_text() == text


def test_two_texts_pasted_in_one_minute_are_two_files(tmp_path):
    assert keep_text("a", tmp_path) != keep_text("b", tmp_path)


def test_empty_and_endless_text_is_refused(tmp_path):
    with pytest.raises(UsageError, match="Paste some text"):
        keep_text("  ", tmp_path)
    with pytest.raises(UsageError, match="too long"):
        keep_text("x" * 5_000_001, tmp_path)


def test_an_import_says_how_far_it_is_and_accounts_for_each_record(tmp_path):
    def index(paths, report):
        report(1, 2)
        return Account()

    drawn = list(run_import(index, [tmp_path / "a <b>.txt"]))
    assert "Reading" in drawn[0]
    assert "3 records read from a &lt;b&gt;.txt: 2 added, 1 skipped." in drawn[-1]
    assert "a &lt;b&gt;.txt, line 3: no text" in drawn[-1]


@pytest.mark.parametrize("error", [LibraryBusy("wait a little"), RuntimeError("disk on fire")])
def test_a_failed_import_says_why(tmp_path, error):
    def index(paths, report):
        raise error

    assert str(error) in list(run_import(index, [tmp_path / "a.txt"]))[-1]
