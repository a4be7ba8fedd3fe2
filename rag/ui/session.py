"""Keeps what belongs to one browser tab, so that two tabs never share anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Event, Lock
from uuid import uuid4

from rag.types import Answer, Citation, Length, Paper, Scope
from rag.ui.markup import Span
from rag.ui.turn import Draft, Turn
from rag.ui.turn_html import RUNNING


@dataclass(slots=True)
class Session:
    """The talk of one tab: finished turns, the running one, and the wish to stop it.

    `editing` is the turn that the next question replaces, with all that follow it; `chosen`
    are papers to compare; `asked` and `page` say which part of the table of papers is shown;
    `news` is to be told beside the conversations.
    """

    turns: list[Turn] = field(default_factory=list)
    draft: Draft | None = None
    stop: Event = field(default_factory=Event)
    conversation_id: str = field(default_factory=lambda: uuid4().hex)
    scope: Scope = field(default_factory=Scope)
    length: Length = "normal"
    editing: int | None = None
    chosen: list[str] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    page: int = 0
    news: str = ""

    @property
    def history(self) -> list[Answer]:
        """The finished answers that a further question may refer to."""
        return [turn.answer for turn in self.turns if turn.answer.error is None]

    @property
    def busy(self) -> bool:
        """Whether a question is being answered."""
        return self.draft is not None

    def reset(self, conversation_id: str | None = None, turns: Iterable[Turn] = ()) -> None:
        """End the running turn and begin a new talk, or go on with an old one."""
        self.stop.set()
        self.turns, self.draft, self.editing = list(turns), None, None
        self.conversation_id = conversation_id or uuid4().hex

    def cited(self, turn: str, ref: str) -> Cited | None:
        """What a button in the talk points to, or None if there is no such thing."""
        answer, evidence, papers = self._turn(turn)
        if answer is None or not ref:
            return None
        if ref[0] == "p":
            return _of_paper(ref[1:], answer, papers)
        found = _citation(ref, answer, evidence)
        if found is None:
            return None
        spans = _spans(found.paper_id, answer)
        return Cited(found.paper_id, found.title, papers.get(found.paper_id), spans, _span(found))

    def _turn(self, turn: str) -> tuple[Answer | None, tuple[Citation, ...], dict[str, Paper]]:
        if turn == RUNNING and self.draft:
            return self.draft.answer, self.draft.evidence, {}
        if turn == RUNNING and self.turns:
            turn = str(len(self.turns) - 1)
        if not turn.isdecimal() or int(turn) >= len(self.turns):
            return None, (), {}
        finished = self.turns[int(turn)]
        return finished.answer, finished.evidence, dict(finished.papers)


@dataclass(frozen=True, slots=True)
class Cited:
    """A paper to show, the spans to mark, and the one that was asked for."""

    paper_id: str
    title: str
    paper: Paper | None
    spans: tuple[Span, ...] = ()
    now: Span | None = None


def _span(citation: Citation) -> Span:
    return citation.start, citation.end


def _spans(paper_id: str, answer: Answer) -> tuple[Span, ...]:
    return tuple(_span(c) for c in answer.citations if c.paper_id == paper_id)


def _of_paper(paper_id: str, answer: Answer, papers: dict[str, Paper]) -> Cited:
    return Cited(paper_id, "", papers.get(paper_id), _spans(paper_id, answer))


def _citation(ref: str, answer: Answer, evidence: tuple[Citation, ...]) -> Citation | None:
    kind, number = ref[0], ref[1:]
    if not number.isdecimal():
        return None
    if kind == "e":
        return evidence[int(number)] if int(number) < len(evidence) else None
    return next((c for c in answer.citations if c.n == int(number)), None)


class Sessions:
    """All open tabs, by the name that the browser's connection has."""

    def __init__(self) -> None:
        self._open: dict[str, Session] = {}
        self._lock = Lock()

    def of(self, name: str) -> Session:
        """The session of that name, new if there is none."""
        with self._lock:
            return self._open.setdefault(name, Session())

    def forget_papers(self) -> None:
        """Forget what was chosen from a library that is no longer open; the talks stay."""
        with self._lock:
            for session in self._open.values():
                session.scope, session.asked, session.page = Scope(), {}, 0
                session.chosen.clear()

    def close(self, name: str) -> None:
        """Stop what runs for that tab, by whatever second name, and forget it."""
        with self._lock:
            closed = [self._open.pop(key) for key in list(self._open) if key.split()[:1] == [name]]
        for session in closed:
            session.reset()

    def __len__(self) -> int:
        return len(self._open)
