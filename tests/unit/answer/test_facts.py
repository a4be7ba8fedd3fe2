"""The parts of a sentence that a fluent wrong answer gets wrong."""

import pytest

from rag.answer.facts import content, contradicts, digits, direction, names, negated, numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is 4.5x faster on 12 tasks.", {"4.5", "12"}),
        ("It is four times faster.", {"4"}),
        ("It needs half the memory, twice.", {"50", "2"}),
        ("Trained on 1,500 papers", {"1500"}),
        ("12.50% and 12.5 %", {"12.5"}),
        ("no figure", set()),
    ],
)
def test_numbers_are_compared_as_digits(text, found):
    assert numbers(text) == found


def test_digits_leave_out_number_words():
    assert digits("Two of the 31 papers") == {"31"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("LLMs and an LLM", {"llm"}),
        ("TreeGen beats GPT-4 and mT5 on ImageNet", {"treegen", "gpt-4", "mt5", "imagenet"}),
        ("Llama-3.1 is used.", {"llama-3.1"}),
        ("We propose a method. This works.", set()),
    ],
)
def test_names_are_acronyms_mixed_case_and_letters_with_digits(text, found):
    assert names(text) == found


@pytest.mark.parametrize(
    "text", ["It does not help.", "It doesn't help.", "It fails to converge.", "without training"]
)
def test_negation_is_seen(text):
    assert negated(text)


@pytest.mark.parametrize("text", ["It helps.", "a notable gain", "Nonlinear models know."])
def test_negation_is_not_seen_inside_other_words(text):
    assert not negated(text)


def test_direction_tells_growth_from_decline_and_gives_up_where_both_stand():
    assert direction("It increases accuracy") == 1
    assert direction("It reduces the error") == -1
    assert direction("It improves speed and reduces memory") == 0
    assert direction("A tree") == 0


def test_content_leaves_out_words_that_carry_no_meaning():
    assert content("We propose the new trees of this paper") == content("trees")


def test_another_number_of_the_same_things_turns_a_premise_around():
    stated = "The benchmark holds images changed by 28 diffusion models."
    assert contradicts("the benchmark's images were changed by one single diffusion model", stated)
    assert not contradicts("the benchmark's images were changed by 28 diffusion models", stated)
    assert not contradicts("the benchmark's images were changed in two rounds", stated)
