"""Read PDF: the abstract of a paper, or the abstracts of a book of abstracts."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator

from rag.corpus.readers.fields import Place, build
from rag.types import Record, Skip

_ABSTRACT = re.compile(r"^[ \t]*(?:\d+\.?[ \t]*)?abstract\b[ \t]*[.:—–-]*[ \t]*", re.I | re.M)
_END = re.compile(
    r"^[ \t]*(?:(?:\d+|I)\.?[ \t]*)?(?:introduction|keywords?|key words|index terms|"
    r"ccs concepts|acm reference|references|contents|acknowledge?ments?)\b", re.I | re.M,
)  # fmt: skip
_PAGES_OF_A_PAPER = 2
_LONGEST = 4000
_SHORTEST = 80


def read(data: bytes, file: str) -> Iterator[Record | Skip]:
    """Yield the abstracts of a PDF file; one without text is named."""
    pages = _pages(data)
    if isinstance(pages, str):
        yield Skip(file, "file", pages)
        return
    found = [
        (n, title, text) for n, page in enumerate(pages, 1) for title, text in _abstracts(page)
    ]
    own = [item for item in found if item[0] <= _PAGES_OF_A_PAPER]
    if not found:
        yield Skip(file, "file", "no abstract found in its text")
    for number, title, text in found if len(found) > len(own) else own:
        yield build(Place(file, f"page {number}"), {"title": title, "text": text})


def _pages(data: bytes) -> list[str] | str:
    """Return the texts of the pages, or why there are none."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return "locked by a password"
        pages = [page.extract_text() for page in reader.pages]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError,
            RecursionError, NotImplementedError, OSError, ArithmeticError,
            AssertionError) as error:  # fmt: skip
        return f"not a PDF that can be read: {error}"
    if not any(page.strip() for page in pages):
        return "no text in it, only pictures; run text recognition (OCR) on it first"
    return pages


def _abstracts(page: str) -> Iterator[tuple[str, str]]:
    """Yield (title, abstract) for each abstract that a page holds."""
    marks = list(_ABSTRACT.finditer(page))
    for n, mark in enumerate(marks):
        stop = marks[n + 1].start() if n + 1 < len(marks) else len(page)
        end = _END.search(page, mark.end(), stop)
        text = page[mark.end() : end.start() if end else stop].strip()
        if n + 1 < len(marks) and not end:
            text = text.rpartition("\n\n")[0].strip() or text
        before = page[marks[n - 1].end() if n else 0 : mark.start()]
        if len(text) >= _SHORTEST:
            yield _title(before), text[:_LONGEST]


def _title(before: str) -> str:
    """Return the first lines over an abstract that look like a title."""
    block = before.strip().split("\n\n")[-1] if "\n\n" in before.strip() else before.strip()
    lines = [line.strip() for line in block.split("\n") if line.strip()]
    title = lines[:1]
    if len(lines) > 1 and len(lines[0]) > 30 and (lines[0][-1] in "-:," or lines[1][:1].islower()):
        title = lines[:2]
    return " ".join(title)
