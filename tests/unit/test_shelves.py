"""The names and folders of several libraries."""

import dataclasses

import pytest

from rag.errors import UsageError
from rag.index.record import FILE_NAME
from rag.shelves import MAIN, Shelves


def make(folder):
    folder.mkdir(parents=True)
    (folder / FILE_NAME).write_bytes(b"x")


def test_the_first_comes_first_and_only_folders_with_a_record_are_libraries(config):
    make(config.data_dir / "libraries" / "Thesis")
    (config.data_dir / "libraries" / "empty").mkdir()
    shelves = Shelves(config)
    assert shelves.names() == (MAIN, "Thesis")
    assert shelves.first == MAIN
    assert shelves.folder("Thesis") == config.data_dir / "libraries" / "Thesis"


def test_a_library_that_lies_elsewhere_is_called_by_its_path(config, tmp_path):
    make(config.data_dir / "library")
    elsewhere = tmp_path / "elsewhere"
    shelves = Shelves(dataclasses.replace(config, library=elsewhere))
    assert shelves.names() == (str(elsewhere), MAIN)
    assert shelves.folder(str(elsewhere)) == elsewhere
    assert shelves.folder(MAIN) == config.data_dir / "library"


@pytest.mark.parametrize("name", ["", " ", "../x", "a/b", "a\\b", ".", "..", ".x", "x.", "x" * 61,
                                  "nul", "a\0b", "~", "COM1.old", "\u202ex"])  # fmt: skip
def test_a_name_that_is_no_plain_folder_is_refused(config, name):
    with pytest.raises(UsageError):
        Shelves(config).new_folder(name)


@pytest.mark.parametrize("name", ["Thesis", "Été 2025 (draft)", "图书", "a", "v1.2-b"])
def test_names_in_any_script_do(config, name):
    assert Shelves(config).new_folder(name) == config.data_dir / "libraries" / name


@pytest.mark.parametrize("name", ["thesis", " Thesis ", "main  library"])
def test_a_name_is_given_once_however_it_is_written(config, name):
    make(config.data_dir / "libraries" / "Thesis")
    make(config.library)
    with pytest.raises(UsageError, match="already"):
        Shelves(config).new_folder(name)


@pytest.mark.parametrize("name", ["../library", "unknown", "models"])
def test_only_libraries_that_are_listed_can_be_opened(config, name):
    make(config.library)
    with pytest.raises(UsageError, match="no library"):
        Shelves(config).folder(name)
