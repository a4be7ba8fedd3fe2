"""Draws the Status tab in words: the program's state, its models, and what a check found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.ui.markup import escape


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A model of the catalogue, as far as a reader wants to know it. `size` is in bytes."""

    name: str
    kind: str
    size: int
    licence: str
    installed: bool
    in_use: bool
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding of a check; `cure` is empty where nothing needs to be done."""

    subject: str
    ok: bool
    text: str
    cure: str = ""


def facts_table_html(facts: Sequence[tuple[str, str]]) -> str:
    """Where things are and how much room they take."""
    rows = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts
    )
    return (
        f'<h2>Status</h2><dl class="state">{rows}</dl>'
        '<p><button type="button" class="plain" data-on="check">Check everything</button></p>'
    )


def checks_html(checks: Sequence[Check], *, running: bool) -> str:
    """The findings so far; what is wrong says how to mend it."""
    items = "".join(_check(check) for check in checks)
    busy = '<p class="stage" role="status">Checking…</p>' if running else ""
    wrong = sum(not check.ok for check in checks)
    verdict = "All is well." if not wrong else f"{wrong} to be mended."
    end = "" if running else f'<p class="account" role="status">{verdict}</p>'
    return f'<ul class="checks">{items}</ul>{busy}{end}'


def models_html(models: Sequence[ModelLine], news: str = "") -> str:
    """The models to choose from, with size and licence; `news` is about a download."""
    rows = "".join(_model(model) for model in models)
    note = f'<p class="stage" role="status">{escape(news)}</p>' if news else ""
    return (
        '<h2>Models</h2><div class="table" tabindex="0" role="region" aria-label="Models"><table>'
        '<thead><tr><th scope="col">Model</th><th scope="col">For</th><th scope="col">Size</th>'
        '<th scope="col">Licence</th><th scope="col">State</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{note}"
    )


def _check(check: Check) -> str:
    state = "right" if check.ok else "wrong"
    cure = f'<span class="cure">{escape(check.cure)}</span>' if check.cure else ""
    return (
        f'<li class="{state}"><strong>{escape(check.subject)}</strong>: '
        f"{'fine' if check.ok else 'not right'}. {escape(check.text)}{cure}</li>"
    )


def _model(model: ModelLine) -> str:
    notes = f'<span class="place">{escape(model.notes)}</span>' if model.notes else ""
    return (
        f'<tr><th scope="row">{escape(model.name)}{notes}</th><td>{escape(model.kind)}</td>'
        f"<td>{model.size / 1e6:,.0f} MB</td><td>{escape(model.licence)}</td>"
        f"<td>{_model_state(model)}</td></tr>"
    )


def _model_state(model: ModelLine) -> str:
    if model.in_use:
        return "in use"
    action, text = ("use", "Use") if model.installed else ("pull", "Download")
    if model.installed and model.kind != "chat":
        return "installed"
    return (
        f'<button type="button" class="plain" data-on="{action}" data-name="{escape(model.name)}" '
        f'aria-label="{text} {escape(model.name)}">{text}</button>'
    )
