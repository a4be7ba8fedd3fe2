"""The SQLite file that everything is kept in: how it is opened, locked and made."""

from __future__ import annotations

import sqlite3
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from rag.errors import LibraryDamaged, LibraryMissing
from rag.index.faults import writable

FILE_NAME = "record.sqlite3"
FORMAT = 1

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    file INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, shown TEXT NOT NULL, digest BLOB,
    skips TEXT NOT NULL DEFAULT '[]');
CREATE TABLE papers (
    number INTEGER PRIMARY KEY AUTOINCREMENT, paper_id TEXT NOT NULL UNIQUE, entry INTEGER,
    title TEXT NOT NULL, title_source TEXT NOT NULL, doi TEXT, arxiv TEXT,
    authors TEXT NOT NULL DEFAULT '[]', author_words TEXT NOT NULL DEFAULT '', year INTEGER,
    venue TEXT, venue_words TEXT NOT NULL DEFAULT '', url TEXT,
    content BLOB, revision INTEGER NOT NULL DEFAULT 0, indexed INTEGER NOT NULL DEFAULT 0);
CREATE INDEX papers_pending ON papers (number) WHERE indexed <> revision;
CREATE TABLE entries (
    entry INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL REFERENCES files,
    number INTEGER REFERENCES papers, digest BLOB NOT NULL, stamp INTEGER NOT NULL DEFAULT 0,
    place TEXT NOT NULL, source_id TEXT, collection TEXT, text TEXT NOT NULL, title TEXT,
    doi TEXT, arxiv TEXT, authors TEXT NOT NULL DEFAULT '[]', year INTEGER, venue TEXT, url TEXT);
CREATE INDEX entries_number ON entries (number);
CREATE INDEX entries_file ON entries (file);
CREATE TABLE keys (key INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number))
    WITHOUT ROWID;
CREATE INDEX keys_number ON keys (number);
CREATE TABLE gone (number INTEGER PRIMARY KEY);
CREATE TABLE sentence_vectors (
    number INTEGER PRIMARY KEY, revision INTEGER NOT NULL, embedder TEXT NOT NULL,
    vectors BLOB NOT NULL);
"""


class Database:
    """One connection, guarded by a lock, and the values that it remembers by name."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.RLock()

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> Self:
        """Open the record in `folder`. Raises LibraryMissing, LibraryDamaged, CitewellError."""
        path = folder / FILE_NAME
        if not path.is_file() and not create:
            raise LibraryMissing(
                f"There is no library in {folder}. Make one: citewell index FILE_OR_FOLDER"
            )
        with writable(folder):
            folder.mkdir(parents=True, exist_ok=True)
        try:
            with writable(folder):
                return cls._connect(path)
        except sqlite3.DatabaseError as error:
            raise LibraryDamaged(
                f"The record {path} cannot be read ({error}). Put back a copy of that file, or "
                "move the folder away and index your files again."
            ) from error

    @classmethod
    def _connect(cls, path: Path) -> Self:
        connection = sqlite3.connect(
            path, timeout=10, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = OFF")
        record = cls(connection)
        record._prepare()
        return record

    def _prepare(self) -> None:
        with self.transaction():
            if not self._all("SELECT 1 FROM sqlite_master WHERE name = 'meta'"):
                for statement in _SCHEMA.split(";"):
                    self._run(statement)
                self.set_meta("format", str(FORMAT))
                self.set_meta("library", uuid.uuid4().hex[:12])
        found = int(self.meta("format") or 0)
        if found > FORMAT:
            raise LibraryDamaged(
                f"The library has format {found}, and this Citewell reads up to {FORMAT}. "
                "Install a newer Citewell."
            )

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, on disk when it ends; transactions do not nest."""
        with self._lock:
            self._run("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._run("ROLLBACK")
                raise
            self._run("COMMIT")

    def _run(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        with self._lock:
            return self._connection.execute(sql, values)

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

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
