"""Words find papers by title and text."""

import pytest
import tantivy

from rag.index.words import WordIndex
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
    assert set(words.search("cat", 10)) == {1, 2}


def test_a_match_in_the_text_counts_more_than_one_in_the_title(words):
    found = words.search("cats", 10)
    assert found[2] > found[1]


def test_only_the_papers_asked_for_are_searched(words):
    assert set(words.search("cats", 10, [1, 3])) == {1}


def test_a_question_without_words_finds_nothing(words):
    assert words.search("", 10) == {}


def test_an_acronym_finds_its_words_where_no_paper_has_it(words):
    words.update([(4, paper("Better policies", "We use group relative policy optimization."))], [])
    assert set(words.search("What is GRPO?", 10)) == {4}


def test_the_words_of_an_acronym_find_it(words):
    words.update([(5, paper("Noise", "We solve SDEs with a GRPO loop."))], [])
    assert 5 in words.search("group relative policy optimization", 10)


def test_an_index_of_another_version_is_made_anew(tmp_path):
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", index_option="freq")
    (tmp_path / "old").mkdir()
    tantivy.Index(builder.build(), str(tmp_path / "old"))
    assert not WordIndex.is_usable(tmp_path / "old")
    WordIndex.open(tmp_path / "new")
    assert WordIndex.is_usable(tmp_path / "new")


def test_all_papers_with_a_stem_are_found_in_title_or_text(words):
    assert words.holding("cat") == {1, 2}
    assert words.holding("fish") == {3}
    assert words.holding("whale") == set()
