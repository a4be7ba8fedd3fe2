import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rag.errors import DiskFull, LibraryBusy, LibraryDamaged, LibraryMissing, LibraryReadOnly
from rag.index.database import FILE_NAME
from rag.index.faults import explained
from rag.index.record import PaperRecord
from rag.index.schema import FORMAT

OLD = Path(__file__).parents[2] / "fixtures/record-format-1.sql"


@pytest.fixture
def folder(tmp_path):
    """A record of many pages, with the vectors' folder beside it."""
    with closing(PaperRecord.open(tmp_path, create=True)) as record, record.transaction():
        for n in range(2000):
            record.add_paper(f"paper-{n}")
    (tmp_path / "chroma").mkdir()
    return tmp_path


def use(folder):
    with closing(PaperRecord.open(folder, create=True)) as record:
        record.papers()
        record.find_keys([1], 5)
        record.count_pending()
        return record.add_paper("one more")


def break_off(record):
    with record.transaction():
        record.set_meta("half", "done")
        raise LookupError


def old_record(folder):
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.executescript(OLD.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data[: len(data) // 2],
        lambda data: b"no database at all\n" * 999,
        lambda data: data[:4096] + b"\xff" * (len(data) - 4096),
        lambda data: b"\0" * len(data),
    ],
    ids=["empty", "a stump", "half", "garbage", "garbage inside", "zeros"],
)
def test_a_damaged_record_says_so_and_what_to_do(folder, damage):
    path = folder / FILE_NAME
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(LibraryDamaged, match=r"damaged.*Put back a copy.*index your files again"):
        use(folder)


def test_a_page_that_no_question_reads_is_found_by_the_check(folder):
    path = folder / FILE_NAME
    with closing(PaperRecord.open(folder)) as record:
        record.check()
    data = bytearray(path.read_bytes())
    data[-4096:] = b"\xff" * 4096
    path.write_bytes(data)
    with closing(PaperRecord.open(folder)) as record:
        assert record.meta("format") == str(FORMAT)
        with pytest.raises(LibraryDamaged, match="Put back a copy"):
            record.check()


def test_a_file_left_empty_by_a_killed_first_run_is_a_new_record(tmp_path):
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(LibraryDamaged):
        PaperRecord.open(tmp_path)
    assert use(tmp_path) == 1


def test_another_programs_database_is_left_alone(tmp_path):
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(LibraryDamaged, match="another program's"):
        use(tmp_path)


def test_without_a_record_the_way_to_make_one_is_told(tmp_path):
    with pytest.raises(LibraryMissing, match="citewell index"):
        PaperRecord.open(tmp_path)


def test_a_record_of_an_older_format_is_upgraded_in_place(tmp_path):
    old_record(tmp_path)
    for _ in range(2):
        with closing(PaperRecord.open(tmp_path)) as record:
            assert [paper.title for _, paper in record.papers()] == ["Deep Moss", "Slow Ice"]
            assert record.meta("format") == str(FORMAT)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as upgraded:
        PaperRecord.open(tmp_path / "new", create=True).close()
        with closing(sqlite3.connect(tmp_path / "new" / FILE_NAME)) as new:
            names = "SELECT name FROM sqlite_master ORDER BY name"
            assert upgraded.execute(names).fetchall() == new.execute(names).fetchall()


@pytest.mark.parametrize("found", ["", "zero", "0"])
def test_a_record_that_names_no_format_is_damaged(folder, found):
    with closing(PaperRecord.open(folder)) as record:
        record.set_meta("format", found)
    with pytest.raises(LibraryDamaged, match="names no format"):
        use(folder)


def test_a_record_of_a_newer_format_is_refused_and_left_as_it_is(folder):
    with closing(PaperRecord.open(folder)) as record:
        record.set_meta("format", "99")
    before = (folder / FILE_NAME).read_bytes()
    with pytest.raises(LibraryDamaged, match="Install a newer Citewell"):
        use(folder)
    assert (folder / FILE_NAME).read_bytes() == before


def test_a_failed_transaction_leaves_nothing_and_the_next_one_works(folder):
    with closing(PaperRecord.open(folder)) as record:
        with pytest.raises(LookupError):
            break_off(record)
        assert record.meta("half") is None
        with record.transaction():
            record.set_meta("whole", "done")
        assert record.meta("whole") == "done"


def test_a_record_that_another_program_holds_says_so(folder, monkeypatch):
    with closing(PaperRecord.open(folder)) as record:
        record._run("PRAGMA busy_timeout = 10")
        with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(LibraryBusy, match="Close it"):
                record.set_meta("a", "b")


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (sqlite3.OperationalError("database or disk is full"), DiskFull),
        (OSError(28, "No space left on device"), DiskFull),
        (OSError(27, "File too large"), DiskFull),
        (sqlite3.OperationalError("attempt to write a readonly database"), LibraryReadOnly),
    ],
)
def test_what_the_disk_refuses_is_told_with_its_cure(tmp_path, failure, error):
    with pytest.raises(error), explained(tmp_path):
        raise failure


def test_a_disk_without_room_explains_any_failure(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.index.faults.has_room", lambda folder: False)
    with pytest.raises(DiskFull, match="Free some space"), explained(tmp_path):
        raise sqlite3.OperationalError("disk I/O error")


def test_a_failure_without_a_cure_is_passed_on(tmp_path):
    with pytest.raises(FileNotFoundError), explained(tmp_path):
        raise FileNotFoundError(2, "No such file")
