"""Draws the choice of a library, and the form for a new one."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ui.markup import escape


def shelf_html(names: Sequence[str], current: str, first: str, news: str = "") -> str:
    """The libraries of this machine; `news` is HTML of ours about what was just done."""
    options = "".join(
        f'<option value="{escape(name)}"{" selected" if name == current else ""}>'
        f"{escape(name)}</option>"
        for name in names
    )
    return (
        '<section class="shelf" aria-label="Libraries">'
        '<form data-on="switch" class="line"><label class="named">Library<select class="field" '
        f'name="name">{options}</select></label>'
        f'<button type="submit" class="plain">Open</button></form>{_new()}'
        '<p class="hint">One library is open at a time, for everyone who uses this page. '
        f"Citewell starts with “{escape(first)}”.</p>{news}</section>"
    )


def _new() -> str:
    return (
        '<details class="paste"><summary>Make a new library</summary>'
        '<form data-on="create" class="line"><input class="field" name="name" maxlength="60" '
        'aria-label="Name of the new library" placeholder="Its name" autocomplete="off" required>'
        '<button type="submit" class="plain">Make and open it</button></form></details>'
    )
