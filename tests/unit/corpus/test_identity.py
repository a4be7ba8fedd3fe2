"""Copies of a paper are joined, different papers stay apart."""

from dataclasses import replace

import pytest

from rag.corpus import identity
from rag.types import Record

TEXT = (
    "We study the growth of trees in cold places. Trees grow slowly there, and we measure how "
    "slowly over 30 years. The slowest tree grew one millimetre a year, in a place with only two "
    "months of summer and eight of snow, far from any other tree."
)


def record(text=TEXT, **fields):
    return identity.with_identifiers(Record(text=text, file="a", place="line 1", **fields))


def joined(a, b):
    """Whether the second would be found and judged the same as the first."""
    return bool(set(identity.keys(a)) & set(identity.keys(b))) and identity.same_paper(a, b)


@pytest.mark.parametrize(
    "edit",
    [
        lambda t: t.upper(),
        lambda t: t.replace("slowly there, and", "slowly there —and"),
        lambda t: t.replace(" in a place with only two", " in a place with two"),
        lambda t: t.replace("growth", r"\emph{growth}"),
    ],
    ids=["case", "dash", "small edit", "markup"],
)
def test_near_duplicates_are_joined(edit):
    assert joined(record(), record(edit(TEXT)))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"doi": "10.1000/ABC"}, {"doi": "https://doi.org/10.1000/abc"}),
        ({"arxiv": "2401.00001v1"}, {"arxiv": "arXiv:2401.00001v3"}),
        ({"arxiv": "2401.00001"}, {"doi": "10.48550/arXiv.2401.00001"}),
        ({"url": "http://arxiv.org/abs/2401.00001v2"}, {"source_id": "2401.00001"}),
    ],
)
def test_the_same_identifier_joins_an_abstract_and_a_longer_one(one, two):
    assert joined(record(TEXT, **one), record(f"{TEXT[:120]} And it says much more. " * 2, **two))


def test_a_preprint_with_the_same_title_and_new_figures_is_joined():
    later = TEXT.replace("30 years", "31 years and 4 months").replace("far from", "away from")
    assert joined(record(title="Cold Trees"), record(later, title="Cold trees."))


def test_papers_with_the_same_title_and_other_texts_stay_apart():
    other = "An essay about something else entirely, namely the price of fish in small harbours."
    assert not joined(record(title="Editorial"), record(other, title="Editorial"))


def test_titles_alone_are_joined_only_where_authors_agree():
    bare = record("", title="Editorial", authors=("Ann Lee",))
    assert joined(bare, record("", title="Editorial", authors=("Lee, A.",)))
    assert not joined(bare, record("", title="Editorial", authors=("Bo Li",)))
    assert not joined(bare, record("", title="Other", authors=("Ann Lee",)))


def test_a_title_alone_joins_its_abstract():
    assert joined(record("", title="Cold Trees"), record(title="Cold Trees", authors=("Ann Lee",)))


def test_texts_that_differ_by_a_number_stay_apart():
    assert not joined(record(), record(TEXT.replace("30", "31")))


def test_templates_with_ids_of_their_own_stay_apart_within_a_file():
    one, two = record(source_id="1"), record(TEXT.replace("snow", "rain"), source_id="2")
    assert not joined(one, two)
    assert joined(one, replace(two, file="b"))


def test_a_shared_identifier_does_not_join_unrelated_papers():
    other = "An essay about something else entirely, namely the price of fish in small harbours."
    a, b = (
        record(title="Trees", doi="10.1000/book"),
        record(other, title="Fish", doi="10.1000/book"),
    )
    assert not joined(a, b)


def test_a_common_short_text_does_not_join_papers_with_titles_of_their_own():
    assert not joined(
        record("No abstract available.", title="Trees"),
        record("No abstract available.", title="Fish"),
    )


def test_a_lone_number_is_no_arxiv_id():
    assert record(source_id="12345", url="https://a.org/1234.5678").arxiv is None


@pytest.mark.parametrize(
    ("old", "new", "follows"),
    [
        ("Our model reaches an accuracy of 71%.", "Our model reaches an accuracy of 74%.", True),
        (TEXT, TEXT.replace("growth", "decay"), True),
        ("Cats purr loudly at night.", "Dogs bark at noon.", False),
    ],
)
def test_a_near_identical_text_succeeds_one_that_vanished(old, new, follows):
    assert (identity.succession(record(old), record(new)) > 0) is follows


def test_another_identifier_is_never_a_successor():
    assert identity.succession(record(source_id="1"), record(source_id="2")) == 0
    assert identity.succession(record(source_id="1"), record("All new.", source_id="1")) > 0


def test_ids_are_short_and_do_not_depend_on_case_or_marks():
    assert identity.new_id(record()) == identity.new_id(record(TEXT.upper()))
    assert len(identity.new_id(record())) == 12
