"""Answer what the record itself knows: counts, years, authors, venues, and lists.

No abstract is read and the model is not asked; the answer is what the record holds, and where
it holds nothing, the answer says that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.answer.facts import content
from rag.answer.turn import Turn, refs
from rag.text import clean, fold
from rag.types import Event, Paper, PaperRef, Scanned

MOST_NAMED = 50
"""Papers named in one answer; the count is of all."""

_NOUN = r"(?:papers?|works?|abstracts?|articles?|publications?|studies|anything|something)"
_YEARS = re.compile(
    rf"\b{_NOUN}\b.{{0,30}}?\b(?P<how>from|in|of|since|after|before|between) (?:the year )?"
    r"(?P<first>(?:19|20)\d\d)(?:\s*(?:-|–|to|and|until|\.\.)\s*(?P<last>(?:19|20)\d\d))?\b",
    re.I,
)
_AUTHOR = re.compile(
    rf"\b(?:{_NOUN}|written|authored|wrote)\b.{{0,20}}\bby "
    r"(?P<name>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*)*)"
)
_BOTH = re.compile(
    r"\b(?:in|on) (?:both|all|several|more than one|two) (?:of the )?(?:lists|files|sources)\b",
    re.I,
)
_TOTAL = re.compile(
    rf"\bhow (?:many|large|big)\b.{{0,20}}\b(?:{_NOUN}|collection|library|corpus)\b"
    rf"|\b(?:number|count) of {_NOUN}\b",
    re.I,
)
_EMPTY = frozenset({"mani", "paper", "work", "abstract", "articl", "librari", "collect",
                    "corpus",
                    "public", "total", "altogeth", "list", "number", "count", "larg", "big",
                    "contain", "includ", "index"})  # fmt: skip
_ABOUT_PAPER = re.compile(
    r"\b(?:who (?:are|is|were) (?:the )?authors?|who wrote|authors? of|written by whom)\b"
    r"|\b(?:which|what) year\b|\bwhen was\b.*\bpublished\b"
    r"|\b(?:which|what) (?:venue|journal|conference)\b",
    re.I,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Selection:
    """Papers picked by the record, and the words that say how."""

    papers: tuple[Paper, ...]
    how: str
    known: bool = True


def select(turn: Turn, question: str) -> Selection | None:
    """The papers a question picks by year, author, list or all; None where it asks more."""
    papers = turn.library.papers(turn.scope)
    years = _YEARS.search(question)
    if years:
        low, high = _range(years)
        picked = tuple(p for p in papers if p.year is not None and low <= p.year <= high)
        return Selection(picked, f"dated {low}" + (f" to {high}" if high != low else ""),
                         any(p.year is not None for p in papers))  # fmt: skip
    author = _AUTHOR.search(question)
    if author:
        wanted = fold(author["name"]).rstrip(".")
        picked = tuple(p for p in papers if any(wanted in fold(name) for name in p.authors))
        return Selection(picked, f"by {author['name']}", any(p.authors for p in papers))
    if _BOTH.search(question):
        return Selection(
            tuple(p for p in papers if len(p.files) > 1), "that stand in more than one list"
        )
    if _TOTAL.search(question) and not content(question) - _EMPTY:
        return Selection(papers, "in this library")
    return None


def answer_selection(turn: Turn, selection: Selection) -> Iterator[Event]:
    """Say the count and name the papers, as the record has them."""
    total = len(turn.library.papers(turn.scope))
    yield Scanned(total, total)
    draft = turn.draft
    draft.scanned, draft.entries = (total, total), ()
    if not selection.known:
        draft.reason = "not_stated"
        draft.message = "The record of this library does not hold that for any paper."
        return
    if not selection.papers:
        draft.reason = "not_in_library"
        draft.message = f"No paper {selection.how} is in this library ({total} papers looked at)."
        return
    draft.entries = tuple(PaperRef(p.paper_id, p.title) for p in selection.papers)
    count = len(selection.papers)
    noun = "paper" if count == 1 else "papers"
    draft.message = f"{count} {noun} {selection.how}{_by_file(selection.papers)}:"
    for paper in selection.papers[:MOST_NAMED]:
        yield draft.say(clean(paper.title) + ".", (), "supported")
    if count > MOST_NAMED:
        draft.notices.append(f"{count - MOST_NAMED} more are not named here.")


def asks_record(question: str) -> bool:
    """Whether a question about one paper is about its authors, year or venue."""
    return bool(_ABOUT_PAPER.search(question))


def answer_record(turn: Turn, question: str, paper: Paper) -> None:
    """Say the authors, year or venue of a paper, or that the record has none."""
    if re.search(r"\bauthors?\b|\bwrote\b|\bwritten\b", question, re.I):
        what, value = "authors", ", ".join(paper.authors)
    elif re.search(r"\byear\b|\bwhen\b", question, re.I):
        what, value = "year", str(paper.year or "")
    else:
        what, value = "venue", paper.venue or ""
    turn.draft.nearest = refs([paper])
    if value:
        turn.draft.message = f"The record of “{clean(paper.title)}” gives as {what}: {value}."
    else:
        turn.draft.reason = "not_stated"
        turn.draft.message = (
            f"Neither the record nor the abstract of “{clean(paper.title)}” gives its {what}."
        )


def _range(match: re.Match[str]) -> tuple[int, int]:
    first = int(match["first"])
    last = int(match["last"] or first)
    how = (match["how"] or "").lower()
    if how in {"since", "after"} and not match["last"]:
        return first + (how == "after"), 9999
    if how == "before":
        return 0, first - 1
    return min(first, last), max(first, last)


def _by_file(papers: Sequence[Paper]) -> str:
    counts = Counter(name for paper in papers for name in paper.files)
    if len(counts) < 2:
        return ""
    return " (" + ", ".join(f"{n} in {name}" for name, n in sorted(counts.items())) + ")"
