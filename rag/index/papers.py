"""How papers are written to the record, and what the indexes have yet to learn of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rag.index.queries import Queries
from rag.text import words
from rag.types import Paper, Record, TitleSource, Vectors


@dataclass(frozen=True, slots=True)
class Numbered:
    """A paper with its row number and the revision its indexes must reach."""

    number: int
    revision: int
    paper: Paper


class Papers(Queries):
    """Papers as they are written and learnt."""

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
        self._run_many("INSERT OR IGNORE INTO keys VALUES (?, ?)", [(key, number) for key in keys])

    def drop_paper(self, number: int) -> None:
        """Delete a paper; the indexes have yet to drop it. Its entries are set free."""
        self._run("UPDATE entries SET number = NULL WHERE number = ?", (number,))
        self._run("DELETE FROM keys WHERE number = ?", (number,))
        self._run("DELETE FROM sentence_vectors WHERE number = ?", (number,))
        self._run("DELETE FROM papers WHERE number = ?", (number,))
        self._run("INSERT OR IGNORE INTO gone VALUES (?)", (number,))

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
            self._run_many(
                "UPDATE papers SET indexed = ? WHERE number = ?",
                [(item.revision, item.number) for item in learned],
            )
            self._run_many("DELETE FROM gone WHERE number = ?", [(number,) for number in dropped])

    def mark_all_pending(self) -> None:
        """Note that the indexes know nothing: they are to be made anew."""
        with self.transaction():
            self._run("UPDATE papers SET indexed = 0")
            self._run("DELETE FROM gone")

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


def _author_words(authors: Iterable[str]) -> str:
    return "|".join(" ".join(words(author)) for author in authors)
