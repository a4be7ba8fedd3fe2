"""How papers are read from the record: one, several, or those in a scope."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rag.errors import UnknownPaper
from rag.index.database import Database
from rag.text import fold, words
from rag.types import Paper, Scope, Source

_PAPER = """
SELECT p.number, p.paper_id, coalesce(e.text, ''), p.title, p.title_source, p.doi, p.arxiv,
       p.authors, p.year, p.venue, p.url
FROM papers p LEFT JOIN entries e ON e.entry = p.entry
"""
_READY = "p.indexed = p.revision"


class Queries(Database):
    """Papers as they are read; only those that the indexes know."""

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

    def newest(self, limit: int) -> list[tuple[int, Paper]]:
        """Return (number, paper) of the `limit` papers that came last, newest first."""
        condition = f"{_READY} ORDER BY p.number DESC LIMIT ?"
        rows = self._all(f"SELECT p.number FROM papers p WHERE {condition}", (limit,))
        return self.papers_by_number([row[0] for row in rows])[::-1]

    def has_papers(self) -> bool:
        """Whether there is any paper that is ready."""
        return bool(self._all(f"SELECT 1 FROM papers p WHERE {_READY} LIMIT 1"))

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

    def ready(self) -> set[int]:
        """Return the numbers of all ready papers."""
        return self._numbers("1", [])

    def named(self, word: str) -> set[int]:
        """Return the numbers of ready papers with a folded word among their authors or venue."""
        return self._numbers("p.author_words LIKE ? OR p.venue_words LIKE ?", [f"%{word}%"] * 2)

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
        rows = self._all(f"SELECT p.number FROM papers p WHERE {_READY} AND ({condition})", values)
        return {row[0] for row in rows}


def _paper(row: Sequence[Any], sources: tuple[Source, ...]) -> Paper:
    _, paper_id, text, title, title_source, doi, arxiv, authors, year, venue, url = row
    return Paper(
        paper_id, text, title, title_source, sources, doi=doi, arxiv=arxiv,
        authors=tuple(json.loads(authors)), year=year, venue=venue, url=url,
    )  # fmt: skip


def _is_author(asked: list[str], name: str) -> bool:
    """Whether each word asked for is a word of the name, or an initial of one."""
    parts = name.split()
    return bool(asked) and all(
        any(part == word or (len(word) == 1 and part.startswith(word)) for part in parts)
        or any(len(part) == 1 and word.startswith(part) for part in parts)
        for word in asked
    ) and any(len(word) > 1 and word in parts for word in asked)  # fmt: skip
