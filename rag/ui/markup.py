"""Turns text that others wrote into HTML that shows it and does nothing else.

Everything from papers, models and users passes through here on its way to the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape as _escape

from rag.text import formulas, readable
from rag.ui.formulas import mathml

Span = tuple[int, int]
_CLOSING = re.compile(r"[.,;:!?)\]]+")
# They turn the direction of what follows them, our own words included ("Trojan Source").
_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def escape(text: object) -> str:
    """HTML that shows the text as it is, also inside a quoted attribute.

    Only marks that turn the direction of writing are left out.
    """
    return exact(str(text).translate(_TURNS))


def exact(text: str) -> str:
    """HTML of a text to be saved, every sign of it kept."""
    return _escape(text, quote=True)


def shown(text: str) -> str:
    """Escaped HTML of text from a paper or a model, with LaTeX made readable."""
    return escape(readable(text))


def quoted(text: str) -> str:
    """Escaped HTML of (a part of) an abstract: LaTeX and Markdown made readable."""
    return escape(readable(text, markdown=True))


def marked(text: str, spans: Iterable[Span], now: Span | None = None) -> str:
    """The text with each span in a `<mark>`; the span `now` carries the id `cited`.

    Offsets are code points of `text`, end exclusive; spans that overlap are cut, `now` wins.
    """
    pieces, at = [], 0
    for start, end, current in _cuts(spans, now, len(text)):
        pieces.append(_with_formulas(text[at:start]))
        attribute = ' id="cited" class="now" tabindex="-1"' if current else ""
        pieces.append(f"<mark{attribute}>{_with_formulas(text[start:end])}</mark>")
        at = end
    return "".join([*pieces, _with_formulas(text[at:])])


def _with_formulas(text: str) -> str:
    """A part of an abstract whose formulas are drawn as such, where that can be."""
    pieces, at = [], 0
    for start, end, source in formulas(text):
        if drawn := mathml(source.translate(_TURNS)):
            after = _CLOSING.match(text, end)
            kept = f'<span class="kept">{drawn}{after[0]}</span>' if after else drawn
            pieces += [quoted(text[at:start]), kept]
            at = after.end() if after else end
    return "".join([*pieces, quoted(text[at:])])


def _cuts(spans: Iterable[Span], now: Span | None, length: int) -> list[tuple[int, int, bool]]:
    kept = [(*now, True)] if now else []
    for start, end in sorted(set(spans)):
        clash = any(start < other_end and end > other for other, other_end, _ in kept)
        if not clash:
            kept.append((start, end, False))
    return sorted(cut for cut in kept if 0 <= cut[0] < cut[1] <= length)
