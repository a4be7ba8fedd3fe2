import pytest

from rag.ui.markup import escape, marked, quoted, shown


@pytest.mark.parametrize(
    "text",
    ["<b>x</b>", "a < b & c", "_x_ *y*", "[1]: BERT", "(~3 points) and ~5; $3 versus $5", "1. one"],
)
def test_text_is_shown_as_written(text):
    from html import unescape

    assert unescape(shown(text)) == text
    assert "<" not in shown(text)


def test_escaped_text_is_safe_inside_an_attribute():
    assert escape("\" onclick='x'") == "&quot; onclick=&#x27;x&#x27;"


def test_latex_reads_as_what_it_means():
    assert shown(r"\textit{fast} and $71.2 \pm 0.3$") == "fast and 71.2 ± 0.3"


def test_markdown_of_an_abstract_is_made_readable_but_tags_stay_visible():
    assert quoted("_fast_ <i>x</i>") == "fast &lt;i&gt;x&lt;/i&gt;"


def test_the_asked_span_is_marked_strongly_and_others_lightly():
    html = marked("One. Two. Three.", [(0, 4), (5, 9)], now=(5, 9))
    assert html == (
        '<mark>One.</mark> <mark id="cited" class="now" tabindex="-1">Two.</mark> Three.'
    )


def test_a_span_that_overlaps_the_asked_one_gives_way():
    assert marked("abcdef", [(0, 3)], now=(2, 5)).count("<mark") == 1


def test_spans_outside_the_text_are_left_out():
    assert marked("abc", [(1, 9), (-1, 2)]) == "abc"


def test_markup_inside_a_marked_span_is_escaped():
    assert marked("<b>x</b>", [(0, 4)]) == "<mark>&lt;b&gt;x</mark>&lt;/b&gt;"
