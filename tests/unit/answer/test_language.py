"""In which language a question is asked."""

import pytest

from rag.answer.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("¿Qué propone el trabajo sobre la generación de árboles?", "Spanish"),
        ("Welche Arbeit beschreibt die Erzeugung von Bäumen und was ist das Ergebnis?", "German"),
        ("Quel article est sur les modèles de diffusion dans le texte ?", "French"),
        ("这篇论文提出了什么方法？", "Chinese"),
        ("この論文は何を提案しますか", "Japanese"),
        ("Что предлагает эта статья?", "Russian"),
    ],
)
def test_other_languages_are_told_by_script_or_function_words(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "What does the TreeGen paper propose?",
        "waht is teh reult on imagnet",
        "TreeGen",
        "de novo molecule design in vivo",
        "What does the α-β model of 数 do?",
        "",
    ],
)
def test_english_with_errors_names_or_single_foreign_words_stays_english(text):
    assert language_of(text) is None
