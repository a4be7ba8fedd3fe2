"""Opens the library and the models behind the page, and says how far that has come."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from threading import RLock, Thread
from typing import Any, Protocol, TypeVar

from rag.errors import CitewellError, LibraryBusy
from rag.types import Answer, Event, Hit, Length, Paper, Scope, Stop, Vectors
from rag.ui.library_html import AccountLike

_log = logging.getLogger(__name__)
_STEP_S = 0.1
_SAMPLE = 300
_Opened = TypeVar("_Opened")
Edition = tuple[int, int]
"""The number of the library that is open, and its generation."""


class LibraryLike(Protocol):
    """What the page asks of a library."""

    def papers(self, scope: Scope = ...) -> tuple[Paper, ...]:
        """All papers in the scope."""

    def listed(
        self, scope: Scope = ..., words: str = ..., first: int = ..., count: int | None = ...
    ) -> tuple[int, tuple[Paper, ...]]:
        """How many papers in scope have all the words, and `count` of them from `first` on."""

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

    def generation(self) -> int:
        """A number that grows whenever the library has changed."""

    def close(self) -> None:
        """Close the files."""


class ChatLike(Protocol):
    """What the page asks of a chat."""

    def ask(
        self,
        question: str,
        history: Sequence[Answer],
        *,
        scope: Scope = ...,
        length: Length = ...,
        stop: Stop | None = ...,
    ) -> Iterator[Event]:
        """The events of one turn; the last is Done."""

    def compare(
        self, paper_ids: Sequence[str], aspect: str = ..., *, stop: Stop | None = ...
    ) -> Iterator[Event]:
        """The events of a comparison of given papers; the last is Done."""

    def busy(self) -> bool:
        """Whether a question is being answered or waits."""

    def close(self) -> None:
        """Free the model."""


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
        self.name = ""
        self.model = model
        self.sent_to = sent_to
        self._open_library = open_library
        self._open_chat = open_chat
        self._library: Future[LibraryLike] = Future()
        self._chat: Future[ChatLike] = Future()
        self._sample: tuple[Edition, tuple[Paper, ...]] | None = None
        self._read_ahead = read_ahead
        self._ahead: AheadLike | None = None
        self._changing = RLock()
        self._writers = 0
        self._libraries = 0

    def start(self) -> None:
        """Begin to open both; returns at once."""
        self._open_soon(lambda: None)

    def change_model(self, model: str, open_chat: Callable[[Any], ChatLike]) -> None:
        """Open another chat on this machine, which answers from now on; returns at once.

        The old one is freed when it has answered what it was asked.
        """
        with self._changing:
            self.model, self.sent_to, self._open_chat = model, None, open_chat
            self._replace_chat(lambda: None)

    def change_library(
        self,
        name: str,
        open_library: Callable[[], LibraryLike],
        open_chat: Callable[[Any], ChatLike],
    ) -> None:
        """Open another library, for all who use the page; the chat over it follows by itself.

        Raises LibraryBusy while a question is being answered or files are written, and what
        `open_library` raises; then all stays as it was.
        """
        with self._changing:
            self._check_idle()
            opened: Future[LibraryLike] = Future()
            opened.set_result(open_library())
            old, self._library = self.library, opened
            self.name, self._open_chat = name, open_chat
            self._libraries += 1
            self._replace_chat(old.close if old is not None else lambda: None)

    def _check_idle(self) -> None:
        chat = _result(self._chat)
        if chat is not None and chat.busy():
            raise LibraryBusy("A question is being answered. Open the other library after it.")
        if self._writers:
            raise LibraryBusy("Papers are being added or removed. Open the other library after it.")

    @contextmanager
    def writing(self) -> Iterator[LibraryLike | None]:
        """The library if it is open, which is not changed for another one meanwhile."""
        with self._changing:
            self._writers += 1
        try:
            yield self.library
        finally:
            with self._changing:
                self._writers -= 1

    def _replace_chat(self, then: Callable[[], None]) -> None:
        self.close()
        old, self._chat = self._chat, Future()

        def retire() -> None:
            _retire(old)
            then()

        if self.library is not None:
            self._open_soon(retire)

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

    def _open_soon(self, first: Callable[[], None]) -> None:
        """Open what is not open in a thread, after doing something else there."""
        pending = self._library, self._chat, self._open_chat

        def work() -> None:
            try:
                first()
                self._open(*pending)
            except CitewellError as problem:
                _fail(pending[:2], problem)
            except Exception as problem:
                _log.exception("the library or the model could not be opened")
                cause = f"Could not start: {problem}. Run `citewell doctor` to see what is wrong."
                _fail(pending[:2], CitewellError(cause))

        Thread(target=work, name="citewell-opening", daemon=True).start()

    def _open(
        self,
        opened: Future[LibraryLike],
        opening: Future[ChatLike],
        open_chat: Callable[[Any], ChatLike],
    ) -> None:
        if not opened.done():
            opened.set_result(self._open_library())
        library = opened.result()
        chat = open_chat(library)
        opening.set_result(chat)
        with self._changing:
            if self._chat is opening:
                self._ahead = self._read_ahead(library, chat)
                if self._ahead is not None:
                    self._ahead.start()

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
        return _result(self._library)

    @property
    def edition(self) -> Edition:
        """Changes whenever another library is opened, or the one that is open has changed."""
        library = self.library
        return self._libraries, library.generation() if library else -1

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
        edition = self.edition
        if self._sample is None or self._sample[0] != edition:
            self._sample = edition, library.listed(count=_SAMPLE)[1]
        return self._sample[1]

    def chat(self, stop: Stop) -> ChatLike | None:
        """Wait for the chat; None if the user stopped. Raises the error that prevents it."""
        while not stop.is_set():
            chat = self._chat
            if wait([chat], timeout=_STEP_S).done:
                return chat.result()
        return None


def _result(future: Future[_Opened]) -> _Opened | None:
    """What was opened, or None if it is not open, or not yet."""
    return future.result() if future.done() and future.exception() is None else None


def _retire(opening: Future[ChatLike]) -> None:
    """Close a chat, which may still be opening, when it has answered what it was asked."""
    if opening.exception() is not None:
        return
    chat = opening.result()
    while chat.busy():
        time.sleep(_STEP_S)
    chat.close()


def _fail(futures: Sequence[Future[Any]], problem: CitewellError) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(problem)
