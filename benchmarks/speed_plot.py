"""Draw the medians of the speed benchmark as bars, in an SVG of a few kilobytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

WIDTH, LEFT, RIGHT = 760, 210, 60
BAR, GAP, GROUP = 14, 3, 16
_COLOURS = ("#b3b0a8", "#d9a441", "#2f6f5e")
_STYLE = "font-family:system-ui,sans-serif;font-size:13px;fill:#333"

Panel = tuple[str, Mapping[str, Sequence[float | None]]]
"""A heading, and for each label one length for each system."""


def draw(path: Path, title: str, systems: Sequence[str], panels: Sequence[Panel]) -> None:
    """Write the picture; each panel has its own scale, in seconds."""
    parts, y = [_text(12, 24, title, "font-weight:600;font-size:15px")], 44
    for name, colour in zip(systems, _COLOURS, strict=False):
        parts += [_bar(12, y, 12, colour), _text(32, y + 11, name)]
        y += 20
    for heading, groups in panels:
        y += 24
        parts.append(_text(12, y, heading, "font-weight:600"))
        y += 10
        drawn, y = _panel(groups, y)
        parts += drawn
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_document(title, parts, y + 16), encoding="utf-8")


def _panel(groups: Mapping[str, Sequence[float | None]], y: int) -> tuple[list[str], int]:
    longest = max((v for values in groups.values() for v in values if v), default=1.0)
    parts: list[str] = []
    for label, values in groups.items():
        middle = y + (BAR + GAP) * len(values) // 2 + 3
        parts.append(_text(LEFT - 10, middle, label, "text-anchor:end"))
        for value, colour in zip(values, _COLOURS, strict=False):
            length = round((WIDTH - LEFT - RIGHT) * (value or 0.0) / longest, 1)
            shown = f"{value:.1f} s" if value is not None else "-"
            parts.append(_bar(LEFT, y, length, colour))
            parts.append(_text(LEFT + length + 6, y + BAR - 3, shown, "font-size:11px"))
            y += BAR + GAP
        y += GROUP
    return parts, y


def _bar(x: float, y: float, length: float, colour: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{length}" height="{BAR}" rx="2" fill="{colour}"/>'


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" style="{_STYLE};{more}">{escape(text)}</text>'


def _document(title: str, parts: Sequence[str], height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}">\n<rect width="100%" height="100%" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
