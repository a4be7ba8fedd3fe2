"""Shows the events of a turn in a terminal: the answer to stdout, progress to stderr."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from unicodedata import category

import click

from rag.answer.render import source_lines
from rag.text import readable
from rag.types import (
    Answer,
    AnswerSentence,
    Done,
    EntryFound,
    Event,
    EvidenceFound,
    Failed,
    Notice,
    Scanned,
    SentenceDone,
    Table,
)


def show(events: Iterable[Event]) -> Answer:
    """Print a turn as it comes; return its answer.

    A sentence appears once it is checked, so nothing printed has to be taken back.
    """
    shown = 0
    for event in events:
        if isinstance(event, SentenceDone) and event.sentence.verdict != "unsupported":
            click.echo((" " if shown else "") + _marked(event.sentence), nl=False)
            shown += 1
        elif isinstance(event, Done):
            _finish(event.answer, shown)
            return event.answer
        else:
            _progress(event)
    raise TypeError("a turn ends with Done")


def _progress(event: Event) -> None:
    if isinstance(event, EvidenceFound):
        for line in source_lines(event.citations):
            click.echo(f"  evidence {_safe(line)}", err=True)
    elif isinstance(event, Scanned):
        click.echo(f"\rscanned {event.done} of {event.total}", nl=False, err=True)
    elif isinstance(event, EntryFound):
        click.echo(f"\r- {_shown(event.entry.title)}", err=True)
    elif isinstance(event, Notice | Failed):
        click.echo(_safe(event.text), err=True)


def _finish(answer: Answer, shown: int) -> None:
    click.echo("" if shown else _shown(answer.text))
    for line in _after(answer):
        click.echo(_shown(line))
    if answer.error:
        click.echo(_safe(answer.error), err=True)


def _after(answer: Answer) -> Iterator[str]:
    if answer.entries:
        yield ""
        yield from (f"- {e.title} {_numbers(e.citations)}".rstrip() for e in answer.entries)
    if answer.borderline:
        yield "Perhaps also:"
        yield from (f"- {e.title}" for e in answer.borderline)
    if answer.table:
        yield from _rows(answer.table)
    if answer.citations:
        yield ""
        yield from source_lines(answer.citations)
    if answer.nearest:
        yield "The nearest papers:"
        yield from (f"- {p.title} ({p.paper_id})" for p in answer.nearest)
    folded = [s.text for s in answer.sentences if s.verdict == "unsupported"]
    if folded:
        yield "Not found in the abstracts:"
        yield from (f"- {text}" for text in folded)


def _rows(table: Table) -> Iterator[str]:
    for row in table.rows:
        yield f"\n{row.paper_id}"
        for column, cell in zip(table.columns, row.cells, strict=True):
            yield f"  {column}: {cell.text} {_numbers(cell.citations)}".rstrip()


def _marked(sentence: AnswerSentence) -> str:
    return _shown(f"{sentence.text} {_numbers(sentence.citations)}".rstrip())


def _numbers(citations: Iterable[int]) -> str:
    return "".join(f"[{n}]" for n in citations)


def _shown(text: str) -> str:
    """Text of a paper or of the model, its LaTeX made readable."""
    return _safe(readable(text))


def _safe(text: str) -> str:
    """Without control characters: a paper's text must not steer the terminal."""
    return "".join(c for c in text if c in "\n\t" or c.isprintable() or category(c) == "Zs")
