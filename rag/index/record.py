"""The record of papers: an SQLite file that is the only truth about a library."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rag.errors import CitewellError, LibraryDamaged, LibraryMissing, UnknownPaper
from rag.text import fold, words
from rag.types import Paper, Record, Scope, Source, TitleSource, Vectors

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
_PAPER = """
SELECT p.number, p.paper_id, coalesce(e.text, ''), p.title, p.title_source, p.doi, p.arxiv,
       p.authors, p.year, p.venue, p.url
FROM papers p LEFT JOIN entries e ON e.entry = p.entry
"""
_READY = "p.indexed = p.revision"


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Say what to do where a folder cannot be written, or its disk is full."""
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        full = "full" in str(error) or getattr(error, "errno", None) == errno.ENOSPC
        if full:
            raise CitewellError(
                f"The disk that holds {folder} is full. Papers reported as committed are safe. "
                "Free some space and give the same command again."
            ) from error
        if "readonly" in str(error) or not os.access(_existing(folder), os.W_OK):
            raise CitewellError(
                f"The library {folder} cannot be written. Give yourself the right to write there, "
                "or copy the library to another folder and name it with --library."
            ) from error
        raise


def _existing(folder: Path) -> Path:
    return next(p for p in (folder, *folder.parents) if p.exists())


@dataclass(frozen=True, slots=True)
class Entry:
    """A record as it stands in a file, with its row, its paper and when it last changed.

    `number` is None for an entry whose paper the user removed.
    """

    entry: int
    number: int | None
    digest: bytes
    stamp: int
    record: Record


@dataclass(frozen=True, slots=True)
class Numbered:
    """A paper with its row number and the revision its indexes must reach."""

    number: int
    revision: int
    paper: Paper


class PaperRecord:
    """Papers, the entries they were read from, and what the indexes still have to learn.

    A paper is shown only when `indexed` has reached `revision`, so that nothing
    half-added is ever cited. One connection, guarded by a lock; writers of other
    processes are kept out by the library's own lock.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.RLock()

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> PaperRecord:
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
    def _connect(cls, path: Path) -> PaperRecord:
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

    # ------------------------------------------------------------ meta

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

    # ------------------------------------------------------------ files

    def file_digest(self, path: Path) -> bytes | None:
        """Return the digest under which a file was last read to its end."""
        rows = self._all("SELECT digest FROM files WHERE path = ?", (str(path),))
        return rows[0][0] if rows else None

    def file_skips(self, path: Path) -> list[list[str]]:
        """Return what was skipped when the file was last read: [place, reason] pairs."""
        rows = self._all("SELECT skips FROM files WHERE path = ?", (str(path),))
        return json.loads(rows[0][0]) if rows else []

    def open_file(self, path: Path, shown: str) -> int:
        """Return the row of a file, marked as not read to its end."""
        self._run(
            "INSERT INTO files (path, shown) VALUES (?, ?) "
            "ON CONFLICT (path) DO UPDATE SET shown = excluded.shown, digest = NULL",
            (str(path), shown),
        )
        return int(self._all("SELECT file FROM files WHERE path = ?", (str(path),))[0][0])

    def rename_file(self, path: Path, shown: str) -> None:
        """Set the name under which a file is shown."""
        self._run("UPDATE files SET shown = ? WHERE path = ? AND shown <> ?",
                  (shown, str(path), shown))  # fmt: skip

    def finish_file(self, file: int, digest: bytes, skips: Sequence[tuple[str, str]]) -> None:
        """Mark a file as read to its end."""
        self._run(
            "UPDATE files SET digest = ?, skips = ? WHERE file = ?",
            (digest, json.dumps([list(s) for s in skips]), file),
        )

    def files(self) -> list[tuple[int, Path]]:
        """Return the rows and paths of all files."""
        return [(row[0], Path(row[1])) for row in self._all("SELECT file, path FROM files")]

    def file_names(self) -> list[str]:
        """Return the names of the files that hold papers, in the order they were read."""
        rows = self._all(
            "SELECT shown FROM files WHERE file IN (SELECT file FROM entries WHERE number NOT NULL)"
            " ORDER BY file"
        )
        return list(dict.fromkeys(row[0] for row in rows))

    def forget_file(self, file: int) -> None:
        """Drop a file; its entries must be gone."""
        self._run("DELETE FROM files WHERE file = ?", (file,))

    # ------------------------------------------------------------ entries

    def entries_of_file(self, file: int) -> list[Entry]:
        """Return the entries of a file in the order they were added."""
        return self._entries("e.file = ?", file)

    def entries_of_paper(self, number: int) -> list[Entry]:
        """Return the entries of a paper in the order they were added."""
        return self._entries("e.number = ?", number)

    def digests_of_file(self, file: int) -> list[tuple[int, bytes, int | None]]:
        """Return (entry, digest, number) of a file, without the texts."""
        return self._all("SELECT entry, digest, number FROM entries WHERE file = ?", (file,))

    def numbers_of_file(self, path: Path) -> list[tuple[str, int | None]]:
        """Return (place, number) of the entries of a file; None where the user removed it."""
        return self._all(
            "SELECT place, number FROM entries JOIN files USING (file) WHERE path = ? "
            "ORDER BY entry", (str(path),),
        )  # fmt: skip

    def drop_dismissed(self, path: Path) -> None:
        """Drop the entries of a file whose papers the user removed, so that it is read again."""
        file = "(SELECT file FROM files WHERE path = ?)"
        dropped = self._run(
            f"DELETE FROM entries WHERE number IS NULL AND file = {file}", (str(path),)
        )
        if dropped.rowcount:
            self._run("UPDATE files SET digest = NULL WHERE path = ?", (str(path),))

    def _entries(self, condition: str, value: int) -> list[Entry]:
        rows = self._all(
            "SELECT e.entry, e.number, e.digest, e.stamp, e.text, f.shown, e.place, e.title, "
            "e.source_id, e.doi, e.arxiv, e.authors, e.year, e.venue, e.url, e.collection "
            f"FROM entries e JOIN files f USING (file) WHERE {condition} ORDER BY e.entry",
            (value,),
        )
        return [_entry(row) for row in rows]

    def add_entry(self, file: int, number: int, digest: bytes, record: Record) -> int:
        """Add an entry to a paper and return its row."""
        cursor = self._run(
            "INSERT INTO entries (file, number, digest, place, source_id, collection, text, title,"
            " doi, arxiv, authors, year, venue, url) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (file, number, digest, *_entry_values(record)),
        )
        return int(cursor.lastrowid or 0)

    def change_entry(self, entry: int, digest: bytes, record: Record) -> None:
        """Replace what an entry says, and mark it as the newest word on its paper."""
        self._run(
            "UPDATE entries SET digest=?, place=?, source_id=?, collection=?, text=?, title=?, "
            "doi=?, arxiv=?, authors=?, year=?, venue=?, url=?, "
            "stamp=(SELECT coalesce(max(stamp), 0) + 1 FROM entries) WHERE entry=?",
            (digest, *_entry_values(record), entry),
        )

    def move_entry(self, entry: int, place: str) -> None:
        """Note where in its file an unchanged entry stands now."""
        self._run("UPDATE entries SET place = ? WHERE entry = ? AND place <> ?",
                  (place, entry, place))  # fmt: skip

    def assign_entry(self, entry: int, number: int) -> None:
        """Give an entry to a paper."""
        self._run("UPDATE entries SET number = ? WHERE entry = ?", (number, entry))

    def drop_entry(self, entry: int) -> None:
        """Delete an entry."""
        self._run("DELETE FROM entries WHERE entry = ?", (entry,))

    # ------------------------------------------------------------ papers, writing

    def find_keys(self, keys: Sequence[int], limit: int) -> list[int]:
        """Return up to `limit` papers that share one of the keys; by key, then oldest first."""
        rows = self._all(
            "SELECT k.number FROM json_each(?) j JOIN keys k ON k.key = j.value "
            "ORDER BY j.key, k.number LIMIT ?", (json.dumps(list(keys)), limit * 4),
        )  # fmt: skip
        return list(dict.fromkeys(row[0] for row in rows))[:limit]

    def add_paper(self, paper_id: str) -> int:
        """Add a paper that still has to be described; return its number."""
        stem, copies = paper_id, 1
        while self._all("SELECT 1 FROM papers WHERE paper_id = ?", (paper_id,)):
            copies += 1
            paper_id = f"{stem}-{copies}"
        cursor = self._run(
            "INSERT INTO papers (paper_id, title, title_source) VALUES (?, '', 'generated')",
            (paper_id,),
        )
        return int(cursor.lastrowid or 0)

    def describe_paper(
        self,
        number: int,
        entry: int,
        record: Record,
        title: str,
        title_source: TitleSource,
        keys: list[int],
    ) -> None:
        """Set what is known of a paper; its revision grows when its indexes must learn.

        `entry` is the one whose text is the paper's.
        """
        content = hashlib.sha256(repr((record.text, title, title_source)).encode()).digest()[:16]
        self._run(
            "UPDATE papers SET entry=?, title=?, title_source=?, doi=?, arxiv=?, authors=?, "
            "author_words=?, year=?, venue=?, venue_words=?, url=?, "
            "revision=revision + (content IS NOT ?), content=? WHERE number=?",
            (entry, title, title_source, record.doi, record.arxiv,
             json.dumps(record.authors, ensure_ascii=False), _author_words(record.authors),
             record.year, record.venue, " ".join(words(record.venue or "")), record.url,
             content, content, number),
        )  # fmt: skip
        self._run("DELETE FROM keys WHERE number = ?", (number,))
        self._connection.executemany(
            "INSERT OR IGNORE INTO keys VALUES (?, ?)", [(key, number) for key in keys]
        )

    def drop_paper(self, number: int) -> None:
        """Delete a paper; the indexes have yet to drop it. Its entries are set free."""
        self._run("UPDATE entries SET number = NULL WHERE number = ?", (number,))
        self._run("DELETE FROM keys WHERE number = ?", (number,))
        self._run("DELETE FROM sentence_vectors WHERE number = ?", (number,))
        self._run("DELETE FROM papers WHERE number = ?", (number,))
        self._run("INSERT OR IGNORE INTO gone VALUES (?)", (number,))

    # ------------------------------------------------------------ what the indexes must learn

    def pending(self, limit: int) -> list[Numbered]:
        """Return up to `limit` papers that the indexes have yet to learn, oldest first."""
        rows = self._all(
            "SELECT number, revision FROM papers WHERE indexed <> revision ORDER BY number LIMIT ?",
            (limit,),
        )
        revisions = dict(rows)
        papers = self._papers("p.number IN (SELECT value FROM json_each(?))", [
            json.dumps(list(revisions))])  # fmt: skip
        return [Numbered(number, revisions[number], paper) for number, paper in papers]

    def count_pending(self) -> int:
        """Return how many papers the indexes have yet to learn."""
        return int(self._all("SELECT count(*) FROM papers WHERE indexed <> revision")[0][0])

    def gone(self) -> list[int]:
        """Return the numbers of papers that the indexes have yet to drop."""
        return [row[0] for row in self._all("SELECT number FROM gone")]

    def mark_indexed(self, learned: Iterable[Numbered], dropped: Iterable[int]) -> None:
        """Note that the indexes know these papers, and have dropped those."""
        with self.transaction():
            self.set_meta("generation", str(self.generation() + 1))
            self._connection.executemany(
                "UPDATE papers SET indexed = ? WHERE number = ?",
                [(item.revision, item.number) for item in learned],
            )
            self._connection.executemany(
                "DELETE FROM gone WHERE number = ?", [(number,) for number in dropped]
            )

    def mark_all_pending(self) -> None:
        """Note that the indexes know nothing: they are to be made anew."""
        with self.transaction():
            self._run("UPDATE papers SET indexed = 0")
            self._run("DELETE FROM gone")

    # ------------------------------------------------------------ papers, reading

    def papers(self, scope: Scope = Scope()) -> list[tuple[int, Paper]]:  # noqa: B008
        """Return (number, paper) of the papers in scope, in the order they were added."""
        numbers = self.numbers(scope)
        if numbers is None:
            return self._papers(_READY, [])
        return self.papers_by_number(sorted(numbers))

    def papers_by_number(self, numbers: Sequence[int]) -> list[tuple[int, Paper]]:
        """Return the papers with these numbers that are ready, in the order they were added."""
        condition = f"{_READY} AND p.number IN (SELECT value FROM json_each(?))"
        return self._papers(condition, [json.dumps([int(n) for n in numbers])])

    def paper(self, paper_id: str) -> tuple[int, Paper]:
        """Return (number, paper). Raises UnknownPaper."""
        found = self._papers(f"{_READY} AND p.paper_id = ?", [paper_id])
        if not found:
            raise UnknownPaper(
                f"No paper has the id {paper_id}. The ids are listed by: citewell list"
            )
        return found[0]

    def revision(self, number: int) -> int:
        """Return the revision of a paper."""
        return int(self._all("SELECT revision FROM papers WHERE number = ?", (number,))[0][0])

    def ready_after(self, number: int, limit: int) -> list[tuple[int, Paper]]:
        """Return up to `limit` ready papers with greater numbers, in order."""
        rows = self._all(
            f"SELECT number FROM papers p WHERE {_READY} AND number > ? ORDER BY number LIMIT ?",
            (number, limit),
        )
        return self.papers_by_number([row[0] for row in rows])

    def count(self) -> int:
        """Return how many papers are ready."""
        return int(self._all(f"SELECT count(*) FROM papers p WHERE {_READY}")[0][0])

    def _papers(self, condition: str, values: list[Any]) -> list[tuple[int, Paper]]:
        with self._lock:
            rows = self._all(f"{_PAPER} WHERE {condition} ORDER BY p.number", values)
            sources = self._sources([row[0] for row in rows])
        return [(row[0], _paper(row, sources.get(row[0], ()))) for row in rows]

    def _sources(self, numbers: list[int]) -> dict[int, tuple[Source, ...]]:
        rows = self._all(
            "SELECT e.number, f.shown, e.place, e.source_id, e.collection "
            "FROM json_each(?) j JOIN entries e ON e.number = j.value JOIN files f USING (file) "
            "ORDER BY e.entry",
            (json.dumps(numbers),),
        )
        found: dict[int, tuple[Source, ...]] = {}
        for number, *source in rows:
            found[number] = (*found.get(number, ()), Source(*source))
        return found

    # ------------------------------------------------------------ scope

    def numbers(self, scope: Scope) -> set[int] | None:
        """Return the numbers of the ready papers in scope; None stands for all of them."""
        parts = [
            part
            for part in (
                self._by_year(scope), self._by_author(scope), self._by_venue(scope),
                self._by_file(scope), self._by_id(scope),
            )
            if part is not None
        ]  # fmt: skip
        return set.intersection(*parts) if parts else None

    def _by_year(self, scope: Scope) -> set[int] | None:
        if scope.years is None:
            return None
        return self._numbers("p.year BETWEEN ? AND ?", list(scope.years))

    def _by_author(self, scope: Scope) -> set[int] | None:
        if scope.author is None:
            return None
        asked = words(scope.author)
        rows = self._all(
            f"SELECT number, author_words FROM papers p WHERE {_READY} AND author_words LIKE ?",
            (f"%{max(asked, key=len, default='')}%",),
        )
        return {n for n, names in rows if any(_is_author(asked, a) for a in names.split("|"))}

    def _by_venue(self, scope: Scope) -> set[int] | None:
        if scope.venue is None:
            return None
        return self._numbers("' ' || p.venue_words || ' ' LIKE ?",
                             [f"% {' '.join(words(scope.venue))} %"])  # fmt: skip

    def _by_file(self, scope: Scope) -> set[int] | None:
        if scope.file is None:
            return None
        wanted = scope.file.strip()
        files = [
            file for file, path, shown in self._all("SELECT file, path, shown FROM files")
            if wanted in (path, shown, Path(path).name) or fold(wanted) == fold(Path(path).stem)
        ]  # fmt: skip
        return self._numbers(
            "p.number IN (SELECT number FROM entries WHERE file IN "
            "(SELECT value FROM json_each(?)))", [json.dumps(files)],
        )  # fmt: skip

    def _by_id(self, scope: Scope) -> set[int] | None:
        if scope.paper_ids is None:
            return None
        return self._numbers("p.paper_id IN (SELECT value FROM json_each(?))",
                             [json.dumps(sorted(scope.paper_ids))])  # fmt: skip

    def _numbers(self, condition: str, values: list[Any]) -> set[int]:
        rows = self._all(f"SELECT p.number FROM papers p WHERE {_READY} AND {condition}", values)
        return {row[0] for row in rows}

    # ------------------------------------------------------------ sentence vectors

    def sentence_vectors(self, number: int, embedder: str, rows: int) -> Vectors | None:
        """Return the kept vectors of a paper's `rows` sentences, if they are still right."""
        found = self._all(
            "SELECT v.vectors FROM sentence_vectors v JOIN papers p USING (number) "
            "WHERE v.number = ? AND v.embedder = ? AND v.revision = p.revision",
            (number, embedder),
        )
        if not found or not rows:
            return None
        return np.frombuffer(found[0][0], np.float16).reshape(rows, -1).astype(np.float32)

    def keep_sentence_vectors(self, number: int, embedder: str, vectors: Vectors) -> None:
        """Keep the vectors of a paper's sentences, as 16-bit numbers."""
        self._run(
            "INSERT OR REPLACE INTO sentence_vectors SELECT number, revision, ?, ? FROM papers "
            "WHERE number = ?",
            (embedder, vectors.astype(np.float16).tobytes(), number),
        )


def _entry(row: Sequence[Any]) -> Entry:
    entry, number, digest, stamp, text, file, place, title, source_id, doi, arxiv = row[:11]
    authors, year, venue, url, collection = row[11:]
    record = Record(
        text, file, place, title=title, source_id=source_id, doi=doi, arxiv=arxiv,
        authors=tuple(json.loads(authors)), year=year, venue=venue, url=url,
        collection=collection,
    )  # fmt: skip
    return Entry(entry, number, digest, stamp, record)


def _paper(row: Sequence[Any], sources: tuple[Source, ...]) -> Paper:
    _, paper_id, text, title, title_source, doi, arxiv, authors, year, venue, url = row
    return Paper(
        paper_id, text, title, title_source, sources, doi=doi, arxiv=arxiv,
        authors=tuple(json.loads(authors)), year=year, venue=venue, url=url,
    )  # fmt: skip


def _entry_values(record: Record) -> tuple[Any, ...]:
    return (
        record.place, record.source_id, record.collection, record.text, record.title, record.doi,
        record.arxiv, json.dumps(record.authors, ensure_ascii=False), record.year, record.venue,
        record.url,
    )  # fmt: skip


def _author_words(authors: Iterable[str]) -> str:
    return "|".join(" ".join(words(author)) for author in authors)


def _is_author(asked: list[str], name: str) -> bool:
    """Whether each word asked for is a word of the name, or an initial of one."""
    parts = name.split()
    return bool(asked) and all(
        any(part == word or (len(word) == 1 and part.startswith(word)) for part in parts)
        or any(len(part) == 1 and word.startswith(part) for part in parts)
        for word in asked
    ) and any(len(word) > 1 and word in parts for word in asked)  # fmt: skip
