"""Batch files are read whole before work begins, and a wrong line is named."""

import gzip
import json

import pytest

from rag.batch import finished, put, read_conversations, read_queries, written
from rag.errors import UsageError
from rag.types import Answer, Done, Notice


def test_conversations_keep_their_ids_and_turns(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "a", "turns": ["one", ""]}\n\n{"id": 2, "turns": []}\n')
    assert read_conversations(path) == [
        {"id": "a", "turns": ["one", ""]},
        {"id": 2, "turns": []},
    ]


def test_a_query_may_call_its_id_either_way(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"_id": "1", "text": "x"}\n{"id": "2", "text": "y"}\n')
    assert [query["id"] for query in read_queries(path)] == ["1", "2"]


def test_a_gzipped_file_with_a_mark_at_its_start_is_read(tmp_path):
    path = tmp_path / "in.jsonl.gz"
    path.write_bytes(gzip.compress('\ufeff{"id": 1, "text": "é"}\n'.encode()))
    assert read_queries(path) == [{"id": 1, "text": "é"}]


@pytest.mark.parametrize(
    "line", ["{", "[1]", '{"id": 1}', '{"turns": "one"}', '{"turns": [1]}', "\x00"]
)
def test_a_line_that_is_no_conversation_is_named_by_its_number(tmp_path, line):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "a", "turns": []}\n' + line + "\n")
    with pytest.raises(UsageError, match="line 2"):
        read_conversations(path)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b"\x1f\x8bbroken"])
def test_a_file_that_cannot_be_read_is_wrong_usage(tmp_path, content):
    path = tmp_path / "in.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"in\.jsonl"):
        read_queries(path)


def test_each_line_is_on_disk_as_soon_as_it_is_written(tmp_path):
    path = tmp_path / "out.jsonl"
    with written(path) as out:
        put(out, {"id": "ä"})
        assert json.loads(path.read_text(encoding="utf-8")) == {"id": "ä"}


def test_an_output_that_cannot_be_written_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="Cannot write"), written(tmp_path / "no" / "out"):
        pass


def test_the_answer_is_taken_from_the_last_event():
    answer = Answer(question="q", kind="single", text="t")
    assert finished([Notice("n"), Done(answer)]) is answer
