"""Decide which records are the same paper: keys that find candidates, and the judgement."""

from __future__ import annotations

import hashlib
import re
import zlib
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rag.text import fold, words
from rag.types import Record

_DOI = re.compile(r"10\.\d{4,9}/\S+", re.IGNORECASE)
_ARXIV_DOI = "10.48550/arxiv."
_ARXIV = re.compile(
    r"(?:arxiv[:./\s]*|abs/|pdf/|^)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\b",
    re.IGNORECASE,
)
_SHINGLE = 3
_BANDS, _ROWS = 6, 3
_SAME_TEXT = 0.8
_SAME_TITLE_TEXT = 0.5
_UNRELATED = 0.1
_SHORT_TEXT = 20


# ---------------------------------------------------------------- identifiers


def normal_doi(value: str | None) -> str | None:
    """Return the DOI in `value`, lower case, without resolver or trailing marks."""
    match = _DOI.search(value or "")
    return match[0].rstrip(".,;)]}>\"'").lower() if match else None


def normal_arxiv(value: str | None) -> str | None:
    """Return the arXiv id in `value`, without its version."""
    match = _ARXIV.search((value or "").strip())
    return match[1].lower() if match else None


def with_identifiers(record: Record) -> Record:
    """Return the record with DOI and arXiv id normalised, also taken from its other fields."""
    doi = normal_doi(record.doi) or normal_doi(record.url)
    arxiv = normal_arxiv(record.arxiv) or next(
        (a for value in (doi, record.url, record.source_id) if (a := _explicit_arxiv(value))), None
    )
    return replace(record, doi=doi, arxiv=arxiv)


def _explicit_arxiv(value: str | None) -> str | None:
    """Return an arXiv id only where the text says that it is one."""
    if not value or (
        "arxiv" not in value.lower() and not re.fullmatch(r"\d{4}\.\d{5}(v\d+)?", value)
    ):
        return None
    return normal_arxiv(value.lower().removeprefix(_ARXIV_DOI))


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


# ---------------------------------------------------------------- keys


def keys(record: Record) -> list[int]:
    """Return the 64-bit keys that a twin of the record would share, strongest first."""
    text, title = squeeze(record.text), squeeze(record.title or "")
    exact = {"doi": record.doi, "arxiv": record.arxiv, "text": text, "title": title}
    found = [f"{kind}:{value}" for kind, value in exact.items() if value]
    return [_hash(key) for key in [*found, *_near_keys(record.text)]]


def _hash(key: str) -> int:
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), signed=True)


def _near_keys(text: str) -> list[str]:
    """Return band keys by MinHash (Broder 1997) over shingles of three words.

    Six bands of three rows find 97% of pairs that share 80% of their shingles.
    """
    hashes = _shingle_hashes(text)
    if len(hashes) < _SHORT_TEXT - _SHINGLE + 1:
        return []
    lowest = (hashes[:, None] * _multipliers()).min(axis=0).reshape(_BANDS, _ROWS)
    return [f"near{n}:{band.tobytes().hex()}" for n, band in enumerate(lowest)]


@lru_cache(maxsize=1)
def _multipliers() -> NDArray[np.uint32]:
    numbers = np.random.default_rng(7).integers(1, 2**31, _BANDS * _ROWS, dtype=np.uint32)
    return numbers * np.uint32(2) + np.uint32(1)


def _shingle_hashes(text: str) -> NDArray[np.uint32]:
    return np.array([zlib.crc32(shingle.encode()) for shingle in _shingles(text)], np.uint32)


@lru_cache(maxsize=2048)
def _shingles(text: str) -> frozenset[str]:
    found = _words(text)
    return frozenset(" ".join(found[n : n + _SHINGLE]) for n in range(len(found) - _SHINGLE + 1))


@lru_cache(maxsize=2048)
def _words(text: str) -> tuple[str, ...]:
    return tuple(words(text))


def squeeze(text: str) -> str:
    """Return the words of `text`, folded and run together: what two copies have in common."""
    return "".join(_words(text))


# ---------------------------------------------------------------- judgement


def similarity(a: str, b: str) -> float:
    """Return the share of word shingles that two texts have in common, 0 to 1.

    Short texts are compared by their words.
    """
    one, two = _shingles(a), _shingles(b)
    if min(len(_words(a)), len(_words(b))) < _SHORT_TEXT:
        one, two = frozenset(_words(a)), frozenset(_words(b))
    return len(one & two) / max(len(one | two), 1)


def same_paper(a: Record, b: Record) -> bool:
    """Whether two records that share a key are one paper.

    A wrong join would hide a paper, a missed one only shows it twice; so where texts
    and titles disagree the records stay apart, whatever their identifiers say.
    """
    alike = similarity(a.text, b.text) if a.text and b.text else None
    shared = (a.doi and a.doi == b.doi) or (a.arxiv and a.arxiv == b.arxiv)
    if shared:
        return alike is None or alike > _UNRELATED or _titles_agree(a, b) is not False
    if alike is None:
        return _titles_agree(a, b) is True and _same_work(a, b)
    if squeeze(a.text) == squeeze(b.text):
        return _titles_agree(a, b) is not False or len(_words(a.text)) >= _SHORT_TEXT
    if _titles_agree(a, b) and alike >= _SAME_TITLE_TEXT:
        return True
    return alike >= _SAME_TEXT and _small_edits(a, b)


def _titles_agree(a: Record, b: Record) -> bool | None:
    """Whether the given titles are the same; None where one is missing."""
    if not a.title or not b.title:
        return None
    return squeeze(a.title) == squeeze(b.title) or similarity(a.title, b.title) >= _SAME_TEXT


def _same_work(a: Record, b: Record) -> bool:
    """Whether authors, years and DOIs allow that records without texts to compare are one."""
    if a.doi and b.doi and a.doi != b.doi:
        return False
    if a.year and b.year and abs(a.year - b.year) > 1:
        return False
    if not a.authors or not b.authors:
        return bool(a.text) != bool(b.text) or not (a.authors or b.authors)
    return bool(_names(a) & _names(b))


def _names(record: Record) -> set[str]:
    return {word for name in record.authors for word in words(name) if len(word) > 1}


def _small_edits(a: Record, b: Record) -> bool:
    """Whether near-equal texts differ by edits, not by what tells two papers apart."""
    if _titles_agree(a, b) is False or min(len(_words(a.text)), len(_words(b.text))) < _SHORT_TEXT:
        return False
    if a.file == b.file and a.source_id and b.source_id and a.source_id != b.source_id:
        return False
    return _numbers(a.text) == _numbers(b.text)


def _numbers(text: str) -> list[str]:
    return sorted(word for word in _words(text) if any(c.isdigit() for c in word))


# ---------------------------------------------------------------- change within a file

_SUCCESSOR = 0.5


def succession(old: Record, new: Record) -> float:
    """Return how surely `new` is the later form of `old` in the same file; 0 where it is not.

    Both stand in one file, `old` before and `new` after; neither is there unchanged.
    """
    for mine, other in ((old.source_id, new.source_id), (old.doi, new.doi), (old.arxiv, new.arxiv)):
        if mine and other:
            return 3.0 + similarity(old.text, new.text) if mine == other else 0.0
    if old.title and new.title and fold(old.title) == fold(new.title):
        return 2.0 + similarity(old.text, new.text)
    alike = similarity(old.text, new.text)
    if old.title and new.title and alike < _SAME_TEXT:
        return 0.0
    return alike if alike >= _SUCCESSOR else 0.0
