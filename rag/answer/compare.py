"""Compare papers: find each, read each alone, and set verbatim spans side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.answer.facts import content
from rag.answer.mentions import Mention, find_mentions
from rag.answer.turn import Turn, refs, short_name
from rag.text import clean
from rag.types import (
    Cell,
    CellFound,
    Citation,
    Event,
    Paper,
    Row,
    Sentence,
    Table,
)

NOT_STATED = "not stated in the abstract"
MOST_PAPERS = 6
SENTENCE_WORDS = 90
"""Words that the synthesis spends on each paper."""

_ASPECT_FLOOR = 0.3
_GENERAL = "its problem, its approach and its findings"
_ASKED = "Asked about"
_CUES: dict[str, re.Pattern[str]] = {
    "Problem": re.compile(
        r"\b(?:challeng\w*|however|remain\w*|limit\w*|lack\w*|difficult\w*|struggl\w*|risks?|"
        r"problems?|"
        r"absent|unknown|underexplored|hinder\w*|fail\w*|costly?|poor|require[sd]? significant|"
        r"gap|constrain\w*|restrict\w*|misuse|cannot|neglected|often)\b", re.I,
    ),
    "Approach": re.compile(
        r"\b(?:we|our|this (?:paper|work|study)|in this (?:paper|work))\b.{0,60}\b(?:propos\w+|"
        r"introduc\w+|"
        r"present\w*|develop\w*|design\w*|investigat\w+|stud(?:y|ies)|analy[sz]\w+|formulat\w+|"
        r"reformulat\w+|extend\w*|decompos\w+|train\w*|provide\w*|demonstrat\w+ the existence)\b"
        r"|\b(?:called|dubbed|named)\b", re.I,
    ),
    "Data or setting": re.compile(
        r"\b(?:datasets?|benchmarks?|corpus|corpora|imagenet|mnist|cifar|coco|mujoco|tasks?|"
        r"environments?|(?:wide |broad )?range of|synthetic|real[- ]world|"
        r"experiments? (?:on|across|with)|"
        r"evaluat\w+ (?:\w+ )?on|"
        r"patients|participants|cohort)\b", re.I,
    ),
    "Findings": re.compile(
        r"\b(?:outperform\w*|results?|achiev\w+|improv\w+|superior|show(?:s|n|ing)?|prov(?:e|es|"
        r"ing)|"
        r"find(?:s|ings)?|found|establish\w*|guarantee\w*|better|faster|reduc\w+|exceed\w*|"
        r"consistent\w*|"
        r"demonstrat\w+|competitive)\b", re.I,
    ),
    "Code": re.compile(
        r"https?://(?:www\.)?git\S+|\b(?:code|models?|weights|dataset|"
        r"implementation)\b.{0,60}\b(?:available|released?|"
        r"provided|open[- ]sourced?|public\w*)\b|\breleas\w+ (?:the |our )?code\b|open[- ]source",
        re.I,
    ),
}  # fmt: skip
_ASKED_FOR = {
    "Problem": re.compile(
        r"\b(?:problem|challenge|shortcoming|weakness|limitation|drawback|motivation)s?\b", re.I
    ),
    "Code": re.compile(r"\b(?:code|github|open[- ]source\w*)\b", re.I),
}
"""Aspects that are a column of the table: its sentence tells them even as background."""
_OWN_WORK = re.compile(r"\b(?:we|our)\b", re.I)
_LATE = {"Findings": 0.8, "Code": 0.5, "Data or setting": 0.3, "Approach": -0.4, "Problem": -1.2}
_PARTS = re.compile(r"\b(?:stages?|steps?|phases?|parts?|components?|contributions?)\b", re.I)
_ORDINAL = re.compile(
    r"(?:(?:in|for|as) (?:the|a) )?(?:first|second|third|fourth|finally|lastly)(?:ly)?\b", re.I
)
_MOST_PARTS = 3
_CLUTTER = re.compile(
    r"\b(?:compare[ds]?|contrast|vs|versus|differ\w*|differences?|both|each|among|between|two|"
    r"three|"
    r"respectively|how|papers?|works?|and their)\b",
    re.I,
)
_COUNTED = re.compile(
    r"\b(?:(?:the|these|those) )?(?:two|three|four|five|[2-5]) (?:[\w-]+ ){0,4}?"
    r"(?:papers|works|studies|abstracts|articles)\b"
    r"|\b(?:in|by|of|for|from) (?:the )?(?:one|other|former|latter|first|second)\b",
    re.I,
)
_EACH = re.compile(r"\b(do|does|did|is|are) each(?: one)?(?: of (?:them|these))?\b ?", re.I)
_EDGE_WORDS = r"(?:do|does|did|and|or|is|are|of|from|in|on|by|for|with|to|the|i|get)"
_EDGE = re.compile(
    rf"^(?:[\W_]*\b{_EDGE_WORDS}\b)*[\W_]*|[\W_]*(?:\b{_EDGE_WORDS}\b[\W_]*)*$", re.I
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared: the papers, what was not found, and the aspect asked about."""

    papers: tuple[Paper, ...]
    missing: tuple[str, ...]
    aspect: str


def resolve(
    turn: Turn, question: str, count: int | None, *, known: Sequence[Paper] = (), add: bool = False
) -> Comparison:
    """The papers a comparison is about; `known` are those the talk has compared before."""
    mentions = find_mentions(turn, question) if count is None and (add or not known) else []
    found = [*known, *(m.paper for m in mentions if m.paper is not None and m.paper not in known)]
    if add:
        return Comparison(tuple(found[:MOST_PAPERS]), _missing(mentions), _GENERAL)
    if len(found) < 2 and not (found and _missing(mentions)):
        found = _counted(turn, question, count or 2, found)
    return Comparison(tuple(found[:MOST_PAPERS]), _missing(mentions), aspect_of(question, mentions))


def _missing(mentions: Sequence[Mention]) -> tuple[str, ...]:
    return tuple(m.text for m in mentions if m.paper is None)


def aspect_of(question: str, mentions: Sequence[Mention]) -> str:
    """The question without the papers it names, so that each is asked about itself only."""
    text = _EACH.sub(r"\1 it ", clean(question))
    for mention in mentions:
        name = rf"(?:\b(?:the|a|an) )?{re.escape(mention.text)}"
        text = re.sub(rf"(\b(?:do|does|did) ){name}(?!['’]s| and\b|,)", r"\1it ", text)
        text = re.sub(rf"{name}(?:['’]s)?", " ", text)
    text = _CLUTTER.sub(" ", _COUNTED.sub(" ", text))
    parts: list[str] = []
    for part in re.split(r"[,;:.?](?:\s|$)|\s[-–—]\s|\band (?=what|which|how)", text):
        plain = _EDGE.sub("", re.sub(r"\s+", " ", part))
        if content(plain) and not any(content(plain) <= content(other) for other in parts):
            parts.append(plain)
    return ", ".join(parts) or _GENERAL


def answer_compare(turn: Turn, comparison: Comparison) -> Iterator[Event]:
    """Show the table cell by cell, then say what each paper says about the aspect.

    Where a side is not in the library, that is said, and the other stands alone.
    """
    yield turn.show_evidence(_lead_sentences(turn, comparison))
    asked = [] if comparison.aspect == _GENERAL else [_ASKED]
    columns = [*_CUES, *asked]
    rows = []
    for paper in comparison.papers:
        cells = []
        for column, sentence in _cells(turn, paper, comparison.aspect).items():
            cell = _cell(turn, paper, sentence)
            cells.append(cell)
            shown = tuple(c for c in turn.draft.citations if c.n in cell.citations)
            yield CellFound(paper.paper_id, paper.title, column, cell, shown)
        rows.append(Row(paper.paper_id, tuple(cells)))
    turn.draft.table = Table(tuple(columns), tuple(rows))
    if comparison.missing:
        turn.draft.notices.append(
            "Not found in this library: " + "; ".join(f"“{m}”" for m in comparison.missing) + "."
        )
    for paper in comparison.papers:
        yield from _statement(turn, paper, comparison.aspect)


def _statement(turn: Turn, paper: Paper, aspect: str) -> Iterator[Event]:
    lead = f"{short_name(paper)}: "
    before = len(turn.draft.sentences)
    turn.restart(SENTENCE_WORDS)
    yield from turn.tell(paper, "aspect", lead=lead, aspect=aspect)
    said = [s for s in turn.draft.sentences[before:] if s.verdict != "unsupported"]
    if not said:
        best = _column_asked(aspect, turn.sentences(paper)) or turn.best_sentence(aspect, paper)
        yield from turn.quote(best, paper, lead)
    missed = turn.passed_by(aspect, paper, said) if said and aspect != _GENERAL else None
    cited = {c.start for c in turn.draft.citations if c.n in {n for s in said for n in s.citations}}
    column = _column_asked(aspect, turn.sentences(paper))
    if said and column is not None and column.start not in cited:
        missed = column
    for sentence in _enumerated(turn, paper, aspect) or ([missed] if missed else []):
        yield from turn.quote(sentence, paper)


def _column_asked(aspect: str, sentences: Sequence[Sentence]) -> Sentence | None:
    """The sentence of the table's column that an aspect asks for ("what problem ..."), if any."""
    asked = () if aspect == _GENERAL else _ASKED_FOR.items()
    column = next((name for name, words in asked if words.search(aspect)), None)
    return _best_for(column, sentences) if column else None


def _enumerated(turn: Turn, paper: Paper, aspect: str) -> list[Sentence]:
    """The sentences that take stages or parts one by one, where those are asked about."""
    if not _PARTS.search(aspect):
        return []
    return [s for s in turn.sentences(paper) if _ORDINAL.match(clean(s.text))][:_MOST_PARTS]


def _counted(turn: Turn, question: str, count: int, found: list[Paper]) -> list[Paper]:
    """The `count` papers that a description fits best, the model's margin deciding."""
    described = re.search(
        r"\b(?:two|three|four|five|[2-5]) ((?:[\w-]+ ){1,4}?)(?:papers|works|studies|abstracts|"
        r"methods|"
        r"approaches|articles|models|algorithms|ones)\b", question, re.I,
    )  # fmt: skip
    text = described[1] if described and content(described[1]) else question
    hits = turn.search(text, count + 2)
    rest = [h.paper for h in hits if h.paper not in found]
    if turn.reader.model.can_judge and len(rest) > count - len(found):
        margins = {p: turn.reader.margin(p, "asked_about", question) for p in rest}
        ranks = {p: -0.5 * i for i, p in enumerate(rest)}
        rest.sort(key=lambda p: -(margins[p] + ranks[p]))
    return [*found, *rest][:count]


def _cells(turn: Turn, paper: Paper, aspect: str) -> dict[str, Sentence | None]:
    sentences = turn.sentences(paper)
    cells = {column: _best_for(column, sentences) for column in _CUES}
    scores = turn.relevance(aspect, paper)
    best = max(range(len(sentences)), key=lambda i: scores[i], default=0)
    fits = bool(scores) and scores[best] >= _ASPECT_FLOOR
    if aspect != _GENERAL:
        cells[_ASKED] = sentences[best] if fits else None
    return cells


def _best_for(column: str, sentences: Sequence[Sentence]) -> Sentence | None:
    """The sentence with most cues for a column, those at its usual place first."""
    best, top = None, 0.0
    for i, sentence in enumerate(sentences):
        text = clean(sentence.text)
        cues = len(_CUES[column].findall(text))
        if not cues or (column == "Problem" and _OWN_WORK.search(text)):
            continue
        score = min(cues, 3) + _LATE[column] * i / max(len(sentences) - 1, 1)
        if best is None or score > top:
            best, top = sentence, score
    return best


def _cell(turn: Turn, paper: Paper, sentence: Sentence | None) -> Cell:
    if sentence is None:
        return Cell(NOT_STATED)
    return Cell(clean(sentence.text), (turn.draft.cite_sentence(paper, sentence),))


def _lead_sentences(turn: Turn, comparison: Comparison) -> tuple[Citation, ...]:
    found = [(paper, turn.best_sentence(comparison.aspect, paper)) for paper in comparison.papers]
    return tuple(
        Citation(n, paper.paper_id, paper.title, s.text, s.start, s.end, paper.files)
        for n, (paper, s) in enumerate(found, start=1)
        if s is not None
    )


def refuse_comparison(turn: Turn, comparison: Comparison) -> None:
    """Say that nothing of what is to be compared is in the library."""
    turn.draft.reason = "not_in_library"
    turn.draft.nearest = refs(list(comparison.papers))
    turn.draft.message = "None of the papers to be compared is in this library."
