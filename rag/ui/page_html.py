"""Draws what surrounds the talk: the top line and the empty page with its examples."""

from __future__ import annotations

from collections.abc import Sequence

from rag.text import readable
from rag.types import Paper
from rag.ui.markup import escape, shown
from rag.ui.topics import shared_topic

TABS = (
    ("chat", "Chat"),
    ("compare", "Compare"),
    ("library", "Library"),
    ("map", "Map"),
    ("status", "Status"),
)


def top_html() -> str:
    """The name and the tabs."""
    tabs = "".join(
        f'<button type="button" role="tab" id="tab-{name}" aria-controls="{name}" '
        f'aria-selected="{"true" if name == "chat" else "false"}" data-on="show_{name}" '
        f'data-tab="{name}">{text}</button>'
        for name, text in TABS
    )
    return (
        '<span class="brand">Citewell</span>'
        f'<nav class="tabs" role="tablist" aria-label="Parts of the page">{tabs}</nav>'
    )


def facts_html(papers: int | None, model: str, state: str, library: str = "") -> str:
    """What one needs to trust the answers; `library` is its name where it has one."""
    count = "" if papers is None else f"{papers:,} paper{'s'[: papers != 1]}"
    count = f"{library}: {count}" if library and count else count
    line = "".join(f"<li>{escape(fact)}</li>" for fact in (count, model, state) if fact)
    return f'<ul class="facts" aria-label="State of the program">{line}</ul>'


def welcome_html(papers: Sequence[Paper] | None, problem: str = "") -> str:
    """The page before the first question: what to do, and questions to start from."""
    if problem:
        return f'<div class="welcome"><p class="error" role="alert">{shown(problem)}</p></div>'
    if papers is None:
        return '<div class="welcome"><h1>Opening the library…</h1></div>'
    if not papers:
        return (
            '<div class="welcome"><h1>The library is empty.</h1>'
            "<p>Add papers in the Library tab, or with <code>citewell index FILE</code>.</p></div>"
        )
    items = "".join(
        f'<li><button type="button" class="example" data-on="example" data-text="{escape(text)}">'
        f"{escape(text)}</button></li>"
        for text in examples(papers)
    )
    return (
        '<div class="welcome"><h1>Ask your papers.</h1>'
        "<p>Every sentence of an answer is checked against the abstract it cites. "
        f'Click a number to read the source.</p><ul class="examples">{items}</ul></div>'
    )


def examples(papers: Sequence[Paper]) -> list[str]:
    """Up to four questions that this very library can answer."""
    named = [p.title for p in papers if p.title_source != "generated"]
    named = [title for title in map(readable, named) if len(title) <= 80]
    questions = [f"What does {title} propose?" for title in named[:1]]
    if len(named) > 2:
        short = [title.partition(":")[0] for title in named[1:3]]
        questions.append(f"Compare {short[0]} and {short[1]}.")
    topic = shared_topic(papers)
    if topic:
        questions.append(f"Which papers are about {topic}?")
    return [*questions, "What are the main themes of this library?"]
