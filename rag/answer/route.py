"""Decide what kind of question this is, from its words alone.

Routing is cheap and deterministic, and errs towards `single`, which can answer anything:
a wrong route still answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.types import Kind

LONG_QUESTION = 45
"""Words beyond which a message is read for the question it holds."""

_LEAST_ASKED = 4
"""Words that a sentence beside commands needs to be a question."""

_CONVERSATION = frozenset(
    """a about again all am and are bye can cheers could day do doing evening fine for friend good
    goodbye goodnight great greetings hallo have hello help hey hi hola how i im is it later lot
    me morning much nice night no now of ok okay one please pleased see so sorry speak sure
    thank thanks that thats the there this to today u ur very was well what whats who work works
    would yes you your yo bonjour salut merci danke gracias ciao afternoon wow cool perfect
    awesome nope yep bot assistant name meet""".split()
)
_OPENERS = frozenset(
    """bonjour bye cheers ciao danke goodbye good goodnight gracias greetings hallo hello hey hi
    hola merci salut thank thanks yo morning evening afternoon wow cool perfect awesome great ok
    okay nice yes no nope yep sorry please sure help""".split()
)
_ABOUT_ME = re.compile(
    r"^(who|what) (are|r) (you|u)\b|^what('?s| is) your name|^what can (you|i) (do|ask)\b"
    r"|^how (are|r) (you|u)\b|^how do(es)? (you|this|it) work\??$|^can you help( me)?\b.{0,12}$",
    re.I,
)

_COMMAND = re.compile(
    r"(?:^|(?<=[.!?] ))(?:please |now |and )*(?:ignore|disregard|forget|override)\b "
    r"(?:all |any |the |your |my |of |previous |prior |earlier |above |other )*"
    r"(?:instructions?|rules|prompts?)\b[^.?!,;]*"
    r"|\b(?:your|the) (?:system|hidden|initial) (?:prompt|instructions?|message)\b",
    re.I,
)
"""What is said to the program about itself, and asks nothing of the papers."""

_PAPERS = r"(?:papers|works|abstracts|studies|articles|publications|teams)"
_LIST = re.compile(
    rf"\b(?:which|what|how many|list|name|show|give|find|tell)\b"
    rf"(?: (?:me|us|all|of|the|these|those|other|different|new|any|every|here|in|this|"
    rf"[\w-]+(?= {_PAPERS}))){{0,5}} {_PAPERS}\b"
    rf"|^(?:all|any|every|each) (?:of the |the )?(?:[\w-]+ ){{0,3}}{_PAPERS}\b"
    r"|\bevery (?:single )?(?:paper|work|abstract|study|article)\b"
    rf"|\b(?:number|count) of (?:[\w-]+ ){{0,2}}{_PAPERS}\b"
    r"|^(?:and |so |ok )?whose (?:\w+ )?(?:results|methods?|work|models?|code|experiments|papers?) "
    r"(?:is|are|was|were|has|have|use)\b"
    r"|^(?:and |so |ok )?who (?:all |else )?(?!won|is|was|are|were|wrote|invented)[a-z]+s?\b"
    r"|^(?:(?:and|so|but|ok|then|now),? )*(?:which|how many) (?:one )?of "
    r"(?:them|these|those|the (?:two|three|four|five))\b"
    r"|^(?:(?:and|so|but|ok|then|now),? )*(?:do|does|did|is|are|was|were|has|have|can) "
    r"(?:any|some|one|all|none|either|both) of (?:them|these|those|the (?:two|three))\b"
    rf"|\b(?:which|how many) of (?:the|these|those) (?:[\w-]+ ){{0,3}}(?:{_PAPERS}|ones|methods|"
    r"approaches|algorithms|models|systems|datasets|benchmarks)\b"
    r"|^(?:list|enumerate|count)\b|^(?:(?:and|so|ok),? )*which ones\b"
    rf"|^(?:the )?(?:[\w-]+ ){{0,3}}{_PAPERS} (?:that|which|who|with|about|using|where)\b",
    re.I,
)
_SINGULAR = re.compile(
    r"^(?:is|are|was) there (?:a|an|any|some)\b|\bwhich (?:paper|work|abstract|study|article)\b",
    re.I,
)
_WITHIN = re.compile(
    r"\b(?:do|does|did) (?:they|it|he|she|the (?:authors?|paper|work)|this|that)\b|"
    r"\bin the paper\b",
    re.I,
)
_COMPARE = re.compile(
    r"(?:^|[,;:.] ?|\b(?:please|can you|could you) )(?:compare|contrast)\b|\bvs\b|\bversus\b"
    r"|\bdiffer(?:s|ent|ently|ence|ences)?\b|\bin common\b|\bsimilarit|\bboth\b|\beach\b"
    r"|\brespectively\b|\bamong\b|\bas opposed to\b|\bunlike\b",
    re.I,
)
_COUNT_WORD = r"(two|three|four|five|2|3|4|5)"
_COUNTED = re.compile(
    rf"\b{_COUNT_WORD} (?:[\w-]+ ){{0,4}}?(?:papers|works|studies|abstracts|methods|approaches|"
    r"articles|models|algorithms|ones)\b",
    re.I,
)
_THE_COUNTED = re.compile(
    rf"\b(?:the|these|those|both) {_COUNT_WORD} (?:[\w-]+ ){{0,4}}?{_PAPERS}\b", re.I
)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_OVERVIEW = re.compile(
    r"\b(?:what|which) (?:is|are|does) (?:this|the|these|my)? ?(?:collection|library|corpus|list|"
    r"pile|set|abstracts|papers)(?: of (?:papers|abstracts))? ?(?:all )?(?:about|cover|"
    r"on)?\b.{0,8}$"
    r"|\b(?:main|major|key|common|research|different) (?:themes|topics|areas|subjects|directions|"
    r"trends)\b"
    r"|\b(?:themes|topics|trends)\b.{0,30}\b(?:collection|library|corpus|papers|here)\b"
    r"|\boverview of (?:the|this|these|my|all)\b|\bwhat(?:'s| is) new (?:on|in|about|with)\b"
    r"|\bsummar(?:y|ise|ize) (?:of )?(?:the|this|my|all)(?: the)? (?:collection|library|corpus|"
    r"papers|abstracts)\b",
    re.I,
)
_SUMMARY = re.compile(r"\b(?:summar(?:y|ise|ize)|tl;?dr|gist of|sum up|in a nutshell)\b", re.I)
_QUESTION_START = re.compile(
    r"^(?:so|and|ok|but|well|anyway)?[:,]? ?(?:what|which|who|how|why|when|where|is|are|does|do|"
    r"did|can|could|has|have|tell|list|compare|give|name|find|explain|describe)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Route:
    """The kind of a question, and the part of the message that asks it.

    `count` is the number of papers the question speaks of ("the two RL works"), if any.
    """

    kind: Kind
    question: str
    count: int | None = None
    summary: bool = False


def has_question(text: str) -> bool:
    """Whether there is any letter or digit to go by."""
    return any(char.isalnum() for char in text)


def route(text: str) -> Route:
    """The route of a message, without its history."""
    question = core_question(text)
    if is_small_talk(text) or _only_commands(text):
        return Route("smalltalk", text.strip())
    if _OVERVIEW.search(question):
        return Route("overview", question)
    counted = _COUNTED.search(question)
    count = _NUMBERS[counted[1].lower()] if counted else None
    if is_comparison(question, count):
        return Route("compare", question, count)
    if is_list(question):
        return Route("list", question)
    return Route("single", question, summary=bool(_SUMMARY.search(question)))


def is_small_talk(text: str) -> bool:
    """Whether a message only greets, thanks, or asks about the program itself."""
    plain = re.sub(r"[^\w\s']", " ", text.lower()).strip()
    if _ABOUT_ME.search(plain):
        return True
    words = [word.replace("'", "") for word in plain.split()]
    return bool(words) and words[0] in _OPENERS and all(word in _CONVERSATION for word in words)


def _only_commands(text: str) -> bool:
    """Whether a message tells the program to drop its rules, and nothing more."""
    rest, commands = _COMMAND.subn(" ", text)
    asking = [part for part in re.split(r"[.?!]", rest) if len(part.split()) >= _LEAST_ASKED]
    return bool(commands) and not asking


def is_comparison(question: str, count: int | None) -> bool:
    """Whether at least two papers are set against each other."""
    if _THE_COUNTED.search(question):
        return True
    return bool(_COMPARE.search(question)) and (count is not None or _several(question))


def is_list(question: str) -> bool:
    """Whether the answer is a set of papers out of the whole library."""
    found = _LIST.search(question)
    if not found or _SINGULAR.search(question):
        return False
    return not _WITHIN.search(question[found.end() :])


def core_question(text: str) -> str:
    """The sentences of a long message that ask something; a short one as it stands."""
    plain = re.sub(r"\s+", " ", text).strip()
    if len(plain.split()) <= LONG_QUESTION:
        return plain
    parts = [part.strip() for part in re.split(r"(?<=[?!.])\s+|(?<=:)\s+", plain)]
    asking = [part for part in parts if part.endswith("?")] or [
        part for part in parts if _QUESTION_START.match(part)
    ]
    return " ".join(asking) or plain


def _several(question: str) -> bool:
    return bool(
        re.search(
            r"\bvs\b|\bversus\b|\w,? (?:and|from|with|to) (?:the |an? )?\w|\w, \w", question, re.I
        )
    )
