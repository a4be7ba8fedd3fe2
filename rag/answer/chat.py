"""Wire the stages of answering: one generator of events for browser, terminal and JSON."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.answer import converse, metadata
from rag.answer.compare import Comparison, answer_compare, refuse_comparison, resolve
from rag.answer.draft import Draft
from rag.answer.evidence import first_evidence
from rag.answer.language import language_of
from rag.answer.mentions import names_several
from rag.answer.overview import answer_overview
from rag.answer.prompt import Prompts
from rag.answer.queue import Queue
from rag.answer.read import Reader
from rag.answer.rework import answer_rework
from rag.answer.route import Route, has_question, route
from rag.answer.scan import answer_list
from rag.answer.single import answer_single
from rag.answer.turn import Turn
from rag.errors import CitewellError, Stopped, UnknownPaper
from rag.types import (
    Answer,
    Done,
    Event,
    Failed,
    LanguageModel,
    Length,
    Notice,
    Paper,
    Papers,
    Queued,
    Routed,
    Scope,
    Stop,
)

_log = logging.getLogger(__name__)

MOST_WORDS = 300
"""Words of a message that are read; a longer one is shortened, with a notice."""

_EVERYTHING = Scope()
_GREETING = (
    "Hello. Ask me anything about the papers in this library: what one of them says, how several "
    "differ, or which ones deal with a subject. Each sentence of an answer is checked against "
    "the abstract it cites."
)
_WELCOME = "You are welcome. Ask on whenever you like."
_NO_QUESTION = "Please ask a question about the papers in this library."


class Chat:
    """Answers questions about a library, one at a time, in the order they come.

    It keeps nothing of a conversation: the caller passes the history, so talks never mix.
    """

    def __init__(self, library: Papers, model: LanguageModel, prompts: Prompts) -> None:
        self.library = library
        self.model = model
        self.prompts = prompts
        self._queue = Queue()

    def ask(
        self,
        question: str,
        history: Sequence[Answer] = (),
        *,
        scope: Scope = _EVERYTHING,
        length: Length = "normal",
        stop: Stop | None = None,
    ) -> Iterator[Event]:
        """Yield the events of one turn; `Done` is always the last.

        An error that the user can mend becomes `Failed` and stands in `Done.answer.error`.
        """
        with self._queue.join() as ticket:
            for position in self._queue.wait(ticket, stop):
                yield Queued(position)
            text = question.encode("utf-8", "replace").decode()
            yield from self._guarded(_Asked(text, tuple(history), scope, stop, length))

    def compare(
        self, paper_ids: Sequence[str], aspect: str = "", *, stop: Stop | None = None
    ) -> Iterator[Event]:
        """Compare given papers, about an aspect if there is one. Events as in `ask`.

        Raises:
            UnknownPaper: an id is not in the library.
        """
        papers = tuple(self.library.paper(i) for i in dict.fromkeys(paper_ids))
        about = aspect or "its problem, its approach and its findings"
        with self._queue.join() as ticket:
            for position in self._queue.wait(ticket, stop):
                yield Queued(position)
            turn = self._turn(
                _Asked(aspect or "Compare these papers.", (), _EVERYTHING, stop), about
            )
            turn.draft.kind = "compare"
            yield Routed("compare", about)
            yield from self._run(turn, answer_compare(turn, Comparison(papers, (), about)))

    def busy(self) -> bool:
        """Whether a question is being answered or waits."""
        return self._queue.waiting() > 0

    def close(self) -> None:
        """Free the model."""
        self.model.close()

    # ------------------------------------------------------------ one turn

    def _guarded(self, asked: _Asked) -> Iterator[Event]:
        turn = self._turn(asked, asked.text)
        yield from self._run(turn, self._answer(turn, asked))

    def _run(self, turn: Turn, events: Iterator[Event]) -> Iterator[Event]:
        try:
            yield from events
        except Stopped:
            turn.draft.notices.append("Stopped before the answer was complete.")
        except CitewellError as error:
            turn.draft.error = str(error)
            yield Failed(str(error))
        except Exception as error:  # one turn must not end the talk or the batch
            _log.exception("a turn failed")
            turn.draft.error = (
                f"This question could not be answered ({type(error).__name__}: {error})."
            )
            yield Failed(turn.draft.error)
        for notice in turn.draft.notices:
            yield Notice(notice)
        yield Done(turn.draft.done())

    def _turn(self, asked: _Asked, question: str) -> Turn:
        draft = Draft(asked.text, "single", self.model)
        reader = Reader(self.model, self.prompts, asked.stop)
        return Turn(question, self.library, reader, draft, asked.scope, length=asked.length)

    def _answer(self, turn: Turn, asked: _Asked) -> Iterator[Event]:
        draft = turn.draft
        if not has_question(asked.text):
            draft.kind, draft.reason, draft.message = "smalltalk", "no_question", _NO_QUESTION
            return
        text = _shortened(asked.text, draft)
        if converse.wants_rework(text, asked.history):
            yield from answer_rework(turn, asked.history, text)
            return
        way = route(self._in_english(turn, text))
        if way.kind == "smalltalk":
            draft.kind = "smalltalk"
            draft.message = _WELCOME if converse.is_thanks(text) else _GREETING
            return
        turn.question = way.question
        reference = converse.refer(way.question, asked.history)
        yield from self._by_kind(turn, way, reference, asked.history)

    def _by_kind(
        self, turn: Turn, way: Route, reference: converse.Reference, history: Sequence[Answer]
    ) -> Iterator[Event]:
        picked = metadata.select(turn, turn.question) if way.kind in ("list", "single") else None
        if picked is not None:
            yield from self._routed(turn, "list", metadata.answer_selection(turn, picked))
            return
        focus = self._known(reference.paper_ids)
        several = len(focus) > 1 and (reference.plural or reference.add)
        pointless = not focus and way.kind == "single" and converse.only_points(turn.question)
        if way.kind == "overview" or (pointless and len(self.library.papers(turn.scope)) > 1):
            yield from self._routed(turn, "overview", answer_overview(turn))
        elif way.kind == "list":
            if several:
                turn.scope = replace(turn.scope, paper_ids=frozenset(p.paper_id for p in focus))
            yield from self._routed(turn, "list", answer_list(turn))
        elif way.kind == "compare" or several or names_several(turn, turn.question):
            yield from self._compare(turn, way, focus if several else (), reference, history)
        else:
            kept = self._topic(turn, focus, reference)
            summary = way.summary or (bool(kept) and converse.only_points(turn.question))
            yield from self._routed(turn, "single", answer_single(turn, kept, summary=summary))

    def _compare(
        self,
        turn: Turn,
        way: Route,
        spoken: Sequence[Paper],
        reference: converse.Reference,
        history: Sequence[Answer],
    ) -> Iterator[Event]:
        if way.count is not None:
            yield turn.show_evidence(first_evidence(turn.search(turn.question, evidence=True)))
        found = resolve(turn, way.question, way.count, known=spoken, add=reference.add)
        if len(found.papers) >= 2 or (found.papers and found.missing):
            yield from self._routed(turn, "compare", answer_compare(turn, found))
        elif found.missing and not found.papers:
            turn.draft.kind = "compare"
            refuse_comparison(turn, found)
        else:
            yield from self._routed(turn, "single", answer_single(turn))

    def _topic(
        self, turn: Turn, focus: Sequence[Paper], reference: converse.Reference
    ) -> tuple[Paper, ...]:
        """The papers to read first: those spoken of, unless the message is about another."""
        if not focus or reference.pronoun:
            return tuple(focus[:1])
        best = turn.search(turn.question, 5)
        spoken = max(turn.similarities(turn.question, focus[0]), default=0.0)
        if not best or best[0].paper == focus[0]:
            return tuple(focus[:1])
        nearest = max(turn.similarities(turn.question, best[0].paper))
        switches = nearest >= converse.SWITCH_FLOOR and nearest - spoken >= converse.SWITCH_GAIN
        return () if switches else tuple(focus[:1])

    def _routed(self, turn: Turn, kind: str, events: Iterator[Event]) -> Iterator[Event]:
        turn.draft.kind = kind  # type: ignore[assignment]
        yield Routed(turn.draft.kind, turn.question)
        yield from events

    def _known(self, paper_ids: Sequence[str]) -> tuple[Paper, ...]:
        """The papers that are still in the library."""
        found = []
        for paper_id in paper_ids:
            try:
                found.append(self.library.paper(paper_id))
            except UnknownPaper:
                continue
        return tuple(found)

    def _in_english(self, turn: Turn, text: str) -> str:
        """A message in another language, put into English for search and reading."""
        language = language_of(text)
        if language is None:
            return text
        turn.language = language
        english = turn.reader.alone("translate", text=text)
        if not english:
            return text
        turn.draft.notices.append(f"Your question was read as: “{english}”")
        return english


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as it came in."""

    text: str
    history: tuple[Answer, ...]
    scope: Scope
    stop: Stop | None
    length: Length = "normal"


def _shortened(text: str, draft: Draft) -> str:
    words = text.split()
    if len(words) <= MOST_WORDS:
        return text
    draft.notices.append(f"Your message was long; its last {MOST_WORDS} words were read.")
    return " ".join(words[-MOST_WORDS:])
