"""Folding and words make copies of a term meet."""

from rag.text import acronyms, fold, spelled_out, stems, words


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


def test_acronyms_are_short_words_of_capitals():
    assert acronyms("SDEs and a GRPO loop, not Adam or TRANSFORMERS") == ["sde", "grpo"]


def test_what_an_acronym_may_stand_for_has_no_function_word_or_mark_within():
    found = spelled_out("We use group relative policy optimization, and score-based nets of noise")
    assert found["grpo"] == ("group", "relative", "policy", "optimization")
    assert found["sbn"] == ("score", "based", "nets")
    assert not {"posb", "nn", "wug"} & set(found)
