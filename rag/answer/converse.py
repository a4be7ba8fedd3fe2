"""Read a message in the light of the talk so far: what it refers to, and what it asks anew.

Nothing of the history is put into a prompt; it only decides which papers are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.answer.facts import content, names
from rag.text import stems
from rag.types import Answer

SWITCH_GAIN = 0.1
"""A message switches the topic when another paper is nearer by so much cosine similarity."""

SWITCH_FLOOR = 0.3

_SHORT = 3
_POINTING = frozenset(
    stems(
        "first second third fourth last former latter other one paper tell me say know find here "
        "summarise summarize summary gist"
    )
)
_PRONOUN = re.compile(
    r"\b(?:it|its|itself|they|them|their|theirs|he|his|she|her|these|those|"
    r"(?:the|this|that|their) (?:paper|work|method|approach|model|study|authors?|same|algorithm|"
    r"framework|"
    r"dataset|data|system)|(?:the )?(?:former|latter)|the (?:first|second|third|fourth|last|"
    r"other)(?: one| paper)?|such (?!as\b))\b"
    r"|\b(?:does|do|did|is|was|of|about|for|with|by|in|has|can|would) (?:this|that)\b"
    r"|\bof the (?:two|three|four|five)\b|^(?:this|"
    r"that)\b",
    re.I,
)
_PLURAL = re.compile(
    r"\b(?:they|them|their|theirs|these|those|both|each|all of|either|neither|"
    r"of the (?:two|three|four|five))\b",
    re.I,
)
_LEAD = re.compile(
    r"^(?:and|but|also|ok(?:ay)?|so|then|what about|how about|why|really|any)\b", re.I
)
_ADD = re.compile(r"^(?:please |now |and |also )*(?:add|include|bring in|throw in)\b", re.I)
_REWORK = re.compile(
    r"\b(?:shorter|shorten|simpler|simplif\w+|briefer|as (?:a )?bullets?(?: points)?|"
    r"bullet points?|in bullets|"
    r"in (?:one|two|a single) sentences?|in plain (?:words|english|language)|for (?:a )?(?:child|"
    r"layperson|beginner)|"
    r"rephrase|reword|(?:in|into|auf|en) (?:german|french|spanish|italian|portuguese|dutch|chinese|"
    r"japanese|russian|english|deutsch|espa[nñ]ol|fran[cç]ais))\b",
    re.I,
)
_LANGUAGE = re.compile(
    r"\b(?:in|into|auf|en) (german|french|spanish|italian|portuguese|dutch|chinese|japanese|"
    r"russian|"
    r"english|deutsch|espa[nñ]ol|fran[cç]ais)\b", re.I,
)  # fmt: skip
_OWN_NAMES = {"deutsch": "German", "español": "Spanish", "espanol": "Spanish", "français": "French",
              "francais": "French"}  # fmt: skip
_ORDINALS = {
    "first": 0,
    "former": 0,
    "second": 1,
    "latter": -1,
    "third": 2,
    "fourth": 3,
    "last": -1,
}


@dataclass(frozen=True, slots=True)
class Reference:
    """What a message refers to: ids of papers spoken of, and how it depends on them."""

    paper_ids: tuple[str, ...] = ()
    pronoun: bool = False
    plural: bool = False
    elliptic: bool = False
    add: bool = False


def last_answer(history: Sequence[Answer]) -> Answer | None:
    """The last turn that spoke of papers."""
    for answer in reversed(history):
        if answer.kind != "smalltalk" and (answer.citations or answer.nearest or answer.entries):
            return answer
    return None


def refer(question: str, history: Sequence[Answer]) -> Reference:
    """Which papers of the talk a message is about, if any."""
    answer = last_answer(history)
    if answer is None:
        return Reference()
    spoken = papers_of(answer)
    pronoun = bool(_PRONOUN.search(question))
    short = len(content(question)) <= _SHORT and not names(question)
    elliptic = bool(_LEAD.search(question)) or short
    add = bool(_ADD.search(question)) and len(spoken) > 1
    if not (pronoun or elliptic or add):
        return Reference()
    plural = bool(_PLURAL.search(question)) and len(spoken) > 1
    picked = _ordinal(question, spoken)
    return Reference(
        picked or spoken, pronoun or bool(picked), plural and not picked, elliptic, add
    )


def only_points(question: str) -> bool:
    """Whether a message only points at a paper ("and the second one?") and asks nothing of it."""
    return not content(question) - _POINTING


def is_thanks(text: str) -> bool:
    """Whether a message of small talk says thanks."""
    return bool(re.search(r"\b(?:thank|thanks|thx|cheers|merci|danke|gracias)\b", text, re.I))


def papers_of(answer: Answer) -> tuple[str, ...]:
    """The papers an answer spoke of, the main one first."""
    if answer.table is not None:
        return tuple(row.paper_id for row in answer.table.rows)
    if answer.entries:
        return tuple(entry.paper_id for entry in answer.entries)
    cited = {citation.n: citation.paper_id for citation in answer.citations}
    used = [cited[n] for s in answer.sentences for n in s.citations if n in cited]
    if used:
        return tuple(dict.fromkeys(used))
    return tuple(ref.paper_id for ref in answer.nearest[:1])


def wants_rework(question: str, history: Sequence[Answer]) -> bool:
    """Whether a message asks for the last answer in another form."""
    answer = last_answer(history)
    if answer is None or answer.abstained or len(question.split()) > 10:
        return False
    return bool(_REWORK.search(question)) and not names(question)


def language_wanted(question: str) -> str | None:
    """The language a rework asks for, if any."""
    found = _LANGUAGE.search(question)
    if not found:
        return None
    return _OWN_NAMES.get(found[1].lower(), found[1].capitalize())


def _ordinal(question: str, spoken: Sequence[str]) -> tuple[str, ...]:
    found = re.search(
        r"\b(?:the )?(first|second|third|fourth|last|former|latter)\b", question, re.I
    )
    if not found or len(spoken) < 2:
        return ()
    place = _ORDINALS[found[1].lower()]
    return (spoken[place],) if place < len(spoken) else ()
