"""Cleaning makes text readable and loses no word."""

import pytest

from rag.text import clean


@pytest.mark.parametrize(
    ("raw", "readable"),
    [
        (r"$256\times 256$", "256×256"),
        (r"on the $L^\infty$ norm", "on the L^∞ norm"),
        (r"$\widetilde{\mathcal{O}}\left(\frac{d}{\varepsilon^2}\right)$", "O(d/ε²)"),
        (r"\textbf{C}omponent \textbf{A}ttribution", "Component Attribution"),
        (r"\textit{``How do they work?''}.", "“How do they work?”."),
        (r"nearly 50 \% and 10-15\%", "nearly 50 % and 10-15%"),
        ("_isolation_ and *continuity*", "isolation and continuity"),
        ("(*e.g*., double-well)", "(e.g., double-well)"),
        ("`confidence mask'", "‘confidence mask’"),
        ("eﬃcient ﬁne‐tuning", "efficient fine-tuning"),
        ("𝑘-means", "k-means"),
        ("repre-\nsentation", "representation"),
        ("state-of-the-\nart", "state-of-the-art"),
        ('K{\\"a}hler, Schr\\"odinger, na\\"{\\i}ve', "Kähler, Schrödinger, naïve"),
        (r"Erd\H{o}s and \v{S}kvor and \O rsted", "Erdős and Škvor and Ørsted"),
        ("{What {GAN}s Learn}", "What GANs Learn"),
        ("p &lt; 0.05 &amp; more", "p < 0.05 & more"),
        ("<jats:p>One <i>two</i></jats:p>", "One two"),
    ],
)
def test_marks_become_readable(raw, readable):
    assert clean(raw) == readable


@pytest.mark.parametrize(
    "text",
    [
        "a<b and c>d",
        "Predicting <mask> tokens",
        "gain (~3 points) on A and (~5 points) on B",
        "$3 versus $5",
        r"an unknown \foobar macro",
        "snake_case_name and _private stay",
        "2 * 3 * 4",
    ],
)
def test_what_only_looks_like_a_mark_survives(text):
    assert clean(text) == text


def test_cleaning_twice_changes_nothing_more():
    text = r"We reach $23.3$ times with \texttt{CByG}, 5\% better -- see Fig.~2."
    assert clean(clean(text)) == clean(text)
