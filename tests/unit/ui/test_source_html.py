from dataclasses import replace

from rag.types import Paper, Source
from rag.ui.source_html import gone_html, source_html

PAPER = Paper(
    "p1",
    "One. Two.",
    "A <b>title</b>",
    "extracted",
    (Source("../<x>.txt", "line <3>", collection="NeurIPS"),),
    authors=("A. Author",),
    year=2025,
)


def test_the_panel_shows_title_kind_place_and_the_marked_abstract():
    html = source_html(PAPER, [(5, 9)], now=(5, 9))
    assert "A &lt;b&gt;title&lt;/b&gt;" in html
    assert "the file gives no title" in html
    assert "A. Author · 2025" in html
    assert 'id="cited"' in html
    assert "One. <mark" in html


def test_file_names_and_places_are_only_text():
    html = source_html(PAPER)
    assert "../&lt;x&gt;.txt, line &lt;3&gt;" in html


def test_a_removed_paper_is_said_to_be_gone():
    assert "no longer in the library" in gone_html("<i>")
    assert "<i>" not in gone_html("<i>")


def test_a_link_says_where_it_leads():
    reviews = source_html(replace(PAPER, url="https://openreview.net/forum?id=x"))
    elsewhere = source_html(replace(PAPER, url="https://example.org/openreview.net/"))
    assert ">OpenReview</a>" in reviews
    assert ">Web page</a>" in elsewhere
