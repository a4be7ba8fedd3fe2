"""Read BibTeX and BibLaTeX, with bibtexparser."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.corpus.readers.fields import Place, build
from rag.text import clean
from rag.types import Record, Skip

if TYPE_CHECKING:
    from bibtexparser.model import Block

_ENTRY = re.compile(r"^\s*@\s*(?!(?:comment|string|preamble)\b)\w+\s*[{(]", re.I | re.M)
_AND = re.compile(r"\s+and\s+", re.I)


def fits(text: str) -> bool:
    """Whether the text has a BibTeX entry."""
    return bool(_ENTRY.search(text))


def read(text: str, file: str) -> Iterator[Record | Skip]:
    """Yield a record for each entry; entries with the same key are all kept."""
    from bibtexparser import entrypoint, model

    logging.getLogger("bibtexparser").setLevel(logging.ERROR)
    for block in entrypoint.parse_string(text, append_middleware=[]).blocks:
        place = Place(file, f"line {(block.start_line or 0) + 1}")
        entry = _entry(block)
        if isinstance(entry, model.Entry):
            yield _record(place, entry.key, {f.key.lower(): str(f.value) for f in entry.fields})
        elif isinstance(block, model.ParsingFailedBlock):
            why = str(block.error) or "a brace, quote or comma is missing"
            yield place.skip(f"not valid BibTeX: {why}")


def _entry(block: Block | None) -> Block | None:
    """Return the entry inside a block that is only to blame for a repeated key or field."""
    from bibtexparser import model

    while isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
        block = block.ignore_error_block
    return block


def _record(place: Place, key: str, found: dict[str, str]) -> Record | Skip:
    is_arxiv = (
        "arxiv"
        in (
            found.get("archiveprefix", "") + found.get("eprinttype", "") + found.get("journal", "")
        ).lower()
    )
    venue = ("journaltitle", "journal", "booktitle", "eventtitle", "school", "publisher")
    return build(
        place,
        {
            "title": ": ".join(filter(None, [found.get("title"), found.get("subtitle")])),
            "text": found.get("abstract") or found.get("summary"),
            "authors": [
                _name(n) for n in _AND.split(found.get("author") or found.get("editor", ""))
            ],
            "year": found.get("year") or found.get("date"),
            "venue": clean(next((found[name] for name in venue if found.get(name)), "")),
            "doi": found.get("doi"),
            "arxiv": found.get("eprint") if is_arxiv or not found.get("doi") else None,
            "url": found.get("url") or found.get("howpublished"),
            "source_id": key,
        },
    )


def _name(name: str) -> str:
    """Return "Last, First" as "First Last", its LaTeX made readable."""
    parts = [part.strip() for part in clean(name).split(",")]
    return f"{parts[-1]} {' '.join(parts[:-1])}" if len(parts) > 1 else parts[0]
