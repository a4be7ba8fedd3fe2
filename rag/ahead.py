"""Reads papers while no question is asked, so that an answer need not wait for the reading."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Protocol

from rag.answer.prompt import Prompts
from rag.answer.read import Reader
from rag.errors import CitewellError, Stopped
from rag.types import LanguageModel, Paper, Prompt, Stop, Vectors

_log = logging.getLogger(__name__)

MOST = 2000
"""Papers that are looked at, newest first: more than the disk limit has room for."""

_IDLE_S = 0.2
_CHANGED_S = 2.0


class Shelf(Protocol):
    """What is asked of the library."""

    def newest(self, limit: int) -> Sequence[Paper]:
        """The papers that came last, newest first."""

    def sentence_vectors(self, paper_id: str) -> Vectors:
        """Unit vectors of a paper's sentences, computed once and kept."""

    def generation(self) -> int:
        """A number that grows whenever the library has changed."""

    def count(self) -> int:
        """How many papers there are."""


class Preparing(LanguageModel, Protocol):
    """A model that can read a document before it is asked about it."""

    def prepare(self, prompt: Prompt, *, stop: Stop) -> bool:
        """Read the document and keep the state; false where there is no room for it."""


class ReadAhead:
    """Reads one paper after the other in a thread, newest first, up to the limit of the cache.

    `busy` says whether there is a question; then the reading breaks off at once, and goes on
    when there is none. A library that has changed is looked through again.
    """

    def __init__(
        self, library: Shelf, model: Preparing, prompts: Prompts, busy: Callable[[], bool]
    ) -> None:
        self._library, self._model, self._prompts, self._busy = library, model, prompts, busy
        self._reader = Reader(model, prompts)
        self._ended = Event()
        self._thread = Thread(target=self._run, name="citewell-reading-ahead", daemon=True)
        self._ready = 0
        self._at_rest = False

    def start(self) -> None:
        """Begin to read; returns at once."""
        self._thread.start()

    def close(self) -> None:
        """End within milliseconds; what was read is kept."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def is_set(self) -> bool:
        """Whether the reading must stop: there is a question, or it has ended."""
        return self._ended.is_set() or self._busy()

    def progress(self) -> tuple[int, int, bool]:
        """Papers read, papers there are, and whether no more will be read as things are."""
        return self._ready, self._library.count(), self._at_rest

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                generation = self._library.generation()
                self._look_through(generation)
                self._at_rest = self._library.generation() == generation
                while self._library.generation() == generation:
                    if self._ended.wait(_CHANGED_S):
                        return
        except Exception:  # answers come without it too, only later
            _log.exception("reading ahead ended")
            self._at_rest = True

    def _look_through(self, generation: int) -> None:
        self._at_rest, self._ready = False, 0
        for paper in self._library.newest(MOST):
            if self._library.generation() != generation or not self._read(paper):
                return
            self._ready += 1

    def _read(self, paper: Paper) -> bool:
        """Read a paper as soon as nobody asks; false if there is no room for it, or at the end."""
        while not self._ended.wait(_IDLE_S if self._busy() else 0):
            if self._busy():
                continue
            try:
                self._library.sentence_vectors(paper.paper_id)
                prompt = self._prompts.about(self._reader.document(paper), "summary")
                return self._model.prepare(prompt, stop=self)
            except Stopped:
                continue
            except CitewellError:  # it has been removed, or is too long: the next one may do
                return True
        return False
