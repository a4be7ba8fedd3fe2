"""Words find papers by title and text."""

import pytest

from rag.index.words import WordIndex
from rag.text import stems
from rag.types import Paper


def paper(title, text):
    return Paper("id", text, title, "given", ())


@pytest.fixture
def words(tmp_path):
    index = WordIndex.open(tmp_path / "words")
    index.update(
        [
            (1, paper("On cats", "Dogs chase balls all day long in the park.")),
            (2, paper("On dogs", "Cats sleep and cats eat all day long.")),
            (3, paper("On fish", "Fish swim.")),
        ],
        [],
    )
    return index


def test_a_word_in_the_title_alone_finds_the_paper(words):
    assert set(words.search(stems("cat"), 10)) == {1, 2}


def test_a_match_in_the_text_counts_more_than_one_in_the_title(words):
    found = words.search(stems("cats"), 10)
    assert found[2] > found[1]


def test_only_the_papers_asked_for_are_searched(words):
    assert set(words.search(stems("cats"), 10, [1, 3])) == {1}


def test_a_question_without_words_finds_nothing(words):
    assert words.search([], 10) == {}
