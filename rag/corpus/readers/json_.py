"""Read JSON and JSONL: OpenReview, Semantic Scholar, OpenAlex, Crossref, CSL, Zotero, plain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rag.corpus.readers.fields import Place, build, field_of, one_line, string
from rag.types import Record, Skip

_CONTAINERS = ("notes", "results", "data", "items", "papers", "articles", "records", "documents",
               "message", "response", "docs", "entries", "works", "hits")  # fmt: skip
_MILLISECONDS = 10**11
_MAX_DEPTH = 100
_MOST_DIGITS = 20
_BEGUN = re.compile(r'\{\s*"|\[\s*(?:\{\s*"|\[)')
_BETWEEN = re.compile(r"[\s,]*")


def fits(text: str) -> bool:
    """Whether the text starts like JSON that can be parsed, whole or by lines."""
    start = text.lstrip()
    if start[:1] not in ("{", "["):
        return False
    first = start.split("\n", 1)[0]
    return _BEGUN.match(start) is not None or _parse(first) is not None or _parse(text) is not None


def _parse(text: str) -> Any:  # noqa: ANN401
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _number(digits: str) -> int | str:
    """A whole number; one of more digits than any field has stays text."""
    return int(digits) if len(digits) < _MOST_DIGITS else digits


_DECODER = json.JSONDecoder(parse_int=_number)


def read(text: str, file: str) -> Iterator[Record | Skip]:
    """Yield a record for each object, in a list, in a known container, or one a line."""
    whole = _parse(text)
    if whole is None and text.lstrip().startswith("["):
        yield from _read_damaged(text, file)
        return
    if whole is None:
        yield from read_lines(text.split("\n"), file)
        return
    for number, item in enumerate(_items(whole), 1):
        yield _record(Place(file, f"record {number}"), item)


def _read_damaged(text: str, file: str) -> Iterator[Record | Skip]:
    """Yield the whole records of a list that is cut off or damaged, and where that begins."""
    at, number = text.index("[") + 1, 1
    while True:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        try:
            item, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            place = Place(file, f"record {number}")
            yield place.skip("not valid JSON from here on; the file may be cut off")
            return
        yield _record(Place(file, f"record {number}"), item)
        number += 1


def read_lines(lines: Iterable[str], file: str) -> Iterator[Record | Skip]:
    """Yield a record for each line that holds an object."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = Place(file, f"line {number}")
        item = _parse(line)
        yield place.skip("not valid JSON") if item is None else _record(place, item)


def _items(value: Any) -> list[Any]:  # noqa: ANN401
    """Return the records of a parsed file: the list itself, or what its container holds."""
    for _ in range(_MAX_DEPTH):
        if isinstance(value, list):
            return value
        inner = next(
            (value[k] for k in _CONTAINERS if isinstance(value.get(k), list | dict)
             and not _has_title(value)), None,
        )  # fmt: skip
        if inner is None:
            return [value]
        value = inner
    return []


def _has_title(value: Mapping[str, Any]) -> bool:
    return any(field_of(key) in ("title", "text") for key in value)


def _record(place: Place, item: Any) -> Record | Skip:  # noqa: ANN401
    if not isinstance(item, dict):
        return place.skip("not an object with fields")
    for wrapper in ("content", "_source", "data"):
        if isinstance(item.get(wrapper), dict) and not _has_title(item):
            item = {**item, **item[wrapper]}
    flat = {key: _unwrap(value) for key, value in item.items()}
    fields: dict[str, Any] = {}
    for key, value in flat.items():
        name = field_of(key)
        if name and value not in (None, "", [], {}) and (name not in fields or key == "_id"):
            fields[name] = value
    return build(place, {**fields, **_special(flat)})


def _unwrap(value: Any) -> Any:  # noqa: ANN401
    """Return the value inside OpenReview's second form, {"value": …}."""
    return value["value"] if isinstance(value, dict) and set(value) == {"value"} else value


def _special(item: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that some services keep in a shape of their own."""
    found: dict[str, Any] = {}
    if isinstance(item.get("abstract_inverted_index"), dict):
        found["text"] = _uninvert(item["abstract_inverted_index"])
    outside = item.get("externalIds") or item.get("ids") or {}
    if isinstance(outside, dict):
        ids = {str(key).lower(): value for key, value in outside.items()}
        found |= {name: ids[name] for name in ("doi", "arxiv") if ids.get(name)}
    moment = item.get("pdate") or item.get("cdate")
    if isinstance(moment, int) and moment > _MILLISECONDS and not item.get("year"):
        found["year"] = 1970 + int(moment / 31_556_952_000)
    venue = _venue(item)
    return found | ({"venue": venue} if venue else {}) | _zotero(item)


def _venue(item: dict[str, Any]) -> str:
    location = item.get("primary_location")
    if isinstance(location, dict) and isinstance(location.get("source"), dict):
        return one_line(location["source"].get("display_name"))
    host = item.get("host_venue")
    return one_line(host.get("display_name")) if isinstance(host, dict) else ""


def _zotero(item: dict[str, Any]) -> dict[str, Any]:
    """Keep authors only, where a list of creators has editors and others too."""
    creators = item.get("creators")
    if not isinstance(creators, list):
        return {}
    authors = [c for c in creators if isinstance(c, dict) and c.get("creatorType") == "author"]
    return {"authors": authors or creators}


def _uninvert(index: dict[str, Any]) -> str:
    """Return the abstract that OpenAlex keeps as places of words."""
    places = [
        (n, word) for word, spots in index.items() if isinstance(spots, list)
        for n in spots if isinstance(n, int)
    ]  # fmt: skip
    return string(" ".join(word for _, word in sorted(places)))
