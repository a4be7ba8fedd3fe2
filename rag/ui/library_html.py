"""Draws the Library tab: adding papers, what became of them, and the table of papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rag.types import Paper, Skip
from rag.ui.markup import escape, shown

PAGE = 50
_SKIPS_SHOWN = 20


class AccountLike(Protocol):
    """What became of each record that was read."""

    @property
    def read(self) -> int:
        """Records read."""

    @property
    def added(self) -> int:
        """Papers new to the library."""

    @property
    def changed(self) -> int:
        """Papers whose record changed."""

    @property
    def unchanged(self) -> int:
        """Records that were there already."""

    @property
    def duplicate(self) -> int:
        """Records of papers known from elsewhere."""

    @property
    def removed(self) -> int:
        """Papers that went with their record."""

    @property
    def skipped(self) -> tuple[Skip, ...]:
        """Records that could not be used."""


def paste_html() -> str:
    """The form for abstracts on the clipboard."""
    return (
        '<details class="paste"><summary>Paste abstracts or references</summary>'
        '<form data-on="paste"><textarea class="field" name="text" rows="6" '
        'aria-label="Text to add" placeholder="One abstract a paragraph, or BibTeX, RIS, JSON…">'
        '</textarea><button type="submit" class="plain">Add this text</button></form></details>'
    )


def progress_html(text: str, done: int = 0, total: int = 0) -> str:
    """How far an import has come."""
    bar = f'<progress max="{total}" value="{done}"></progress>' if total else ""
    return f'<p class="stage" role="status">{escape(text)}… {bar}</p>'


def account_html(account: AccountLike, names: Sequence[str]) -> str:
    """What became of each record of an import."""
    counts = [
        (account.added, "added"),
        (account.changed, "changed"),
        (account.unchanged, "unchanged"),
        (account.duplicate, "already there from another file"),
        (account.removed, "removed"),
        (len(account.skipped), "skipped"),
    ]
    parts = ", ".join(f"{count:,} {word}" for count, word in counts if count)
    records = "record" if account.read == 1 else "records"
    line = f"{account.read:,} {records} read from {', '.join(names)}: {parts or 'nothing new'}."
    return f"{done_html(line)}{_skips(account.skipped)}"


def done_html(text: str) -> str:
    """What has been done."""
    return f'<p class="account" role="status">{escape(text)}</p>'


def failure_html(text: str) -> str:
    """Why an import could not be done."""
    return f'<p class="error" role="alert">{escape(text)}</p>'


def _skips(skipped: Sequence[Skip]) -> str:
    if not skipped:
        return ""
    items = "".join(
        f"<li>{escape(skip.file)}, {escape(skip.place)}: {escape(skip.reason)}</li>"
        for skip in skipped[:_SKIPS_SHOWN]
    )
    more = len(skipped) - _SKIPS_SHOWN
    rest = f"<li>and {more:,} more</li>" if more > 0 else ""
    summary = f"What was skipped, and why ({len(skipped):,})"
    return f'<details class="fold"><summary>{summary}</summary><ul>{items}{rest}</ul></details>'


def table_html(
    papers: Sequence[Paper],
    total: int,
    page: int,
    asked: Mapping[str, str],
    files: Sequence[str],
    library: str = "",
) -> str:
    """One page of the papers that fit `asked`; `total` counts all that fit, pages from 0.

    `library` is sent with what is done, so that nothing is done to another one.
    """
    return (
        f"{_filters(asked, files)}"
        '<form data-on="act" class="papers">'
        f'<input type="hidden" name="library" value="{escape(library)}">'
        f"{_bar(total, page)}"
        '<div class="table" tabindex="0" role="region" aria-label="Papers"><table><thead><tr>'
        '<th scope="col"><span class="unseen">Choose</span></th><th scope="col">Title</th>'
        '<th scope="col">Authors</th><th scope="col">Year</th><th scope="col">Venue</th>'
        '<th scope="col">Stands in</th></tr></thead>'
        f"<tbody>{''.join(_row(paper) for paper in papers)}</tbody></table></div></form>"
    )


def _filters(asked: Mapping[str, str], files: Sequence[str]) -> str:
    fields = "".join(
        f'<label>{label}<input class="field" name="{name}" value="{escape(asked.get(name, ""))}" '
        'autocomplete="off"></label>'
        for name, label in (
            ("words", "Words"),
            ("years", "Years"),
            ("author", "Author"),
            ("venue", "Venue"),
        )
    )
    options = "".join(
        f'<option value="{escape(name)}"{" selected" if name == asked.get("file") else ""}>'
        f"{escape(name)}</option>"
        for name in files
    )
    return (
        f'<form data-on="filter" class="filters" role="search">{fields}<label>List<select '
        f'class="field" name="file"><option value="">any</option>{options}</select></label>'
        '<button type="submit" class="plain">Show</button></form>'
    )


def _bar(total: int, page: int) -> str:
    buttons = [
        ("ask", "Ask these"),
        ("compare", "Compare"),
        ("bibtex", "BibTeX"),
        ("markdown", "Markdown"),
        ("csv", "CSV"),
        ("remove", "Remove"),
    ]
    acts = "".join(
        f'<button type="submit" class="plain" name="do" value="{do}">{text}</button>'
        for do, text in buttons
    )
    first, last = page * PAGE + 1, min(total, (page + 1) * PAGE)
    range_text = f"{first:,}–{last:,} of {total:,}" if total else "No paper fits."
    back = _turn_page(page - 1, "Earlier", page > 0)
    on = _turn_page(page + 1, "Later", last < total)
    return (
        f'<div class="bar"><div class="acts"><span class="hint">Chosen, or all if none:</span>'
        f'{acts}</div><div class="pages"><span>{range_text}</span>{back}{on}</div></div>'
    )


def _turn_page(page: int, text: str, possible: bool) -> str:
    disabled = "" if possible else " disabled"
    return (
        f'<button type="button" class="plain" data-on="page" data-page="{page}"{disabled}>'
        f"{text}</button>"
    )


def _row(paper: Paper) -> str:
    key, title = escape(paper.paper_id), shown(paper.title)
    return (
        f'<tr><td><input type="checkbox" name="paper" value="{key}" aria-label="Choose {title}">'
        f'</td><td><button type="button" class="paper" data-on="paper" data-paper="{key}">{title}'
        f"</button></td><td>{_authors(paper)}</td><td>{escape(paper.year or '')}</td>"
        f"<td>{shown(paper.venue or '')}</td><td>{escape(', '.join(paper.files))}</td></tr>"
    )


def _authors(paper: Paper) -> str:
    shown_authors = ", ".join(paper.authors[:3])
    return shown(f"{shown_authors} et al." if len(paper.authors) > 3 else shown_authors)
