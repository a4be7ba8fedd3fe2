"""The commands about the papers: index, list, remove, search, export."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rag.commands.common import dump, filters, open_library, progress_bar, tell
from rag.errors import UsageError

if TYPE_CHECKING:
    from rag.config import Config
    from rag.library import Account
    from rag.types import Hit, Paper, Scope


@click.command("index")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--rebuild", is_flag=True, help="Make all vectors anew, with this embedder.")
@click.option("--json", "as_json", is_flag=True, help="A line for each batch, and the account.")
@click.pass_obj
def index_command(config: Config, paths: tuple[Path, ...], rebuild: bool, as_json: bool) -> None:
    """Add or refresh files and folders."""
    if not paths and not rebuild:
        raise UsageError("Name the files or folders to index: citewell index FILE_OR_FOLDER")

    def committed(ids: list[str]) -> None:
        if as_json:
            dump({"committed": ids})
            sys.stdout.flush()

    with open_library(config, create=True) as library, progress_bar() as show:
        account = library.index(paths, on_commit=committed, on_progress=show, rebuild=rebuild)
    if not account.read and not account.skipped and not rebuild:
        named = ", ".join(str(path) for path in paths)
        tell(
            f"citewell: No file to read was found in {named}. Name files or folders that hold "
            "abstracts, such as .txt, .bib, .ris, .csv, .json, .xml or .pdf."
        )
    for note in account.blank:
        tell(f"note: {note.file}, {note.place}: {note.reason}")
    dump(_account_json(account)) if as_json else _print_account(account)


def _account_json(account: Account) -> dict[str, Any]:
    from dataclasses import asdict

    found = asdict(account)
    del found["blank"]
    return found


def _print_account(account: Account) -> None:
    for skip in account.skipped:
        tell(f"skipped {skip.file}, {skip.place}: {skip.reason}")
    click.echo(
        f"{account.read} read: {account.added} added, {account.changed} changed, "
        f"{account.unchanged} unchanged, {account.duplicate} duplicate, "
        f"{len(account.skipped)} skipped; {account.removed} papers removed"
    )


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="A list of objects.")
@filters
@click.pass_obj
def list_command(config: Config, as_json: bool, scope: Scope) -> None:
    """Show the papers of the library."""
    with open_library(config) as library:
        papers = library.papers(scope)
    if as_json:
        from rag.batch import paper_json

        dump([paper_json(paper) for paper in papers])
        return
    for paper in papers:
        year = f" ({paper.year})" if paper.year else ""
        click.echo(f"{paper.paper_id}  {_title(paper)}{year}")


def _title(paper: Paper) -> str:
    """The title as it is read, on one line."""
    from rag.text import clean

    return clean(paper.title)


@click.command("remove")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.pass_obj
def remove_command(config: Config, ids: tuple[str, ...]) -> None:
    """Take papers out of the library; their files are left alone."""
    with open_library(config) as library:
        library.remove(ids)
    tell(f"removed {len(ids)} of the library's papers")


@click.command("search")
@click.argument("words", required=False)
@click.option("-k", "count", default=10, show_default=True, type=click.IntRange(1, 1_000_000))
@click.option("--batch", nargs=2, type=click.Path(path_type=Path), metavar="IN OUT")
@click.option("--json", "as_json", is_flag=True, help="A list of objects.")
@filters
@click.pass_obj
def search_command(
    config: Config,
    words: str | None,
    count: int,
    batch: tuple[Path, Path] | None,
    as_json: bool,
    scope: Scope,
) -> None:
    """Find the papers that fit some words best."""
    if batch:
        _search_batch(config, batch, count, scope)
        return
    if not (words and words.strip()):
        raise UsageError('What shall be searched for? Write: citewell search "some words"')
    with open_library(config) as library:
        _print_hits(library.search(words, count, scope, evidence=False), as_json)


def _search_batch(config: Config, batch: tuple[Path, Path], count: int, scope: Scope) -> None:
    from rag.batch import hit_json, put, read_queries, written

    queries = read_queries(batch[0])
    with open_library(config) as library, written(batch[1]) as out:
        for query in queries:
            hits = library.search(query["text"], count, scope, evidence=False)
            put(out, {"id": query["id"], "results": [hit_json(hit) for hit in hits]})


def _print_hits(hits: Sequence[Hit], as_json: bool) -> None:
    from rag.batch import hit_json

    if as_json:
        dump([hit_json(hit) for hit in hits])
        return
    for hit in hits:
        click.echo(f"{hit.score:.3f}  {hit.paper.paper_id}  {_title(hit.paper)}")


@click.command("export")
@click.argument("shape", type=click.Choice(["bibtex", "markdown", "csv"]))
@click.argument("ids", nargs=-1, metavar="[ID...]")
@click.option("-o", "out", type=click.Path(path_type=Path), metavar="FILE")
@click.pass_obj
def export_command(config: Config, shape: str, ids: tuple[str, ...], out: Path | None) -> None:
    """Write the papers' bibliographic data, abstracts included."""
    from rag.export import bibtex, csv_table, reference_list

    with open_library(config) as library:
        papers = [library.paper(paper_id) for paper_id in ids] if ids else library.papers()
    write = {"bibtex": bibtex, "markdown": reference_list, "csv": csv_table}[shape]
    if out is None:
        click.echo(write(papers), nl=False)
    else:
        try:
            out.write_text(write(papers), encoding="utf-8", newline="")
        except OSError as error:
            raise UsageError(f"Cannot write to {out}: {error.strerror}.") from error
        tell(f"wrote {len(papers)} papers to {out}")
