"""Keep the vectors and the word index in step with the record."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rag.errors import EmbedderMismatch
from rag.index.chunks import chunk_papers
from rag.index.embedder import LocalEmbedder, checksum
from rag.index.faults import explained, has_room, is_read_only, unmendable
from rag.index.health import fingerprint, is_usable
from rag.index.record import Numbered, PaperRecord
from rag.index.vectors import ChunkVectors, EmbedderIdentity
from rag.index.words import WordIndex

_BATCH = 256
_WORDS = "words"
_FILES = "chroma_files"


@dataclass(frozen=True, slots=True)
class Progress:
    """Papers done so far in this run, and how many there are to do."""

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
        self._embedder: tuple[LocalEmbedder, EmbedderIdentity] | None = None
        self._open: tuple[ChunkVectors, WordIndex] | None = None
        self._generation = 0
        self._copies: TemporaryDirectory[str] | None = None

    @property
    def embedder(self) -> LocalEmbedder:
        """The encoder. Raises ModelMissing, ModelDamaged, EmbedderMismatch."""
        return self._encoder()[0]

    @property
    def identity(self) -> EmbedderIdentity:
        """What the vectors are made with."""
        return self._encoder()[1]

    @property
    def vectors(self) -> ChunkVectors:
        """The chunk vectors."""
        return self._ready()[0]

    @property
    def words(self) -> WordIndex:
        """The word index."""
        return self._ready()[1]

    def check_embedder(self) -> None:
        """Raise ModelMissing, ModelDamaged or EmbedderMismatch where vectors cannot be made."""
        self._encoder()

    def close(self) -> None:
        """Close the files."""
        with self._lock:
            if self._open is not None:
                self._open[0].close()
            self._open = None
            if self._copies is not None:
                self._copies.cleanup()
            self._copies = None

    def _encoder(self) -> tuple[LocalEmbedder, EmbedderIdentity]:
        with self._lock:
            if self._embedder is None:
                folder = self._find(self._name)
                identity = EmbedderIdentity(Path(self._name).name, checksum(folder))
                self._embedder = LocalEmbedder(folder, identity.name, self._threads), identity
            self._check(self._embedder[1])
            return self._embedder

    def _ready(self) -> tuple[ChunkVectors, WordIndex]:
        """Open vectors and words, anew where another process has written to them."""
        with self._lock:
            generation = self._record.generation()
            if self._open is not None and generation != self._generation:
                self.close()
            if self._open is None:
                vectors = self._open_vectors(self.identity)
                self._open = vectors, self._open_words()
                self._generation = generation
            return self._open

    def _open_vectors(self, identity: EmbedderIdentity) -> ChunkVectors:
        folder = self._chroma
        if not self._remote and self._record.read_only and is_read_only(folder):
            folder = self._copied(folder)
            if not self._is_usable(folder):
                raise unmendable(self._folder)
        return ChunkVectors.open(folder, self._store, self._collection, identity)

    def _open_words(self) -> WordIndex:
        folder = self._folder / _WORDS
        if not (self._record.read_only and is_read_only(folder)):
            return WordIndex.open(folder)
        copy = self._copied(folder)
        if WordIndex.is_usable(copy):
            return WordIndex.open(copy)
        shutil.rmtree(copy, ignore_errors=True)
        return self._taught(copy)

    def _copied(self, folder: Path) -> Path:
        """A copy of a folder that may not be written: both indexes write in order to be read."""
        with explained(self._folder):
            if self._copies is None:
                self._copies = TemporaryDirectory(prefix="citewell-", ignore_cleanup_errors=True)
            copy = Path(self._copies.name) / folder.name
            if folder.is_dir():
                shutil.copytree(folder, copy, copy_function=shutil.copyfile)
            for part in (copy, *copy.rglob("*/")) if copy.exists() else ():
                part.chmod(0o700)
        return copy

    @property
    def _chroma(self) -> Path:
        """The folder of the local store."""
        local = self._store if self._store and "://" not in self._store else None
        return Path(local) if local else self._folder / "chroma"

    def _check(self, identity: EmbedderIdentity) -> None:
        """Refuse vectors of another embedder; the first one to come is remembered."""
        known = self._record.meta("embedder")
        if known is None and self._record.read_only:
            return
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
            batch, gone = self._record.pending(_BATCH), self._record.gone()[:_BATCH]
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
        if batch:
            self._embed(batch)
        self.words.update([(item.number, item.paper) for item in batch], gone)
        self._record.mark_indexed(batch, gone)
        self._generation = self._record.generation()
        self._record.set_meta(_FILES, self._fingerprint())

    def _embed(self, batch: list[Numbered]) -> None:
        papers = [item.paper for item in batch]
        chunked = chunk_papers(papers, self.embedder.count_tokens, self.embedder.max_tokens)
        names = [
            (item.number, chunk.index)
            for item, chunks in zip(batch, chunked, strict=True)
            for chunk in chunks
        ]
        texts = [chunk.text for chunks in chunked for chunk in chunks]
        self.vectors.add(names, self.embedder.embed_passages(texts))

    # ------------------------------------------------------------ mending

    def faulty(self) -> bool:
        """Whether vectors or words are gone or damaged, so that `mend` must make them anew.

        A full disk makes good ones look damaged, and leaves no room for others.
        """
        if not self._record.has_papers() or not has_room(self._folder):
            return False
        return not (self._vectors_usable() and WordIndex.is_usable(self._folder / _WORDS))

    def _vectors_usable(self) -> bool:
        if self._remote:
            return True
        if not self._is_usable(self._chroma):
            return False
        self._record.set_meta(_FILES, self._fingerprint())
        return True

    def _is_usable(self, folder: Path) -> bool:
        """Whether a local store is as it was last written, or can be used all the same."""
        return self._record.meta(_FILES) == fingerprint(folder) or is_usable(
            folder, self._collection, self._record.count()
        )

    @property
    def _collection(self) -> str:
        return f"citewell-{self._record.meta('library')}"

    @property
    def _remote(self) -> bool:
        return bool(self._store and "://" in self._store)

    def _fingerprint(self) -> str | None:
        return None if self._remote else fingerprint(self._chroma)

    def mend(self) -> None:
        """Make damaged vectors or words anew from the record; the files are not needed."""
        self.close()
        if not self._vectors_usable():
            shutil.rmtree(self._chroma, ignore_errors=True)
            self._record.set_meta(_FILES, None)
            self._record.mark_all_pending()
        if not WordIndex.is_usable(self._folder / _WORDS):
            shutil.rmtree(self._folder / _WORDS, ignore_errors=True)
            self._taught(self._folder / _WORDS)

    def _taught(self, folder: Path) -> WordIndex:
        """A new word index of all papers that are ready."""
        words = WordIndex.open(folder)
        last = 0
        while batch := self._record.ready_after(last, _BATCH * 8):
            words.update(batch, [])
            last = batch[-1][0]
        return words
