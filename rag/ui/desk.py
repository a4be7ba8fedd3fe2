"""What all parts of the page share: the library, the open tabs, and what was kept."""

from __future__ import annotations

from dataclasses import dataclass, field

from rag.errors import UnknownPaper
from rag.types import Paper
from rag.ui.backend import Backend
from rag.ui.conversations import Conversations
from rag.ui.session import Session, Sessions


@dataclass(frozen=True, slots=True)
class Desk:
    """The shared state of the page."""

    backend: Backend
    conversations: Conversations
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
