"""One question at a time, in the order they came, each told how many are before it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rag.types import Stop

_POLL_SECONDS = 0.2


class Queue:
    """Tickets are taken with `join`, and served first come, first served."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._tickets: list[object] = []

    @contextmanager
    def join(self) -> Iterator[object]:
        """Take a ticket; it is given back however the turn ends."""
        ticket = object()
        with self._condition:
            self._tickets.append(ticket)
        try:
            yield ticket
        finally:
            with self._condition:
                self._tickets.remove(ticket)
                self._condition.notify_all()

    def wait(self, ticket: object, stop: Stop | None) -> Iterator[int]:
        """Yield how many questions come first, each time it changes, until it is one's turn.

        Ends early when `stop` is set.
        """
        told = 0
        while not (stop is not None and stop.is_set()):
            with self._condition:
                position = self._tickets.index(ticket)
                if position == told and position:
                    self._condition.wait(_POLL_SECONDS)
                    position = self._tickets.index(ticket)
            if position == 0:
                return
            if position != told:
                told = position
                yield position

    def waiting(self) -> int:
        """Questions being answered or waiting."""
        return len(self._tickets)
