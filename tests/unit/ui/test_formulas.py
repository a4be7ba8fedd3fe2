"""Formulas of papers, which anybody may have written, as MathML."""

import re

import pytest

from rag.text import formulas
from rag.ui.formulas import mathml
from rag.ui.markup import marked

UPDATE = r"W_0 + \frac{\alpha}{r} B A^{\top}"


def text_of(drawn):
    return re.sub(r"<[^>]*>", "", drawn)


def test_a_formula_is_drawn_with_its_parts_in_place():
    drawn = mathml(UPDATE)
    assert drawn.startswith("<math ")
    for element in ("msub", "mfrac", "msup"):
        assert f"<{element}>" in drawn
    assert "α" in text_of(drawn)
    assert "&" not in text_of(drawn)


def test_it_says_in_words_what_it_shows():
    assert 'alttext="x²"' in mathml("x^2")


@pytest.mark.parametrize("source", ["71.2", r"71.2 \pm 0.3", "n", "a < b", ""])
def test_what_reads_as_well_as_text_stays_text(source):
    assert mathml(source) == ""


@pytest.mark.parametrize(
    "source",
    [
        r"x^2 \unknown{y}",
        "x^{",
        "x^^2",
        r"\frac{a}",
        r"\begin{matrix} a",
        "{" * 200 + "x^2",
        "x^2" * 200,
    ],
)
def test_what_cannot_be_drawn_is_left_to_the_text(source):
    assert marked(f"See ${source}$ here.", []).startswith("See ")
    assert "\\" not in mathml(source)


@pytest.mark.parametrize(
    "source",
    [
        r"x^2 \text{<img src=x onerror=alert(1)>}",
        r"x_{<script>alert(1)</script>}",
        r"\href{javascript:alert(1)}{x^2}",
        r"\mathrm{&lt;script&gt;}^2",
        r"x^{\text{&#x3C;script&#x3E;}}",
        r"\color{red;background:url(//192.0.2.7)}{x^2}",
    ],
)
def test_nothing_in_a_formula_becomes_markup_or_runs(source):
    drawn = marked(f"${source}$", [])
    assert "<img" not in drawn
    assert "<script" not in drawn
    assert not re.search(
        r"<[^>]*\s(?:href|style|on\w+)=|<[^>]*192\.0", re.sub(r'alttext="[^"]*"', "", drawn)
    )


def test_formulas_inside_and_outside_of_a_mark_are_drawn():
    text = "We use $x^2$. It is $y_1$ here."
    drawn = marked(text, [(14, 31)], now=(14, 31))
    assert drawn.count("<math") == 2
    assert '<mark id="cited" class="now" tabindex="-1">It is <math' in drawn


def test_prices_and_half_formulas_stay_as_they_are():
    assert marked("It costs $3 instead of $5_000.", []) == "It costs $3 instead of $5_000."


def test_formulas_are_found_in_order_whatever_encloses_them():
    text = r"a $x^2$ b $$y_1$$ c \(z^3\) d $w$ e"
    found = formulas(text)
    assert [source for _, _, source in found] == ["x^2", "y_1", "z^3", "w"]
    assert [text[start:end] for start, end, _ in found] == ["$x^2$", "$$y_1$$", r"\(z^3\)", "$w$"]
