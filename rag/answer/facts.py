"""Read the checkable parts of a sentence: numbers, names, negation, direction.

Everything works on cleaned text. These are the parts that a fluent wrong answer gets
wrong, so each is compared apart from the words around it.
"""

from __future__ import annotations

import re

from rag.text import fold, stems

_NUMBER_WORDS = {
    "zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20",
    "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "thousand": "1000",
    "half": "50", "twice": "2", "double": "2", "triple": "3", "thrice": "3",
}  # fmt: skip
_NUMBER = re.compile(r"(?:(?<=\dx)|(?<![\w.]))\d+(?:[.,]\d+)*")
_NAME = re.compile(r"\b(?:[A-Za-z]*[a-z][A-Z][\w+-]*|[A-Z]{2,}[\w+-]*|[A-Z][A-Za-z]*-?\d[\w.-]*)\b")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|fails?|failed|lacks?|lacking|unable|"
    r"hardly|barely|absent|absence)\b|n['’]t\b",
    re.I,
)
_COUNTED = re.compile(
    rf"\b(\d+|one single|one|single|{'|'.join(_NUMBER_WORDS)}) ([a-z]+)[ -]([a-z]+)\b"
)
_ONE = {"one": "1", "single": "1", "one single": "1"}
_DENIED_WORDS = 4
_UP = frozenset(
    stems(
        "increase higher more greater improve better faster enhance gain grow rise larger boost "
        "accelerate activate promote outperform exceed upregulate positive strengthen expand "
        "benefit help longer"
    )
)
_DOWN = frozenset(
    stems(
        "decrease lower less fewer smaller worse slower reduce decline shrink harm hurt "
        "degrade inhibit suppress downregulate negative weaken diminish prevent impair shorter"
    )
)
STOP = frozenset(
    stems(
        "a about above abstract after all also although am among an and any are as at author "
        "authors "
        "be because been before being below between both but by can could did do does doing done "
        "each either for from further had has have having he her here his how however i if in into "
        "is it its itself just like made make makes many may might more most much must my no nor "
        "not "
        "of off on once one only or other our out over own paper per rather s same she should show "
        "shows since so some such than that the their them then there therefore these they this "
        "those "
        "through thus to too toward towards under until up upon us use used uses using via very "
        "was "
        "we well were what when where whether which while who whose why will with within without "
        "work "
        "would yes you your specifically according introduce introduced introduces propose "
        "proposed "
        "proposes present presented presents describe described study approach method new novel"
    )
)


def numbers(text: str) -> set[str]:
    """The numbers of a text as digits; "four times" counts as 4, "half" as 50 (per cent)."""
    plain = fold(text)
    found = {_plain_number(n) for n in _NUMBER.findall(plain)}
    return found | {_NUMBER_WORDS[w] for w in re.findall(r"[a-z]+", plain) if w in _NUMBER_WORDS}


def digits(text: str) -> set[str]:
    """The numbers of a text that are written in digits."""
    return {_plain_number(n) for n in _NUMBER.findall(fold(text))}


def _plain_number(text: str) -> str:
    value = text.replace(",", "")
    return value.rstrip("0").rstrip(".") if "." in value else value


def names(text: str) -> set[str]:
    """Names, folded, without a plural s: acronyms, mixed case, letters with digits."""
    return {_singular(name) for name in _NAME.findall(text)}


def _singular(name: str) -> str:
    if name.endswith("s") and name[:-1].isupper():
        name = name[:-1]
    return fold(name).strip("-+.")


def negated(text: str) -> bool:
    """Whether the text holds a negation."""
    return bool(_NEGATION.search(text))


def drops_negation(claim: str, source: str) -> bool:
    """Whether a claim asserts, without a negation, what its source negates."""
    if negated(claim):
        return False
    said = content(claim)
    for match in _NEGATION.finditer(source):
        denied = content(" ".join(source[match.end() :].split()[:_DENIED_WORDS]))
        if len(denied) >= 2 and denied <= said:
            return True
    return False


def direction(text: str) -> int:
    """1 where words of growth stand alone, -1 for words of decline, 0 for both or neither."""
    found = set(stems(text))
    return int(bool(found & _UP)) - int(bool(found & _DOWN))


def content(text: str) -> set[str]:
    """Stems that carry meaning."""
    return set(stems(text)) - STOP


def contradicts(assumed: str, stated: str) -> bool:
    """Whether a statement turns what is assumed around; both must name the same thing.

    Nonlinear turns linear around, reduces increases, "without requiring" requires.
    """
    asked, held = content(assumed), content(stated)
    shared = len(asked & held)
    if shared < 2 or (names(assumed) and not names(assumed) & names(stated)):
        return False
    if any("non" + word in held or "un" + word in held for word in asked - held):
        return True
    if direction(assumed) * direction(stated) < 0 or _counts_otherwise(assumed, stated):
        return True
    return shared >= _MUCH_SHARED and negated(assumed) != negated(stated)


def _counts_otherwise(assumed: str, stated: str) -> bool:
    """Whether both count the same things ("one diffusion model", "28 diffusion models")."""
    held = _counted(stated)
    return any(held.get(things, count) != count for things, count in _counted(assumed).items())


def _counted(text: str) -> dict[tuple[str, ...], str]:
    """Numbers by the two stems that follow them."""
    found = {}
    for match in _COUNTED.finditer(fold(text)):
        things = tuple(stems(f"{match[2]} {match[3]}"))
        if not set(things) & STOP:
            found[things] = _ONE.get(match[1]) or _NUMBER_WORDS.get(match[1], match[1])
    return found


_MUCH_SHARED = 3
