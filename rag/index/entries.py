"""What the record knows of files, and of the records that stand in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.index.database import Database
from rag.types import Record


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


class Entries(Database):
    """Files, and their entries."""

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


def _entry(row: Sequence[Any]) -> Entry:
    entry, number, digest, stamp, text, file, place, title, source_id, doi, arxiv = row[:11]
    authors, year, venue, url, collection = row[11:]
    record = Record(
        text, file, place, title=title, source_id=source_id, doi=doi, arxiv=arxiv,
        authors=tuple(json.loads(authors)), year=year, venue=venue, url=url,
        collection=collection,
    )  # fmt: skip
    return Entry(entry, number, digest, stamp, record)


def _entry_values(record: Record) -> tuple[Any, ...]:
    return (
        record.place, record.source_id, record.collection, record.text, record.title, record.doi,
        record.arxiv, json.dumps(record.authors, ensure_ascii=False), record.year, record.venue,
        record.url,
    )  # fmt: skip
