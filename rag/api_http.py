"""What the served page offers to programs: search, ask, compare and list, by HTTP or MCP.

The library and the chat are those of the page, so a question waits in the same queue. The
annotations are read when the page is made, and become the types that callers are told.
"""

from collections.abc import Callable, Iterable
from threading import Event as Flag
from typing import Any

from rag.answer.render import answer_json
from rag.batch import finished, hit_json, paper_json
from rag.errors import CitewellError, LibraryMissing, UsageError
from rag.types import Event, Scope
from rag.ui.backend import Backend, ChatLike, LibraryLike

MOST_HITS = 100
MOST_COMPARED = 12


class Endpoints:
    """The functions that programs call; each raises CitewellError with what to do."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def all(self) -> dict[str, Callable[..., Any]]:
        """The functions by the names they are served under."""
        return {
            "search": self.search,
            "ask": self.ask,
            "compare": self.compare,
            "list": self.list_papers,
        }

    def search(
        self,
        words: str,
        count: int = 10,
        author: str = "",
        venue: str = "",
        first_year: int = 0,
        last_year: int = 9999,
    ) -> list[dict[str, Any]]:
        """Find the papers of the library that fit some words best, best first.

        Args:
            words: what to search for, as a question or as keywords
            count: how many papers to return, 100 at most
            author: only papers by this author
            venue: only papers of this venue
            first_year: only papers of this year or later
            last_year: only papers of this year or earlier
        """
        if not words.strip():
            raise UsageError("Give some words to search for.")
        scope = _scope(author, venue, first_year, last_year)
        hits = self._library().search(words, max(1, min(count, MOST_HITS)), scope)
        return [
            hit_json(hit) | {"sentences": [e.sentence.text for e in hit.evidence]} for hit in hits
        ]

    def ask(
        self,
        question: str,
        author: str = "",
        venue: str = "",
        first_year: int = 0,
        last_year: int = 9999,
    ) -> dict[str, Any]:
        """Answer a question from the abstracts alone, each sentence checked against its source.

        Args:
            question: the question, in full; each call stands alone
            author: only papers by this author
            venue: only papers of this venue
            first_year: only papers of this year or later
            last_year: only papers of this year or earlier
        """
        if not question.strip():
            raise UsageError("Ask a question.")
        scope = _scope(author, venue, first_year, last_year)
        return _turn(self._chat().ask(question, (), scope=scope))

    def compare(self, paper_ids: list[str], aspect: str = "") -> dict[str, Any]:
        """Compare papers side by side, each cell quoted from the paper's own abstract.

        Args:
            paper_ids: the ids of two papers or more, as search and list give them
            aspect: what to compare them in; empty for problem, approach and findings
        """
        ids = list(dict.fromkeys(paper_ids))
        if not 2 <= len(ids) <= MOST_COMPARED:
            raise UsageError(f"Name 2 to {MOST_COMPARED} different papers by their ids.")
        return _turn(self._chat().compare(ids, aspect))

    def list_papers(self, first: int = 0, count: int = 1000) -> list[dict[str, Any]]:
        """List the papers of the library in the order they were added.

        Args:
            first: how many papers to leave out at the start
            count: how many papers to return
        """
        papers = self._library().papers()[max(0, first) :]
        return [paper_json(paper) for paper in papers[: max(0, count)]]

    def _library(self) -> LibraryLike:
        library = self._backend.library
        if library is None:
            raise LibraryMissing(
                self._backend.problem or "The library is still being opened. Try again soon."
            )
        return library

    def _chat(self) -> ChatLike:
        chat = self._backend.chat(Flag())
        if chat is None:
            raise LibraryMissing("The chat was closed. Try again.")
        return chat


def _scope(author: str, venue: str, first_year: int, last_year: int) -> Scope:
    years = (first_year, last_year) if first_year > 0 or last_year < 9999 else None
    return Scope(years, author or None, venue or None)


def _turn(events: Iterable[Event]) -> dict[str, Any]:
    answer = finished(events)
    if answer.error:
        raise CitewellError(answer.error)
    return answer_json(answer)
