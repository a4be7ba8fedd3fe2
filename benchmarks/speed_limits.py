"""What llama.cpp and the encoder can do here at best, and how near the program comes to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.report import Result
from benchmarks.speed_answers import Forgetting, open_model
from benchmarks.speed_turns import conversations, shown, spread
from rag.answer.prompt import Prompts
from rag.answer.read import ANSWER_TOKENS, Reader
from rag.config import Config
from rag.library import Library
from rag.llm.catalogue import find_embedder, find_model
from rag.llm.gguf import GgufModel, physical_cores
from rag.llm.pace import PLAIN
from rag.resources import prompts_dir
from rag.types import Prompt

_PROMPT, _ANSWER, _ROUNDS = 256, 24, 3


@dataclass(frozen=True, slots=True)
class Rates:
    """Tokens a second of one answer, one token a step and with drafts.

    `tie` is by how many logits the likeliest token led where the texts part; None where they
    are the same.
    """

    plain: float
    drafted: float
    tie: float | None

    @property
    def gain(self) -> float:
        return self.drafted / self.plain


def measure(config: Config, each: int | None) -> Iterator[Result]:
    """The table of limits, then that of decoding."""
    yield limits(config)
    yield decoding(config, each)


def limits(config: Config) -> Result:
    """Prefill and decode of llama.cpp through its own binding, and sentences encoded a second."""
    prefill, decode = _llama(find_model(config, config.model), config.threads or physical_cores())
    with Library.open(config) as library:
        sentences = [s.text for p in library.papers() for s in library.sentences(p.paper_id)]
    encode = _encoder(find_embedder(config, config.embedder), sentences[:128])
    rows = (
        ("llama.cpp, prompt", "tokens a second", spread(prefill)),
        ("llama.cpp, answer, one token a step", "tokens a second", spread(decode)),
        ("sentence-transformers, batches of 32", "sentences a second", spread(encode)),
    )
    figures = {"prefill": median(prefill), "decode": median(decode), "encode": median(encode)}
    settings = {"model": config.model, "embedder": config.embedder, "rounds": str(_ROUNDS)}
    title = "The limits of this machine"
    return Result("speed-limits", title, ("what", "unit", "rate"), rows, settings, figures)


def decoding(config: Config, each: int | None) -> Result:
    """Answers written one token a step and with drafts, from the same states."""
    model = open_model(config, Forgetting(config.state_memory_bytes))
    costs = model.costs
    rates = [_both(model, prompt) for prompt in _prompts(config, model, each or 8)]
    model.close()
    gains = [rate.gain for rate in rates]
    whole = sum(1 / r.plain for r in rates) / sum(1 / r.drafted for r in rates)
    rows = (
        ("one token a step", spread(rate.plain for rate in rates), "1"),
        ("with drafts", spread(rate.drafted for rate in rates), shown(whole)),
    )
    ties = [r.tie for r in rates if r.tie is not None]
    settings = {
        "model": config.model,
        "answers": f"{len(rates)}, of which {len(rates) - len(ties)} are the same both ways",
        "lead of the likeliest token where the others part, logits": (
            ", ".join(f"{tie:.2f}" for tie in ties) or "-"
        ),
        "least gain": shown(min(gains)),
        "cost of a step of " + ", ".join(map(str, costs)): ", ".join(map(str, costs.values())),
    }
    figures = {"gain": whole, "least": min(gains), "costs": {str(w): c for w, c in costs.items()}}
    columns = ("decoding", "tokens a second", "ratio")
    title = "Writing: tokens verified several at a step"
    return Result("speed-decode", title, columns, rows, settings, figures)


def _prompts(config: Config, model: GgufModel, count: int) -> list[Prompt]:
    """The single questions, each with the paper that is found for it."""
    prompts = Prompts(prompts_dir())
    reader = Reader(model, prompts)
    questions = [first for kind, first, *_ in conversations(None) if kind == "single"]
    with Library.open(config) as library:
        papers = [library.search(question, 1)[0].paper for question in questions[:count]]
    pairs = zip(papers, questions, strict=False)
    return [prompts.about(reader.document(p), "answer", question=q) for p, q in pairs]


def _both(model: GgufModel, prompt: Prompt) -> Rates:
    costs = model.costs
    model.margin(prompt)  # the state is kept before either is timed
    try:
        model.costs = PLAIN
        plain, text = _rate(model, prompt)
        model.costs = costs
        drafted, other = _rate(model, prompt)
    finally:
        model.costs = costs
    return Rates(plain, drafted, None if text == other else _tie(model, prompt, text, other))


def _tie(model: GgufModel, prompt: Prompt, plain: str, drafted: str) -> float:
    """How far, in logits, the first token that two answers do not share was ahead of the other."""
    native, tokens = model._native, model._tokens(prompt, room=ANSWER_TOKENS)
    ways = [native.tokenize(text, special=False) for text in (plain, drafted)]
    logits = model._prefill(tokens, None)
    for place, (one, other) in enumerate(zip(*ways, strict=False)):
        if one != other:
            return float(logits[one] - logits[other])
        logits = native.decode([one], len(tokens) + place, logits=1)[-1]
    return 0.0


def _rate(model: GgufModel, prompt: Prompt) -> tuple[float, str]:
    """Tokens a second from the first piece of text to the last, and the text."""
    pieces = model.write(prompt, limit=ANSWER_TOKENS)
    text = next(pieces)
    before, started = model.usage().completion_tokens, time.perf_counter()
    text += "".join(pieces)
    seconds = time.perf_counter() - started
    return (model.usage().completion_tokens - before) / seconds, text


def _llama(path: Path, threads: int) -> tuple[list[float], list[float]]:
    import llama_cpp
    import numpy as np

    model = llama_cpp.Llama(
        str(path), n_ctx=1024, n_threads=threads, n_threads_batch=threads, verbose=False
    )
    text = " ".join(f"The {n} results are new." for n in range(_PROMPT))
    tokens = model.tokenize(text.encode())[:_PROMPT]
    prefill, decode = [], []
    for _ in range(_ROUNDS):
        model.reset()
        prefill.append(_PROMPT / _seconds(lambda: model.eval(tokens)))

        def write() -> None:
            for _ in range(_ANSWER):
                logits = np.ctypeslib.as_array(model._ctx.get_logits(), shape=(model.n_vocab(),))
                model.eval([int(logits.argmax())])

        decode.append(_ANSWER / _seconds(write))
    model.close()
    return prefill, decode


def _encoder(folder: Path, sentences: list[str]) -> list[float]:
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    encoder.encode(sentences[:32], show_progress_bar=False)

    def run() -> None:
        encoder.encode(sentences, batch_size=32, show_progress_bar=False)

    return [len(sentences) / _seconds(run) for _ in range(_ROUNDS)]


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
