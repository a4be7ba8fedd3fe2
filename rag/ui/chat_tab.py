"""The chat: conversations on the left, the talk in the middle."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from rag.errors import CitewellError
from rag.export import bibtex
from rag.types import LENGTHS, Length, Paper, Scope
from rag.ui import kit
from rag.ui.backend import Edition
from rag.ui.conversations import Listed
from rag.ui.desk import Desk
from rag.ui.download_html import download_html
from rag.ui.export import cited_papers, markdown
from rag.ui.kit import Value, Visit
from rag.ui.page_html import welcome_html
from rag.ui.session import Session
from rag.ui.side_html import conversations_html, length_html, scope_html
from rag.ui.talk import answer_turn
from rag.ui.turn import Turn
from rag.ui.turn_html import draft_html, turn_html

_QUESTION_LIMIT = 8000
_YEARS = re.compile(r"^\s*(\d{4})\s*(?:(?:\.\.|-|–)\s*(\d{4})?)?\s*$")
Update = tuple[Value, ...]
_Result = TypeVar("_Result")


class ChatTab:
    """Draws the chat and answers what is done in it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._welcome: tuple[tuple[Edition, str], str] | None = None
        with kit.column("side"):
            self._new = kit.button("new", "New conversation")
            self.side = kit.surface(
                "conversations", events=["open", "find", "rename", "delete", "export"]
            )
            self._download = kit.surface("download")
        with kit.column("talk"):
            self.turns = kit.surface("turns", events=["source", "example", "retry", "edit"])
            self.running = kit.surface("running", events=["source"])
            self.scope = kit.surface("scope", events=["narrow", "widen", "keep", "length"])
            with kit.row("composer"):
                self.question = kit.question_box("question", _QUESTION_LIMIT)
                self._ask = kit.button("ask", "Ask")
                self._stop = kit.button("stop", "Stop", visible=False)
        self.talk = [self.turns, self.running, self.question, self._ask, self._stop, self.side]
        self.talk.append(self.scope)
        self.opening = [self.turns, self.scope]
        self._listen()

    def _listen(self) -> None:
        for event in (self.question.submit, self._ask.click):
            kit.on(event, self._answer, self.talk, [self.question])
        kit.on(self.turns.on_retry, self._retry, self.talk)
        kit.on(self.turns.on_edit, self._edit, [self.question, self.scope])
        kit.on(self.turns.on_example, lambda _, data: data.get("text", ""), [self.question])
        kit.on(self._stop.click, self._end)
        kit.on(self._new.click, self._begin_anew, self.talk)
        kit.on(self.side.on_open, self._open, self.talk)
        kit.on(self.side.on_delete, self._delete, self.talk)
        kit.on(self.side.on_find, self._find, [self.side])
        kit.on(self.side.on_rename, self._rename, [self.side])
        kit.on(self.side.on_export, self._export, [self._download])
        kit.on(self.scope.on_narrow, self._narrow, [self.scope])
        kit.on(self.scope.on_widen, self._widen, [self.scope])
        kit.on(self.scope.on_keep, self._keep, [self.scope])
        kit.on(self.scope.on_length, self._lengthen)

    # ------------------------------------------------------------ answering

    def _answer(self, visit: Visit, data: dict[str, str], question: str) -> Iterator[Update]:
        session = self._desk.session(visit.tab)
        if session.editing is not None and question.strip() and not session.busy:
            del session.turns[session.editing :]
            session.editing = None
        yield from self.turn(visit, question, session.scope)

    def _retry(self, visit: Visit, data: dict[str, str]) -> Iterator[Update]:
        session = self._desk.session(visit.tab)
        if session.turns and not session.busy:
            question = session.turns.pop().answer.question
            yield from self.turn(visit, question, session.scope)

    def turn(self, visit: Visit, question: str, scope: Scope) -> Iterator[Update]:
        """Answer a question in the talk of a tab; yields values for `talk`."""
        session = self._desk.session(visit.tab)
        if session.busy or not question.strip():
            yield (kit.skip(),) * 7
            return
        first = True
        for draft in answer_turn(session, self._desk.backend, question, scope):
            drawn = draft_html(draft, len(session.turns))
            yield self._begun(session, drawn) if first else _grown(drawn)
            first = False
        if not session.busy:
            self.keep(visit)
            yield self.drawn(visit, question=kit.skip())

    def _begun(self, session: Session, drawn: str) -> Update:
        buttons = kit.shown_if(False), kit.shown_if(True)
        return self._talk_html(session), drawn, "", *buttons, kit.skip(), self._scope(session)

    def drawn(self, visit: Visit, question: Value = "") -> Update:
        """Values for `talk` that show it as it is."""
        session = self._desk.session(visit.tab)
        return (
            self._talk_html(session),
            "",
            question,
            kit.shown_if(True),
            kit.shown_if(False),
            self.side_html(visit),
            self._scope(session),
        )

    def reopened(self, visit: Visit) -> tuple[Value, ...]:
        """Values for `opening`, over another library; a talk that was begun stays."""
        session = self._desk.session(visit.tab)
        return self._talk_html(session), self._scope(session)

    def _talk_html(self, session: Session) -> str:
        if not session.turns:
            return "" if session.busy else self.welcome()
        final = len(session.turns) - 1
        return "".join(
            turn_html(turn, number, last=number == final and not session.busy)
            for number, turn in enumerate(session.turns)
        )

    def welcome(self) -> str:
        """The talk before its first question."""
        backend = self._desk.backend
        now = backend.edition, backend.problem
        if self._welcome is None or self._welcome[0] != now:
            self._welcome = now, welcome_html(backend.sample(), backend.problem)
        return self._welcome[1]

    def _end(self, visit: Visit, data: dict[str, str]) -> None:
        self._desk.session(visit.tab).stop.set()

    def _edit(self, visit: Visit, data: dict[str, str]) -> Update:
        session, number = self._desk.session(visit.tab), data.get("turn", "")
        if not number.isdecimal() or int(number) >= len(session.turns):
            return kit.skip(), kit.skip()
        session.editing = int(number)
        return session.turns[session.editing].answer.question, self._scope(session)

    # ------------------------------------------------------------ conversations

    def side_html(self, visit: Visit, words: str = "") -> str:
        """The list of conversations of the visitor."""
        kept, session = self._desk.conversations, self._desk.session(visit.tab)
        listed: list[Listed] = []
        if visit.owner:
            listed = self._try(visit, lambda: kept.listed(visit.owner, words), listed)
        news, session.news = session.news, ""
        return conversations_html(listed, session.conversation_id, words, news)

    def _try(self, visit: Visit, call: Callable[[], _Result], otherwise: _Result) -> _Result:
        """The result of a call; where it fails, the visitor is told and goes on."""
        try:
            return call()
        except CitewellError as error:
            self._desk.session(visit.tab).news = str(error)
            return otherwise

    def _begin_anew(self, visit: Visit, data: dict[str, str]) -> Update:
        self._desk.session(visit.tab).reset()
        return self.drawn(visit)

    def keep(self, visit: Visit) -> None:
        """Write the talk of a tab to the conversations of its visitor."""
        kept, session = self._desk.conversations, self._desk.session(visit.tab)
        if not visit.owner:
            return

        def save() -> None:
            kept.save(visit.owner, session.conversation_id, session.turns)

        self._try(visit, save, None)
        if session.news:  # a damaged file is a new one by now
            self._try(visit, save, None)

    def _open(self, visit: Visit, data: dict[str, str]) -> Update:
        conversation_id = data.get("id", "")
        kept = self._desk.conversations
        none: tuple[Turn, ...] = ()
        turns = self._try(visit, lambda: kept.load(visit.owner, conversation_id), none)
        if turns:
            self._desk.session(visit.tab).reset(conversation_id, turns)
        return self.drawn(visit)

    def _delete(self, visit: Visit, data: dict[str, str]) -> Update:
        kept = self._desk.conversations
        self._try(visit, lambda: kept.delete(visit.owner, data.get("id", "")), None)
        session = self._desk.session(visit.tab)
        if session.conversation_id == data.get("id"):
            session.reset()
            return self.drawn(visit)
        return (*(kit.skip(),) * 5, self.side_html(visit), kit.skip())

    def _find(self, visit: Visit, data: dict[str, str]) -> str:
        return self.side_html(visit, data.get("value", ""))

    def _rename(self, visit: Visit, data: dict[str, str]) -> str:
        kept, name = self._desk.conversations, data.get("value", "")
        self._try(visit, lambda: kept.rename(visit.owner, data.get("id", ""), name), None)
        return self.side_html(visit)

    def _export(self, visit: Visit, data: dict[str, str]) -> str:
        turns = self._desk.session(visit.tab).turns
        if data.get("format") == "bibtex":
            return download_html("citewell.bib", bibtex(cited_papers(turns)))
        return download_html("citewell.md", markdown(turns))

    # ------------------------------------------------------------ scope

    def _scope(self, session: Session) -> str:
        ids = session.scope.paper_ids or frozenset()
        paper: Paper | None = self._desk.paper(next(iter(ids))) if len(ids) == 1 else None
        scope = scope_html(
            session.scope,
            paper.title if paper else "",
            self._desk.backend.files(),
            editing=session.editing is not None,
        )
        return f'<div class="settings">{scope}{length_html(session.length)}</div>'

    def narrow_to(self, visit: Visit, scope: Scope) -> str:
        """Ask only the papers in scope from now on; returns the line that says so."""
        session = self._desk.session(visit.tab)
        session.scope = scope
        return self._scope(session)

    def _narrow(self, visit: Visit, data: dict[str, str]) -> str:
        return self.narrow_to(visit, scope_of(data))

    def _widen(self, visit: Visit, data: dict[str, str]) -> str:
        return self.narrow_to(visit, Scope())

    def _lengthen(self, visit: Visit, data: dict[str, str]) -> None:
        length = length_of(data.get("value", ""))
        self._desk.session(visit.tab).length = length
        if visit.owner:
            kept = self._desk.conversations
            self._try(visit, lambda: kept.set_setting(visit.owner, "length", length), None)

    def arrive(self, visit: Visit) -> Update:
        """Values for `talk` in a tab that was just opened, with the visitor's settings."""
        if visit.owner:
            kept = self._desk.conversations
            value = self._try(visit, lambda: kept.setting(visit.owner, "length"), "")
            self._desk.session(visit.tab).length = length_of(value)
        # A reader may have begun to write while the page was still loading.
        return self.drawn(visit, question=kit.skip())

    def _keep(self, visit: Visit, data: dict[str, str]) -> str:
        session = self._desk.session(visit.tab)
        session.editing = None
        return self._scope(session)


def _grown(drawn: str) -> Update:
    return (kit.skip(), drawn, *(kit.skip(),) * 5)


def length_of(value: str) -> Length:
    """The length that a value names; normal where it names none."""
    return next((length for length in LENGTHS if length == value), "normal")


def scope_of(data: dict[str, str]) -> Scope:
    """The scope that a filled form asks for; fields that make no sense are left out."""
    years = _YEARS.match(data.get("years", ""))
    return Scope(
        years=(int(years[1]), int(years[2] or years[1])) if years else None,
        author=data.get("author", "").strip() or None,
        venue=data.get("venue", "").strip() or None,
        file=data.get("file", "").strip() or None,
    )
