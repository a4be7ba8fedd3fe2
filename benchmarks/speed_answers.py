"""Time the answers of Citewell, with papers read before and without, and those of others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.baselines.tutorial import Tutorial
from benchmarks.report import Result
from benchmarks.speed_turns import (
    ITEM,
    KINDS,
    MEASURES,
    PROSE,
    SETS,
    Turn,
    by_kind,
    conversations,
    measures,
    ratio,
    shown,
    spread,
)
from rag.answer.chat import Chat
from rag.answer.prompt import Prompts
from rag.answer.read import ANSWER_TOKENS
from rag.config import Config
from rag.library import Library
from rag.llm.catalogue import find_embedder, find_model, spec
from rag.llm.gguf import GgufModel, physical_cores
from rag.llm.states import StateCache
from rag.resources import prompts_dir
from rag.types import (
    Answer,
    CellFound,
    Done,
    EntryFound,
    Event,
    EvidenceFound,
    Prompt,
    SentenceDone,
    Stop,
    Token,
)

Turns = Mapping[str, Sequence[Turn]]
READ, UNREAD, TUTORIAL = "Citewell, papers read before", "Citewell, nothing read before", "tutorial"


class Clocked:
    """A model that adds up the seconds spent in it."""

    def __init__(self, model: GgufModel) -> None:
        self.model, self.seconds = model, 0.0
        self.name, self.can_judge = model.name, model.can_judge
        self.context_tokens = model.context_tokens
        self.count_tokens, self.usage = model.count_tokens, model.usage

    def write(self, prompt: Prompt, *, limit: int, stop: Stop | None = None) -> Iterator[str]:
        pieces = self.model.write(prompt, limit=limit, stop=stop)
        while True:
            started = time.perf_counter()
            piece = next(pieces, None)
            self.seconds += time.perf_counter() - started
            if piece is None:
                return
            yield piece

    def margin(self, prompt: Prompt, *, stop: Stop | None = None) -> float:
        started = time.perf_counter()
        value = self.model.margin(prompt, stop=stop)
        self.seconds += time.perf_counter() - started
        return value


class Forgetting:
    """A cache of states that can be made to forget, and to remember everything again."""

    def __init__(self, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._all = StateCache(memory_bytes, None, 0)
        self.forget()

    def forget(self) -> None:
        self._now = StateCache(self._memory_bytes, None, 0)

    def remember(self) -> None:
        self._now = self._all

    def get(self, key: str) -> bytes | None:
        return self._now.get(key)

    def put(self, key: str, state: bytes) -> None:
        self._all.put(key, state)
        self._now.put(key, state)

    def drop(self, key: str) -> None:
        self._all.drop(key)
        self._now.drop(key)


def open_model(config: Config, states: Any) -> GgufModel:
    """The chat model as the program opens it, over a cache of the benchmark's own."""
    known = spec(config.model)
    return GgufModel(
        find_model(config, config.model), name=config.model,
        can_judge=known.can_judge if known else False, states=states,
        context_tokens=config.context_tokens, threads=config.threads or physical_cores(),
        paces=config.cache_dir / "paces",
    )  # fmt: skip


def timed(events: Iterator[Event], model: Clocked) -> tuple[Turn, Answer]:
    """Run a turn to its end, and note when things appear."""
    started, before = time.perf_counter(), model.seconds
    at: dict[str, float] = {}
    for event in events:
        now = time.perf_counter() - started
        if isinstance(event, EvidenceFound):
            at.setdefault("evidence", now)
        elif isinstance(event, EntryFound | CellFound):
            at.setdefault("item", now)
        elif isinstance(event, Token | SentenceDone):
            at.setdefault("first", now)
    total = time.perf_counter() - started
    assert isinstance(event, Done)
    answer = event.answer
    # A quotation that corrects the model is no token of its own.
    first = answer.timings.first_token_s or at.get("first")
    turn = Turn(
        at.get("evidence"), first, at.get("item", first), total,
        answer.timings.completion_tokens, model.seconds - before,
    )  # fmt: skip
    return turn, answer


def talk(chat: Chat, questions: Sequence[str], before: Callable[[], None]) -> list[Turn]:
    """Ask the turns of one conversation; `before` each, something is done."""
    turns, history = [], []
    for question in questions:
        before()
        turn, answer = timed(chat.ask(question, tuple(history)), chat.model)
        turns.append(turn)
        history.append(answer)
    return turns


def citewell(config: Config, talks: Sequence[Sequence[str]]) -> tuple[Turns, Turns]:
    """The turns with all papers read before that they need, and with none."""
    states = Forgetting(config.state_memory_bytes)
    model = Clocked(open_model(config, states))
    with Library.open(config) as library:
        chat = Chat(library, model, Prompts(prompts_dir()))
        for paper in library.papers():
            library.sentence_vectors(paper.paper_id)
        library.search("ready", 1)
        unread = [talk(chat, questions, states.forget) for _, *questions in talks]
        read = [talk(chat, questions, states.remember) for _, *questions in talks]
    model.model.close()
    return by_kind(talks, read), by_kind(talks, unread)


def tutorial(config: Config, talks: Sequence[Sequence[str]]) -> Turns:
    """The turns of the tutorial pipeline."""
    with Library.open(config) as library:
        abstracts = [paper.text for paper in library.papers()]
    pipeline = Tutorial(
        find_model(config, config.model), find_embedder(config, config.embedder), abstracts,
        config.threads or physical_cores(), ANSWER_TOKENS,
    )  # fmt: skip
    return by_kind(talks, [pipeline.talk(questions) for _, *questions in talks])


def measure(config: Config, each: int | None) -> Result:
    """Citewell beside the tutorial pipeline, by kind of question."""
    talks = conversations(each)
    others = tutorial(config, talks)
    read, unread = citewell(config, talks)
    return _result({TUTORIAL: others, READ: read, UNREAD: unread}, config)


def _result(systems: Mapping[str, Turns], config: Config) -> Result:
    columns = ["kind", "turns", "seconds to", TUTORIAL]
    for name in (READ, UNREAD):
        columns += [name, "ratio"]
    rows = [
        _row(kind, measure, systems)
        for kind in KINDS
        for measure in measures(kind)
        if systems[READ][kind]
    ]
    figures = {
        "turns": {
            n: {k: [asdict(t) for t in ts] for k, ts in s.items()} for n, s in systems.items()
        },
        **_targets(systems),
    }
    settings = {"model": config.model, "answer": f"at most {ANSWER_TOKENS} tokens a paper"}
    title = "Seconds from the question, median and range over the questions"
    return Result("speed", title, tuple(columns), tuple(rows), settings, figures)


def _row(kind: str, measure: str, systems: Mapping[str, Turns]) -> tuple[str, ...]:
    value = MEASURES[measure]
    base = systems[TUTORIAL][kind]
    cells = [kind, str(len(base)), measure, spread(map(value, base))]
    for name in (READ, UNREAD):
        turns = systems[name][kind]
        cells += [spread(map(value, turns)), shown(ratio(turns, base, measure))]
    return tuple(cells)


def _targets(systems: Mapping[str, Turns]) -> dict[str, float | None]:
    def joined(name: str, *kinds: str) -> list[Turn]:
        return [turn for kind in kinds for turn in systems[name][kind]]

    read, unread, base = (joined(n, *PROSE) for n in (READ, UNREAD, TUTORIAL))
    every = joined(READ, *KINDS)
    inside = sum(turn.model_s or 0.0 for turn in every)
    return {
        "evidence": ratio(read, base, "evidence", "first token"),
        "first_read": ratio(read, base, "first token"),
        "first_unread": ratio(unread, base, "first token"),
        "whole": ratio(read, base, "whole answer"),
        "item": ratio(joined(READ, *SETS), joined(TUTORIAL, *SETS), ITEM),
        "outside": 1 - inside / max(sum(turn.total_s for turn in every), 1e-9),
    }
