"""What is exported and indexed again is the same library."""

import dataclasses

import pytest

from rag.export import bibtex, csv_table
from rag.library import Library
from rag.resources import seeds_dir


@pytest.mark.parametrize(("name", "write"), [("a.bib", bibtex), ("a.csv", csv_table)])
def test_bibliographic_data_and_texts_survive(real_config, tmp_path, name, write):
    (tmp_path / "b.jsonl").write_text(
        '{"_id": "k1", "title": "Cold {Trees}", "text": "Gains of 5\\\\% with {braces} & more.",'
        ' "authors": ["Ann Lee", "Bo Li"], "year": 2024, "venue": "J. Trees", "doi": "10.1000/abc",'
        ' "url": "https://a.org/x"}'
    )
    with Library.open(real_config, create=True) as library:
        library.index([seeds_dir(), tmp_path / "b.jsonl"])
        before = library.papers()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text(write(before), encoding="utf-8", newline="")
    other = dataclasses.replace(real_config, library=tmp_path / "other")
    with Library.open(other, create=True) as library:
        account = library.index([tmp_path / "out"])
        after = library.papers()
    assert (account.read, account.added, account.skipped) == (32, 32, ())
    assert [p.text for p in after] == [p.text for p in before]
    last, first = after[-1], before[-1]
    assert (last.authors, last.year, last.venue, last.doi, last.url) == (
        first.authors, first.year, first.venue, first.doi, first.url,
    )  # fmt: skip
