"""The corpora that libraries are grown with, and the papers that are killed over."""

import gzip
import json
from itertools import pairwise

from benchmarks import durability, growth
from rag.text import split_sentences

REAL = [
    {"id": f"r{n}", "title": f"Real {n}", "authors": [], "abstract": f"One {n}. Two {n}. Three."}
    for n in range(9)
]


def source(folder):
    with gzip.open(folder / growth.SOURCE, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(paper) + "\n" for paper in REAL)
    return folder


def test_real_papers_come_first_then_new_ones_of_sentences_of_several(tmp_path):
    found = list(growth.papers(source(tmp_path), 12))
    assert [paper["id"] for paper in found[:9]] == [paper["id"] for paper in REAL]
    made = found[9:]
    assert [paper["id"] for paper in made] == ["made-9", "made-10", "made-11"]
    known = {"Three.", *(f"{word} {n}." for word in ("One", "Two") for n in range(9))}
    for paper in made:
        text = paper["abstract"]
        assert {text[a:b] for a, b in split_sentences(text)} <= known
    assert found == list(growth.papers(tmp_path, 12))


def test_fewer_papers_are_asked_for_than_there_are(tmp_path):
    assert len(list(growth.papers(source(tmp_path), 4))) == 4


def test_each_round_changes_some_papers_and_all_change_in_seven(tmp_path):
    rounds = [durability.write_papers(tmp_path / "p.jsonl", 21, n) for n in range(8)]
    assert all(len(texts) == 21 for texts in rounds)
    assert [len(a - b) for a, b in pairwise(rounds)] == [3] * 7
    assert not rounds[0] & rounds[7]


def test_ids_are_read_from_committed_lines_alone():
    assert durability._ids('{"committed": ["a", "b"]}') == {"a", "b"}
    assert durability._ids('{"committed": ["a", ') == set()
    assert durability._ids('{"read": 2}') == set()
