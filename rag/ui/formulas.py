"""Turns LaTeX formulas of abstracts into MathML, which browsers draw by themselves.

Papers are written by others, and so are their formulas: of what the converter makes, only
elements and attributes that draw something are kept, and all text is escaped.
"""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree.ElementTree import Element, tostring

from rag.text import readable

_LONGEST = 300
_KEPT = 2000
# What else there is in formulas reads as well as plain text.
_RICH = re.compile(r"[_^]|\\(?:[dt]?frac|sqrt|sum|prod|int|binom|over|under|matrix|begin)\b")
_ELEMENTS = frozenset(
    "math mrow mi mn mo ms mtext mspace msub msup msubsup munder mover munderover mfrac msqrt "
    "mroot mtable mtr mtd mstyle mpadded mphantom".split()
)
_ATTRIBUTES = frozenset(
    "mathvariant stretchy fence form separator accent linethickness columnalign width".split()
)
# How many parts these have; a formula that was cut off has fewer, and draws as an error.
_PARTS = {
    "msub": 2, "msup": 2, "munder": 2, "mover": 2, "mfrac": 2, "mroot": 2, "msubsup": 3,
    "munderover": 3,
}  # fmt: skip


@lru_cache(maxsize=_KEPT)
def mathml(source: str) -> str:
    """A `<math>` element for a formula; empty where plain text shows it as well, or must."""
    if len(source) > _LONGEST or not _RICH.search(source):
        return ""
    from latex2mathml.converter import convert_to_element

    try:
        drawn = _harmless(convert_to_element(source))
    except Exception:  # the converter raises whatever a formula makes it stumble over
        return ""
    if drawn is None or "\\" in "".join(drawn.itertext()):
        return ""
    drawn.set("alttext", readable(f"${source}$"))
    return tostring(drawn, encoding="unicode")


def _harmless(element: Element) -> Element | None:
    """The same with nothing but what draws a formula; None where anything else is in it."""
    if element.tag not in _ELEMENTS or len(element) != _PARTS.get(element.tag, len(element)):
        return None
    kept = Element(
        element.tag, {name: text for name, text in element.items() if name in _ATTRIBUTES}
    )
    # The converter leaves entities such as &#x03B1; to be read by the page.
    kept.text, kept.tail = _plain(element.text), _plain(element.tail)
    for child in element:
        part = _harmless(child)
        if part is None:
            return None
        kept.append(part)
    return kept


def _plain(text: str | None) -> str | None:
    return text and re.sub(r"&#x([0-9A-Fa-f]{1,6});", lambda m: chr(int(m[1], 16)), text)
