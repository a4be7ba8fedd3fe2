"""The pipeline of the tutorials: the five nearest abstracts in one prompt, and an answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.speed_turns import Turn

TOP = 5
CONTEXT = 4096
SYSTEM = (
    "You are a helpful research assistant. Answer the question using only the abstracts given, "
    "and cite them as [1], [2] and so on."
)


def prompt(abstracts: Sequence[str], question: str) -> str:
    """The numbered abstracts, then the question."""
    listed = "\n\n".join(f"[{n}] {text}" for n, text in enumerate(abstracts, start=1))
    return f"Abstracts:\n\n{listed}\n\nQuestion: {question}"


class Tutorial:
    """MiniLM over whole abstracts, llama-cpp-python's chat completion, and nothing kept."""

    def __init__(
        self, model: Path, embedder: Path, abstracts: Sequence[str], threads: int, limit: int
    ) -> None:
        import llama_cpp
        from sentence_transformers import SentenceTransformer

        self._abstracts, self._limit = list(abstracts), limit
        self._encoder = SentenceTransformer(str(embedder), device="cpu", local_files_only=True)
        self._vectors = self._encode(self._abstracts)
        # The library's own default is half the cores, which would be unfair on a small machine.
        self._model = llama_cpp.Llama(
            str(model), n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads, verbose=False
        )
        self._model.create_completion("Hello", max_tokens=1)  # the first use reads the file

    def talk(self, questions: Sequence[str]) -> list[Turn]:
        """Answer the turns of one conversation."""
        messages = [{"role": "system", "content": SYSTEM}]
        return [self._ask(question, messages) for question in questions]

    def _ask(self, question: str, messages: list[dict[str, str]]) -> Turn:
        started = time.perf_counter()
        nearest = np.argsort(-(self._vectors @ self._encode([question])[0]))[:TOP]
        evidence = time.perf_counter() - started
        text = prompt([self._abstracts[i] for i in nearest], question)
        # Earlier abstracts go, or the third turn would no longer fit into the context.
        sent = [*messages, {"role": "user", "content": text}]
        first, answer, count = None, "", 0
        stream = self._model.create_chat_completion(
            sent, max_tokens=self._limit, temperature=0.0, stream=True
        )
        for piece in stream:
            said = piece["choices"][0]["delta"].get("content") or ""
            if said and first is None:
                first = time.perf_counter() - started
            answer, count = answer + said, count + bool(said)
        total = time.perf_counter() - started
        messages += [
            {"role": "user", "content": question},
            {"role": "assistant", "content": answer},
        ]
        return Turn(evidence, first, first, total, count)

    def _encode(self, texts: Sequence[str]) -> np.ndarray:
        return self._encoder.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
