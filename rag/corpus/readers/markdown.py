"""Read Markdown: a heading over each abstract, or a list under one heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag.corpus.readers import plain
from rag.corpus.readers.fields import Place, build
from rag.types import Record, Skip

_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S.*)$", re.M)
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.S)
_LABEL = re.compile(r"^\W*abstract\W*$", re.I)


def fits(text: str) -> bool:
    """Whether the text has Markdown headings."""
    return bool(_HEADING.search(text))


@dataclass(slots=True)
class _Section:
    level: int
    title: str
    line: int
    body: list[str] = field(default_factory=list)


def read(text: str, file: str) -> Iterator[Record | Skip]:
    """Yield a record for each section with text; a heading over headings names a list."""
    sections = [s for s in _sections(text) if not _LABEL.match(s.title) or s.body]
    bodies = [s for s in sections if _body(s)]
    if len(bodies) == 1 and len(list(plain.paragraphs(_body(bodies[0])))) > 2:
        yield from _listed(bodies[0], file)
        return
    collection: str | None = None
    for n, section in enumerate(sections):
        body = _body(section)
        deeper = n + 1 < len(sections) and sections[n + 1].level > section.level
        if _LABEL.match(section.title) and n:
            yield _record(file, sections[n - 1], body, collection)
        elif body:
            yield _record(file, section, body, collection)
        elif deeper and not _LABEL.match(sections[n + 1].title):
            collection = section.title
        elif not deeper:
            yield _record(file, section, "", collection)


def _record(file: str, section: _Section, body: str, collection: str | None) -> Record | Skip:
    labelled = plain.labels(body)
    place = Place(file, f"line {section.line}")
    return build(place, {"title": section.title, "text": body} | labelled, collection)


def _listed(section: _Section, file: str) -> Iterator[Record | Skip]:
    for line, paragraph in plain.paragraphs(_body(section)):
        place = Place(file, f"line {section.line + line}")
        yield build(place, {"text": re.sub(r"^(?:[-*+]|\d+[.)])\s+", "", paragraph)}, section.title)


def _body(section: _Section) -> str:
    return "\n".join(section.body).strip()


def _sections(text: str) -> Iterator[_Section]:
    section = _Section(0, "", 0)
    for number, line in enumerate(_FRONT.sub(_blank_lines, text).split("\n"), 1):
        match = _HEADING.match(line)
        if match:
            if section.title or _body(section):
                yield section
            section = _Section(len(match[1]), _unclosed(match[2]), number)
        else:
            section.body.append(line)
    yield section


def _blank_lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _unclosed(heading: str) -> str:
    """A heading without the marks that may close it."""
    return heading.rstrip().rstrip("#").rstrip() or heading.rstrip()
