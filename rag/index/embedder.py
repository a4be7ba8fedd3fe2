"""Turn text into unit vectors with a sentence-transformers model from a local folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rag.errors import ModelDamaged
from rag.types import Vectors

_REMEMBERED = 256
_FEWEST = 8
_BATCH_CHARACTERS = 8_000
"""About 2,000 word pieces: with two cores and AVX2, abstracts eight at a time take 7 to 12% less
of the processor than 32 at a time (6.9 against 6.5, 8.3 against 7.4 a second of its time)."""
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")


def checksum(folder: Path) -> str:
    """Return the SHA-256 of the model's weights, in hexadecimal."""
    with (folder / "model.safetensors").open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class LocalEmbedder:
    """A sentence encoder on the CPU; loaded at first use, one batch at a time.

    Texts longer than the encoder reads are the caller's to cut (see index/chunks.py);
    long queries are read in windows whose vectors are averaged, so that the end counts.
    """

    def __init__(self, folder: Path, name: str, threads: int | None = None) -> None:
        self._folder = folder
        self._threads = threads
        self._lock = threading.RLock()
        self._loaded: Any = None
        self._recent = lru_cache(_REMEMBERED)(lambda text: self._embed_windows([text]))
        self.name = name

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return int(self._model.get_embedding_dimension())

    @property
    def max_tokens(self) -> int:
        """Word pieces the encoder reads, special ones included."""
        return int(self._model.max_seq_length)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Word pieces of each text, special ones included."""
        return [len(ids) for ids in self._tokenise(texts)] if texts else []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape [len(texts), dimension]."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        with self._lock:
            vectors = self._model.encode(
                list(texts),
                batch_size=max(_FEWEST, _BATCH_CHARACTERS // max(1, *map(len, texts))),
                normalize_embeddings=True,
                show_progress_bar=False,
            )
        rows = np.asarray(vectors, np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(lengths, 1e-12), np.float32)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape [len(texts), dimension]; long texts in averaged windows.

        One text alone is remembered: a turn asks for its question again and again.
        """
        if len(texts) == 1:
            return self._recent(texts[0]).copy()
        return self._embed_windows(texts)

    def _embed_windows(self, texts: Sequence[str]) -> Vectors:
        windows = [self._windows(text) for text in texts]
        flat = self.embed_passages([w for group in windows for w in group])
        ends = np.cumsum([0, *(len(group) for group in windows)])
        return np.stack([
            _mean(flat[a:b]) for a, b in pairwise(ends)
        ]) if windows else flat  # fmt: skip

    def _windows(self, text: str) -> list[str]:
        """Cut a long query between words into windows of at most `max_tokens`."""
        if self.count_tokens([text])[0] <= self.max_tokens:
            return [text]
        words = text.split()
        if len(words) < 2:
            half = len(text) // 2
            return [*self._windows(text[:half]), *self._windows(text[half:])]
        half = len(words) // 2
        return [
            *self._windows(" ".join(words[:half])),
            *self._windows(" ".join(words[half:])),
        ]

    def _tokenise(self, texts: Sequence[str]) -> list[list[int]]:
        with self._lock:
            ids: list[list[int]] = self._model.tokenizer(
                list(texts), truncation=False, padding=False, verbose=False
            )["input_ids"]
        return ids

    @property
    def _model(self) -> Any:  # noqa: ANN401
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
        return self._loaded

    def _load(self) -> Any:  # noqa: ANN401
        with _quiet():
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()  # type: ignore[no-untyped-call]

            if self._threads:
                torch.set_num_threads(self._threads)
            try:
                return SentenceTransformer(
                    str(self._folder),
                    device="cpu",
                    local_files_only=True,
                    model_kwargs={"dtype": torch.bfloat16} if _is_quick_in_bfloat16() else {},
                ).eval()
            except (OSError, ValueError, RuntimeError, KeyError) as error:
                raise ModelDamaged(
                    f"The embedder in {self._folder} cannot be loaded ({error}). "
                    "Fetch it again: citewell models pull all-MiniLM-L6-v2"
                ) from error


def _is_quick_in_bfloat16() -> bool:
    """Whether this CPU multiplies 16-bit numbers itself.

    There bfloat16 is 2 to 4 times as fast at the same quality (SciFact nDCG@10 0.649);
    elsewhere it was six times slower than float32.
    """
    import torch

    can = torch.cpu.get_capabilities()
    return bool(can.get("amx_bf16") or can.get("avx512_bf16"))


def _mean(vectors: Vectors) -> Vectors:
    mean = vectors.mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12), np.float32)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Import and load without the network, and with threads that sleep while they wait.

    Threads that spin make the encoder 15 times slower when another program (or the chat
    model) wants the same cores: 1.5 s instead of 0.1 s for seven sentences on two cores.
    """
    wanted = {name: "1" for name in _OFFLINE} | {
        "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "PASSIVE")
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
