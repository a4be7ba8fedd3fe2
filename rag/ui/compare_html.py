"""Draws the Compare tab: the papers chosen, those found, and what to look at."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Paper
from rag.ui.markup import escape, shown

FEWEST, MOST = 2, 6


def picker_html(chosen: Sequence[Paper], found: Sequence[Paper] | None, words: str = "") -> str:
    """The form above the table; `found` is None before the first search."""
    return (
        '<section class="picker"><h2>Compare papers</h2>'
        f"{_chosen(chosen)}"
        '<form data-on="search" class="line" role="search"><input class="field" name="words" '
        f'value="{escape(words)}" placeholder="Find a paper by its title or subject" '
        'aria-label="Find a paper"><button type="submit" class="plain">Find</button></form>'
        f"{_found(found, {paper.paper_id for paper in chosen})}"
        f"{_go(len(chosen))}</section>"
    )


def result_html(turn: str, *, finished: bool) -> str:
    """The comparison, and the way on to the chat once it is finished."""
    if not turn:
        return ""
    discuss = (
        '<p><button type="button" class="plain" data-on="discuss">Discuss in chat</button></p>'
        if finished
        else '<p><button type="button" class="plain" data-on="halt">Stop</button></p>'
    )
    return f"{turn}{discuss}"


def compare_question(papers: Sequence[Paper], aspect: str = "") -> str:
    """The question that asks for a comparison of these papers."""
    *others, last = [paper.title for paper in papers]
    regard = f" with regard to {aspect.strip()}" if aspect.strip() else ""
    return f"Compare {', '.join(others)} and {last}{regard}."


def _chosen(chosen: Sequence[Paper]) -> str:
    if not chosen:
        return f'<p class="hint">Choose {FEWEST} to {MOST} papers.</p>'
    items = "".join(
        f'<li>{shown(paper.title)} <button type="button" class="link" data-on="drop" '
        f'data-paper="{escape(paper.paper_id)}" aria-label="Take {shown(paper.title)} out">'
        "×</button></li>"
        for paper in chosen
    )
    return f'<ul class="chosen" aria-label="Chosen papers">{items}</ul>'


def _found(found: Sequence[Paper] | None, taken: set[str]) -> str:
    if found is None:
        return ""
    if not found:
        return '<p class="hint">No paper has these words.</p>'
    items = "".join(_found_line(paper, paper.paper_id in taken) for paper in found)
    return f'<ul class="found" aria-label="Papers found">{items}</ul>'


def _found_line(paper: Paper, taken: bool) -> str:
    key = escape(paper.paper_id)
    action = (
        '<span class="hint">chosen</span>'
        if taken
        else f'<button type="button" class="plain" data-on="add" data-paper="{key}" '
        f'aria-label="Add {shown(paper.title)}">Add</button>'
    )
    title = (
        f'<button type="button" class="paper" data-on="paper" data-paper="{key}">'
        f"{shown(paper.title)}</button>"
    )
    return f"<li>{title}{action}</li>"


def _go(count: int) -> str:
    fit = FEWEST <= count <= MOST
    disabled = "" if fit else " disabled"
    return (
        '<form data-on="compare" class="line"><input class="field" name="aspect" '
        'placeholder="An aspect, if you like" '
        'aria-label="Aspect" autocomplete="off">'
        f'<button type="submit" class="plain main"{disabled}>Compare</button></form>'
    )
