"""Chunks fit the encoder, lose nothing, and keep exact offsets."""

from hypothesis import given
from hypothesis import strategies as st

from rag.index.chunks import chunk_papers, sentences
from rag.types import Paper, Source


def count(texts):
    return [len(text.split()) + 2 for text in texts]


def paper(text, title="A title", source="generated"):
    return Paper("p1", text, title, source, (Source("f", "line 1"),))


def chunks(text, limit=12, **kwargs):
    return chunk_papers([paper(text, **kwargs)], count, limit)[0]


def test_a_short_text_is_one_chunk():
    (only,) = chunks("One two. Three four.")
    assert (only.start, only.end, only.text) == (0, 20, "One two. Three four.")


def test_runs_of_sentences_overlap_by_one():
    found = chunks("A b c d e. F g h i. J k l. M n o p q.")
    assert [c.text for c in found] == [
        "A b c d e. F g h i.",
        "F g h i. J k l.",
        "J k l. M n o p q.",
    ]


def test_an_overlong_sentence_is_cut_between_words():
    text = " ".join(f"w{n}" for n in range(50)) + "."
    assert max(count([c.text for c in chunks(text)])) <= 12
    assert {w for c in chunks(text) for w in c.text.split()} == set(text.split())


def test_a_given_title_leads_each_chunk():
    found = chunks("A b c d. E f g h.", title="Big Title", source="given", limit=10)
    assert all(c.text.startswith("Big Title. ") for c in found)


def test_a_paper_without_abstract_is_found_by_its_title():
    assert chunks("", title="Only a title")[0].text == "Only a title"


def test_sentences_stand_at_their_offsets():
    item = paper("One two. Three four.")
    assert [item.text[s.start : s.end] for s in sentences(item)] == [
        s.text for s in sentences(item)
    ]


@given(st.text(alphabet="ab .\n", max_size=300), st.integers(6, 20))
def test_no_word_falls_beyond_the_limit(text, limit):
    found = chunks(text, limit)
    assert all(n <= limit for n in count([c.text for c in found])) or not text.strip()
    covered = set()
    for chunk in found:
        covered |= set(range(chunk.start, chunk.end))
    assert all(n in covered for n, c in enumerate(text) if not c.isspace())
