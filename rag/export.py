"""Writes papers as BibTeX, as a Markdown list and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from rag.text import readable
from rag.types import Paper

_MEANINGFUL = re.compile(r"([\\`*_{}\[\]<>#$~|])")
_KEY_PARTS = re.compile(r"[^a-z0-9]+")
_ESCAPED = re.compile(r"\\.")
_BRACES = re.compile(r"([{}%&#])")


def bibtex(papers: Iterable[Paper]) -> str:
    """One entry a paper, with the fields that are known."""
    entries, taken = [], set[str]()
    for paper in papers:
        key = _key(paper, taken)
        fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(paper))
        kind = "article" if paper.venue else "misc"
        entries.append(f"@{kind}{{{key},\n{fields}}}\n")
    return "\n".join(entries)


def reference_list(papers: Iterable[Paper]) -> str:
    """A Markdown list of papers, each with its abstract."""
    return "\n".join(_described(paper) for paper in papers)


def csv_table(papers: Iterable[Paper]) -> str:
    """One line a paper, with a heading; readable by this program and by spreadsheets."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["title", "abstract", "authors", "year", "venue", "doi", "arxiv", "url", "id"])
    for paper in papers:
        row = [
            paper.title,
            paper.text,
            "; ".join(paper.authors),
            str(paper.year or ""),
            paper.venue or "",
            paper.doi or "",
            paper.arxiv or "",
            paper.url or "",
            next((s.source_id for s in paper.sources if s.source_id), ""),
        ]
        writer.writerow([_harmless(value) for value in row])
    return out.getvalue()


def _harmless(value: str) -> str:
    # A spreadsheet runs a cell that starts so as a formula (OWASP, CSV injection).
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _described(paper: Paper) -> str:
    about = [", ".join(paper.authors), str(paper.year or ""), paper.venue or ""]
    line = ", ".join(plain_markdown(part) for part in about if part)
    link = f" <https://doi.org/{paper.doi}>" if paper.doi else ""
    return f"- **{plain_markdown(paper.title)}**. {line}{link}\n\n  {plain_markdown(paper.text)}\n"


def plain_markdown(text: str) -> str:
    """On one line, cleaned for reading, with what Markdown would take for markup escaped."""
    return _MEANINGFUL.sub(r"\\\1", " ".join(readable(text).split()))


def _fields(paper: Paper) -> list[tuple[str, str]]:
    known = [
        ("title", f"{{{_tex(paper.title)}}}"),
        ("author", " and ".join(_tex(author) for author in paper.authors)),
        ("year", str(paper.year or "")),
        ("journal", _tex(paper.venue or "")),
        ("doi", paper.doi or ""),
        ("eprint", paper.arxiv or ""),
        ("archiveprefix", "arXiv" if paper.arxiv else ""),
        ("url", paper.url or ""),
        ("abstract", paper.text if _balanced(paper.text) else _BRACES.sub(r"\\\1", paper.text)),
    ]
    return [(name, value) for name, value in known if value]


def _balanced(text: str) -> bool:
    """Whether braces close in order, so that the text can stand in a field as it is."""
    depth = 0
    for char in _ESCAPED.sub("", text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0


def _tex(text: str) -> str:
    return _BRACES.sub(r"\\\1", " ".join(readable(text).split()))


def _key(paper: Paper, taken: set[str]) -> str:
    author = paper.authors[0].split(",")[0].split()[-1] if paper.authors else ""
    word = next((w for w in paper.title.split() if len(w) > 3), paper.paper_id)
    base = _KEY_PARTS.sub("", f"{author}{paper.year or ''}{word}".lower()) or paper.paper_id
    key, number = base, 1
    while key in taken:
        number += 1
        key = f"{base}{number}"
    taken.add(key)
    return key
