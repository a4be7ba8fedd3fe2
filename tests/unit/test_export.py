from dataclasses import replace

from rag.export import bibtex
from rag.types import Paper, Source

PAPER = Paper(
    "p1",
    "One.",
    "Deep <nets> & 5%",
    "given",
    (Source("f", "1"),),
    authors=("Ada Byron", "Bo Li"),
    year=2025,
    doi="10.1/x",
)


def test_each_paper_is_one_entry_with_a_key_of_its_own():
    text = bibtex([PAPER, PAPER])
    assert "@misc{byron2025deep," in text
    assert "@misc{byron2025deep2," in text
    assert "title = {{Deep <nets> \\& 5\\%}}" in text
    assert "author = {Ada Byron and Bo Li}" in text
    assert "doi = {10.1/x}" in text
    assert "howpublished" not in text


def test_braces_in_a_title_cannot_end_the_entry():
    assert "title = {{a\\} b}}" in bibtex([replace(PAPER, title="a} b")])
