"""What all parts of the page share: the library, the open tabs, and what was kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag.errors import LibraryMissing, UnknownPaper
from rag.types import Paper, Vectors
from rag.ui.backend import Backend, LibraryLike
from rag.ui.conversations import Conversations
from rag.ui.library_html import AccountLike
from rag.ui.page_html import facts_html
from rag.ui.session import Session, Sessions


@dataclass(frozen=True, slots=True)
class Desk:
    """The shared state of the page; `imports` tells the folder that added files go to."""

    backend: Backend
    conversations: Conversations
    imports: Callable[[], Path]
    sessions: Sessions = field(default_factory=Sessions)

    def session(self, tab: str) -> Session:
        """The talk of a tab."""
        return self.sessions.of(tab)

    def paper(self, paper_id: str) -> Paper | None:
        """A paper of the library, or None if it is not there, or not yet."""
        library = self.backend.library
        try:
            return library.paper(paper_id) if library else None
        except UnknownPaper:
            return None

    def index(self, paths: Sequence[Path], report: Callable[[int, int], None]) -> AccountLike:
        """Add files to the library; `report` gets papers done and known. Raises CitewellError."""
        with self.backend.writing() as library:
            return self._there(library).index(
                paths, on_progress=lambda at: report(at.done, at.total)
            )

    def paper_vectors(self) -> tuple[tuple[Paper, ...], Vectors]:
        """The papers with a vector each. Raises CitewellError."""
        return self._there(self.backend.library).paper_vectors()

    def remove(self, ids: Sequence[str]) -> None:
        """Take papers out of the library. Raises CitewellError."""
        with self.backend.writing() as library:
            self._there(library).remove(ids)

    def _there(self, library: LibraryLike | None) -> LibraryLike:
        if library is None:
            raise LibraryMissing(self.backend.problem or "The library is still being opened. Wait.")
        return library

    def facts_html(self) -> str:
        """The right end of the top line."""
        backend = self.backend
        return facts_html(backend.count(), backend.model, backend.state, backend.name)
