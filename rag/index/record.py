"""The record of papers: an SQLite file that is the only truth about a library."""

from __future__ import annotations

from rag.index.database import FILE_NAME
from rag.index.entries import Entries, Entry
from rag.index.papers import Numbered, Papers

__all__ = ["FILE_NAME", "Entry", "Numbered", "PaperRecord"]


class PaperRecord(Entries, Papers):
    """Papers, the entries they were read from, and what the indexes still have to learn.

    A paper is shown only when `indexed` has reached `revision`, so that nothing
    half-added is ever cited. One connection, guarded by a lock; writers of other
    processes are kept out by the library's own lock.
    """
