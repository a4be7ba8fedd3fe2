"""Index a folder in a process that the test kills; vectors are made from hashes, to be quick."""

# ruff: noqa: T201 - its output is what the test reads

import hashlib
import os
import sys
from pathlib import Path

import numpy as np

import rag.index.indexes
from rag.config import Config
from rag.library import Library


class HashEmbedder:
    """One fixed vector for each word; a text is the sum of its words."""

    dimension = 64
    max_tokens = 256

    def __init__(self, folder: Path, name: str, threads: int | None = None) -> None:
        self.name = name

    def count_tokens(self, texts):
        return [len(text.split()) + 2 for text in texts]

    def embed_passages(self, texts):
        rows = np.stack([sum(map(self._word, text.split()), np.ones(64)) for text in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    embed_queries = embed_passages

    @staticmethod
    def _word(word):
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4])
        return np.random.default_rng(seed).normal(size=64)


def use_hashes() -> None:
    rag.index.indexes.LocalEmbedder = HashEmbedder
    rag.index.indexes.checksum = lambda folder: "hashes"


def open_library(config: Config, folder: Path) -> Library:
    library = Library.open(config, create=True)
    library._indexes._find = lambda name: folder
    return library


def main() -> None:
    use_hashes()
    rag.index.indexes._BATCH = 16
    config = Config.from_environment(os.environ)
    with open_library(config, Path(sys.argv[1])) as library:
        print("started", flush=True)
        library.index([Path(sys.argv[1])], on_commit=lambda ids: print(*ids, flush=True))
    print("finished", flush=True)


if __name__ == "__main__":
    main()
