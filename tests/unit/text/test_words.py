"""Folding and words make copies of a term meet."""

from rag.text import fold, stems, words


def test_accents_case_and_hyphens_do_not_matter():
    assert fold("Schrödinger’s FINE‐Tuning") == fold("schrodinger’s fine-tuning")


def test_letters_without_a_decomposition_become_plain():
    assert fold("Ørsted Łukasz Straße") == "orsted lukasz strasse"


def test_compounds_come_apart_and_decimals_stay_whole():
    assert words("FIM-SDE gains 4.8 points, 1,024 tokens") == [
        "fim", "sde", "gains", "4.8", "points", "1,024", "tokens",
    ]  # fmt: skip


def test_stems_join_forms_of_a_word():
    assert stems("models modelling modelled") == ["model", "model", "model"]
