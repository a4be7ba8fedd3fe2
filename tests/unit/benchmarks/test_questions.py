"""Our own questions on the sample lists agree with the lists."""

import json

import pytest

from benchmarks.exam import QUESTIONS, SEEDS

LISTS = ("turns", "gold", "must_support", "answer_keywords", "expect_abstain")


def questions(name):
    lines = (QUESTIONS / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def abstracts():
    texts = [path.read_text(encoding="utf-8") for path in SEEDS.glob("*.txt")]
    return {part.strip() for text in texts for part in text.split("\n\n")[1:]}


@pytest.mark.parametrize("name", ["practice.jsonl", "fresh.jsonl", "second.jsonl", "arxiv.jsonl"])
def test_each_turn_has_an_entry_in_every_list_and_an_evident_expectation(name):
    for question in questions(name):
        assert len({len(question[key]) for key in LISTS}) == 1, question["id"]
        for gold, refused in zip(question["gold"], question["expect_abstain"], strict=True):
            assert bool(gold) != refused, question["id"]


@pytest.mark.parametrize("name", ["practice.jsonl", "fresh.jsonl", "second.jsonl"])
def test_each_right_paper_is_one_paper_and_holds_a_passage_that_answers(name, abstracts):
    for question in questions(name):
        for prefixes, passages in zip(question["gold"], question["must_support"], strict=True):
            for prefix in prefixes:
                (paper,) = [text for text in abstracts if text.startswith(prefix)]
                assert any(passage in paper for passage in passages), question["id"]
