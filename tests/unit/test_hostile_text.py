"""Text made to break, mislead or slow the program is read and shown as text."""

from itertools import pairwise

import pytest

from rag.corpus import files
from rag.corpus.titles import title_of
from rag.text import clean, readable, split_sentences, stems
from rag.types import Record
from rag.ui.download_html import download_html
from rag.ui.markup import escape, marked, shown

SIZE = 100_000

# Each made a pattern look at the whole rest of the text again and again. A test of one that
# does so does not fail by a clock of its own: it runs into the time limit of all tests.
ENDLESS = {
    "one word": "x" * SIZE,
    "opened quotes": "``" * (SIZE // 2),
    "backticks": "`" * SIZE,
    "lone full stops": ". " * (SIZE // 2),
    "opened citations": "\\cite[" * (SIZE // 6),
    "opened formulas": "\\(" * (SIZE // 2),
    "opened displays": "\\[" * (SIZE // 2),
    "opened bold": " **a" * (SIZE // 4),
    "opened macros": "\\textbf{" * (SIZE // 8),
    "opened tags": "<a b='" * (SIZE // 6),
    "opened links": "[a](" * (SIZE // 4),
    "dollars": "$a " * (SIZE // 3),
    "combining marks": "e" + "\u0301" * SIZE,
    "broken words": "a-\n" * (SIZE // 3),
    "claims": "we introduce " * (SIZE // 13),
    "we": "we " * (SIZE // 3),
}
TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_text_made_to_be_slow_is_cleaned_and_divided(text):
    assert len(clean(text)) <= len(text)
    assert len(readable(text, markdown=True)) <= len(text)
    assert len(stems(text)) <= len(text)
    spans = split_sentences(text)
    assert all(a < b <= c for (a, b), (c, _) in pairwise(spans))
    assert title_of(Record(text, "file.txt", "paragraph 1"))[0]
    assert marked(text, [(0, 9)], (3, 5)).count("<mark") == 1


def test_a_million_characters_are_read_from_a_file(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("We measure glaciers. " * 50_000)
    (record,) = files.read(files.Found(path, path.name))
    assert len(record.text) > 1_000_000
    assert len(split_sentences(record.text)) == 50_000


@pytest.mark.parametrize("ending", ["txt", "md", "bib", "csv", "ris", "json", "xml"])
@pytest.mark.parametrize("text", ["# a" + " " * SIZE + "b", "(" * SIZE, "a,\n" * (SIZE // 3)])
def test_a_file_made_to_be_slow_is_read_or_named(tmp_path, ending, text):
    path = tmp_path / f"slow.{ending}"
    path.write_text(text)
    assert list(files.read(files.Found(path, path.name)))


@pytest.mark.parametrize("show", [escape, shown, lambda text: marked(text, [])])
def test_marks_that_turn_the_direction_are_not_shown_and_the_words_are(show):
    assert show(f"safe{TURNS}exe.txt") == "safeexe.txt"
    assert (
        show("\u05e9\u05dc\u05d5\u05dd \u200eA\u200f") == "\u05e9\u05dc\u05d5\u05dd \u200eA\u200f"
    )


def test_a_citation_keeps_its_place_in_a_text_with_such_marks():
    text = f"{TURNS}We measure ice. It melts."
    start = text.index("It")
    assert marked(text, [(start, len(text))]) == "We measure ice. <mark>It melts.</mark>"


def test_a_saved_text_keeps_every_sign():
    assert f"a{TURNS}b" in download_html("list.csv", f"a{TURNS}b")


@pytest.mark.parametrize(
    "name", ["🐘.txt", "°.txt", "----=-.txt", "a b\n.txt", "\u202etxt.exe.txt"]
)
def test_a_file_of_any_name_is_read_under_its_name(tmp_path, name):
    (tmp_path / name).write_text("We measure how fast glaciers melt in the north.")
    (found,) = files.find([tmp_path])
    (record,) = files.read(found)
    assert found.shown == name
    assert record.text.startswith("We measure")
