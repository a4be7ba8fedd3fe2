"""Turn loosely named fields of many exports into one record."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rag.text import strip_tags
from rag.types import Record, Skip

_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_INITIALS = re.compile(r"(?<=\.),\s+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SPACES = re.compile(r"\s+")
_NAMES = {
    "title": "title article_title document_title ti t1 primary_title paper_title name display_name "
    "st",
    "text": "abstract text abstract_note abstracttext abstract_text ab summary n2 description "
    "paper_abstract",
    "authors": "authors author author_full_names au author_names author_s creators creator "
    "first_authors a1 authors_list authorships",
    "year": "year publication_year py pub_year date publication_date y1 published issued da "
    "coverdate cover_date create_date",
    "venue": "venue journal source_title publication_title booktitle journal_name so "
    "conference_name journal_book container_title publication_name journaltitle source t2 jo jf "
    "conference secondary_title journal_title",
    "doi": "doi di do",
    "arxiv": "arxiv arxiv_id arxivid eprint",
    "url": "url urls link ur landing_page_url pdf_url",
    "source_id": "_id id key paper_id paperid pmid eid accession_number ut accession citation_key "
    "doc_id docid corpusid uid",
}
_FIELD_OF = {name: field for field, names in _NAMES.items() for name in names.split()}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: the file, and the line, row or record in it."""

    file: str
    place: str

    def skip(self, reason: str) -> Skip:
        """Return the note that this place cannot be used."""
        return Skip(self.file, self.place, reason)


def field_of(name: str) -> str | None:
    """Return the field that a column or key stands for, or None."""
    snake = _CAMEL.sub("_", name.strip().lstrip("\ufeff")).lower()
    plain = re.sub(r"[^a-z0-9]+", "_", snake)
    return _FIELD_OF.get(plain if plain == "_id" else plain.strip("_"))


def build(place: Place, fields: Mapping[str, Any], collection: str | None = None) -> Record | Skip:
    """Return a record of fields named as in `Record`, or why there is none."""
    title = one_line(fields.get("title"))
    text = string(fields.get("text"))
    if not title and not text:
        return place.skip("neither a title nor an abstract")
    return Record(
        text=text,
        file=place.file,
        place=place.place,
        title=title or None,
        source_id=one_line(fields.get("source_id")) or None,
        doi=one_line(fields.get("doi")) or None,
        arxiv=one_line(fields.get("arxiv")) or None,
        authors=people(fields.get("authors")),
        year=year(fields.get("year")),
        venue=one_line(fields.get("venue")) or None,
        url=one_line(fields.get("url")) or None,
        collection=collection,
    )


def string(value: Any) -> str:  # noqa: ANN401
    """Return a text value without markup and surrounding space; lists are joined."""
    if value is None or isinstance(value, bool) or value != value:
        return ""
    if isinstance(value, list | tuple):
        return " ".join(filter(None, (string(item) for item in value)))
    if isinstance(value, Mapping):
        return string(next((value[k] for k in ("value", "name", "text") if k in value), None))
    return _usable(strip_tags(str(value))).strip()


def _usable(text: str) -> str:
    """Replace what no database or encoder takes: NUL and halves of surrogate pairs."""
    return text.replace("\0", " ").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def one_line(value: Any) -> str:  # noqa: ANN401
    """Return a text value on one line; of a list the first."""
    if isinstance(value, list | tuple):
        value = next((item for item in value if item), None)
    return _SPACES.sub(" ", string(value)).strip()


def year(value: Any) -> int | None:  # noqa: ANN401
    """Return the first year that stands in a value: a number, a date, CSL date parts."""
    if isinstance(value, Mapping):
        value = value.get("date-parts") or value.get("value") or value.get("raw")
    match = _YEAR.search(str(value)) if value is not None else None
    return int(match[1]) if match else None


def people(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return names from a list, a list of objects, or a line of names."""
    if value is None:
        return ()
    if isinstance(value, Mapping):
        return people(value["value"]) if "value" in value else _clean_names([_person(value)])
    if isinstance(value, list | tuple):
        return _clean_names([_person(item) for item in value])
    return _clean_names(_split_names(str(value)))


def _clean_names(names: Iterable[str]) -> tuple[str, ...]:
    plain = (one_line(name).strip(" ,;") for name in names)
    return tuple(dict.fromkeys(name for name in plain if name and name.lower() != "nan"))


def _person(value: Any) -> str:  # noqa: ANN401
    if not isinstance(value, Mapping):
        return string(value)
    if isinstance(value.get("author"), Mapping):
        return _person(value["author"])
    given = value.get("given") or value.get("firstName") or value.get("first")
    family = value.get("family") or value.get("lastName") or value.get("last")
    whole = " ".join(string(part) for part in (given, family) if part)
    return whole or string(
        value.get("name") or value.get("display_name") or value.get("literal")
        or value.get("fullname") or value.get("value")
    )  # fmt: skip


def _split_names(line: str) -> list[str]:
    """Split a line of names, by the marks that exports use."""
    line = line.strip()
    if line.startswith("[") and line.endswith("]"):
        try:
            return [str(name) for name in ast.literal_eval(line)]
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            line = line[1:-1]
    for mark in (r"\s*;\s*", r"\s*\|\s*", r"\s+and\s+"):
        if re.search(mark, line):
            return re.split(mark, line)
    if _INITIALS.search(line):
        return _INITIALS.split(line)
    parts = line.split(",")
    return parts if len(parts) > 1 and all(" " in part.strip() for part in parts) else [line]
