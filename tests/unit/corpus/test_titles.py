"""Titles are given, or the name authors give their work, or a phrase that says what they did."""

import pytest

from rag.corpus.readers import plain
from rag.corpus.titles import long_form, title_of
from rag.resources import seeds_dir
from rag.types import Record


def title(text, given=None):
    return title_of(Record(text=text, file="f", place="line 1", title=given))


def test_a_given_title_is_shown_cleaned():
    assert title("We do.", r"What {GAN}s \emph{Learn}") == ("What GANs Learn", "given")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "We introduce Foobar-X, a novel model of trees. Foobar-X wins.",
            "Foobar-X: model of trees",
        ),
        ("We present Tiny Learned Kernels (TLK), which win.", "TLK: Tiny Learned Kernels"),
        ("We propose QuuxNet (Quick Unit NETwork), a net.", None),
        (
            "We propose a robust algorithm, called RSQ, that wins. RSQ is fast.",
            "RSQ: robust algorithm",
        ),
        ("Our WizNet algorithm is fast. Code at https://github.com/a/WizNet.", "WizNet"),
        (r"We propose $\texttt{AbCd}$, a framework for graphs.", "AbCd: framework for graphs"),
    ],
)
def test_the_authors_own_name_is_extracted(text, name):
    found, source = title(text)
    assert source == "extracted" or name is None
    assert name is None or found == name


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        (
            "Direct Preference Optimization (DPO) is common. We study the convergence rate of "
            "DPO under noise. It beats SPO.",
            "Convergence rate of DPO",
        ),
        (
            "Images matter. In this paper, we propose a two-stage method for ligand docking that "
            "is fast.",
            "Two-stage method for ligand docking",
        ),
    ],
)
def test_names_of_others_do_not_become_the_title(text, phrase):
    assert title(text) == (phrase, "generated")


def test_an_acronym_meets_its_long_form_by_letters():
    assert long_form("RADAR", "an approach for ReliAble iDentification of inpainted AReas ") == (
        "ReliAble iDentification of inpainted AReas"
    )
    assert long_form("XYZ", "a method for nothing at all") == ""


def test_the_sample_papers_get_distinct_titles_of_which_none_is_empty():
    texts = {
        record.text
        for file in sorted(seeds_dir().iterdir())
        for record in plain.read(file.read_text(encoding="utf-8"), file.name)
    }
    titles = [title(text)[0] for text in texts]
    assert len(texts) == len(set(titles)) == 31
    assert all(titles)


def test_a_text_of_marks_alone_still_gets_a_title():
    assert title("$$ . $$")[0]
