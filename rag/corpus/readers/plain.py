"""Read plain-text lists: paragraphs under a heading, with or without titles of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.corpus.readers.fields import Place, build, field_of
from rag.types import Record, Skip

_GAP = re.compile(r"\n[ \t\r\f\v]*\n\s*")
_HEADING_LIMIT = 200
_TITLED_SHARE = 0.5
_LABEL = re.compile(
    r"^\W{0,3}(title|authors?|year|venue|journal|doi|arxiv|url|abstract|summary|date|id)\W{0,3}"
    r"[:：][ \t]*\W{0,2}(?=\S)", re.I,
)  # fmt: skip
_LIST_WORDS = re.compile(
    r"\b(?:papers?|abstracts?|list|collection|articles?|bibliography|proceedings|references|"
    r"publications?|reading|notes?)\b|论文|列表", re.I,
)  # fmt: skip


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line number, paragraph) with the paragraph stripped of surrounding white space."""
    start, line = 0, 1
    for gap in [*_GAP.finditer(text), None]:
        piece = text[start : gap.start() if gap else len(text)]
        left = piece[: len(piece) - len(piece.lstrip())]
        if piece.strip():
            yield line + left.count("\n"), piece.strip()
        line += text.count("\n", start, gap.end() if gap else len(text))
        start = gap.end() if gap else len(text)


def read(text: str, file: str) -> Iterator[Record | Skip]:
    """Yield a record for each abstract; a heading names the collection.

    A short line over a paragraph is its title where at least half of the paragraphs have
    one; otherwise each paragraph is an abstract, exactly as it stands.
    """
    found = list(paragraphs(text))
    collection, found = _heading(found)
    titled = _titled(found)
    n = 0
    while n < len(found):
        line, paragraph = found[n]
        place = Place(file, f"line {line}")
        labelled = labels(paragraph)
        if labelled:
            yield build(place, labelled, collection)
        elif titled and is_heading(paragraph) and n + 1 < len(found):
            n += 1
            yield build(place, {"title": paragraph} | _text(found[n][1]), collection)
        elif (split := _title_line(paragraph)) and titled:
            yield build(place, {"title": split[0]} | _text(split[1]), collection)
        else:
            yield Record(text=paragraph, file=file, place=place.place, collection=collection)
        n += 1


def _heading(found: list[tuple[int, str]]) -> tuple[str | None, list[tuple[int, str]]]:
    """Split off the heading of a list: it stands over another heading, or over a list.

    Over a single abstract a short line is its title, unless it speaks of a list.
    """
    if not found or not is_heading(found[0][1]):
        return None, found
    rest = found[1:]
    if not rest:
        return None, found
    if is_heading(rest[0][1]) or _LIST_WORDS.search(found[0][1]):
        return found[0][1], rest
    alone = len(rest) == 1 or _titled(found)
    return (None, found) if alone else (found[0][1], rest)


def _titled(found: list[tuple[int, str]]) -> bool:
    """Whether at least half of the longer paragraphs have a title line over or in them."""
    pairs = zip([("", ""), *found], found, strict=False)
    longer = [(str(a[1]), b[1]) for a, b in pairs if not is_heading(b[1])]
    have = sum(is_heading(above) or _title_line(body) is not None for above, body in longer)
    return bool(longer) and have / len(longer) >= _TITLED_SHARE


def _title_line(paragraph: str) -> tuple[str, str] | None:
    """Split a paragraph whose first line is a title, not just the first of wrapped lines."""
    first, _, rest = paragraph.partition("\n")
    if not rest or not is_heading(first) or len(rest) < len(first):
        return None
    widest = max(len(line) for line in rest.split("\n"))
    ends_early = len(first) + len(rest.split(None, 1)[0]) < widest
    return (first, rest) if ends_early and not rest[:1].islower() else None


def _text(body: str) -> dict[str, object]:
    return labels(body) or {"text": body}


def labels(paragraph: str) -> dict[str, object]:
    """Return the fields of a paragraph of "Label: value" lines, or nothing."""
    fields: dict[str, str] = {}
    name: str | None = None
    for line in paragraph.split("\n"):
        match = _LABEL.match(line)
        if match:
            name = field_of(match[1])
            fields[name or ""] = line[match.end() :].strip()
        elif name:
            fields[name] += f"\n{line}"
        else:
            return {}
    return {key: value.strip() for key, value in fields.items() if key}


def is_heading(paragraph: str) -> bool:
    """Whether a paragraph is a short line that is no sentence."""
    return (
        "\n" not in paragraph
        and 0 < len(paragraph) <= _HEADING_LIMIT
        and not paragraph.rstrip("\"'”’)").endswith((".", "!", ":", ";", ","))
        and not _LABEL.match(paragraph)
    )
