"""Find the papers that a question names or describes, each on its own.

"PCFM and the confidence mask paper" holds two mentions; each is looked up apart, so that one
side can never crowd out the other. A mention that leads nowhere is reported as missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.answer.facts import STOP, content, names
from rag.answer.turn import Turn
from rag.text import clean, fold, stems, words
from rag.types import Paper

_LEAST_TITLED = 2
DESCRIBED = 0.3
"""Cosine similarity from which a description is taken to mean its nearest paper."""

_SPLIT = re.compile(
    r"\s*(?:,|;|:|\?|\.\s|\s[-–—]\s|\bvs\b\.?|\bversus\b|\band\b|\bor\b|\bwith\b|\bfrom\b|\bto\b|"
    r"\bagainst\b|\bbetween\b|\bamong\b|\bboth\b|\bcompare[ds]?\b|\bcontrast\b|\bunlike\b)\s*",
    re.I,
)
_LEAD = re.compile(
    r"^(?:(?:what|which|how) (?:\w+ ){1,2}?(?:do|does|did)|so|ok|please|can you|could you|and|how|"
    r"what|which|who|where|why|do|does|did|is|are|"
    r"has|have|about|in|of|for|on|now|then|add|also|include|bring in|throw in|tell me|explain|"
    r"discuss|describe|the difference|"
    r"differences?)\b[\s,]*",
    re.I,
)
_TAIL = re.compile(
    r"\s*(?:['’]s\b.*|\b(?:each|both|differ\w*|start\w*|use[sd]?|using|works? (?!on\b)|handles?|"
    r"says?|does|do|is|are|was|were|has|have|when|which|what|how|who|whose|that|goes?|take[sn]?|"
    r"treat\w*|"
    r"approach(?:es)? (?:the|this)|respectively|in terms|propose[sd]?|make[sn]?|get[s]?|"
    r"report[s]?|prove[sn]?|shows?|finds?|solves?|claims?)\b.*)$",
    re.I,
)
_THING = (
    r"(?:paper|work|study|abstract|article|method|model|approach|framework|generator|algorithm|"
    r"technique|search|one|network|benchmark|toolkit|authors|papers|works)"
)
_THING_LAST = re.compile(rf"\b(?!one$){_THING}$", re.I)
_PAPER = re.compile(r"\b(?:papers?|works?|study|studies|abstract|article)$", re.I)
_THE_PAPER = re.compile(
    r"\b(?:the|that) (?:[\w/-]+ ){1,5}?(?:paper|work|study|abstract|article)\b", re.I
)
_PAPER_ON = re.compile(
    r"\b(?:the|that|another) (?:paper|work|study|abstract|article|one) (?:on|about|that|for)\b",
    re.I,
)
_ONE_PAPER = re.compile(r"^(?:one|an?|another)\b.*\b(?:paper|work|study|abstract|article)\b", re.I)
_DESCRIPTION = re.compile(rf"^(?:the|that|this|an?)\s+.*\w|.*\b{_THING}$", re.I)


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of a question that stands for a paper; `paper` None where none was found."""

    text: str
    paper: Paper | None


def find_mentions(turn: Turn, question: str) -> list[Mention]:
    """The papers a question names or describes, in order, each once; then what is missing.

    Where two papers are surely meant, other words of the question ("on ImageNet", "the images
    of each") do not bring in a third.
    """
    every = list(dict.fromkeys(phrases(question)))
    found: dict[str, Paper] = {}
    for accepts in (_in_title, _described_as_paper, _anything):
        if accepts is _anything and len(found) >= 2:
            break
        for phrase in every:
            text = _completed(phrase, question, every)
            paper = None if phrase in found else _look_up(turn, text, _ids(found))[0]
            if paper is not None and accepts(phrase, paper):
                found[phrase] = paper
    missing = [
        phrase for phrase in every
        if phrase not in found and _look_up(turn, phrase, _ids(found)) == (None, True)
    ]  # fmt: skip
    order = [phrase for phrase in every if phrase in found] + missing
    return [Mention(phrase, found.get(phrase)) for phrase in order]


def _completed(phrase: str, question: str, every: Sequence[str]) -> str:
    """Put what its sentence says of it behind "one RL paper"; "the ..." stands for itself."""
    if not _ONE_PAPER.match(phrase):
        return phrase
    parts = re.split(r"(?<=[.?!])\s", clean(question))
    rest = next((part for part in parts if phrase in part), "")
    for other in every:
        rest = rest.replace(other, " ")
    return f"{phrase} {' '.join(w for w in words(rest) if set(stems(w)) - STOP)}"


def _ids(found: Mapping[str, Paper]) -> set[str]:
    return {paper.paper_id for paper in found.values()}


def _described_as_paper(phrase: str, _: Paper) -> bool:
    return bool(_THING_LAST.search(phrase) or _PAPER_ON.search(phrase))


def _anything(_phrase: str, _paper: Paper) -> bool:
    return True


def names_several(turn: Turn, question: str) -> bool:
    """Whether a question names two papers or more, by title or as "the ... paper"."""
    sure = [p for p in phrases(question) if names(p) or _is_paper(p) or _THING_LAST.search(p)]
    if len(sure) < 2:
        return False
    found: set[str] = set()
    for phrase in sure:
        paper, _ = _look_up(turn, phrase, found)
        if paper is not None and (
            _is_paper(phrase) or _in_title(phrase, paper) or _titled(phrase, paper)
        ):
            found.add(paper.paper_id)
    return len(found) >= 2


def _is_paper(phrase: str) -> bool:
    """Whether a phrase says that it means a paper."""
    return bool(_PAPER.search(phrase) or _PAPER_ON.search(phrase))


def _in_title(phrase: str, paper: Paper) -> bool:
    title = fold(clean(paper.title))
    return any(re.search(rf"\b{re.escape(name)}", title) for name in names(phrase))


def _titled(phrase: str, paper: Paper) -> bool:
    """Whether a description of several words stands in a title as a whole."""
    wanted = _telling(phrase)
    return len(wanted) >= _LEAST_TITLED and wanted <= content(clean(paper.title))


def _telling(phrase: str) -> set[str]:
    """The words of a description without the "paper" or "method" at its end."""
    return content(re.sub(rf"\b{_THING}$", "", phrase, flags=re.I))


def phrases(question: str) -> list[str]:
    """The parts of a question that may stand for a paper: names and "the ... paper"."""
    result = []
    for part in _SPLIT.split(clean(question)):
        inner = _THE_PAPER.search(part)
        phrase = inner[0] if inner else _TAIL.sub("", _strip_lead(part))
        phrase = phrase.strip(" ,.?!\"'“”’")
        if phrase and content(phrase) and (names(phrase) or _DESCRIPTION.match(phrase)):
            result.append(phrase)
    return result


def named(turn: Turn, name: str, papers: Sequence[Paper]) -> Paper | None:
    """The paper that a name stands for: in its title, else where it occurs most, if in few."""
    pattern = re.compile(rf"\b{re.escape(name)}s?\b")
    titled = [p for p in papers if pattern.search(fold(clean(p.title)))]
    if len(titled) == 1:
        return titled[0]
    counts = {p: len(pattern.findall(fold(clean(p.text)))) for p in papers}
    holding = [p for p in papers if counts[p]]
    if holding and len(holding) <= 2:
        return max(holding, key=lambda p: counts[p])
    return None


def _look_up(turn: Turn, phrase: str, taken: set[str]) -> tuple[Paper | None, bool]:
    """The paper of a phrase, and whether the phrase surely stands for some paper."""
    hits = [hit for hit in turn.search(phrase, 5)]
    papers = [hit.paper for hit in hits]
    own = [] if _ONE_PAPER.match(phrase) else sorted(names(phrase), key=len, reverse=True)
    for name in own:
        paper = named(turn, name, papers)
        if paper is not None:
            return (None, False) if paper.paper_id in taken else (paper, True)
    if own and len(content(phrase)) == len(own):
        known = any(name in fold(clean(paper.text)) for name in own for paper in papers)
        return None, not known
    free = [hit for hit in hits if hit.paper.paper_id not in taken]
    if free and (free[0].dense >= DESCRIBED or _covers(free[0].paper, phrase)):
        return free[0].paper, True
    return None, bool(_PAPER.search(phrase))


def _covers(paper: Paper, phrase: str) -> bool:
    """Whether a paper has all words of a description."""
    wanted = _telling(phrase)
    return bool(wanted) and wanted <= content(f"{clean(paper.title)} {clean(paper.text)}")


def _strip_lead(part: str) -> str:
    phrase = part.strip()
    while (shorter := _LEAD.sub("", phrase)) != phrase:
        phrase = shorter
    return phrase
