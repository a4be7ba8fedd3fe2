"""Libraries on disks that are full, read-only, or taken away: used as far as they can be."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys

import pytest

from rag.errors import LibraryGone, LibraryReadOnly
from rag.index.record import PaperRecord
from rag.library import Library
from tests.integration.hashed import write

ROOTLIKE = os.geteuid() == 0
# Root passes over the rights of files unless it gives that power up.
WITHOUT_POWERS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if ROOTLIKE else []


def available(*command):
    return (
        bool(shutil.which(command[0]))
        and not subprocess.run([*command, "true"], capture_output=True, check=False).returncode
    )


needs_mounts = pytest.mark.skipif(
    not (ROOTLIKE and available("unshare", "-m")), reason="needs the right to mount"
)
needs_rights = pytest.mark.skipif(
    ROOTLIKE and not available(*WITHOUT_POWERS), reason="root passes over the rights of files"
)


def in_child(module, config, lists, *before):
    """What a process of its own, started by `before`, says of the library."""
    env = {
        **os.environ,
        "CITEWELL_LIBRARY": str(config.library),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [*before, sys.executable, "-m", f"tests.integration.{module}", str(lists)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def assert_readable(said):
    assert (said["papers"], said["listed"]) == (40, 40)
    assert said["found"] == said["wanted"]
    assert said["refused"].startswith("LibraryReadOnly: ")
    assert "copy the library to another folder" in said["refused"]


@pytest.fixture
def locked(filled):
    """Take away the right to write the library, for the length of a test."""
    paths = [filled.library, *filled.library.rglob("*")]

    def lock():
        for path in paths:
            if path.exists():
                path.chmod(0o555 if path.is_dir() else 0o444)

    yield lock
    for path in paths:
        if path.exists():
            path.chmod(0o755 if path.is_dir() else 0o644)


@needs_rights
def test_a_library_without_the_right_to_write_is_read(filled, locked, tmp_path):
    locked()
    assert_readable(in_child("visit_child", filled, tmp_path / "in", *WITHOUT_POWERS))


@needs_rights
@pytest.mark.parametrize("part", ["words", "chroma"])
def test_one_whose_indexes_are_gone_too_is_read_as_far_as_it_can_be(filled, locked, tmp_path, part):
    shutil.rmtree(filled.library / part)
    locked()
    said = in_child("visit_child", filled, tmp_path / "in", *WITHOUT_POWERS)
    assert (said["papers"], said["listed"]) == (40, 40)
    if part == "words":
        assert said["found"] == said["wanted"]
    else:
        assert said["found"].startswith("LibraryReadOnly: The vectors")


def test_so_is_one_whose_last_writer_was_killed(filled, tmp_path):
    # What a killed writer leaves: the newest pages in the log beside the file.
    script = (
        "import os, sys; from pathlib import Path; from rag.index.record import PaperRecord;"
        "record = PaperRecord.open(Path(sys.argv[1])); record.set_meta('late', 'word'); os._exit(9)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for shared in (True, False):
        subprocess.run([sys.executable, "-c", script, str(filled.library)], check=False, env=env)
        if not shared:
            (filled.library / "record.sqlite3-shm").unlink()
        borrowed = PaperRecord._borrow(filled.library / "record.sqlite3")
        assert (borrowed.meta("late"), borrowed.count()) == ("word", 40)
        borrowed.close()


@needs_mounts
def test_a_library_on_a_read_only_disk_is_read(filled, tmp_path):
    mounted = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    before = ["unshare", "-m", "sh", "-c", mounted, str(filled.library)]
    assert_readable(in_child("visit_child", filled, tmp_path / "in", *before))


def test_no_library_can_be_made_where_nothing_can_be_written(config, tmp_path, monkeypatch):
    monkeypatch.setattr("rag.index.faults.os.access", lambda *_: False)
    with pytest.raises(LibraryReadOnly, match="cannot be written"):
        Library.open(config, create=True)


def test_a_library_moved_away_while_open_says_so(filled, tmp_path):
    with Library.open(filled) as library:
        query = library.papers()[0].text
        library.search(query, k=1)
        filled.library.rename(tmp_path / "elsewhere")
        for use in (
            library.count, library.papers, lambda: library.search(query, k=1),
            lambda: library.remove(["x"]), lambda: library.index([tmp_path / "in"]),
        ):  # fmt: skip
            with pytest.raises(LibraryGone, match="moved or deleted"):
                use()
        assert not filled.library.exists()


def test_a_library_put_in_the_place_of_another_is_not_written_to(filled, tmp_path):
    with Library.open(filled) as library:
        shutil.copytree(filled.library, tmp_path / "copy")
        shutil.rmtree(filled.library)
        shutil.move(tmp_path / "copy", filled.library)
        with pytest.raises(LibraryGone):
            library.count()


@needs_mounts
def test_a_full_disk_loses_nothing_and_names_its_cure(config, tmp_path):
    lists, disk = tmp_path / "in", tmp_path / "disk"
    disk.mkdir()
    write(lists, 2000)
    mounted = f'mount -t tmpfs -o size=6m none {disk} && exec "$@"'
    on_disk = dataclasses.replace(config, library=disk / "library")
    said = in_child("full_disk_child", on_disk, lists, "unshare", "-m", "sh", "-c", mounted, "sh")
    assert said["index"].startswith("DiskFull: ")
    assert "Free some space" in said["index"]
    assert said["committed"] > 0
    for use, right in (("kept", True), ("found", 3)):
        assert said[f"{use} when full"] == right or said[f"{use} when full"].startswith("DiskFull")
    assert (said["kept"], said["then"]) == (True, 2000)
