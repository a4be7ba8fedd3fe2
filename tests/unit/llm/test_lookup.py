"""Guesses by what the answer copies, and only where they pay."""

import pytest

from rag.llm.lookup import LONGEST, USUAL, Drafter, Lookup

CHEAP = {1: 1.0, 2: 1.1, 4: 1.2, 8: 1.4}
DEAR = {1: 1.0, 2: 2.0, 4: 4.0, 8: 8.0}
TEXT = list(range(100, 140))


def test_what_followed_the_same_tokens_before_is_guessed():
    lookup = Lookup([1, 2, 3, 4, 5, 9, 1, 2])
    assert lookup.guess(3) == (2, [3, 4, 5])
    assert lookup.guess(1) == (2, [3])


def test_the_longest_run_decides_and_of_equal_ones_the_last():
    assert Lookup([1, 2, 3, 4, 7, 2, 3, 5, 1, 2, 3]).guess(1) == (3, [4])
    assert Lookup([2, 3, 4, 7, 2, 3, 5, 2, 3]).guess(1) == (2, [5])


def test_nothing_is_guessed_from_one_token_or_from_nothing_known():
    assert Lookup([1, 2, 3, 1]).guess(4) == (0, [])
    assert Lookup([]).guess(4) == (0, [])


def test_runs_longer_than_the_longest_still_match():
    run = list(range(LONGEST + 3))
    assert Lookup([*run, 50, *run]).guess(1) == (LONGEST, [50])


def test_a_copy_is_drafted_as_far_as_the_widest_step():
    drafter = Drafter(TEXT, CHEAP)
    drafter.draft(TEXT[0], 50)
    assert drafter.draft(TEXT[1], 50) == TEXT[2:9]


def test_no_more_is_drafted_than_there_is_room_for():
    drafter = Drafter(TEXT, CHEAP)
    drafter.draft(TEXT[0], 50)
    assert drafter.draft(TEXT[1], 2) == TEXT[2:3]
    assert Drafter(TEXT, CHEAP).draft(TEXT[0], 0) == []


@pytest.mark.parametrize("costs", [DEAR, {1: 1.0}])
def test_nothing_is_drafted_where_wide_steps_do_not_pay(costs):
    drafter = Drafter(TEXT, costs)
    assert [drafter.draft(token, 50) for token in TEXT[:20]] == [[]] * 20


def test_guesses_that_keep_failing_stop_soon():
    costs = {1: 1.0, 2: 1.4, 4: 2.4, 8: 5.0}
    drafter = Drafter([1, 2, 3] * 10, costs)
    drafter.draft(1, 50)
    widths = []
    for _ in range(40):
        drafted = drafter.draft(2, 50)
        drafter.learn(drafted, 0)
        widths.append(1 + len(drafted))
        drafter.draft(1, 50)
    lost = sum(costs[width] - 1 for width in widths)
    assert widths[0] > 1
    assert widths[-10:] == [1] * 10
    assert lost < 6


def test_the_same_tokens_get_the_same_drafts():
    def drafts():
        drafter = Drafter(TEXT, CHEAP)
        for token in [*TEXT[:6], 7, *TEXT[20:26]]:
            drafted = drafter.draft(token, 50)
            drafter.learn(drafted, len(drafted) // 2)
            yield tuple(drafted)

    assert list(drafts()) == list(drafts())


def test_longer_runs_are_trusted_more():
    assert list(USUAL.values()) == sorted(USUAL.values())
