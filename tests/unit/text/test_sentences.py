"""Sentences have exact offsets, and abbreviations do not end them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text import split_sentences


def split(text):
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["We follow Smith et al. (2020) and see Fig. 3, e.g. Table 2.", "It works."],
        ["We extend Smith et al.", "We show more."],
        ["Gains of 4.8 points (1 IPC) and 4.2 points (10 IPC).", "Code is at https://a.io/x.y."],
        [r"We ask: \textit{``How do they work?''}.", "To answer this, we look."],
        ["The bound (i) holds, i.e. it is tight, and (ii) is new.", "Good."],
        ["J. Smith agrees vs. A. Jones.", "However, not all do."],
        ["mRNA is read.", "k-means is not.", "3D models are."],
        ["*in-context* (*e.g*., double-well).", "When *finetuned*, it wins."],
        ["“Does it work?”", "It does!"],
        ["We use SD 1.5, 2.0, and 3-m.", "Further, we shed light."],
        ["First paragraph without a stop", "Second one"],
    ],
)
def test_sentences_end_where_a_reader_would_say(sentences):
    joiner = "\n\n" if not sentences[0].endswith((".", "?", "!", "”")) else " "
    assert split(joiner.join(sentences)) == sentences


def test_list_marks_do_not_stand_alone():
    assert split("1. Do this. 2. Do that.") == ["1. Do this.", "2. Do that."]


@given(st.text(alphabet=" .!?ABab1(){}$\\\n\"'e.g…。“”’", max_size=80))
def test_spans_are_in_order_not_empty_and_lose_no_word(text):
    spans = split_sentences(text)
    assert all(start < end and text[start:end].strip() == text[start:end] for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert "".join(split(text)).split() or not text.split()
    assert "".join("".join(split(text)).split()) == "".join(text.split())
