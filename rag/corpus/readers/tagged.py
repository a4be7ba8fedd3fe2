"""Read exports of tagged lines: RIS, PubMed (MEDLINE), Web of Science and EndNote.

No library is used, since none reports the line of a record or survives the preambles,
wrapped lines and empty tags that portals write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag.corpus.readers.fields import Place, build
from rag.types import Record, Skip


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How a format marks its lines; `line` has the groups tag and value.

    A field is read from the first of its tags that a record has.
    """

    line: re.Pattern[str]
    starts: frozenset[str]
    ends: frozenset[str]
    fields: dict[str, tuple[str, ...]]
    wrapped: re.Pattern[str]


def _tags(**fields: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(tags.split()) for name, tags in fields.items()}


_ANY_LINE = re.compile(r"(?P<rest>.*\S)")
_INDENTED = re.compile(r"\s+(?P<rest>\S.*)")

_RIS = _Dialect(
    re.compile(r"(?P<tag>[A-Z][A-Z0-9])  ?- ?(?P<value>.*)"),
    frozenset({"TY"}),
    frozenset({"ER"}),
    _tags(
        title="TI T1 CT", text="AB N2", authors="AU A1", year="PY Y1 DA", venue="T2 JO JF JA BT",
        doi="DO", url="UR", source_id="ID AN U2",
    ),
    _ANY_LINE,
)  # fmt: skip
_MEDLINE = _Dialect(
    re.compile(r"(?P<tag>[A-Z][A-Z0-9]{1,3}) *- (?P<value>.*)"),
    frozenset({"PMID"}),
    frozenset(),
    _tags(title="TI", text="AB", authors="FAU AU", year="DP", venue="JT TA", source_id="PMID",
          doi="LID AID"),
    _INDENTED,
)  # fmt: skip
_WEB_OF_SCIENCE = _Dialect(
    re.compile(r"(?P<tag>[A-Z][A-Z0-9])(?: (?P<value>.*))?"),
    frozenset({"PT"}),
    frozenset({"ER"}),
    _tags(title="TI", text="AB", authors="AF AU", year="PY", venue="SO", doi="DI",
          source_id="UT"),
    _INDENTED,
)  # fmt: skip
_ENDNOTE = _Dialect(
    re.compile(r"%(?P<tag>[0-9A-Z@!$&()*+^>\[\]~<?=]) (?P<value>.*)"),
    frozenset({"0"}),
    frozenset(),
    _tags(title="T", text="X", authors="A", year="D", venue="J B", doi="R", url="U",
          source_id="F M"),
    _ANY_LINE,
)  # fmt: skip
_SIGNS = (
    (re.compile(r"^TY  ?- ?\S", re.M), _RIS),
    (re.compile(r"^PMID *- ", re.M), _MEDLINE),
    (re.compile(r"^PT [A-Z]\s*$", re.M), _WEB_OF_SCIENCE),
    (re.compile(r"^%0 \S", re.M), _ENDNOTE),
)


def fits(text: str) -> bool:
    """Whether the text has the first line of a tagged record."""
    return _dialect(text) is not None


def _dialect(text: str) -> _Dialect | None:
    found = [(m.start(), d) for sign, d in _SIGNS if (m := sign.search(text))]
    return min(found, key=lambda pair: pair[0])[1] if found else None


@dataclass(slots=True)
class _Draft:
    """A record as it is being read: its first line, and (tag, value) pairs."""

    line: int
    values: list[tuple[str, list[str]]] = field(default_factory=list)

    def wrap(self, rest: str) -> None:
        """Go on with the last value, unless it was left empty."""
        if self.values and self.values[-1][1] != [""]:
            self.values[-1][1].append(rest)


def read(text: str, file: str) -> Iterator[Record | Skip]:
    """Yield a record for each block of tagged lines."""
    dialect = _dialect(text)
    if dialect is None:
        return
    for draft in _drafts(text, dialect):
        yield _record(Place(file, f"line {draft.line}"), draft, dialect)


def _drafts(text: str, dialect: _Dialect) -> Iterator[_Draft]:
    draft: _Draft | None = None
    for number, line in enumerate(text.split("\n"), 1):
        match = dialect.line.fullmatch(line.rstrip())
        if match and match["tag"] in dialect.starts:
            if draft:
                yield draft
            draft = _Draft(number)
        if draft and match and match["tag"] in dialect.ends:
            yield draft
            draft = None
        elif draft and match:
            draft.values.append((match["tag"], [(match["value"] or "").strip()]))
        elif draft and (wrapped := dialect.wrapped.fullmatch(line.rstrip())):
            draft.wrap(wrapped["rest"].strip())
    if draft:
        yield draft


def _record(place: Place, draft: _Draft, dialect: _Dialect) -> Record | Skip:
    by_tag: dict[str, list[list[str]]] = {}
    for tag, lines in draft.values:
        if any(lines):
            by_tag.setdefault(tag, []).append(lines)
    fields = {
        name: _value(name, next((by_tag[tag] for tag in tags if tag in by_tag), [[]]), dialect)
        for name, tags in dialect.fields.items()
    }
    return build(place, fields)


def _value(name: str, values: list[list[str]], dialect: _Dialect) -> object:
    """Make a field of the values of its tag, each a list of lines."""
    lines = [line for value in values for line in value]
    if name == "authors":
        return lines
    if name == "doi" and dialect is _MEDLINE:
        found = (line for line in lines if line.endswith("[doi]"))
        return next((line.removesuffix("[doi]") for line in found), None)
    return " ".join(lines if name == "text" else values[0])
