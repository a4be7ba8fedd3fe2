"""Keep the vectors and the word index in step with the record."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from rag.errors import EmbedderMismatch
from rag.index.chunks import chunk_papers
from rag.index.embedder import LocalEmbedder, checksum
from rag.index.record import Numbered, PaperRecord
from rag.index.vectors import ChunkVectors, EmbedderIdentity
from rag.index.words import WordIndex

_BATCH = 256


@dataclass(frozen=True, slots=True)
class Progress:
    """Papers embedded so far in this run, and how many are known to need it."""

    done: int
    total: int


OnCommit = Callable[[list[str]], None]
OnProgress = Callable[[Progress], None]


class Indexes:
    """Embedder, vectors and words of one library; opened at first use.

    The record marks what the indexes have yet to learn; `catch_up` teaches them.
    """

    def __init__(
        self,
        record: PaperRecord,
        folder: Path,
        *,
        store: str | None,
        embedder: str,
        find: Callable[[str], Path],
        threads: int | None,
    ) -> None:
        self._record = record
        self._folder = folder
        self._store = store
        self._name = embedder
        self._find = find
        self._threads = threads
        self._lock = threading.RLock()
        self._open: tuple[LocalEmbedder, EmbedderIdentity, ChunkVectors, WordIndex] | None = None

    @property
    def embedder(self) -> LocalEmbedder:
        """The encoder. Raises ModelMissing, ModelDamaged, EmbedderMismatch."""
        return self._ready()[0]

    @property
    def identity(self) -> EmbedderIdentity:
        """What the vectors are made with."""
        return self._ready()[1]

    @property
    def vectors(self) -> ChunkVectors:
        """The chunk vectors."""
        return self._ready()[2]

    @property
    def words(self) -> WordIndex:
        """The word index."""
        return self._ready()[3]

    def close(self) -> None:
        """Close the files."""
        with self._lock:
            if self._open is not None:
                self._open[2].close()
            self._open = None

    def _ready(self) -> tuple[LocalEmbedder, EmbedderIdentity, ChunkVectors, WordIndex]:
        with self._lock:
            if self._open is None:
                self._open = self._prepare()
            return self._open

    def _prepare(self) -> tuple[LocalEmbedder, EmbedderIdentity, ChunkVectors, WordIndex]:
        folder = self._find(self._name)
        identity = EmbedderIdentity(Path(self._name).name, checksum(folder))
        self._check(identity)
        vectors = self._open_vectors(identity)
        words = WordIndex.open(self._folder / "words")
        return LocalEmbedder(folder, identity.name, self._threads), identity, vectors, words

    def _open_vectors(self, identity: EmbedderIdentity) -> ChunkVectors:
        local = self._store if self._store and "://" not in self._store else None
        folder = Path(local) if local else self._folder / "chroma"
        name = f"citewell-{self._record.meta('library')}"
        return ChunkVectors.open(folder, self._store, name, identity)

    def _check(self, identity: EmbedderIdentity) -> None:
        """Refuse vectors of another embedder; the first one to come is remembered."""
        known = self._record.meta("embedder")
        if known is None:
            self._record.set_meta("embedder", json.dumps(asdict(identity)))
            return
        made_by = EmbedderIdentity(**json.loads(known))
        if made_by.sha256 != identity.sha256:
            raise EmbedderMismatch(
                f"This library was made with the embedder {made_by}, and {identity} was asked for."
                f" Use the first: --embedder {made_by.name}; or make the vectors anew with the "
                f"other: citewell --embedder {self._name} index --rebuild"
            )

    # ------------------------------------------------------------ learning

    def start_anew(self) -> None:
        """Forget all vectors and words, so that `catch_up` makes them from the record."""
        known = self._record.meta("embedder")
        self.close()
        if known is not None:
            self._open_vectors(EmbedderIdentity(**json.loads(known))).drop()
        self._record.set_meta("embedder", None)
        self._record.mark_all_pending()

    def catch_up(self, on_commit: OnCommit, on_progress: OnProgress) -> None:
        """Teach the indexes all that the record marks as pending, a batch at a time."""
        total, done = self._record.count_pending(), 0
        while True:
            batch, gone = self._record.pending(_BATCH), self._record.gone()
            if not batch and not gone:
                return
            self._learn(batch, gone)
            done += len(batch)
            if batch:
                on_commit([item.paper.paper_id for item in batch])
                on_progress(Progress(done, total))

    def _learn(self, batch: list[Numbered], gone: list[int]) -> None:
        """Vectors first, then words, then the mark in the record: safe to break off anywhere."""
        self.vectors.remove([*gone, *(item.number for item in batch)])
        papers = [item.paper for item in batch]
        chunked = chunk_papers(papers, self.embedder.count_tokens, self.embedder.max_tokens)
        names = [
            (item.number, chunk.index)
            for item, chunks in zip(batch, chunked, strict=True)
            for chunk in chunks
        ]
        texts = [chunk.text for chunks in chunked for chunk in chunks]
        self.vectors.add(names, self.embedder.embed_passages(texts))
        self.words.update([(item.number, item.paper) for item in batch], gone)
        self._record.mark_indexed(batch, gone)
