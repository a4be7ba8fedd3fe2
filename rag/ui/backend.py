"""Opens the library and the models behind the page, and says how far that has come."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

from rag.errors import CitewellError
from rag.types import Answer, Event, Hit, Paper, Scope, Stop, Vectors
from rag.ui.library_html import AccountLike

_log = logging.getLogger(__name__)
_STEP_S = 0.1
_SAMPLE = 300


class LibraryLike(Protocol):
    """What the page asks of a library."""

    def papers(self, scope: Scope = ...) -> tuple[Paper, ...]:
        """All papers in the scope."""

    def count(self) -> int:
        """How many papers there are."""

    def collections(self) -> tuple[str, ...]:
        """The names of the files that the papers stand in."""

    def paper(self, paper_id: str) -> Paper:
        """One paper; raises UnknownPaper."""

    def search(self, text: str, k: int = ..., scope: Scope = ...) -> list[Hit]:
        """The best papers for some words, best first."""

    def index(
        self, paths: Sequence[Path], *, on_progress: Callable[[Any], None] | None = ...
    ) -> AccountLike:
        """Add files; says what became of each record."""

    def paper_vectors(self) -> tuple[tuple[Paper, ...], Vectors]:
        """The papers that have vectors, and one for each, shape [papers, dimension]."""

    def remove(self, ids: Sequence[str]) -> None:
        """Take papers out."""


class ChatLike(Protocol):
    """What the page asks of a chat."""

    def ask(
        self,
        question: str,
        history: Sequence[Answer],
        *,
        scope: Scope = ...,
        stop: Stop | None = ...,
    ) -> Iterator[Event]:
        """The events of one turn; the last is Done."""

    def compare(
        self, paper_ids: Sequence[str], aspect: str = ..., *, stop: Stop | None = ...
    ) -> Iterator[Event]:
        """The events of a comparison of given papers; the last is Done."""


class AheadLike(Protocol):
    """What reads papers while no question is asked."""

    def start(self) -> None:
        """Begin; returns at once."""

    def close(self) -> None:
        """End soon."""

    def progress(self) -> tuple[int, int, bool]:
        """Papers read, papers there are, and whether no more will be read as things are."""


class Backend:
    """The library and the chat, which become ready one after the other in a thread."""

    def __init__(
        self,
        open_library: Callable[[], LibraryLike],
        open_chat: Callable[[Any], ChatLike],
        model: str = "",
        sent_to: str | None = None,
        read_ahead: Callable[[Any, Any], AheadLike | None] = lambda library, chat: None,
    ) -> None:
        self.model = model
        self.sent_to = sent_to
        self._open_library = open_library
        self._open_chat = open_chat
        self._library: Future[LibraryLike] = Future()
        self._chat: Future[ChatLike] = Future()
        self._sample: tuple[int, tuple[Paper, ...]] | None = None
        self._read_ahead = read_ahead
        self._ahead: AheadLike | None = None

    def start(self) -> None:
        """Begin to open both; returns at once."""
        Thread(target=self._open, name="citewell-opening", daemon=True).start()

    def change_model(self, model: str, open_chat: Callable[[Any], ChatLike]) -> None:
        """Open another chat on this machine, which answers from now on; returns at once."""
        self.model, self.sent_to, self._open_chat = model, None, open_chat
        self.close()
        self._chat = Future()
        if self.library is not None:
            self.start()

    def close(self) -> None:
        """End what goes on in the background; questions are answered as before."""
        if self._ahead is not None:
            self._ahead.close()
            self._ahead = None

    def ahead(self) -> str:
        """How many papers have been read ahead, in words; empty where none are."""
        if self._ahead is None:
            return ""
        ready, total, at_rest = self._ahead.progress()
        room = "; the disk limit has room for no more" if at_rest and ready < total else ""
        return f"{ready:,} of {total:,} papers ready to be asked about at once{room}"

    def _open(self) -> None:
        try:
            if not self._library.done():
                self._library.set_result(self._open_library())
            library = self._library.result()
            chat = self._open_chat(library)
            self._chat.set_result(chat)
            self._ahead = self._read_ahead(library, chat)
            if self._ahead is not None:
                self._ahead.start()
        except CitewellError as problem:
            self._fail(problem)
        except Exception as problem:
            _log.exception("the library or the model could not be opened")
            cause = f"Could not start: {problem}. Run `citewell doctor` to see what is wrong."
            self._fail(CitewellError(cause))

    def _fail(self, problem: CitewellError) -> None:
        for future in (self._library, self._chat):
            if not future.done():
                future.set_exception(problem)

    @property
    def ready(self) -> bool:
        """Whether there is nothing left to wait for, be it by failure."""
        return self._library.done() and self._chat.done()

    @property
    def state(self) -> str:
        """In a few words, what the program is doing."""
        if not self._library.done():
            return "opening the library…"
        if not self._chat.done():
            return "loading the model…"
        if self.problem:
            return "not ready"
        return f"text is sent to {self.sent_to}" if self.sent_to else "offline"

    @property
    def problem(self) -> str:
        """Why the program cannot answer, or an empty string."""
        for future in (self._library, self._chat):
            if future.done() and (failure := future.exception()):
                return str(failure)
        return ""

    @property
    def library(self) -> LibraryLike | None:
        """The library, if it is open."""
        opened = self._library.done() and self._library.exception() is None
        return self._library.result() if opened else None

    def count(self) -> int | None:
        """How many papers there are, or None while that is not known."""
        return self.library.count() if self.library else None

    def files(self) -> tuple[str, ...]:
        """The files that the papers stand in, as far as known."""
        return self.library.collections() if self.library else ()

    def sample(self) -> tuple[Paper, ...] | None:
        """The papers that examples are drawn from, or None while that is not known."""
        library = self.library
        if library is None:
            return None
        count = library.count()
        if self._sample is None or self._sample[0] != count:
            self._sample = count, library.papers()[:_SAMPLE]
        return self._sample[1]

    def chat(self, stop: Stop) -> ChatLike | None:
        """Wait for the chat; None if the user stopped. Raises the error that prevents it."""
        while not stop.is_set():
            if wait([self._chat], timeout=_STEP_S).done:
                return self._chat.result()
        return None
