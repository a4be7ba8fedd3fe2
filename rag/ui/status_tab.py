"""The Status tab: what runs, where the data lies, which models there are, what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Queue
from threading import Thread
from typing import Protocol

from rag.errors import CitewellError
from rag.ui import kit
from rag.ui.desk import Desk
from rag.ui.kit import Component, Value, Visit
from rag.ui.status_html import Check, ModelLine, checks_html, facts_table_html, models_html


class Machine(Protocol):
    """What the page asks of the machine that it runs on."""

    def facts(self) -> Sequence[tuple[str, str]]:
        """Names and values, in words."""

    def check(self) -> Iterator[Check]:
        """Look at each thing in turn."""

    def models(self) -> Sequence[ModelLine]:
        """The models of the catalogue."""

    def pull(self, name: str, report: Callable[[str], None]) -> None:
        """Download a model. Raises CitewellError."""

    def use(self, name: str) -> None:
        """Answer with another chat model from now on."""


class StatusTab:
    """Draws the tab and answers what is done in it."""

    def __init__(self, desk: Desk, machine: Machine) -> None:
        self._desk, self._machine = desk, machine
        self._facts = kit.surface("state", events=["check"])
        self._checks = kit.surface("checks")
        self._models = kit.surface("models", events=["pull", "use"])

    def listen(self, tabs: Component, top: Component, timer: Component) -> None:
        """Answer events; `top` shows the model, `timer` follows its loading."""
        kit.on(tabs.on_show_status, self._show, [self._facts, self._models])
        kit.on(self._facts.on_check, self._check, [self._checks])
        kit.on(self._models.on_pull, self._pull, [self._models])
        kit.on(self._models.on_use, self._use, [self._models, top, timer])

    def _show(self, visit: Visit, data: dict[str, str]) -> tuple[str, str]:
        return facts_table_html(self._machine.facts()), models_html(self._machine.models())

    def _check(self, visit: Visit, data: dict[str, str]) -> Iterator[str]:
        checks: list[Check] = []
        yield checks_html(checks, running=True)
        for check in self._machine.check():
            checks.append(check)
            yield checks_html(checks, running=True)
        yield checks_html(checks, running=False)

    def _pull(self, visit: Visit, data: dict[str, str]) -> Iterator[str]:
        news: Queue[str | None] = Queue()

        def work() -> None:
            try:
                self._machine.pull(data.get("name", ""), news.put)
            except CitewellError as error:
                news.put(str(error))
            news.put(None)

        Thread(target=work, name="citewell-download", daemon=True).start()
        line = ""
        while (item := news.get()) is not None:
            line = item
            yield models_html(self._machine.models(), line)
        yield models_html(self._machine.models(), line)

    def _use(self, visit: Visit, data: dict[str, str]) -> tuple[Value, ...]:
        try:
            self._machine.use(data.get("name", ""))
            news = ""
        except CitewellError as error:
            news = str(error)
        top = self._desk.facts_html()
        return models_html(self._machine.models(), news), top, kit.active_if(True)
