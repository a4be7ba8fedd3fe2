"""Keeps conversations on this machine, each private to the browser or login that had it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from rag.errors import CitewellError, LibraryDamaged
from rag.ui.turn import Turn

_NAME_LENGTH = 80
_TABLE = """
create table if not exists conversation (
    id text primary key, owner text not null, name text not null, turns text not null,
    updated real not null
)
"""
_SETTINGS = """
create table if not exists setting (
    owner text not null, name text not null, value text not null, primary key (owner, name)
)
"""
_TURNS = TypeAdapter(tuple[Turn, ...])


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the list of conversations; `updated` is in seconds since 1970."""

    conversation_id: str
    name: str
    updated: float


class Conversations:
    """The file of conversations. Every call names the owner, and sees only what is theirs.

    Where the file is damaged it is set aside and LibraryDamaged raised; the next call begins a
    new one. CitewellError says that nothing can be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def listed(self, owner: str, words: str = "") -> list[Listed]:
        """The conversations of an owner, newest first; `words` must stand in name or talk."""
        query = (
            "select id, name, updated from conversation where owner = ? "
            "and instr(lower(name || turns), lower(?)) > 0 order by updated desc"
        )
        with self._open() as file:
            return [Listed(*row) for row in file.execute(query, (owner, words.strip()))]

    def load(self, owner: str, conversation_id: str) -> tuple[Turn, ...]:
        """The turns of a conversation; none if there is no such one. Raises LibraryDamaged."""
        query = "select turns from conversation where owner = ? and id = ?"
        with self._open() as file:
            found = file.execute(query, (owner, conversation_id)).fetchone()
        try:
            return _TURNS.validate_json(found[0]) if found else ()
        except ValidationError as error:
            raise LibraryDamaged(
                "This conversation was kept by another version and cannot be read. Delete it."
            ) from error

    def save(self, owner: str, conversation_id: str, turns: Sequence[Turn]) -> None:
        """Keep a conversation; a new one is named after its first question."""
        if not turns:
            return
        name = " ".join(turns[0].answer.question.split())[:_NAME_LENGTH]
        kept = _TURNS.dump_json(tuple(turns)).decode()
        query = (
            "insert into conversation values (?, ?, ?, ?, ?) on conflict (id) do update set "
            "turns = excluded.turns, updated = excluded.updated where owner = excluded.owner"
        )
        with self._open() as file:
            file.execute(query, (conversation_id, owner, name, kept, time.time()))

    def rename(self, owner: str, conversation_id: str, name: str) -> None:
        """Give a conversation another name; an empty one is ignored."""
        name = " ".join(name.split())[:_NAME_LENGTH]
        query = "update conversation set name = ? where owner = ? and id = ?"
        if name:
            with self._open() as file:
                file.execute(query, (name, owner, conversation_id))

    def delete(self, owner: str, conversation_id: str) -> None:
        """Forget a conversation."""
        with self._open() as file:
            file.execute(
                "delete from conversation where owner = ? and id = ?", (owner, conversation_id)
            )

    def setting(self, owner: str, name: str) -> str:
        """What an owner has set; empty if nothing."""
        query = "select value from setting where owner = ? and name = ?"
        with self._open() as file:
            found = file.execute(query, (owner, name)).fetchone()
        return str(found[0]) if found else ""

    def set_setting(self, owner: str, name: str, value: str) -> None:
        """Remember a setting of an owner."""
        with self._open() as file:
            file.execute("insert or replace into setting values (?, ?, ?)", (owner, name, value))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=10)) as file, file:
                file.execute(_TABLE)
                file.execute(_SETTINGS)
                self._path.chmod(0o600)
                yield file
        except (sqlite3.OperationalError, OSError) as error:
            raise CitewellError(
                f"Conversations cannot be kept in {self._path}: {error}. Make room on the disk, or "
                "see that you may write there."
            ) from error
        except sqlite3.DatabaseError as error:
            raise LibraryDamaged(
                f"The file of conversations was damaged, and a new one has been begun. The old one "
                f"is kept as {self._set_aside()}."
            ) from error

    def _set_aside(self) -> Path:
        """Give the file another name, so that it is neither read again nor lost."""
        stem, number = f"{self._path.stem}-damaged", 1
        while (aside := self._path.with_name(f"{stem}-{number}{self._path.suffix}")).exists():
            number += 1
        for ending in ("-journal", ""):
            file = Path(f"{self._path}{ending}")
            if file.exists():
                file.rename(f"{aside}{ending}")
        return aside
