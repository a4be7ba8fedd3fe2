"""The commands that ask the chat model: ask and compare."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from rag.commands.common import dump, filters, open_library, tell
from rag.errors import CitewellError, UsageError

if TYPE_CHECKING:
    from rag.answer.chat import Chat
    from rag.batch import Line
    from rag.config import Config
    from rag.library import Library
    from rag.types import Answer, Scope


@click.command("ask")
@click.argument("question", required=False)
@click.option("--batch", nargs=2, type=click.Path(path_type=Path), metavar="IN OUT")
@click.option("--json", "as_json", is_flag=True, help="The finished turn as an object.")
@filters
@click.pass_obj
def ask_command(
    config: Config,
    question: str | None,
    batch: tuple[Path, Path] | None,
    as_json: bool,
    scope: Scope,
) -> None:
    """Ask a question and get a cited answer."""
    if batch and question:
        raise UsageError(
            f"Either a question or --batch IN OUT; {question!r} is one word more than that."
        )
    if batch:
        _ask_batch(config, batch, scope)
        return
    if not (question and question.strip()):
        raise UsageError('What is the question? Write: citewell ask "the question"')
    with open_library(config) as library:
        answer = _ask_once(_chat(config, library), question, as_json, scope)
    if answer.error:
        raise CitewellError(answer.error)


def _chat(config: Config, library: Library) -> Chat:
    from rag.answer.chat import Chat
    from rag.answer.prompt import Prompts
    from rag.llm.address import sent_to
    from rag.llm.choose import open_model
    from rag.resources import prompts_dir

    if host := sent_to(config.model):
        tell(f"Questions and abstracts are sent to {host}.")
    library.search("ready", 1)  # a missing or other embedder is told before the model loads
    return Chat(library, open_model(config), Prompts(prompts_dir()))


def _ask_once(chat: Chat, question: str, as_json: bool, scope: Scope) -> Answer:
    events = chat.ask(question, (), scope=scope)
    if not as_json:
        from rag.terminal import show

        return show(events)
    from rag.batch import conversation_json, finished

    answer = finished(events)
    dump(conversation_json(None, [answer]))
    return answer


def _ask_batch(config: Config, batch: tuple[Path, Path], scope: Scope) -> None:
    from rag.batch import read_conversations, written

    conversations = read_conversations(batch[0])
    if batch[0].resolve() == batch[1].resolve():
        raise UsageError("The answers would replace the questions; name another file for them.")
    failed = 0
    with open_library(config) as library:
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
        tell(f"{number} of {len(conversations)} answered")
    return failed


@click.command("compare")
@click.argument("ids", nargs=-1, required=True, metavar="ID ID...")
@click.option("--aspect", default="", help="What to compare them in.")
@click.option("--format", "shape", type=click.Choice(["md", "csv", "json"]), default="md")
@click.pass_obj
def compare_command(config: Config, ids: tuple[str, ...], aspect: str, shape: str) -> None:
    """Compare papers side by side."""
    from rag.batch import finished

    if len(set(ids)) < 2:
        raise UsageError("A comparison takes two papers or more; `citewell list` shows their ids.")
    with open_library(config) as library:
        titles = {paper_id: library.paper(paper_id).title for paper_id in ids}
        answer = finished(_chat(config, library).compare(ids, aspect))
    _print_comparison(answer, titles, shape)
    if answer.error:
        raise CitewellError(answer.error)


def _print_comparison(answer: Answer, titles: dict[str, str], shape: str) -> None:
    from rag.batch import conversation_json
    from rag.tables import table_csv, table_markdown

    if shape == "json":
        dump(conversation_json(None, [answer]))
    else:
        click.echo((table_csv if shape == "csv" else table_markdown)(answer, titles))
