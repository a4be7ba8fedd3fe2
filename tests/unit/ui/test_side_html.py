import pytest

from rag.types import Scope
from rag.ui.chat_tab import scope_of
from rag.ui.conversations import Listed
from rag.ui.side_html import conversations_html, scope_html, scope_words


def test_the_open_conversation_is_told_apart_and_names_are_text():
    html = conversations_html([Listed("c1", "<b>Why</b>", 2.0), Listed("c2", "How", 1.0)], "c2")
    assert "&lt;b&gt;Why&lt;/b&gt;" in html
    assert html.count('aria-current="true"') == 1
    assert html.index('aria-current="true"') > html.index("c1")


def test_an_empty_list_says_whether_one_searched():
    assert "will stand here" in conversations_html([], "")
    assert "No conversation has these words" in conversations_html([], "", "zebra")


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        (Scope(), ""),
        (Scope(years=(2024, 2024)), "papers of 2024"),
        (Scope(years=(2024, 2025), author="Bengio"), "papers of 2024–2025, papers by Bengio"),
        (Scope(paper_ids=frozenset("ab")), "2 chosen papers"),
        (Scope(venue="NeurIPS", file="a.bib"), "papers in NeurIPS, papers from a.bib"),
    ],
)
def test_a_scope_is_said_in_words(scope, words):
    assert scope_words(scope) == words


def test_a_narrowed_question_can_be_widened_and_names_its_paper():
    html = scope_html(Scope(paper_ids=frozenset("a")), "A <title>")
    assert "A &lt;title&gt;" in html
    assert 'data-on="widen"' in html


def test_an_edited_question_says_what_it_replaces():
    assert 'data-on="keep"' in scope_html(Scope(), editing=True)


@pytest.mark.parametrize(
    ("years", "expected"),
    [
        ("2024", (2024, 2024)),
        ("2024..2025", (2024, 2025)),
        ("2024-2025", (2024, 2025)),
        ("soon", None),
        ("", None),
    ],
)
def test_years_are_read_as_written_or_left_out(years, expected):
    assert scope_of({"years": years}).years == expected


def test_a_form_becomes_a_scope():
    data = {"author": " Bengio ", "venue": "", "file": "a.bib"}
    assert scope_of(data) == Scope(author="Bengio", file="a.bib")
