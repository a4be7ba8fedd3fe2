"""Citewell for Python programs: a library of papers, and a talk about it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from rag.config import Config
from rag.errors import CitewellError
from rag.library import Account
from rag.library import Library as Papers
from rag.types import Answer, Done, Event, Hit, LanguageModel, Paper, Scope, Stop

__all__ = ["Chat", "Library", "Scope"]

EVERYTHING = Scope()


class Library:
    """A library of papers in a folder, made where there is none.

    Without a folder it is the one that the `citewell` command uses. `store` and `embedder`
    are as on the command line. Use it as a context manager, or close it.

    Raises:
        LibraryDamaged: its record cannot be read.
        EmbedderMismatch: it was made with another embedder.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        store: str | None = None,
        embedder: str | None = None,
    ) -> None:
        named = None if folder is None else str(folder)
        self._config = Config.from_environment(
            os.environ, library=named, store=store, embedder=embedder
        )
        self._papers = Papers.open(self._config, create=True)

    def close(self) -> None:
        """Close its files."""
        self._papers.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return self._papers.count()

    def index(self, *paths: str | Path) -> Account:
        """Add or refresh files and folders; returns what became of each record.

        Raises UsageError where a path is not there, and LibraryBusy.
        """
        return self._papers.index([Path(path) for path in paths])

    def remove(self, *paper_ids: str) -> None:
        """Take papers out; their files are left alone. Raises UnknownPaper."""
        self._papers.remove(paper_ids)

    def papers(self, scope: Scope = EVERYTHING) -> tuple[Paper, ...]:
        """The papers in scope, in the order they were added."""
        return self._papers.papers(scope)

    def paper(self, paper_id: str) -> Paper:
        """One paper. Raises UnknownPaper."""
        return self._papers.paper(paper_id)

    def search(self, words: str, k: int = 10, scope: Scope = EVERYTHING) -> list[Hit]:
        """The `k` papers that fit some words best, with their best sentences, best first."""
        return self._papers.search(words, k, scope)


class Chat:
    """One talk about a library: each question may refer to those before it.

    `model` is a name, a path or the address of a server, as on the command line, or a model
    of your own.

    Raises:
        ModelMissing, ModelDamaged, ModelUnfit, ServerFailed: the message says what to do.
    """

    def __init__(self, library: Library, *, model: str | LanguageModel | None = None) -> None:
        from rag.answer.chat import Chat as Answering
        from rag.answer.prompt import Prompts
        from rag.resources import prompts_dir

        self._answering = Answering(
            library._papers, _opened(library._config, model), Prompts(prompts_dir())
        )
        self.history: list[Answer] = []

    def ask(self, question: str, *, scope: Scope = EVERYTHING, stop: Stop | None = None) -> Answer:
        """The finished answer. Raises CitewellError where there can be none."""
        return _finished(self.events(question, scope=scope, stop=stop))

    def events(
        self, question: str, *, scope: Scope = EVERYTHING, stop: Stop | None = None
    ) -> Iterator[Event]:
        """The events of a turn as they come; the last is `Done`, with the answer."""
        events = self._answering.ask(question, tuple(self.history), scope=scope, stop=stop)
        return self._kept(events)

    def compare(
        self, paper_ids: Sequence[str], aspect: str = "", *, stop: Stop | None = None
    ) -> Answer:
        """A comparison of given papers; its `table` has a row for each. Raises UnknownPaper."""
        return _finished(self._kept(self._answering.compare(paper_ids, aspect, stop=stop)))

    def _kept(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, Done) and event.answer.error is None:
                self.history.append(event.answer)
            yield event


def _opened(config: Config, model: str | LanguageModel | None) -> LanguageModel:
    if model is not None and not isinstance(model, str):
        return model
    from dataclasses import replace

    from rag.llm.choose import open_model

    return open_model(replace(config, model=model) if model else config)


def _finished(events: Iterable[Event]) -> Answer:
    from rag.batch import finished

    answer = finished(events)
    if answer.error:
        raise CitewellError(answer.error)
    return answer
