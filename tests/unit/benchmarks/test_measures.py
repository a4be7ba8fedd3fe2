"""The figures of the benchmarks, on cases that can be worked out by hand."""

import gzip
import json
from math import log2

import pytest

from benchmarks import report
from benchmarks.attribution import read_cases
from benchmarks.exam import write_texts
from benchmarks.lines import read_lines, write_lines
from benchmarks.pubmedqa import best_cuts, folded
from benchmarks.report import Result, publish, share
from benchmarks.retrieval import halves, ndcg, read_relevance, recall


def test_ndcg_is_one_for_the_ideal_ranking_and_falls_with_the_rank():
    assert ndcg(["a", "b", "c"], {"a", "b"}) == pytest.approx(1)
    assert ndcg(["x", "a"], {"a"}) == pytest.approx(1 / log2(3))
    assert ndcg(["x"], {"a"}) == 0


def test_only_the_first_ten_count():
    ranking = [*"0123456789", "a"]
    assert ndcg(ranking, {"a"}) == 0
    assert recall(ranking, {"a", "9"}) == 0.5


def test_the_halves_of_the_queries_are_apart_and_together_all():
    one, other = halves(list("abcde"))
    assert not set(one) & set(other)
    assert sorted(one + other) == list("abcde")


def test_relevance_of_zero_is_none(tmp_path):
    path = tmp_path / "qrels.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t0\n")
    assert read_relevance(path) == {"q": {"a"}}


def test_cuts_part_yes_no_and_maybe():
    judged = [(-2.0, "no"), (-1.0, "no"), (0.1, "maybe"), (1.0, "yes"), (2.0, "yes")]
    low, high = best_cuts(judged)
    assert -1.0 < low < 0.1 < high < 1.0


def test_a_fold_is_read_with_the_cuts_of_the_others():
    judged = [(float(i), "yes") for i in range(9)] + [(-5.0, "no")]
    assert folded(judged) == 9


def test_the_kind_of_a_case_is_what_the_annotators_found(tmp_path):
    papers = [
        {"_id": name, "title": name, "sentences": ["One.", "Two."]} for name in ("a", "b", "c", "d")
    ]
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(paper) + "\n" for paper in papers)
    claim = {
        "claim": "Two is so.",
        "cited_doc_ids": ["a", "b", "c"],
        "evidence": {
            "a": [{"label": "SUPPORT", "sentences": [1]}],
            "b": [{"label": "CONTRADICT", "sentences": [0]}],
        },
    }
    (tmp_path / "claims.jsonl").write_text(json.dumps(claim) + "\n")
    found = [(case.title, case.kind, case.evidence) for case in read_cases(tmp_path)]
    assert found == [
        ("a", "supporting", (1,)),
        ("b", "contradicting", (0,)),
        ("c", "silent", ()),
        ("d", "unrelated", ()),
    ]


def test_abstracts_are_written_as_paragraphs_below_a_heading(tmp_path):
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"abstract": "First. "}\n{"abstract": "Second."}\n')
    written = (write_texts(papers, tmp_path / "texts") / "papers.txt").read_text()
    assert written.split("\n\n")[1:] == ["First.", "Second."]


def test_a_share_of_nothing_is_a_dash():
    assert share(3, 4) == "3/4 (75%)"
    assert share(0, 0) == "-"


@pytest.fixture
def page(tmp_path, monkeypatch):
    path = tmp_path / "benchmarks.md"
    path.write_text("Before\n<!-- results: speed -->\nold\n<!-- end -->\nAfter\n")
    monkeypatch.setattr(report, "PAGE", path)
    monkeypatch.setattr(report, "RESULTS", tmp_path / "results")
    return path


def test_a_result_takes_its_place_in_the_page_and_the_rest_stays(page):
    publish(Result("speed", "Speed", ("what", "how fast"), (("it", "7"),), {"model": "small"}))
    text = page.read_text()
    assert text.startswith("Before\n")
    assert text.endswith("After\n")
    assert "| it | 7 |" in text
    assert "old" not in text


def test_a_result_that_is_not_kept_changes_nothing(page):
    before = page.read_text()
    publish(Result("speed", "Speed", ("what",), (("it",),), {}), keep=False)
    assert page.read_text() == before


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path):
    path = tmp_path / "lines.jsonl"
    write_lines(path, [{"text": "one\u2028two"}, {"text": "three"}])
    assert [line["text"] for line in read_lines(path)] == ["one\u2028two", "three"]
