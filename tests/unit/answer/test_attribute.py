"""Which sentences of an abstract support a sentence, and how well."""

import pytest

from rag.answer.attribute import Claim, support
from tests.fakes import WordEmbedder

TREES = (
    "Generating molecules as strings often yields invalid structures.",
    "We propose TreeBuilder, a generator that grows molecules as trees from a root fragment.",
    "TreeBuilder reaches 91.5% validity on the QM9 dataset, which is 4 times faster than before.",
    "It does not need any pretraining.",
)


def check(claim, sentences=TREES, question="", title=""):
    embedder = WordEmbedder()
    vectors = embedder.embed(sentences)
    made = Claim.of(claim, embedder.embed([claim])[0], question)
    return support(made, sentences, vectors, title=title)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("TreeBuilder grows molecules as trees from a root fragment.", 1),
        ("TreeBuilder reaches 91.5% validity on QM9.", 2),
        ("It needs no pretraining.", 3),
        ("Molecules generated as strings are often invalid structures.", 0),
    ],
)
def test_a_sentence_in_the_words_of_the_abstract_is_supported_by_its_source(claim, sentence):
    found = check(claim)
    assert found.verdict == "supported"
    assert found.sentences[0] == sentence


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (
            "TreeBuilder reaches 91.5% validity on QM9.",
            "TreeBuilder reaches 95.1% validity on QM9.",
        ),
        (
            "TreeBuilder reaches 91.5% validity on QM9.",
            "TreeBuilder reaches 91.5% validity on ZINC250k.",
        ),
        (
            "TreeBuilder grows molecules as trees from a root fragment.",
            "TreeBuilder does not grow molecules as trees from a root fragment.",
        ),
    ],
    ids=["swapped number", "missing name", "negated"],
)
def test_a_false_twin_of_a_supported_sentence_is_not_supported(true, false):
    assert check(true).verdict == "supported"
    assert check(false).score < check(true).score
    assert check(false).verdict != "supported"


def test_the_opposite_direction_counts_against_a_sentence():
    abstract = ("Weight decay increases the accuracy of shallow networks.",)
    right = check("Weight decay increases accuracy of shallow networks.", abstract)
    wrong = check("Weight decay decreases accuracy of shallow networks.", abstract)
    assert right.verdict == "supported"
    assert wrong.score < right.score


def test_text_from_nowhere_is_unsupported():
    assert check("Argentina won the World Cup in 2022.").verdict == "unsupported"


def test_a_sentence_that_joins_two_facts_gets_both_sources():
    found = check(
        "TreeBuilder grows molecules as trees from a root fragment and reaches 91.5% validity."
    )
    assert found.verdict == "supported"
    assert set(found.sentences) == {1, 2}


def test_names_in_the_title_count_as_known_and_numbers_do_not():
    claim = "RADAR grows molecules as trees from a root fragment."
    assert check(claim, title="RADAR: growing").score > check(claim).score
    figure = "TreeBuilder grows 77 molecules as trees from a root fragment."
    assert check(figure, title="77 trees").score == check(figure).score


def test_words_of_the_question_alone_do_not_support_an_answer():
    question = "Which optimiser does TreeBuilder use to grow molecules?"
    claim = "TreeBuilder uses the optimiser Lion to grow molecules."
    assert check(claim, question=question).verdict == "unsupported"


def test_an_abstract_of_one_sentence_can_support():
    found = check("Trees grow from roots.", ("Trees grow from roots.",))
    assert (found.sentences, found.verdict) == ((0,), "supported")


def test_a_true_sentence_with_a_neighbours_number_is_not_supported_by_the_neighbour():
    """Two papers with different accuracies: each number counts beside its own source only."""
    first = ("Method Alpha reaches an accuracy of 71.2% on the image benchmark.",)
    second = ("Method Beta reaches an accuracy of 64.8% on the image benchmark.",)
    claim = "It reaches an accuracy of 71.2% on the image benchmark."
    assert check(claim, first).verdict == "supported"
    assert check(claim, second).verdict != "supported"
