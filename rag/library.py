"""A library of papers: reads files into the record, keeps the indexes in step, and searches."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType

import numpy as np
from filelock import FileLock, Timeout

from rag.config import Config
from rag.corpus import files
from rag.errors import DiskFull, LibraryBusy, LibraryReadOnly, MissingError
from rag.index import retrieve
from rag.index.chunks import sentences
from rag.index.faults import explained
from rag.index.indexes import Indexes, OnCommit, OnProgress, Progress
from rag.index.record import FILE_NAME, PaperRecord
from rag.intake import Gauge, Intake, Tally
from rag.llm.catalogue import find_embedder
from rag.text import clean, stems
from rag.text import words as split_words
from rag.types import Evidence, Hit, Paper, Scope, Sentence, Skip, Vectors

__all__ = ["Account", "Library", "Progress", "make_sample"]

EVERYTHING = Scope()
_CANDIDATES = 200
_EVIDENCE = 5
_LOCK_SECONDS = 3.0
_UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class Account:
    """What became of each record: read = added + changed + unchanged + duplicate + skipped.

    `removed` counts papers, not records. `blank` names the records, among the others, that
    have a title and no abstract: they are kept and can be found by their titles.
    """

    read: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicate: int = 0
    removed: int = 0
    skipped: tuple[Skip, ...] = ()
    blank: tuple[Skip, ...] = ()


class Library:
    """An open library. Methods may be called from several threads."""

    def __init__(self, config: Config, record: PaperRecord) -> None:
        self._folder = config.library
        self._record = record
        self._writer = FileLock(str(config.library / ".lock"))
        self._indexes = Indexes(
            record, config.library, store=config.store, embedder=config.embedder,
            find=partial(find_embedder, config), threads=config.threads,
        )  # fmt: skip

    @classmethod
    def open(
        cls, config: Config, *, create: bool = False, on_progress: OnProgress | None = None
    ) -> Library:
        """Open the library of `config`, and finish what an interrupted run left undone.

        Vectors and words that are gone or damaged are made anew from the record. Raises
        LibraryMissing where there is none and `create` is false, LibraryDamaged. A library in
        a folder that cannot be written is read as it is; methods that write raise
        LibraryReadOnly.
        """
        library = cls(config, PaperRecord.open(config.library, create=create))
        try:
            if not library._record.read_only:
                library._finish(on_progress or _nothing)
        except BaseException:
            library.close()
            raise
        return library

    def _finish(self, on_progress: OnProgress) -> None:
        """Teach the indexes what an interrupted run left undone, and mend them.

        Where that cannot be now, what they know can be used all the same.
        """
        record, indexes = self._record, self._indexes
        if record.count_pending() or record.gone() or indexes.faulty():
            with contextlib.suppress(LibraryBusy, MissingError, DiskFull), self._writing():
                indexes.check_embedder()
                indexes.mend()
                indexes.catch_up(_nothing, on_progress)

    def close(self) -> None:
        """Close the files."""
        self._indexes.close()
        self._record.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ------------------------------------------------------------ writing

    def index(
        self,
        paths: Sequence[Path],
        *,
        on_commit: OnCommit | None = None,
        on_progress: OnProgress | None = None,
        rebuild: bool = False,
    ) -> Account:
        """Add or refresh files and folders; return what became of each record.

        `on_commit` gets the ids of papers once they are safe on disk, `on_progress` how far all
        records are, which are counted first where it is given. A paper that the user
        removed comes back only when its file is named itself. `rebuild` makes the vectors and
        words anew, with the embedder of the configuration. Raises UsageError, LibraryBusy,
        EmbedderMismatch.
        """
        found = files.find(paths)
        tally = Tally()
        with self._writing():
            if rebuild:
                self._indexes.start_anew()
            gauge = Gauge(self._record, tally, on_progress)
            catch_up = partial(self._indexes.catch_up, on_commit or _nothing, gauge.tell)
            intake = Intake(self._record, tally, catch_up)
            gauge.expect(intake, found)
            for item in found:
                intake.take(item)
            intake.drop_missing([p.absolute() for p in paths if p.is_dir()], found)
            catch_up()
            gauge.finish()
        return Account(
            tally.read, tally.added, tally.changed, tally.unchanged, tally.duplicate,
            tally.removed, tuple(tally.skipped), tuple(tally.blank),
        )  # fmt: skip

    def remove(self, ids: Sequence[str]) -> None:
        """Remove papers; they stay away until their file is named to `index` itself.

        Raises UnknownPaper, in which case nothing is removed.
        """
        with self._writing():
            numbers = [self._record.paper(paper_id)[0] for paper_id in ids]
            with self._record.transaction():
                for number in dict.fromkeys(numbers):
                    self._record.drop_paper(number)
            self._indexes.catch_up(_nothing, _nothing)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        self._record.check_writable()
        try:
            with explained(self._folder), self._writer.acquire(timeout=_LOCK_SECONDS):
                yield
        except Timeout as error:
            raise LibraryBusy(
                f"Another process is writing to the library {self._folder}. "
                "Wait until it has finished, then try again."
            ) from error

    # ------------------------------------------------------------ reading

    def papers(self, scope: Scope = EVERYTHING) -> tuple[Paper, ...]:
        """Return the papers in scope, in the order they were added."""
        return tuple(paper for _, paper in self._record.papers(scope))

    def listed(
        self, scope: Scope = EVERYTHING, words: str = "", first: int = 0, count: int | None = None
    ) -> tuple[int, tuple[Paper, ...]]:
        """Return how many papers in scope have all the words, and `count` of them from `first` on.

        A word may stand in title, text, authors or venue. Papers come in the order they were
        added.
        """
        scoped = self._record.numbers(scope)
        numbers = self._record.ready() if scoped is None else scoped
        for word, stem in zip(split_words(words), stems(words), strict=True):
            numbers &= self._indexes.words.holding(stem) | self._record.named(word)
        wanted = sorted(numbers)[first : None if count is None else first + count]
        found = self._record.papers_by_number(wanted)
        return len(numbers), tuple(paper for _, paper in found)

    def paper(self, paper_id: str) -> Paper:
        """Return one paper. Raises UnknownPaper."""
        return self._record.paper(paper_id)[1]

    def newest(self, limit: int) -> tuple[Paper, ...]:
        """Return the papers that came last, newest first."""
        return tuple(paper for _, paper in self._record.newest(limit))

    def generation(self) -> int:
        """Return a number that grows whenever the library has changed."""
        return self._record.generation()

    def check(self) -> None:
        """Read the whole record. Raises LibraryDamaged."""
        self._record.check()

    def count(self) -> int:
        """Return the number of papers."""
        return self._record.count()

    def collections(self) -> tuple[str, ...]:
        """Return the names of the files that the papers stand in."""
        return tuple(self._record.file_names())

    def sentences(self, paper_id: str) -> tuple[Sentence, ...]:
        """Return the sentences of a paper with exact offsets. Raises UnknownPaper."""
        return sentences(self.paper(paper_id))

    def sentence_vectors(self, paper_id: str) -> Vectors:
        """Return unit vectors of a paper's sentences, shape [sentences, dimension].

        They are computed once and kept. Raises UnknownPaper.
        """
        number, paper = self._record.paper(paper_id)
        parts = sentences(paper)
        maker = self._indexes.identity.sha256
        kept = self._record.sentence_vectors(number, maker, len(parts))
        if kept is not None:
            return kept
        vectors = self._indexes.embedder.embed_queries([clean(part.text) for part in parts])
        with contextlib.suppress(DiskFull, LibraryReadOnly, LibraryBusy):
            self._record.keep_sentence_vectors(number, maker, vectors)
        return vectors

    def paper_vectors(self, scope: Scope = EVERYTHING) -> tuple[tuple[Paper, ...], Vectors]:
        """Return the papers in scope that have vectors, and one for each.

        It is the direction of the mean of the paper's chunks; shape [papers, dimension].
        """
        means = self._indexes.vectors.means()
        known = [(paper, means[n]) for n, paper in self._record.papers(scope) if n in means]
        if not known:
            return (), np.zeros((0, 0), np.float32)
        return tuple(paper for paper, _ in known), np.stack([vector for _, vector in known])

    # ------------------------------------------------------------ search

    def search(
        self, text: str, k: int = 5, scope: Scope = EVERYTHING, *, evidence: bool = True
    ) -> list[Hit]:
        """Return the `k` best papers in scope with their best sentences, best first.

        Without `evidence` the hits carry no sentences, which is quicker.
        """
        text = text.encode("utf-8", "replace").decode()
        allowed = self._record.numbers(scope)
        query = self.embed([text])[0]
        dense = self.dense_scores(query, allowed)
        sparse = self.word_scores(text, allowed)
        ranked = retrieve.fuse(dense, sparse)
        papers = self._first_ready([item.number for item in ranked], k)
        best = [item for item in ranked if item.number in papers]
        dense |= self._dense_of([item.number for item in best if item.number not in dense], query)
        return [
            Hit(
                papers[item.number], item.score, dense.get(item.number, 0.0),
                sparse.get(item.number, 0.0),
                self.best_sentences(text, query, papers[item.number]) if evidence else (),
            )
            for item in best
        ]  # fmt: skip

    def _first_ready(self, numbers: list[int], k: int) -> dict[int, Paper]:
        """Return the first `k` papers, of those in this order, that are ready."""
        found: dict[int, Paper] = {}
        for start in range(0, len(numbers), max(2 * k, 1)):
            part = numbers[start : start + max(2 * k, 1)]
            papers = dict(self._record.papers_by_number(part))
            found |= {number: papers[number] for number in part if number in papers}
            if len(found) >= k:
                break
        return dict(itertools.islice(found.items(), k))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of questions, shape [len(texts), dimension]."""
        return self._indexes.embedder.embed_queries([clean(text) for text in texts])

    def dense_scores(
        self, query: Vectors, numbers: set[int] | None = None, limit: int = _CANDIDATES
    ) -> dict[int, float]:
        """Return cosine similarities of the nearest papers by number: each one's best chunk."""
        if numbers is not None and not numbers:
            return {}
        scores: dict[int, float] = {}
        wanted = None if numbers is None else sorted(numbers)
        for near in self._indexes.vectors.nearest(query, limit, wanted):
            scores[near.number] = max(near.similarity, scores.get(near.number, -1.0))
        return scores

    def word_scores(
        self, text: str, numbers: set[int] | None = None, limit: int = _CANDIDATES
    ) -> dict[int, float]:
        """Return BM25 scores of the best papers by number."""
        return self._indexes.words.search(text, limit, numbers)

    def _dense_of(self, numbers: list[int], query: Vectors) -> dict[int, float]:
        found = self._indexes.vectors.of(numbers)
        return {number: float((vectors @ query).max()) for number, vectors in found.items()}

    def best_sentences(
        self, text: str, query: Vectors, paper: Paper, limit: int = _EVIDENCE
    ) -> tuple[Evidence, ...]:
        """Return the sentences of a paper that best fit a question, best first."""
        vectors = self.sentence_vectors(paper.paper_id)
        return retrieve.best_sentences(text, query, sentences(paper), vectors, limit)


def make_sample(config: Config, seeds: Path, on_progress: OnProgress | None = None) -> bool:
    """Make the library from the sample lists if there is none yet; return whether it did.

    A library that exists is left as it is, so papers that were removed stay removed; only a
    sample that was broken off is finished.
    """
    there = (config.library / FILE_NAME).exists()
    with Library.open(config, create=True) as library:
        if there and library._record.meta("sample") != _UNFINISHED:
            return False
        library._record.set_meta("sample", _UNFINISHED)
        library.index([seeds], on_progress=on_progress)
        library._record.set_meta("sample", "made")
    return True


def _nothing(_: object) -> None:
    """Ignore what is reported."""
