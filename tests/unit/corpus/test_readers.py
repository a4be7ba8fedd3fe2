"""Each format is read into clean records, and what cannot be read is named."""

# ruff: noqa: E501 - a file in one string is easier to read

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.corpus.files import Found, decode, find, read
from rag.errors import UsageError
from rag.text import clean
from rag.types import Record, Skip
from tests.unit.corpus.pdfs import pdf

FORMATS = "tests/fixtures/formats"
ABSTRACT = (
    "We study the growth of trees in cold places. Trees grow slowly there, and we measure how "
    "slowly. The slowest tree grew one millimetre a year, in a place with two months of summer."
)
OTHER = ABSTRACT.replace("trees", "mosses").replace("Trees", "Mosses").replace("tree", "moss")


@pytest.fixture
def parse(tmp_path):
    """Write a file and read it."""

    def parse(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return list(read(Found(path, name)))

    return parse


def only(records):
    (record,) = records
    assert isinstance(record, Record)
    return record


# ---------------------------------------------------------------- plain text and Markdown


def test_a_list_under_a_heading_keeps_each_paragraph_as_it_stands(parse):
    found = parse("a.txt", f"My papers 2025\n\n  {ABSTRACT}\n\n\n{OTHER}  \n")
    assert [r.text for r in found] == [ABSTRACT, OTHER]
    assert {r.collection for r in found} == {"My papers 2025"}
    assert [r.place for r in found] == ["line 3", "line 6"]


def test_titles_over_abstracts_are_titles(parse):
    found = parse("a.txt", f"Trees in the Cold\n\n{ABSTRACT}\n\nMosses\n\n{OTHER}")
    assert [(r.title, r.text) for r in found] == [
        ("Trees in the Cold", ABSTRACT),
        ("Mosses", OTHER),
    ]


def test_a_title_may_be_the_first_line_of_its_paragraph(parse):
    found = parse("a.txt", f"Trees in the Cold\n{ABSTRACT}\n\nMosses\n{OTHER}")
    assert [(r.title, r.text) for r in found] == [
        ("Trees in the Cold", ABSTRACT),
        ("Mosses", OTHER),
    ]


def test_wrapped_lines_are_not_titles(parse):
    wrapped = ABSTRACT.replace("places. ", "places.\n").replace("slowly. ", "slowly.\n")
    assert only(parse("a.txt", wrapped)).title is None


def test_labels_name_the_fields(parse):
    record = only(
        parse("a.txt", f"Title: Trees\nAuthors: Ann Lee; Bo Li\nYear: 2024\nAbstract: {ABSTRACT}")
    )
    assert (record.title, record.authors, record.year, record.text) == (
        "Trees", ("Ann Lee", "Bo Li"), 2024, ABSTRACT,
    )  # fmt: skip


def test_markdown_headings_are_titles_and_a_top_heading_names_the_list(parse):
    found = parse("a.md", f"# Reading\n\n## Trees\n\n{ABSTRACT}\n\n## Mosses\n\n{OTHER}\n")
    assert [(r.title, r.text, r.collection) for r in found] == [
        ("Trees", ABSTRACT, "Reading"), ("Mosses", OTHER, "Reading"),
    ]  # fmt: skip


def test_an_abstract_heading_belongs_to_the_title_above(parse):
    record = only(parse("a.md", f"# Trees\n\n## Abstract\n\n{ABSTRACT}\n"))
    assert (record.title, record.text) == ("Trees", ABSTRACT)


# ---------------------------------------------------------------- BibTeX

BIBTEX = r"""
@article{lee24,
  title = {What {GAN}s Learn},
  author = {K{\"a}hler, Anna and {van den Berg}, Bo},
  year = 2024, journal = {J. of \textbf{Trees}}, doi = {10.1000/XYZ},
  abstract = {Gains of 5\% with \foobar{} and nested {braces {inside}} here.},
}
@article{lee24, title = {Another with the same key}, abstract = {Text two.}}
@comment{nothing}
@article{broken, title = {No end
"""


def test_bibtex_is_readable_and_duplicate_keys_are_kept(parse):
    found = parse("a.bib", BIBTEX)
    records = [r for r in found if isinstance(r, Record)]
    first = records[0]
    assert clean(first.title) == "What GANs Learn"
    assert first.authors == ("Anna Kähler", "Bo van den Berg")
    assert (first.year, first.venue, first.doi) == (2024, "J. of Trees", "10.1000/XYZ")
    assert clean(first.text) == r"Gains of 5% with \foobar and nested braces inside here."
    assert [r.source_id for r in records[:2]] == ["lee24", "lee24"]
    assert any(isinstance(r, Skip) and "BibTeX" in r.reason for r in found)


def test_an_arxiv_eprint_is_an_arxiv_id(parse):
    entry = "@misc{a, title={T}, eprint={2401.00001}, archivePrefix={arXiv}, abstract={X y.}}"
    assert only(parse("a.bib", entry)).arxiv == "2401.00001"


# ---------------------------------------------------------------- tagged lines

RIS = """\ufeffRecord #1 of 2
TY  - JOUR
TI  - Trees in
the cold
AU  - Lee, Ann
A1  - Ignored, Since AU Leads
PY  - 2024/05//
SP  -
EP  - 9
N2  - First line of text
and the wrapped second.
DO  - 10.1000/abc
ER  -

Record #2 of 2
TY  - JOUR
T1  - Mosses
AB  -
ER  -
"""


def test_ris_oddities_give_clean_records(parse):
    first, second = parse("a.ris", RIS)
    assert first.title == "Trees in the cold"
    assert first.text == "First line of text and the wrapped second."
    assert (first.authors, first.year, first.doi) == (("Lee, Ann",), 2024, "10.1000/abc")
    assert (second.title, second.text, second.place) == ("Mosses", "", "line 16")


def test_an_empty_tag_swallows_no_wrapped_text(parse):
    record = only(parse("a.ris", "TY  - JOUR\nTI  - Trees\nAB  -\nstray words\nER  - \n"))
    assert record.text == ""


@pytest.mark.parametrize(("name", "count"), [("embase.ris", 6), ("scopus.ris", 6)])
def test_portal_exports_are_read_whole(name, count, request):
    (found,) = find([request.config.rootpath / FORMATS / name])
    records = list(read(found))
    assert len(records) == count
    assert all(r.title and r.text and r.authors and r.year and r.venue for r in records)


def test_pubmed_text_is_read(parse):
    text = (
        "\nPMID- 123\nTI  - Trees in the\n      cold.\nLID - 10.1000/abc [doi]\nLID - S1 [pii]\n"
        "AB  - First line\n      and second.\nFAU - Lee, Ann\nAU  - Lee A\nDP  - 2024 May\n"
        "JT  - Journal of trees\n\nPMID- 124\nTI  - Mosses\n"
    )
    first, second = parse("a.nbib", text)
    assert (first.title, first.text, first.source_id) == (
        "Trees in the cold.", "First line and second.", "123",
    )  # fmt: skip
    assert (first.authors, first.doi, first.year) == (("Lee, Ann",), "10.1000/abc", 2024)
    assert second.title == "Mosses"


def test_web_of_science_text_is_read(parse):
    text = (
        "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Lee, A\n   Li, B\n"
        "AF Lee, Ann\n   Li, Bo\nTI Trees in\n   the cold\nSO JOURNAL OF TREES\n"
        "AB Text of it.\nPY 2024\nDI 10.1000/abc\nUT WOS:1\nER\n\nEF\n"
    )
    record = only(parse("savedrecs.txt", text))
    assert record.authors == ("Lee, Ann", "Li, Bo")
    assert (record.title, record.source_id, record.year) == ("Trees in the cold", "WOS:1", 2024)


def test_endnote_text_is_read(parse):
    text = (
        "%0 Journal Article\n%T Trees\n%A Ann Lee\n%A Bo Li\n%D 2024\n%J J. Trees\n%X Text of it.\n"
    )
    record = only(parse("a.enw", text))
    assert (record.title, record.authors, record.year) == ("Trees", ("Ann Lee", "Bo Li"), 2024)


# ---------------------------------------------------------------- tables


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_any_delimiter_and_a_quoted_header_are_read(parse, mark):
    rows = [
        ['"title, short"'.replace(",", mark), "Title", "Abstract", "Year"],
        ["x", "Trees", '"a' + mark + ' b"', "2024"],
    ]
    record = only(parse("a.csv", "\ufeff" + "\n".join(mark.join(row) for row in rows)))
    assert (record.title, record.text, record.year) == ("Trees", f"a{mark} b".strip(), 2024)


def test_a_stray_quote_costs_only_its_row_which_is_named(parse):
    rows = [
        "title,abstract,year",
        "A,one,2001",
        'B,"two,2002',
        "C,three,2003",
        'D,"four, 4",2004',
        "E,five,2005",
    ]
    found = parse("a.csv", "\n".join(rows))
    assert [r.title for r in found if isinstance(r, Record)] == ["A", "C", "D", "E"]
    (skip,) = [r for r in found if isinstance(r, Skip)]
    assert (skip.place, skip.reason) == ("line 3", "a quote that does not close")


def test_a_quoted_cell_may_span_lines_and_be_long(parse):
    long = "word " * 40_000
    found = parse("a.csv", f'title,abstract\nA,"one\ntwo ""quoted""\nthree"\nB,"{long}"\n')
    assert found[0].text == 'one\ntwo "quoted"\nthree'
    assert len(found[1].text) == len(long.strip())


def test_rows_with_missing_columns_are_kept(parse):
    found = parse("a.csv", "title,abstract,year\nA,one\nB\n,,\n")
    assert [(r.title, r.text) for r in found[:2]] == [("A", "one"), ("B", "")]
    assert isinstance(found[2], Skip)


def test_names_are_split_by_the_marks_of_each_export(parse):
    rows = [
        "title;authors",
        "A;Lee, A., Li, B.",
        "B;['Marx, Karl', 'Li, Bo']",
        "C;Ann Lee and Bo Li",
        "D;Ann Lee, Bo Li",
    ]
    assert [r.authors for r in parse("a.csv", "\n".join(rows))] == [
        ("Lee, A.", "Li, B."), ("Marx, Karl", "Li, Bo"), ("Ann Lee", "Bo Li"), ("Ann Lee", "Bo Li"),
    ]  # fmt: skip


def test_real_tables_are_read(request):
    folder = request.config.rootpath / FORMATS
    semicolon = list(read(find([folder / "generic_semicolon.csv"])[0]))
    assert semicolon[0].title == "Title of reference"
    assert semicolon[0].year == 2014
    blank = list(read(find([folder / "missing_values.csv"])[0]))
    assert [bool(r.text) for r in blank] == [False, True, False, True]


# ---------------------------------------------------------------- JSON

SHAPES = {
    "openreview v1": {"notes": [{"id": "x1", "content": {"title": "Trees", "abstract": ABSTRACT, "authors": ["Ann Lee"]}}]},
    "openreview v2": {"notes": [{"id": "x1", "content": {"title": {"value": "Trees"}, "abstract": {"value": ABSTRACT}, "authors": {"value": ["Ann Lee"]}}}]},
    "semantic scholar": {"data": [{"paperId": "x1", "title": "Trees", "abstract": ABSTRACT, "authors": [{"authorId": "1", "name": "Ann Lee"}], "externalIds": {"DOI": "10.1000/abc"}}]},
    "openalex": {"results": [{"id": "x1", "display_name": "Trees", "abstract_inverted_index": {w: [i for i, x in enumerate(ABSTRACT.split()) if x == w] for w in ABSTRACT.split()}, "authorships": [{"author": {"display_name": "Ann Lee"}}]}]},
    "crossref": {"message": {"items": [{"DOI": "10.1000/abc", "title": ["Trees"], "abstract": f"<jats:p>{ABSTRACT}</jats:p>", "author": [{"given": "Ann", "family": "Lee"}], "issued": {"date-parts": [[2024, 5]]}}]}},
    "csl": [{"id": "x1", "title": "Trees", "abstract": ABSTRACT, "author": [{"given": "Ann", "family": "Lee"}]}],
    "zotero": [{"key": "x1", "title": "Trees", "abstractNote": ABSTRACT, "creators": [{"creatorType": "author", "firstName": "Ann", "lastName": "Lee"}, {"creatorType": "editor", "name": "No One"}]}],
    "one object": {"title": "Trees", "abstract": ABSTRACT, "authors": "Ann Lee"},
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_json_of_each_service_gives_the_same_record(parse, shape):
    record = only(parse("a.json", json.dumps(SHAPES[shape])))
    assert (record.title, record.text, record.authors) == ("Trees", ABSTRACT, ("Ann Lee",))


def test_jsonl_is_read_by_lines_whatever_its_name_and_bad_lines_are_named(parse):
    lines = [json.dumps({"_id": n, "title": f"T{n}", "text": ABSTRACT}) for n in (1, 2)]
    for name in ("a.jsonl", "a.json"):
        found = parse(name, "\n".join([lines[0], "{oops", "", lines[1]]))
        assert [r.source_id for r in found if isinstance(r, Record)] == ["1", "2"]
        assert [(r.place, r.reason) for r in found if isinstance(r, Skip)] == [
            ("line 2", "not valid JSON")
        ]


def test_null_and_empty_fields_are_unknown(parse):
    record = only(parse("a.json", '[{"title":"T","year":null,"authors":[],"venue":""}]'))
    assert (record.year, record.authors, record.venue, record.text) == (None, (), None, "")


def test_gzipped_files_are_read(parse):
    data = gzip.compress(json.dumps({"title": "T", "abstract": ABSTRACT}).encode())
    assert only(parse("a.jsonl.gz", data)).text == ABSTRACT
    assert parse("b.jsonl.gz", data[:40])[-1].reason.startswith("cannot be read")


# ---------------------------------------------------------------- XML


def test_arxiv_answers_are_read(request):
    (found,) = find([request.config.rootpath / FORMATS / "arxiv_query.xml"])
    records = list(read(found))
    assert len(records) == 10
    assert all(r.title and r.text and r.authors and r.year and r.arxiv for r in records)


def test_pubmed_xml_is_read(parse):
    xml = (
        "<?xml version='1.0'?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID>"
        "<Article><Journal><JournalIssue><PubDate><MedlineDate>2024 May-Jun</MedlineDate></PubDate>"
        "</JournalIssue><Title>J. Trees</Title></Journal><ArticleTitle>Trees <i>in</i> cold"
        "</ArticleTitle><Abstract><AbstractText Label='AIMS'>See a&lt;b.</AbstractText>"
        "<AbstractText>More.</AbstractText></Abstract><AuthorList><Author><LastName>Lee</LastName>"
        "<ForeName>Ann</ForeName></Author></AuthorList></Article></MedlineCitation>"
        "</PubmedArticle></PubmedArticleSet>"
    )
    record = only(parse("a.xml", xml))
    assert (record.title, record.text) == ("Trees in cold", "AIMS: See a<b. More.")
    assert (record.authors, record.year, record.source_id) == (("Ann Lee",), 2024, "1")


@pytest.mark.parametrize("xml", ["<?xml version='1.0'?><a><b></a>", "<?xml version='1.0'?><html/>"])
def test_other_xml_is_named(parse, xml):
    (skip,) = parse("a.xml", xml)
    assert "XML" in skip.reason


def test_entities_that_explode_are_refused(parse):
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "xx"><!ENTITY y "&x;&x;">]><feed>&y;</feed>'
    )
    assert isinstance(parse("a.xml", bomb)[0], Skip)


# ---------------------------------------------------------------- PDF


LINES = ["We study the growth of trees in cold places, and measure", "how slowly they grow there: one millimetre a year or less."]  # fmt: skip


def test_the_abstract_of_a_pdf_paper_is_read(parse):
    record = only(parse("a.pdf", pdf(["Trees in the Cold", "Ann Lee", "Abstract", *LINES, "1 Introduction", "Trees are nice."])))  # fmt: skip
    assert record.title == "Trees in the Cold"
    assert record.text.split() == " ".join(LINES).split()


def test_a_book_of_abstracts_gives_one_record_each(parse):
    pages = [[f"Talk {n}", "Abstract", *LINES, "Keywords: trees"] for n in range(4)]
    assert [r.title for r in parse("a.pdf", pdf(*pages))] == [
        "Talk 0",
        "Talk 1",
        "Talk 2",
        "Talk 3",
    ]


def test_pdf_files_without_text_are_named(parse):
    assert "OCR" in parse("scan.pdf", pdf([]))[0].reason
    assert "password" in parse("locked.pdf", pdf(["Abstract", *LINES], password="x"))[0].reason
    assert "can be read" in parse("broken.pdf", b"%PDF-1.7 nonsense")[0].reason


# ---------------------------------------------------------------- encodings and other faults


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings_and_line_ends_are_read(parse, encoding, newline):
    text = f"Papers{newline}{newline}The Schrödinger bridge naïvely.{newline}{newline}Two more.{newline}"
    found = parse("a.txt", text.encode(encoding))
    assert [r.text for r in found] == ["The Schrödinger bridge naïvely.", "Two more."]


def test_other_alphabets_are_guessed():
    text = "Мы изучаем рост деревьев в холодных местах и измеряем, насколько медленно они растут."
    assert decode(text.encode("cp1251")) == text


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "no text"), (b"  \n\n", "no text"), (b"PK\x03\x04....", "archive"), (bytes(range(32)) * 9, "not a text file")],
)  # fmt: skip
def test_files_without_text_are_named(parse, content, reason):
    (skip,) = parse("a.txt", content)
    assert (skip.place, reason in skip.reason) == ("file", True)


def test_a_missing_path_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="no file or folder"):
        find([tmp_path / "nope"])


def test_hidden_files_are_left_out_and_names_are_relative(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("b.txt", "sub/a.txt", ".hidden.txt"):
        (tmp_path / name).write_text("x")
    assert [f.shown for f in find([tmp_path])] == ["b.txt", "sub/a.txt"]


# ---------------------------------------------------------------- no input raises

NAMES = st.sampled_from(["a.txt", "a.md", "a.bib", "a.ris", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.xml", "a.pdf", "a.nbib"])  # fmt: skip
PIECES = st.sampled_from([
    "@article{k,", "title = {", "}", "TY  - JOUR\n", "AB  - x\n", "ER  - \n", "PMID- 1\n", "PT J\n",
    "%0 Journal\n", "title,abstract\n", "title\tabstract\n", '"', ",", "\t", "\n", "\n\n", '{"title":', '"a"', "[", "]",
    "{", "null", "1e999", "NaN", "<?xml version='1.0'?>", "<feed xmlns='http://www.w3.org/2005/Atom'>", "<entry>",
    "</entry></feed>", "<PubmedArticleSet>", "# Head\n", "## Abstract\n", "%PDF-1.4\n", "\x00", "\ufeff", "é", "𝑘", "\\", "$", "a b. ",
    '{"title":{"value":[{}]}}', '{"notes":[{"content":null}]}', '{"abstract_inverted_index":{"a":[1,null]}}', '{"issued":{"date-parts":[[null]]}}',
])  # fmt: skip


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=NAMES, pieces=st.lists(PIECES, max_size=14), cut=st.integers(0, 200))
def test_no_text_makes_a_reader_raise(tmp_path, name, pieces, cut):
    path = tmp_path / name
    path.write_bytes("".join(pieces).encode()[cut if cut < 40 else 0 :])
    for item in read(Found(path, name)):
        assert isinstance(item, Skip) or item.text or item.title


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=NAMES, data=st.binary(max_size=300))
def test_no_bytes_make_a_reader_raise(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    assert all(isinstance(item, Skip | Record) for item in read(Found(path, name)))
