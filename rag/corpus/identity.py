"""Decide which records are the same paper: keys that identify, and ids that last."""

from __future__ import annotations

import hashlib
import re

from rag.text import clean, fold
from rag.types import Record

_DOI = re.compile(r"10\.\d{4,9}/\S+", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:arxiv[:./\s]*|abs/|pdf/|^)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?",
    re.IGNORECASE,
)


def normal_doi(value: str | None) -> str | None:
    """Return the DOI in `value`, lower case, without resolver or trailing marks."""
    match = _DOI.search(value or "")
    return match[0].rstrip(".,;)]}>\"'").lower() if match else None


def normal_arxiv(value: str | None) -> str | None:
    """Return the arXiv id in `value`, without its version."""
    match = _ARXIV.search((value or "").strip())
    return match[1].lower() if match else None


def squeeze(text: str) -> str:
    """Return the letters and digits of `text`, folded: what two copies have in common."""
    return "".join(c for c in fold(clean(text)) if c.isalnum())


def keys(record: Record) -> list[str]:
    """Return the keys that identify a record, strongest first."""
    found = [
        ("doi", normal_doi(record.doi)),
        ("arxiv", normal_arxiv(record.arxiv)),
        ("text", _hash(squeeze(record.text))),
        ("title", _hash(squeeze(record.title or ""))),
    ]
    return [f"{kind}:{value}" for kind, value in found if value]


def _hash(text: str) -> str | None:
    return hashlib.sha256(text.encode()).hexdigest()[:24] if text else None


def new_id(record: Record) -> str:
    """Return a short id derived from what identifies the record when first seen."""
    basis = squeeze(record.text) or squeeze(record.title or "") or record.place
    return hashlib.sha256(basis.encode()).hexdigest()[:12]


def digest(record: Record) -> bytes:
    """Return a digest of all that a record says, wherever it stands in its file."""
    fields = (
        record.text, record.title, record.source_id, record.doi, record.arxiv, record.authors,
        record.year, record.venue, record.url, record.collection,
    )  # fmt: skip
    return hashlib.sha256(repr(fields).encode()).digest()[:16]
