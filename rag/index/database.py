"""The SQLite file that everything is kept in: how it is opened, made, upgraded and locked."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from rag.errors import LibraryDamaged, LibraryMissing, UsageError
from rag.index.faults import damaged, explained, gone, is_read_only, nearest, read_only
from rag.index.schema import FORMAT, SCHEMA, UPGRADES

FILE_NAME = "record.sqlite3"
_FOLLOWERS = ("chroma", "words")


class Database:
    """One connection, guarded by a lock, and the values that it remembers by name.

    All methods raise a CitewellError with its cure where the file is damaged, gone, on a full
    disk, or not writable. `read_only` is whether the folder could not be written at the start.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        read_only: bool = False,
        copy: TemporaryDirectory[str] | None = None,
    ) -> None:
        self.read_only = read_only
        self._connection = connection
        self._path = path
        self._copy = copy
        self._lock = threading.RLock()
        self._identity: tuple[int, int] | None = None

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> Self:
        """Open the record in `folder`.

        Raises UsageError, LibraryMissing, LibraryDamaged, LibraryReadOnly, DiskFull.
        """
        path = folder / FILE_NAME
        if folder.is_file():
            raise UsageError(f"{folder} is a file, and a library is a folder. Name another one.")
        if not path.is_file() and not create:
            raise LibraryMissing(
                f"There is no library in {folder}. Make one: citewell index FILE_OR_FOLDER"
            )
        _refuse_emptied(path, create)
        if is_read_only(folder):
            return cls._borrow(path)
        with explained(nearest(folder)):
            folder.mkdir(parents=True, exist_ok=True)
        with explained(folder):
            database = cls(_connect(str(path)), path)
            database._run("PRAGMA journal_mode = WAL")
        return database._ready()

    @classmethod
    def _borrow(cls, path: Path) -> Self:
        """Open a record that may be read and not written.

        SQLite can do that by itself only while the file that its processes share is there; else
        a copy is read.
        """
        if not path.is_file():
            raise read_only(path.parent)
        with explained(path.parent):
            if Path(f"{path}-shm").exists():
                shared = _connect(f"{path.as_uri()}?mode=ro")
                return cls(shared, path, read_only=True)._ready()
            copy = TemporaryDirectory(prefix="citewell-", ignore_cleanup_errors=True)
            for file in path.parent.glob(f"{FILE_NAME}*"):
                shutil.copyfile(file, Path(copy.name) / file.name)
            own = _connect(str(Path(copy.name) / FILE_NAME))
            return cls(own, path, read_only=True, copy=copy)._ready()

    def _ready(self) -> Self:
        """Make the tables, or upgrade them; close again where that fails."""
        try:
            self._run("PRAGMA synchronous = FULL")
            self._run("PRAGMA foreign_keys = OFF")
            if not self._has_tables():
                self._make()
            self._upgrade()
        except BaseException:
            self.close()
            raise
        self._identity = _identity(self._path)
        return self

    def _has_tables(self) -> bool:
        names = {row[0] for row in self._all("SELECT name FROM sqlite_master")}
        if names and "meta" not in names:
            raise damaged(self._path, "it is another program's database")
        return bool(names)

    def _make(self) -> None:
        with self.transaction():
            if self._has_tables():
                return
            for statement in SCHEMA.split(";"):
                self._run(statement)
            self.set_meta("format", "1")
            self.set_meta("library", uuid.uuid4().hex[:12])

    def _upgrade(self) -> None:
        if self._format() < FORMAT:
            with self.transaction():
                for format_ in range(self._format(), FORMAT):
                    self._run(UPGRADES[format_])
                    self.set_meta("format", str(format_ + 1))
        if self._format() > FORMAT:
            raise LibraryDamaged(
                f"The library has format {self._format()}, and this Citewell reads up to {FORMAT}."
                " Install a newer Citewell."
            )

    def _format(self) -> int:
        found = self.meta("format") or ""
        if not found.isdigit() or found == "0":
            raise damaged(self._path, "it names no format")
        return int(found)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()
            if self._copy is not None:
                self._copy.cleanup()

    def check(self) -> None:
        """Read every page of the file. Raises LibraryDamaged."""
        found = self._all("PRAGMA quick_check(1)")[0][0]
        if found != "ok":
            raise damaged(self._path, " ".join(found.split()))

    def check_writable(self) -> None:
        """Raise LibraryReadOnly or LibraryGone where nothing can be written."""
        if self.read_only:
            raise read_only(self._path.parent)
        with self._using():
            pass

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, on disk when it ends; transactions do not nest."""
        with self._lock:
            self._run("BEGIN IMMEDIATE")
            try:
                yield
                self._run("COMMIT")
            except BaseException:
                # After some failures, such as of a full disk, SQLite has done so itself.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _run(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        with self._using():
            return self._connection.execute(sql, values)

    def _run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._using():
            self._connection.executemany(sql, rows)

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._using():
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def _using(self) -> Iterator[None]:
        with self._lock:
            # SQLite goes on with a file that was deleted, and what is written is lost with it.
            if self._identity is not None and self._identity != _identity(self._path):
                raise gone(self._path.parent)
            with explained(self._path.parent):
                yield

    def meta(self, key: str) -> str | None:
        """Return a remembered value."""
        rows = self._all("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None

    def set_meta(self, key: str, value: str | None) -> None:
        """Remember a value, or forget it."""
        if value is None:
            self._run("DELETE FROM meta WHERE key = ?", (key,))
        else:
            self._run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def generation(self) -> int:
        """Return a number that grows whenever the indexes have learnt something."""
        return int(self.meta("generation") or 0)


def _connect(name: str) -> sqlite3.Connection:
    is_uri = name.startswith("file:")
    return sqlite3.connect(
        name, timeout=10, isolation_level=None, check_same_thread=False, uri=is_uri
    )


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one under the same name; None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - called for each statement
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _refuse_emptied(path: Path, create: bool) -> None:
    """Raise LibraryDamaged where SQLite would take what is left of a record for a new one."""
    emptied = path.is_file() and not path.stat().st_size
    if emptied and (not create or any((path.parent / name).exists() for name in _FOLLOWERS)):
        raise damaged(path, "the file is empty")
