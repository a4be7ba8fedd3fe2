"""What the commands share: the filters, output, progress, and how a library is opened."""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rag.errors import UsageError

if TYPE_CHECKING:
    from rag.config import Config
    from rag.library import Library, Progress

_F = TypeVar("_F", bound=Callable[..., Any])


def tell(line: str) -> None:
    """Write a line for the user, apart from the data."""
    click.echo(line, err=True)


def filters(command: _F) -> _F:
    """Add the options that narrow a question to some papers; they arrive as `scope`."""

    @functools.wraps(command)
    def narrowed(
        *args: Any,  # noqa: ANN401
        year: str | None,
        author: str | None,
        venue: str | None,
        file: str | None,
        **kwargs: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        from rag.types import Scope

        scope = Scope(_years(year) if year else None, author, venue, file)
        return command(*args, scope=scope, **kwargs)

    for name, variable, words in (
        ("--from", "file", "Only papers of this file."),
        ("--venue", "venue", "Only papers of this venue."),
        ("--author", "author", "Only papers by this author."),
        ("--year", "year", "Only papers of these years: 2024, 2024..2025, 2024.., ..2025."),
    ):
        narrowed = click.option(name, variable, help=words)(narrowed)
    return narrowed  # type: ignore[return-value]


def _years(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{4})?(\.\.)?(\d{4})?", text.strip())
    if not found or not (found[1] or found[3]):
        raise UsageError(f"{text!r} is no year or span of years; write 2024 or 2024..2025.")
    first, last = found[1] or "0", found[3] or ("9999" if found[2] else found[1])
    if first > last:
        raise UsageError(f"{text!r} ends before it begins; write {last}..{first}.")
    return int(first), int(last)


def open_library(config: Config, *, create: bool = False) -> Library:
    """Open the library of `config`. Raises LibraryMissing, LibraryDamaged."""
    from rag.library import Library

    return Library.open(config, create=create)


def dump(value: object) -> None:
    """Write a value as one line of JSON."""
    click.echo(json.dumps(value, ensure_ascii=False))


@contextmanager
def progress_bar() -> Iterator[Callable[[Progress], None] | None]:
    """Give what shows how far a run is, with rate and time left; None away from a terminal."""
    from tqdm import tqdm

    with tqdm(unit=" papers", file=sys.stderr, disable=None, dynamic_ncols=True) as bar:

        def show(progress: Progress) -> None:
            bar.total = progress.total
            bar.update(progress.done - bar.n)

        yield None if bar.disable else show
