"""The word index: BM25 over stems, with tantivy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rag.errors import LibraryDamaged
from rag.index.faults import outer_cause
from rag.text import acronyms, spelled_out, stems
from rag.types import Paper

_HEAP = 32_000_000
_ANALYSER = "stems"
_TITLE_BOOST = 0.3
"""A title is short, so that BM25 alone makes too much of it. On 1,024 papers and 220 training
queries of SciFact, nDCG@10 is 0.766 unboosted and 0.792 with this."""

_NAMED_BOOST = 1.5
"""The weight of an acronym in the query: fused, nDCG@10 on SciFact's training queries is 0.745
with it, 0.744 without and 0.740 with 2, and an acronym brings its paper to the first place."""
_ACRONYM_BOOST = 0.3
"""The weight of an acronym whose words a query spells out. On SciFact's training queries BM25
alone has nDCG@10 0.703 without and 0.704 with it, and 0.701 where the words of an acronym in the
query count too: those are sought only for an acronym that no paper holds."""


class WordIndex:
    """Titles and texts as stems; each document is named by its paper's number.

    Its methods raise LibraryDamaged, LibraryGone, LibraryReadOnly or DiskFull.
    """

    def __init__(self, index: Any, folder: Path) -> None:  # noqa: ANN401
        self._index = index
        self._folder = folder

    @classmethod
    def open(cls, folder: Path) -> WordIndex:
        """Open or create the index in `folder`."""
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("number", stored=True, indexed=True, fast=True)
        for field in ("title", "text"):
            builder.add_text_field(field, tokenizer_name=_ANALYSER, index_option="freq")
        builder.add_text_field("initials", tokenizer_name=_ANALYSER, index_option="basic")
        with _explained(folder):
            folder.mkdir(parents=True, exist_ok=True)
            index = tantivy.Index(builder.build(), str(folder))
        spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        index.register_tokenizer(_ANALYSER, spaces)
        return cls(index, folder)

    @staticmethod
    def is_usable(folder: Path) -> bool:
        """Whether there is an index in `folder` that can be opened."""
        import tantivy

        try:
            return (
                folder.is_dir()
                and bool(tantivy.Index.exists(str(folder)))
                and _has_all_fields(tantivy.Index.open(str(folder)))
            )
        except (ValueError, OSError):
            return False

    def update(self, papers: Iterable[tuple[int, Paper]], dropped: Iterable[int]) -> None:
        """Add or replace papers by number, drop others; on disk when it returns."""
        import tantivy

        items = list(papers)
        stale = [*dropped, *(number for number, _ in items)]
        with _explained(self._folder):
            writer = self._index.writer(heap_size=_HEAP, num_threads=1)
            writer.delete_documents_by_query(
                tantivy.Query.term_set_query(self._index.schema, "number", stale)
            )
            for number, paper in items:
                writer.add_document(_document(number, paper))
            writer.commit()
            writer.wait_merging_threads()
            self._index.reload()

    def search(
        self, text: str, limit: int, numbers: Iterable[int] | None = None
    ) -> dict[int, float]:
        """Return BM25 scores by paper number of the `limit` best papers for a text."""
        import tantivy

        occur = tantivy.Occur
        clauses = [(occur.Should, clause) for clause in self._clauses(text)]
        if not clauses:
            return {}
        query = tantivy.Query.boolean_query(clauses)
        if numbers is not None:
            allowed = tantivy.Query.term_set_query(self._index.schema, "number", list(numbers))
            query = tantivy.Query.boolean_query(
                [(occur.Must, query), (occur.Must, tantivy.Query.const_score_query(allowed, 0.0))]
            )
        with _explained(self._folder):
            self._index.reload()
            searcher = self._index.searcher()
            hits = searcher.search(query, limit, count=False).hits
            found = searcher.fast_field_values("number", [address for _, address in hits])
        return {int(n): float(score) for n, (score, _) in zip(found, hits, strict=True)}

    def holding(self, stem: str) -> set[int]:
        """Return the numbers of all papers with a stem in title or text."""
        import tantivy

        schema, should = self._index.schema, tantivy.Occur.Should
        query = tantivy.Query.boolean_query(
            [(should, _clause(schema, field, stem)) for field in ("title", "text")]
        )
        with _explained(self._folder):
            self._index.reload()
            searcher = self._index.searcher()
            hits = searcher.search(query, max(1, searcher.num_docs), count=False).hits
            return set(searcher.fast_field_values("number", [address for _, address in hits]))

    def _clauses(self, text: str) -> Iterator[Any]:
        """What a paper should match: the stems, and acronyms for their words or the reverse."""
        schema, searcher = self._index.schema, self._index.searcher()
        named = set(stems(" ".join(acronyms(text))))
        for term in dict.fromkeys(stems(text)):
            yield from _term_clauses(schema, term, _NAMED_BOOST if term in named else 1.0)
        for letters in spelled_out(text):
            yield _clause(schema, "text", letters, _ACRONYM_BOOST)
        for letters in dict.fromkeys(acronyms(text)):
            if not searcher.doc_freq("text", letters):
                yield _clause(schema, "initials", letters)

    def count(self) -> int:
        """Return the number of papers in the index."""
        return int(self._index.searcher().num_docs)


def _has_all_fields(index: Any) -> bool:  # noqa: ANN401
    """Whether an index can be read and has the fields of this version."""
    searcher = index.searcher()
    return bool(searcher.num_docs >= 0 and searcher.doc_freq("initials", "") >= 0)


def _document(number: int, paper: Paper) -> Any:  # noqa: ANN401
    import tantivy

    document = tantivy.Document()
    document.add_unsigned("number", number)
    document.add_text("title", " ".join(stems(paper.title)))
    document.add_text("text", " ".join(stems(paper.text)))
    document.add_text("initials", " ".join(spelled_out(f"{paper.title}. {paper.text}")))
    return document


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as error:
        raise outer_cause(folder.parent, error) or LibraryDamaged(
            f"The word index in {folder} cannot be used ({error}). Delete that folder: it is "
            "made anew from the record when Citewell starts. Your files are not touched."
        ) from error


def _term_clauses(schema: Any, term: str, boost: float) -> tuple[Any, Any]:  # noqa: ANN401
    """A term's match in the text, and in the title for less."""
    return (
        _clause(schema, "text", term, boost),
        _clause(schema, "title", term, boost * _TITLE_BOOST),
    )


def _clause(schema: Any, field: str, term: str, boost: float = 1.0) -> Any:  # noqa: ANN401
    import tantivy

    option = "basic" if field == "initials" else "freq"
    return tantivy.Query.boost_query(tantivy.Query.term_query(schema, field, term, option), boost)
