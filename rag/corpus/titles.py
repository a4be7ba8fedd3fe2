"""Give each paper a title to show: given, extracted from its text, or generated from it."""

from __future__ import annotations

from rag.text import clean, split_sentences
from rag.types import Record, TitleSource


def title_of(record: Record) -> tuple[str, TitleSource]:
    """Return the title to show and where it comes from."""
    given = clean(record.title or "")
    if given:
        return given, "given"
    text = clean(record.text)
    start, end = (split_sentences(text) or [(0, 0)])[0]
    return " ".join(text[start:end].split()[:9]), "generated"
