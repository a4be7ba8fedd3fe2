"""Keeps conversations on this machine, each private to the browser or login that had it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from rag.errors import LibraryDamaged
from rag.ui.turn import Turn

_NAME_LENGTH = 80
_TABLE = """
create table if not exists conversation (
    id text primary key, owner text not null, name text not null, turns text not null,
    updated real not null
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
    """The file of conversations. Every call names the owner, and sees only what is theirs."""

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

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._path, timeout=10)) as file, file:
            file.execute(_TABLE)
            self._path.chmod(0o600)
            yield file
