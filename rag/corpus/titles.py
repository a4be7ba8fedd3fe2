"""Give each paper a title to show: given, extracted from its text, or generated from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.text import clean, fold, split_sentences
from rag.types import Record, TitleSource

_LONGEST = 11
_SHORTEST = 4

# Characters that are looked through: no abstract is longer, and text made to be slow is.
_READ = 10_000
_INTRODUCE = (
    r"(?:introduc|propos|present|develop|describ|releas|formulat|design|devis|creat|construct|"
    r"build|built|unveil|contribut)\w*"
)
_STUDY = (
    r"(?:stud|investigat|analy[sz]|examin|explor|provid|demonstrat|show|establish|prov|address|"
    r"reformulat|report|review|survey|evaluat|compar|deriv|consider|characteri[sz]|identif|"
    r"discuss|conduct|perform|measur|test|focus|assess|argu)\w*(?:\s+on)?"
)
_FILLER = r"(?:here|then|thus|therefore|further|also|additionally|first|next|finally|instead|now)"
_WE = r"\b(?:we|this (?:paper|work|study|article|thesis|report)|the authors)\b"
_INTRODUCTION = re.compile(rf"{_WE}(?:\s+\w+ly)?(?:\s+{_FILLER})?\s+{_INTRODUCE}\s", re.I)
_BY_PRESENTING = re.compile(rf"{_WE}[^.]{{0,300}}?\bby\s+{_INTRODUCE}\s", re.I)
_SECOND_THOUGHT = re.compile(r"\b(?:further|also|additionally|moreover|furthermore)\b", re.I)
_AND_INTRODUCE = re.compile(rf"{_WE}[^.]{{0,300}}?(?:,|\band\b)\s+{_INTRODUCE}\s", re.I)
_STATEMENT = re.compile(rf"{_WE}(?:\s+\w+ly)?(?:\s+{_FILLER})?\s+{_STUDY}\s", re.I)
_CALLED = re.compile(
    r"\b(?:call(?:ed)?|named?|dubbed|termed?|coin(?:ed)?|refer(?:red)? to as|denoted(?: as)?)\s+"
    r"(?:it\s+|this\s+)?",
    re.I,
)
_OUR = re.compile(
    r"\b[Oo]ur\s+(?:proposed\s+|new\s+|novel\s+)?([A-Za-z][\w+.-]*)\s+(?:algorithm|method|model|"
    r"framework|approach|system|architecture|network|toolkit|pipeline|benchmark|dataset)"
)
_ACRONYM = re.compile(r"\(([A-Za-z][A-Za-z0-9.+-]{1,19})\)(?!-)")
_INVERSE = re.compile(r"\b([A-Za-z][\w+.-]*)\s+\(([^()]{10,90})\)")
_TOKEN = re.compile(r"[A-Za-z][\w+.-]*")
_URL_NAME = re.compile(
    r"https?://(?:github|gitlab|bitbucket|codeberg)\.\w+/[\w.-]+/([\w.-]+)", re.I
)
_AFTER_NAME = re.compile(r"\s*(?:[,:;(—–.]|$|\b(?:that|which|to|for|as|in|with|an?|the|and|by)\b)")
_APPOSITIVE = re.compile(r"\s*(?:\([^()]*\)\s*)?[,:—–-]\s*(?=(?:an?|the(?: first)?)\s)")


def title_of(record: Record) -> tuple[str, TitleSource]:
    """Return the title to show and where it comes from.

    An extracted title is the name that the authors give their own work, with what it is;
    a generated one is the phrase that says what they did. Neither is ever empty.
    """
    given = clean(record.title or "")
    if given:
        return given, "given"
    text = clean(record.text[:_READ])
    spoken = [text[start:end] for start, end in split_sentences(text)]
    named = _own_name(text, spoken)
    if named:
        return named, "extracted"
    return _capital(_phrase(spoken) or _opening(text) or record.place), "generated"


# ---------------------------------------------------------------- extracted


@dataclass(frozen=True, slots=True)
class _Name:
    """A candidate: the name, what it stands for or is, and how strongly it is claimed."""

    name: str
    meaning: str
    weight: float


def _own_name(text: str, sentences: list[str]) -> str | None:
    """Return "Name: meaning" for the name the authors give their work, if they give one."""
    repositories = {fold(m[1].rstrip(".")) for m in _URL_NAME.finditer(text)}
    best: _Name | None = None
    for candidate in _candidates(text, sentences):
        uses = len(re.findall(rf"(?<!\w){re.escape(candidate.name)}(?!\w)", text))
        weight = candidate.weight + min(uses - 1, 2) + 3 * (fold(candidate.name) in repositories)
        if weight >= 2 and (best is None or weight > best.weight):
            best = _Name(candidate.name, candidate.meaning, weight)
    if best is None:
        return None
    return f"{best.name}: {best.meaning}" if best.meaning else best.name


def _candidates(text: str, sentences: list[str]) -> Iterator[_Name]:
    for sentence in sentences:
        later = -2.0 if _SECOND_THOUGHT.search(sentence) else 0.0
        claimed = [m.end() for m in _claims(sentence)]
        yield from _defined(sentence, claimed, later)
        yield from _direct(sentence, claimed, later)
        for match in _OUR.finditer(sentence):
            if _is_name(match[1]):
                yield _Name(match[1], "", 1 + later)
    yield from _from_url(text, sentences)


def _claims(sentence: str) -> Iterator[re.Match[str]]:
    for pattern in (_INTRODUCTION, _AND_INTRODUCE, _BY_PRESENTING, _CALLED):
        yield from pattern.finditer(sentence)


def _defined(sentence: str, claimed: list[int], later: float) -> Iterator[_Name]:
    """Names given with their long form: "Long Form (LF)" or "LF (Long Form)"."""
    for match in _ACRONYM.finditer(sentence):
        long = long_form(match[1], sentence[: match.start()])
        start = match.start() - len(long) - 1 if long else 0
        if long and _is_name(match[1]) and any(0 <= start - c < 60 for c in claimed):
            yield _Name(match[1], long, 3 + later)
    for match in _INVERSE.finditer(sentence):
        if _is_name(match[1]) and match.start() in claimed and long_form(match[1], match[2]):
            yield _Name(match[1], match[2], 3 + later)


def _direct(sentence: str, claimed: list[int], later: float) -> Iterator[_Name]:
    """Names that stand right after the verb, or close a phrase: "a new benchmark X"."""
    for start in claimed:
        token = _TOKEN.match(sentence, start)
        if token and _is_name(token[0]) and _AFTER_NAME.match(sentence, token.end()):
            meaning = _apposition(sentence, token.end()) or _kind_before(sentence, start)
            yield _Name(token[0].rstrip(".-"), meaning, 3 + later)
            continue
        object_ = re.match(r"(?:an?|the)\s+(?:[\w-]+\s+){1,6}", sentence[start:])
        for name in _TOKEN.finditer(sentence, start, start + (object_.end() if object_ else 0)):
            if _is_camel(name[0]) and _AFTER_NAME.match(sentence, name.end()):
                yield _Name(name[0], "", 1 + later)


def _from_url(text: str, sentences: list[str]) -> Iterator[_Name]:
    """A repository's name, when it is one word made of parts that the text uses."""
    for match in _URL_NAME.finditer(text):
        name = match[1].rstrip(".").removesuffix(".git")
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", name)
        before = fold(text[: match.start()])
        one_word = _is_camel(name) and name.count("-") + name.count("_") < 2
        if one_word and len(parts) > 1 and all(fold(part) in before for part in parts):
            yield _Name(name, _phrase(sentences), 0)


def long_form(short: str, before: str) -> str:
    """Return the long form that ends `before` and that `short` abbreviates, or "".

    The method is that of Schwartz and Hearst (2003): match the letters from the right; the
    first must start a word. Digits and a plural s need no match.
    """
    letters = [c for c in fold(short.removesuffix("s") if len(short) > 2 else short) if c.isalpha()]
    words = before.rstrip().split()
    window = " ".join(words[-min(len(letters) + 5, len(letters) * 2) :])
    folded = window.lower()
    if not letters or len(folded) < len(short) + 2:
        return ""
    place = len(folded)
    for n in range(len(letters) - 1, -1, -1):
        place -= 1
        while place >= 0 and (
            folded[place] != letters[n] or (n == 0 and place > 0 and folded[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return ""
    found = window[place:]
    return found if len(found.split()) > 1 or "-" in found else ""


def _is_name(token: str) -> bool:
    """Whether a token looks like a name: two capitals, or a capital or digit inside."""
    return sum(c.isupper() for c in token) >= 2 or _is_camel(token)


def _is_camel(token: str) -> bool:
    return bool(re.search(r"[a-z][A-Z]|[A-Z]{2}|[A-Za-z]-?\d", token)) and not token.isdigit()


def _apposition(sentence: str, end: int) -> str:
    """What a name is said to be: "X, a new model of trees" gives "model of trees"."""
    match = _APPOSITIVE.match(sentence, end)
    return _trim(sentence[match.end() :]) if match else ""


def _kind_before(sentence: str, start: int) -> str:
    """What stands before "called X": "propose a robust method, called X"."""
    match = re.search(rf"{_INTRODUCE}\s+((?:an?|the)\s[^,.;]+),?\s*\w+\s+$", sentence[:start], re.I)
    return _trim(match[1]) if match else ""


# ---------------------------------------------------------------- generated

_LEAD = re.compile(
    r"^(?:(?:an?|the|two|three|several|some)\s+)?"
    r"(?:(?:first|new|novel|simple|comprehensive|systematic|general|extensive|quantitative|"
    r"detailed|in-depth|thorough|careful|existing|fundamental)(?:,?\s+(?:and\s+)?))*"
    r"(?:(?:existence|study|analysis|investigation|examination|evaluation|review|survey|concept|"
    r"problem|notion|comparison|use|effect) of (?:(?:the|an?)\s+)?|"
    r"(?:approach|method|technique|framework) based on (?:(?:the|an?)\s+)?)?",
    re.I,
)
_STOP = re.compile(
    r"\s*(?:[.;:!?]|,(?!\s*namely)|\s—\s|\s--\s|\(|\s(?:while|whereas|although|because|since|so|"
    r"where|when|thereby|under|without|using|via|guided|trained|capable|showing|assuming|"
    r"and (?:conduct|show|demonstrate|propose|prove|evaluate|analy[sz]e|provide|present|derive)|"
    r"directly|(?:on|in|across|over|for) an? (?:wide|broad|large|diverse)|"
    r"in (?:this|the context)|by \w+ing)\b).*$",
    re.I | re.S,
)
_CLAUSE = re.compile(r"\s(?:that|which|who|in order to|to (?=[a-z]+\b))\s?.*$", re.S)
_JOINTS = frozenset(
    "of in on for to and or with from by as at into over between that which is are not can than "
    "within across through during toward towards between among".split()
)
_POINTER = re.compile(
    r"^(?:that|those|it|how|whether|why|them|us|here|its|their|both|each)\b|"
    r"\b(?:this|these|such|our|said)\b",
    re.I,
)
_LOOSE_END = re.compile(
    r"\s+(?:of|in|on|for|to|and|or|with|from|by|as|at|the|an?|into|over|between|that|which|is|"
    r"are|not|can|than|its|their|within|across|such|through|during|toward|towards)$",
    re.I,
)


def _phrase(sentences: list[str]) -> str:
    """Return the phrase that says what the authors did, from 4 to 11 words where possible."""
    fallback = ""
    for pattern in (_INTRODUCTION, _AND_INTRODUCE, _STATEMENT, _BY_PRESENTING):
        for sentence in sentences:
            if pattern is not _STATEMENT and _SECOND_THOUGHT.search(sentence):
                continue
            for match in pattern.finditer(sentence):
                phrase = _trim(sentence[match.end() :])
                if phrase and len(phrase.split()) >= _SHORTEST:
                    return phrase
                fallback = fallback or phrase
    return fallback


def _trim(rest: str) -> str:
    """Cut an object phrase down to its core, without article, praise or clauses."""
    rest = re.sub(r"\s*\([^()]*\)", "", rest)
    whole = _STOP.sub("", _LEAD.sub("", rest, count=1)).replace(", namely", ":")
    core = _CLAUSE.sub("", whole)
    phrase = core if len(core.split()) >= _SHORTEST else whole
    return "" if _POINTER.search(phrase) else _tidy(_shorten(phrase.split()))


def _shorten(words: list[str]) -> str:
    """Cut a long phrase before its last joining word, so that it does not end halfway."""
    if len(words) <= _LONGEST:
        return " ".join(words)
    joints = [n for n in range(_SHORTEST, _LONGEST + 1) if words[n].lower() in _JOINTS]
    return " ".join(words[: joints[-1] if joints else _LONGEST])


def _tidy(phrase: str) -> str:
    previous = None
    while previous != phrase:
        previous, phrase = phrase, _LOOSE_END.sub("", phrase.strip(" ,;:-—"))
    return phrase


def _opening(text: str) -> str:
    return _tidy(" ".join(text.split()[: _LONGEST - 2])).rstrip(".")


def _capital(phrase: str) -> str:
    first = phrase.split(" ", 1)[0]
    return phrase if any(c.isupper() for c in first) else phrase[:1].upper() + phrase[1:]
