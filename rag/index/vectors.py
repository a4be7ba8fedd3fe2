"""The chunk vectors, in a Chroma collection that names the embedder that made it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from rag.errors import CitewellError, LibraryDamaged, StoreUnreachable
from rag.index.faults import nearest, outer_cause
from rag.types import Vectors

_DELETE_BATCH = 500


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What makes vectors: the name of the model and the SHA-256 of its weights."""

    name: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.name} (SHA-256 {self.sha256[:12]}…)"


@dataclass(frozen=True, slots=True)
class Near:
    """A chunk found: its paper's number, its place in the paper, its cosine similarity."""

    number: int
    chunk: int
    similarity: float


class ChunkVectors:
    """A Chroma collection in cosine space; ids are "number:chunk".

    Its methods raise LibraryDamaged or StoreUnreachable where the store fails.
    """

    def __init__(self, client: Any, name: str, identity: EmbedderIdentity, where: str) -> None:  # noqa: ANN401
        self._client = client
        self._where = where
        self._lock = RLock()
        self._collection = client.get_or_create_collection(
            name,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine"}},
            metadata={"embedder": identity.name, "embedder_sha256": identity.sha256},
        )
        self._batch = min(5461, int(client.get_max_batch_size()))

    @contextmanager
    def _using(self) -> Iterator[None]:
        """One call at a time, since another may let go of the files; failures get a cure."""
        with self._lock:
            try:
                yield
            except _failures() as error:
                raise _failure(self._where, error) from error

    @classmethod
    def open(
        cls, folder: Path, store: str | None, name: str, identity: EmbedderIdentity
    ) -> ChunkVectors:
        """Open the collection `name` in `folder`, or on the server `store`.

        Raises LibraryDamaged or StoreUnreachable.
        """
        import chromadb
        from chromadb.config import Settings

        settings = Settings(anonymized_telemetry=False)
        where = store if store and "://" in store else str(nearest(folder))
        try:
            if store and "://" in store:
                return cls(_server(store, settings), name, identity, store)
            client = chromadb.PersistentClient(str(folder), settings)
            return cls(client, name, identity, str(folder))
        except _failures() as error:
            # Else Chroma hands out what it failed to open when the folder is opened again.
            chromadb.api.client.SharedSystemClient.clear_system_cache()
            raise _failure(where, error) from error

    @property
    def made_by(self) -> EmbedderIdentity:
        """The embedder that made the vectors."""
        metadata = self._collection.metadata or {}
        return EmbedderIdentity(str(metadata.get("embedder")), str(metadata.get("embedder_sha256")))

    def add(self, ids: Sequence[tuple[int, int]], vectors: Vectors) -> None:
        """Add the vectors of chunks named by (number, chunk); shape [len(ids), dimension]."""
        for start in range(0, len(ids), self._batch):
            part = ids[start : start + self._batch]
            with self._using():
                self._collection.upsert(
                    ids=[f"{number}:{chunk}" for number, chunk in part],
                    embeddings=vectors[start : start + self._batch],
                    metadatas=[{"number": number} for number, _ in part],
                )

    def remove(self, numbers: Iterable[int]) -> None:
        """Drop all chunks of these papers."""
        wanted = list(numbers)
        for start in range(0, len(wanted), _DELETE_BATCH):
            part = wanted[start : start + _DELETE_BATCH]
            with self._using():
                self._collection.delete(where={"number": {"$in": part}})

    def nearest(self, vector: Vectors, limit: int, numbers: Sequence[int] | None) -> list[Near]:
        """Return up to `limit` chunks nearest to a unit vector, of these papers or of all."""
        where = None if numbers is None else {"number": {"$in": list(numbers)}}
        with self._using():
            found = self._collection.query(
                query_embeddings=vector.reshape(1, -1), n_results=limit, where=where,
                include=["distances"],
            )  # fmt: skip
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [Near(*_parts(key), 1.0 - float(distance)) for key, distance in pairs]

    def of(self, numbers: Sequence[int]) -> dict[int, Vectors]:
        """Return the chunk vectors of papers, shape [chunks, dimension] each."""
        if not numbers:
            return {}
        with self._using():
            found = self._collection.get(
                where={"number": {"$in": list(numbers)}}, include=["embeddings"]
            )
        grouped: dict[int, list[Any]] = {}
        for key, vector in zip(found["ids"], found["embeddings"], strict=True):
            grouped.setdefault(_parts(key)[0], []).append(vector)
        return {number: np.asarray(rows, np.float32) for number, rows in grouped.items()}

    def means(self) -> dict[int, Vectors]:
        """Return the direction of the mean of each paper's chunk vectors, shape [dimension]."""
        sums: dict[int, Vectors] = {}
        for start in range(0, self.count(), self._batch):
            with self._using():
                found = self._collection.get(
                    limit=self._batch, offset=start, include=["embeddings"]
                )
            for key, vector in zip(found["ids"], found["embeddings"], strict=True):
                number = _parts(key)[0]
                row = np.asarray(vector, np.float32)
                sums[number] = sums[number] + row if number in sums else row
        return {
            number: np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), np.float32)
            for number, total in sums.items()
        }

    def count(self) -> int:
        """Return the number of chunks."""
        with self._using():
            return int(self._collection.count())

    def drop(self) -> None:
        """Delete the whole collection."""
        with self._using():
            self._client.delete_collection(self._collection.name)

    def close(self) -> None:
        """Let go of the files."""
        with self._lock:
            self._client.close()


def _parts(key: str) -> tuple[int, int]:
    number, _, chunk = key.partition(":")
    return int(number), int(chunk)


def _server(store: str, settings: Any) -> Any:  # noqa: ANN401
    from urllib.parse import urlsplit

    import chromadb

    url = urlsplit(store)
    return chromadb.HttpClient(
        host=url.hostname or "localhost", port=url.port or (443 if url.scheme == "https" else 8000),
        ssl=url.scheme == "https", settings=settings,
    )  # fmt: skip


def _failures() -> tuple[type[Exception], ...]:
    """What Chroma raises; the last where it fails to clean up after a failure."""
    from chromadb.errors import ChromaError

    return (ChromaError, ValueError, OSError, RuntimeError, AttributeError)


def _failure(where: str, error: Exception) -> CitewellError:
    """The error to raise for one of Chroma's."""
    if "://" in where:
        return StoreUnreachable(
            f"The Chroma server at {where} does not answer ({error}). Start it with "
            "`chroma run --path DIR --port N`, or leave --store out to use the local store."
        )
    return outer_cause(Path(where), error) or LibraryDamaged(
        f"The vectors in {where} cannot be used ({error}). Close Citewell, delete that folder and "
        "start again: the vectors are made anew from the record. Your files are not touched."
    )
