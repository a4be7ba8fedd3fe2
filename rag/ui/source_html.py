"""Draws the source panel: a paper, where it is from, and its abstract with what was cited."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Paper
from rag.ui.markup import Span, escape, marked, shown

_TITLES = {
    "given": "Title as given in the file",
    "extracted": "Name taken from the abstract; the file gives no title",
    "generated": "Heading made from the abstract; the file gives no title",
}
EMPTY = (
    '<div class="source empty"><p>Click a number in an answer to read the abstract it '
    "comes from, with the sentence marked.</p></div>"
)


def source_html(paper: Paper, spans: Sequence[Span] = (), now: Span | None = None) -> str:
    """The panel for one paper; `spans` are marked, `now` is marked strongly and in view."""
    return (
        '<article class="source" aria-label="Source">'
        '<button type="button" class="close" data-close="source" aria-label="Close the source">'
        "×</button>"
        f'<h2 dir="auto" tabindex="-1">{shown(paper.title)}</h2>'
        f'<p class="title-source">{_TITLES[paper.title_source]}</p>'
        f"{_about(paper)}"
        f'<p class="abstract" dir="auto">{marked(paper.text, spans, now)}</p>'
        f"{_origin(paper)}</article>"
    )


def gone_html(title: str) -> str:
    """The panel for a paper that can no longer be shown."""
    return (
        f'<article class="source"><h2>{shown(title)}</h2>'
        "<p>This paper is no longer in the library.</p></article>"
    )


def _about(paper: Paper) -> str:
    known = [", ".join(paper.authors), str(paper.year or ""), paper.venue or ""]
    line = " · ".join(shown(part) for part in known if part)
    return f'<p class="about">{line}</p>' if line else ""


def _origin(paper: Paper) -> str:
    places = "".join(
        f"<li>{escape(source.collection or source.file)}"
        f'<span class="place">{escape(source.file)}, {escape(source.place)}</span></li>'
        for source in paper.sources
    )
    return f'<section class="origin"><h3>Stands in</h3><ul>{places}</ul></section>'
