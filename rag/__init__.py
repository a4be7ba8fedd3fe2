"""Citewell: ask a pile of paper abstracts questions, with every sentence checked.

`from rag import Library, Chat` is the way in for programs (docs/api.md). Both are imported
only when they are named, so that `import rag` loads nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.api import Chat, Library
    from rag.types import Scope

__all__ = ["Chat", "Library", "Scope"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rag import api

    return getattr(api, name)
