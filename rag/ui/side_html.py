"""Draws the list of conversations, and the line that says which papers are asked."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import LENGTHS, Length, Scope
from rag.ui.conversations import Listed
from rag.ui.markup import escape, shown


def conversations_html(
    listed: Sequence[Listed], current: str, words: str = "", news: str = ""
) -> str:
    """The conversations of this browser, newest first, with what can be done to them.

    `news` says what went wrong with them.
    """
    told = f'<p class="error" role="alert">{escape(news)}</p>' if news else ""
    items = "".join(_conversation(item, item.conversation_id == current) for item in listed)
    found = f'<ul class="conversations">{items}</ul>' if items else _none(words)
    return (
        f'<div class="side">{told}<button type="button" class="link toggle" data-on="toggle-side" '
        'aria-expanded="false">Conversations</button><div class="side-body">'
        f'<input type="search" class="field" data-on="find" value="{escape(words)}" '
        f'placeholder="Search" aria-label="Search conversations">{found}'
        '<p class="export">Export this talk: '
        '<button type="button" class="link" data-on="export" data-format="markdown">Markdown'
        '</button> <button type="button" class="link" data-on="export" data-format="bibtex">'
        "BibTeX</button></p></div></div>"
    )


def _none(words: str) -> str:
    text = "No conversation has these words." if words else "Your conversations will stand here."
    return f'<p class="hint">{text}</p>'


def _conversation(item: Listed, current: bool) -> str:
    key, name = escape(item.conversation_id), escape(item.name)
    mark = ' aria-current="true"' if current else ""
    return (
        f'<li><button type="button" class="conversation" data-on="open" data-id="{key}"{mark}>'
        f"{name}</button>"
        f'<details class="more"><summary aria-label="Rename or delete {name}">⋯</summary>'
        f'<input class="field" data-on="rename" data-id="{key}" value="{name}" '
        f'aria-label="Name"><button type="button" class="link" data-on="delete" '
        f'data-id="{key}">Delete</button></details></li>'
    )


def scope_html(
    scope: Scope, title: str = "", files: Sequence[str] = (), *, editing: bool = False
) -> str:
    """What the next question is about, with a form to narrow it."""
    if editing:
        return (
            '<p class="scope">This question replaces the earlier one and what follows it. '
            '<button type="button" class="link" data-on="keep">Keep them</button></p>'
        )
    words = scope_words(scope, title)
    if words:
        return (
            f'<p class="scope">Asking only {shown(words)} '
            '<button type="button" class="link" data-on="widen">Ask the whole library</button></p>'
        )
    options = "".join(f'<option value="{escape(name)}">{escape(name)}</option>' for name in files)
    return (
        '<details class="scope"><summary>Asking the whole library</summary>'
        '<form data-on="narrow">'
        f"{_field('years', 'Years', '2024..2025')}{_field('author', 'Author', 'a name')}"
        f"{_field('venue', 'Venue', 'a conference')}"
        '<label>List<select name="file" class="field"><option value="">any</option>'
        f'{options}</select></label><button type="submit" class="plain">Ask only these</button>'
        "</form></details>"
    )


def length_html(length: Length) -> str:
    """The choice of how long answers are."""
    options = "".join(
        f'<option value="{value}"{" selected" if value == length else ""}>{value}</option>'
        for value in LENGTHS
    )
    return (
        '<label class="length" title="Answers of normal length are those that were measured">'
        f'Answers <select data-on="length" class="field">{options}</select></label>'
    )


def scope_words(scope: Scope, title: str = "") -> str:
    """The scope in words; nothing for the whole library."""
    years = scope.years and "–".join(dict.fromkeys(str(year) for year in scope.years))
    count = len(scope.paper_ids or ())
    parts = [
        title or (f"{count} chosen papers" if count else ""),
        f"papers of {years}" if years else "",
        f"papers by {scope.author}" if scope.author else "",
        f"papers in {scope.venue}" if scope.venue else "",
        f"papers from {scope.file}" if scope.file else "",
    ]
    return ", ".join(part for part in parts if part)


def _field(name: str, label: str, hint: str) -> str:
    return (
        f'<label>{label}<input class="field" name="{name}" placeholder="{hint}" '
        'autocomplete="off"></label>'
    )
