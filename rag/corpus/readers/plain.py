"""Read plain-text lists: a heading line, then one abstract a paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.types import Record

_GAP = re.compile(r"\n[ \t\r\f\v]*\n\s*")
_HEADING_LIMIT = 120


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line number, paragraph) with the paragraph stripped of surrounding white space."""
    start = 0
    for gap in [*_GAP.finditer(text), None]:
        piece = text[start : gap.start() if gap else len(text)]
        if piece.strip():
            left = len(piece) - len(piece.lstrip())
            yield text.count("\n", 0, start + left) + 1, piece.strip()
        start = gap.end() if gap else len(text)


def read(text: str, file: str) -> Iterator[Record]:
    """Yield a record for each paragraph; a heading names the collection."""
    collection: str | None = None
    for number, (line, paragraph) in enumerate(paragraphs(text)):
        if number == 0 and is_heading(paragraph):
            collection = paragraph
        else:
            yield Record(text=paragraph, file=file, place=f"line {line}", collection=collection)


def is_heading(paragraph: str) -> bool:
    """Whether a paragraph is a short line that is no sentence."""
    return (
        "\n" not in paragraph
        and len(paragraph) <= _HEADING_LIMIT
        and not paragraph.rstrip("\"'”’)").endswith((".", "!", "?"))
    )
