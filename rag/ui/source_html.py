"""Draws the source panel: a paper, where it is from, and its abstract with what was cited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from rag.types import Paper
from rag.ui.markup import Span, escape, marked, shown

_TITLES = {
    "given": "Title as given in the file",
    "extracted": "Name taken from the abstract; the file gives no title",
    "generated": "Heading made from the abstract; the file gives no title",
}
_WEB = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
_REVIEWS = re.compile(r"https?://(?:www\.)?openreview\.net/", re.IGNORECASE)
EMPTY = (
    '<div class="source empty"><p>Click a number in an answer to read the abstract it '
    "comes from, with the sentence marked.</p></div>"
)
_CLOSE = (
    '<button type="button" class="close" data-close="source" aria-label="Close the source">'
    "×</button>"
)


def source_html(
    paper: Paper, spans: Sequence[Span] = (), now: Span | None = None, after: str = ""
) -> str:
    """The panel for one paper; `spans` are marked, `now` is marked strongly and in view.

    `after` is HTML of ours that follows the paper.
    """
    return (
        f'<article class="source" aria-label="Source">{_CLOSE}'
        f'<h2 dir="auto" tabindex="-1">{shown(paper.title)}</h2>'
        f'<p class="title-source">{_TITLES[paper.title_source]}</p>'
        f"{_about(paper)}{_links(paper)}"
        f'<p class="abstract" dir="auto">{marked(paper.text, spans, now)}</p>'
        f"{_next(paper)}{after}{_origin(paper)}</article>"
    )


def gone_html(title: str) -> str:
    """The panel for a paper that can no longer be shown."""
    return (
        f'<article class="source" aria-label="Source">{_CLOSE}<h2>{shown(title)}</h2>'
        "<p>This paper is no longer in the library.</p></article>"
    )


def similar_html(papers: Sequence[Paper]) -> str:
    """The papers most like the one shown."""
    if not papers:
        return '<p class="hint">No other paper is like this one.</p>'
    items = "".join(f"<li>{paper_button(paper)}</li>" for paper in papers)
    return f'<section class="nearest"><h3>Similar papers</h3><ul>{items}</ul></section>'


def paper_button(paper: Paper) -> str:
    """A button that opens a paper of the library."""
    return (
        f'<button type="button" class="paper" data-on="paper" data-paper="{escape(paper.paper_id)}"'
        f">{shown(paper.title)}</button>"
    )


def _about(paper: Paper) -> str:
    known = [", ".join(paper.authors), str(paper.year or ""), paper.venue or ""]
    line = " · ".join(shown(part) for part in known if part)
    return f'<p class="about">{line}</p>' if line else ""


def _links(paper: Paper) -> str:
    known = [
        ("DOI", paper.doi and f"https://doi.org/{quote(paper.doi, safe='/:;()')}"),
        ("arXiv", paper.arxiv and f"https://arxiv.org/abs/{quote(paper.arxiv, safe='/')}"),
        (_site(paper.url or ""), paper.url),
    ]
    # Anything else than a web address, such as javascript:, would run when clicked.
    links = "".join(
        f'<a href="{escape(url)}" target="_blank" rel="noopener noreferrer">{name}</a> '
        for name, url in known
        if url and _WEB.fullmatch(url)
    )
    return f'<p class="links">{links}</p>' if links else ""


def _site(url: str) -> str:
    return "OpenReview" if _REVIEWS.match(url) else "Web page"


def _next(paper: Paper) -> str:
    key = escape(paper.paper_id)
    buttons = [
        ("summarise", "Summarise"),
        ("narrow", "Ask about this paper"),
        ("add", "Compare with…"),
        ("similar", "Find similar"),
        ("cite", "BibTeX"),
    ]
    drawn = "".join(
        f'<button type="button" class="plain" data-on="{event}" data-paper="{key}">{text}</button>'
        for event, text in buttons
    )
    return f'<div class="next">{drawn}</div>'


def _origin(paper: Paper) -> str:
    places = "".join(
        f"<li>{escape(source.collection or source.file)}"
        f'<span class="place">{escape(source.file)}, {escape(source.place)}</span></li>'
        for source in paper.sources
    )
    return f'<section class="origin"><h3>Stands in</h3><ul>{places}</ul></section>'
