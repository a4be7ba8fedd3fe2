"""Dense and word scores make one ranking."""

import pytest

from rag.index.retrieve import fuse


def order(dense, sparse):
    return [item.number for item in fuse(dense, sparse)]


def test_a_paper_that_both_rankings_like_comes_first():
    assert order({1: 0.6, 2: 0.6}, {2: 3.0, 3: 1.0})[0] == 2


def test_a_strong_match_of_words_counts_more_than_the_best_of_weak_ones():
    dense = {1: 0.5, 2: 0.4}
    assert order(dense, {1: 1.0, 2: 2.0}) == [1, 2]
    assert order(dense, {1: 10.0, 2: 20.0}) == [2, 1]


def test_a_paper_found_by_words_alone_counts_as_the_least_similar():
    found = {item.number: item.score for item in fuse({1: 0.9, 2: 0.1}, {2: 1.0, 3: 1.0})}
    assert found[2] == pytest.approx(found[3])


def test_one_kind_of_score_is_enough():
    assert order({1: 0.2, 2: 0.5}, {}) == [2, 1]
    assert order({}, {1: 2.0, 2: 5.0}) == [2, 1]
    assert order({}, {}) == []


def test_equal_scores_keep_the_order_of_the_papers():
    assert order({3: 0.5, 1: 0.5, 2: 0.5}, {}) == [1, 2, 3]
