"""The `citewell` command. Data goes to stdout, progress and messages to stderr."""

from __future__ import annotations

import functools
import json
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from rag.config import Config
from rag.errors import CitewellError, UsageError

if TYPE_CHECKING:
    from rag.answer.chat import Chat
    from rag.batch import Line
    from rag.library import Account, Library, Progress
    from rag.llm.catalogue import ModelSpec
    from rag.types import Answer, Hit, Paper, Scope

_F = TypeVar("_F", bound=Callable[..., Any])
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and leave with its exit code."""
    # Read by OpenMP when torch and llama.cpp are loaded. Where other programs use the cores
    # too, threads that spin at barriers make the models several times as slow.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = cli.main(args=arguments, prog_name="citewell", standalone_mode=False)
    except CitewellError as error:
        _tell(f"citewell: {error}")
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        _tell("citewell: stopped; what was finished is kept")
        return _INTERRUPTED
    except sqlite3.DatabaseError as error:
        _tell(
            f"citewell: The record of the library is damaged ({error}). Put back a copy of "
            "record.sqlite3, or move the library's folder away and index your files again."
        )
        return CitewellError.exit_code
    except OSError as error:
        _tell(f"citewell: {error}")
        return CitewellError.exit_code
    return code if isinstance(code, int) else 0


def _tell(line: str) -> None:
    click.echo(line, err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="citewell", prog_name="citewell")
@click.option("--library", metavar="DIR", help="Folder of the library.")
@click.option("--store", metavar="DIR|URL", help="Where the vectors are: a folder or a server.")
@click.option("--embedder", metavar="NAME|PATH", help="Embedding model.")
@click.option("--reranker", metavar="PATH", help="Cross-encoder that re-ranks results.")
@click.option("--model", metavar="NAME|PATH|URL", help="Chat model.")
@click.pass_context
def cli(context: click.Context, /, **options: str | None) -> None:
    """Ask a pile of paper abstracts questions, offline, with every sentence checked."""
    context.obj = Config.from_environment(os.environ, **options)


def _filters(command: _F) -> _F:
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
    return int(first), int(last)


def _open(config: Config, *, create: bool = False) -> Library:
    from rag.library import Library

    return Library.open(config, create=create)


def _dump(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))


# ---------------------------------------------------------------- the library


@cli.command("index")
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
            _dump({"committed": ids})
            sys.stdout.flush()

    with _open(config, create=True) as library:
        account = library.index(paths, on_commit=committed, on_progress=_embedding, rebuild=rebuild)
    if not account.read and not account.skipped and not rebuild:
        named = ", ".join(str(path) for path in paths)
        _tell(
            f"citewell: No file to read was found in {named}. Name files or folders that hold "
            "abstracts, such as .txt, .bib, .ris, .csv, .json, .xml or .pdf."
        )
    for note in account.blank:
        _tell(f"note: {note.file}, {note.place}: {note.reason}")
    _dump(_account_json(account)) if as_json else _print_account(account)


def _embedding(progress: Progress) -> None:
    end = "\n" if progress.done >= progress.total else ""
    click.echo(f"\rembedded {progress.done} of {progress.total} papers{end}", nl=False, err=True)


def _account_json(account: Account) -> dict[str, Any]:
    from dataclasses import asdict

    found = asdict(account)
    del found["blank"]
    return found


def _print_account(account: Account) -> None:
    for skip in account.skipped:
        _tell(f"skipped {skip.file}, {skip.place}: {skip.reason}")
    click.echo(
        f"{account.read} read: {account.added} added, {account.changed} changed, "
        f"{account.unchanged} unchanged, {account.duplicate} duplicate, "
        f"{len(account.skipped)} skipped; {account.removed} papers removed"
    )


@cli.command("list")
@click.option("--json", "as_json", is_flag=True, help="A list of objects.")
@_filters
@click.pass_obj
def list_command(config: Config, as_json: bool, scope: Scope) -> None:
    """Show the papers of the library."""
    with _open(config) as library:
        papers = library.papers(scope)
    if as_json:
        _dump([_paper_json(paper) for paper in papers])
        return
    for paper in papers:
        click.echo(f"{paper.paper_id}  {paper.title}" + (f" ({paper.year})" if paper.year else ""))


def _paper_json(paper: Paper) -> dict[str, Any]:
    return {
        "paper_id": paper.paper_id,
        "title": paper.title,
        "title_source": paper.title_source,
        "source_ids": list(paper.source_ids),
        "sources": list(paper.files),
        "year": paper.year,
        "authors": list(paper.authors),
        "venue": paper.venue,
    }


@cli.command("remove")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.pass_obj
def remove_command(config: Config, ids: tuple[str, ...]) -> None:
    """Take papers out of the library; their files are left alone."""
    with _open(config) as library:
        library.remove(ids)
    _tell(f"removed {len(ids)} of the library's papers")


@cli.command("search")
@click.argument("words", required=False)
@click.option("-k", "count", default=10, show_default=True, type=click.IntRange(1))
@click.option("--batch", nargs=2, type=click.Path(path_type=Path), metavar="IN OUT")
@click.option("--json", "as_json", is_flag=True, help="A list of objects.")
@_filters
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
    with _open(config) as library:
        _print_hits(library.search(words, count, scope), as_json)


def _search_batch(config: Config, batch: tuple[Path, Path], count: int, scope: Scope) -> None:
    from rag.batch import hit_json, put, read_queries, written

    queries = read_queries(batch[0])
    with _open(config) as library, written(batch[1]) as out:
        for query in queries:
            hits = library.search(query["text"], count, scope)
            put(out, {"id": query["id"], "results": [hit_json(hit) for hit in hits]})


def _print_hits(hits: Sequence[Hit], as_json: bool) -> None:
    from rag.batch import hit_json

    if as_json:
        _dump([hit_json(hit) for hit in hits])
        return
    for hit in hits:
        click.echo(f"{hit.score:.3f}  {hit.paper.paper_id}  {hit.paper.title}")


# ---------------------------------------------------------------- answers


@cli.command("ask")
@click.argument("question", required=False)
@click.option("--batch", nargs=2, type=click.Path(path_type=Path), metavar="IN OUT")
@click.option("--json", "as_json", is_flag=True, help="The finished turn as an object.")
@_filters
@click.pass_obj
def ask_command(
    config: Config,
    question: str | None,
    batch: tuple[Path, Path] | None,
    as_json: bool,
    scope: Scope,
) -> None:
    """Ask a question and get a cited answer."""
    if batch:
        _ask_batch(config, batch, scope)
        return
    if not (question and question.strip()):
        raise UsageError('What is the question? Write: citewell ask "the question"')
    with _open(config) as library:
        answer = _ask_once(_chat(config, library), question, as_json, scope)
    if answer.error:
        raise CitewellError(answer.error)


def _chat(config: Config, library: Library) -> Chat:
    from rag.answer.chat import Chat
    from rag.answer.prompt import Prompts
    from rag.llm.gguf import open_model
    from rag.resources import prompts_dir

    library.search("ready", 1)  # a missing or other embedder is told before the model loads
    return Chat(library, open_model(config), Prompts(prompts_dir()))


def _ask_once(chat: Chat, question: str, as_json: bool, scope: Scope) -> Answer:
    events = chat.ask(question, (), scope=scope)
    if not as_json:
        from rag.terminal import show

        return show(events)
    from rag.batch import conversation_json, finished

    answer = finished(events)
    _dump(conversation_json(None, [answer]))
    return answer


def _ask_batch(config: Config, batch: tuple[Path, Path], scope: Scope) -> None:
    from rag.batch import read_conversations, written

    conversations = read_conversations(batch[0])
    if batch[0].resolve() == batch[1].resolve():
        raise UsageError("The answers would replace the questions; name another file for them.")
    failed = 0
    with _open(config) as library:
        chat = _chat(config, library)
        with written(batch[1]) as out:
            failed = _answer_all(chat, conversations, scope, out)
    if failed:
        raise CitewellError(f'{failed} turns failed; each one\'s "error" says why.')


def _answer_all(chat: Chat, conversations: list[Line], scope: Scope, out: IO[str]) -> int:
    """Write each conversation when it is finished; returns how many turns failed."""
    from rag.batch import conversation_json, finished, put

    failed = 0
    for number, conversation in enumerate(conversations, start=1):
        answers: list[Answer] = []
        for turn in conversation["turns"]:
            answers.append(finished(chat.ask(turn, tuple(answers), scope=scope)))
        put(out, conversation_json(conversation["id"], answers))
        failed += sum(answer.error is not None for answer in answers)
        _tell(f"{number} of {len(conversations)} answered")
    return failed


@cli.command("compare")
@click.argument("ids", nargs=-1, required=True, metavar="ID ID...")
@click.option("--aspect", default="", help="What to compare them in.")
@click.option("--format", "shape", type=click.Choice(["md", "csv", "json"]), default="md")
@click.pass_obj
def compare_command(config: Config, ids: tuple[str, ...], aspect: str, shape: str) -> None:
    """Compare papers side by side."""
    from rag.batch import finished

    if len(set(ids)) < 2:
        raise UsageError("A comparison takes two papers or more; `citewell list` shows their ids.")
    with _open(config) as library:
        titles = {paper_id: library.paper(paper_id).title for paper_id in ids}
        answer = finished(_chat(config, library).compare(ids, aspect))
    _print_comparison(answer, titles, shape)
    if answer.error:
        raise CitewellError(answer.error)


def _print_comparison(answer: Answer, titles: dict[str, str], shape: str) -> None:
    from rag.batch import conversation_json
    from rag.tables import table_csv, table_markdown

    if shape == "json":
        _dump(conversation_json(None, [answer]))
    else:
        click.echo((table_csv if shape == "csv" else table_markdown)(answer, titles))


@cli.command("export")
@click.argument("shape", type=click.Choice(["bibtex", "markdown", "csv"]))
@click.argument("ids", nargs=-1, metavar="[ID...]")
@click.option("-o", "out", type=click.Path(path_type=Path), metavar="FILE")
@click.pass_obj
def export_command(config: Config, shape: str, ids: tuple[str, ...], out: Path | None) -> None:
    """Write the papers' bibliographic data, abstracts included."""
    from rag.ui.export import bibtex, csv_table, reference_list

    with _open(config) as library:
        papers = [library.paper(paper_id) for paper_id in ids] if ids else library.papers()
    write = {"bibtex": bibtex, "markdown": reference_list, "csv": csv_table}[shape]
    if out is None:
        click.echo(write(papers), nl=False)
    else:
        out.write_text(write(papers), encoding="utf-8", newline="")
        _tell(f"wrote {len(papers)} papers to {out}")


# ---------------------------------------------------------------- models


@cli.group("models")
def models_group() -> None:
    """The models that Citewell knows and has."""


@models_group.command("list")
@click.option("--json", "as_json", is_flag=True, help="A list of objects.")
@click.pass_obj
def models_list(config: Config, as_json: bool) -> None:
    """Show the catalogue, and what is installed."""
    from rag.llm.catalogue import CATALOGUE

    lines = [_model_json(config, entry) for entry in CATALOGUE]
    if as_json:
        _dump(lines)
        return
    for line in lines:
        state = "installed" if line["installed"] else "-"
        default = "default" if line["default"] else ""
        size = f"{line['bytes'] / 1e6:,.0f} MB"
        click.echo(f"{line['name']:36} {line['kind']:9} {size:>9}  {state:10} {default}".rstrip())


def _model_json(config: Config, entry: ModelSpec) -> dict[str, Any]:
    from rag.llm.catalogue import is_installed

    installed = is_installed(config, entry)
    return {
        "name": entry.name,
        "kind": entry.kind,
        "path": str(entry.location(config.models_dir)) if installed else None,
        "bytes": entry.size,
        "sha256": entry.weights.sha256,
        "license": entry.licence,
        "default": entry.is_default,
        "installed": installed,
    }


@models_group.command("pull")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.pass_obj
def models_pull(config: Config, names: tuple[str, ...]) -> None:
    """Fetch models; without a name, the embedder and the chat model in use."""
    from rag.llm.catalogue import known_spec, spec
    from rag.llm.download import install

    in_use = [name for name in (config.embedder, config.model) if spec(name)]
    for entry in [known_spec(name) for name in names or in_use]:
        install(config, entry, _tell)


@models_group.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.pass_context
def models_verify(context: click.Context, names: tuple[str, ...]) -> None:
    """Read every byte of the models named, or of all that are installed, and compare."""
    from rag.llm.catalogue import CATALOGUE, known_spec
    from rag.llm.download import problems

    config: Config = context.obj
    there = [entry for entry in CATALOGUE if entry.location(config.models_dir).exists()]
    wrong = 0
    for entry in [known_spec(name) for name in names] or there:
        found = problems(config, entry)
        wrong += bool(found)
        click.echo(f"{entry.name}: {'; '.join(found) or 'right'}")
        if found:
            _tell(f"Mend it with: citewell models pull {entry.name}")
    context.exit(1 if wrong else 0)


# ---------------------------------------------------------------- the machine


@cli.command("doctor")
@click.option("--offline", is_flag=True, help="Also check that nothing needs the network.")
@click.option("--json", "as_json", is_flag=True, help="A list of objects.")
@click.pass_context
def doctor_command(context: click.Context, offline: bool, as_json: bool) -> None:
    """Check the build, the models and the library, and say how to mend what is wrong."""
    from dataclasses import asdict

    from rag.doctor import examine

    findings = list(examine(context.obj, offline=offline))
    if as_json:
        _dump([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            click.echo(f"{'ok  ' if finding.ok else 'FAIL'} {finding.subject}: {finding.text}")
            if finding.cure:
                click.echo(f"     {finding.cure}")
    context.exit(0 if all(finding.ok for finding in findings) else 1)


@cli.command("sample")
@click.pass_obj
def sample_command(config: Config) -> None:
    """Make the sample library, unless there is a library already."""
    from rag.library import make_sample
    from rag.resources import seeds_dir

    made = make_sample(config, seeds_dir(), on_progress=_embedding)
    _tell(f"{'made the sample library' if made else 'the library is there'}: {config.library}")


@cli.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=7860, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--auth", metavar="NAME:PASSWORD", help="Ask for a login; needed beyond this machine."
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
@click.pass_obj
def serve_command(
    config: Config, host: str, port: int, auth: str | None, open_browser: bool
) -> None:
    """Open the browser chat."""
    from rag.ui.app import serve

    serve(config, host=host, port=port, auth=auth, open_browser=open_browser)


if __name__ == "__main__":
    main()
