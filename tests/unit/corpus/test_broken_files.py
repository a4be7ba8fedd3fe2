"""Each reader, given a good file of its own with parts cut out, doubled and changed."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.corpus.files import Found, find, read
from rag.corpus.readers import bibtex, json_, markdown, pdf, plain, table, tagged, xml_
from rag.types import Record, Skip
from tests.unit.corpus import pdfs

FIXTURES = Path(__file__).parents[2] / "fixtures/formats"
TEXT = "We study trees in cold places, and measure how slowly they grow there: a < b, or 5% less."
PUBMED = (
    "<?xml version='1.0'?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article>"
    "<ArticleTitle>Trees <i>in</i> cold</ArticleTitle><Abstract><AbstractText Label='AIMS'>See it."
    "</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
)
OPENREVIEW = {"notes": [{"id": "n", "content": {"title": {"value": "T"}, "abstract": TEXT}}]}
INVERTED = {"display_name": "T", "abstract_inverted_index": {"slow": [1], "trees": [0, 2]}}
SAMPLES = {
    "a.txt": (plain, f"My list\n\nTrees in the cold\n{TEXT}\n\nMosses\n{TEXT}\n".encode()),
    "a.md": (markdown, f"# Trees\n\n{TEXT}\n\n# Mosses\n\n{TEXT}\n".encode()),
    "a.bib": (
        bibtex,
        f'@article{{k, title = {{What {{GAN}}s}}, author={{K{{\\"a}}hler, A and B}},'
        f" year=2024, abstract = {{{TEXT}}}}}\n@misc{{k, title={{B}}}}\n".encode(),
    ),
    "a.ris": (tagged, (FIXTURES / "scopus.ris").read_bytes()[:3000]),
    "a.nbib": (
        tagged,
        b"PMID- 1\nTI  - Trees in the\n      cold.\nLID - 10.1/a [doi]\nAB  - Text.\n",
    ),
    "wos.txt": (tagged, b"FN x\nPT J\nAF Lee, Ann\n   Li, Bo\nTI Trees\nAB Text.\nER\n\nEF\n"),
    "a.enw": (tagged, b"%0 Journal Article\n%T Trees\n%A Ann Lee\n%X Text of it.\n"),
    "a.csv": (table, b'title,abstract,year\nTrees,"Text, long",2024\nMosses,"More\nlines",\n'),
    "a.tsv": (table, b"title\tabstract\nTrees\tText of it\n"),
    "notes.json": (json_, json.dumps(OPENREVIEW).encode()),
    "work.json": (json_, json.dumps({"results": [INVERTED]}).encode()),
    "a.jsonl": (json_, b'{"title":"T","abstract":"Text.","authors":["A B"]}\n{"title":"U"}\n'),
    "arxiv.xml": (xml_, (FIXTURES / "arxiv_query.xml").read_bytes()[:6000]),
    "pubmed.xml": (xml_, PUBMED.encode()),
    "a.pdf": (pdf, pdfs.pdf(["A Title", "Abstract", TEXT[:60], TEXT[60:], "1 Introduction", "x"])),
}
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["cut", "double", "set"]),
        st.floats(0, 1),
        st.integers(1, 40),
        st.binary(max_size=6),
    ),
    max_size=5,
)


def edited(data: bytes, edits) -> bytes:
    for kind, where, length, put in edits:
        at = int(where * len(data))
        part = data[at : at + length]
        new = {"cut": b"", "double": part + part, "set": put}[kind]
        data = data[:at] + new + data[at + length :]
    return data


@pytest.mark.parametrize("name", SAMPLES)
def test_each_sample_reaches_the_reader_it_is_meant_for(tmp_path, name, monkeypatch):
    module, data = SAMPLES[name]
    used = []
    for function in ("read", "read_lines"):
        monkeypatch.setattr(
            module, function, lambda *given: used.append(given) or iter(()), raising=False
        )
    (tmp_path / name).write_bytes(data)
    list(read(Found(tmp_path / name, name)))
    assert used


@pytest.mark.parametrize("name", SAMPLES)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(edits=EDITS)
def test_no_change_of_a_good_file_makes_its_reader_raise(tmp_path, name, edits):
    path = tmp_path / name
    path.write_bytes(edited(SAMPLES[name][1], edits))
    for item in read(Found(path, name)):
        assert isinstance(item, Skip) or (isinstance(item, Record) and (item.text or item.title))


@pytest.mark.parametrize("cut", ["", ", ", ',\n{"title": "U", "abstract":', ', {"title": "U'])
def test_a_json_list_that_is_cut_off_gives_its_whole_records_and_says_where_it_ends(tmp_path, cut):
    text = '[{"title": "Turtles", "abstract": "Turtles are slow and old."}' + cut
    (tmp_path / "cut.json").write_text(text)
    first, second = read(Found(tmp_path / "cut.json", "cut.json"))
    assert (first.title, first.text) == ("Turtles", "Turtles are slow and old.")
    assert second == Skip(
        "cut.json", "record 2", "not valid JSON from here on; the file may be cut off"
    )


def test_json_that_is_deeper_than_any_record_is_named(tmp_path):
    (tmp_path / "deep.json").write_text("[" * 200_000)
    (skip,) = read(Found(tmp_path / "deep.json", "deep.json"))
    assert "not valid JSON" in skip.reason


def test_a_number_of_thousands_of_digits_spoils_nothing(tmp_path):
    text = '[{"title": "Years", "abstract": "Years pass.", "year": ' + "9" * 5000 + "}]"
    (tmp_path / "long.json").write_text(text)
    (record,) = read(Found(tmp_path / "long.json", "long.json"))
    assert (record.title, record.text, record.year) == ("Years", "Years pass.", None)


def test_a_name_that_is_not_utf8_is_shown_with_escapes(tmp_path):
    path = tmp_path / os.fsdecode(b"bad\xff\xfename.txt")
    path.write_text("Wombats dig burrows.")
    (found,) = find([tmp_path])
    assert found.shown == "bad\\xff\\xfename.txt"
    found.kept.as_posix().encode("utf-8")
    (record,) = read(found)
    assert record.text == "Wombats dig burrows."
