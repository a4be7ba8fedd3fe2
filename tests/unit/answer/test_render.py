"""A finished answer as the JSON of the command line."""

import json

from rag.answer.render import answer_json, source_lines
from rag.types import (
    Answer,
    AnswerSentence,
    Cell,
    Citation,
    PaperRef,
    Row,
    Table,
    Timings,
)

CITATION = Citation(1, "p1", "Trees", "Trees grow.", 0, 11, ("list.txt", "more.bib"))
FULL = Answer(
    question="Which papers grow?",
    kind="compare",
    text="Trees grow [1].",
    abstained=True,
    reason="not_stated",
    sentences=(AnswerSentence("Trees grow.", (1,), "supported"),),
    citations=(CITATION,),
    nearest=(PaperRef("p2", "Roots", (1,)),),
    table=Table(("Problem",), (Row("p1", (Cell("Trees grow.", (1,)),)),)),
    entries=(PaperRef("p1", "Trees", (1,)),),
    borderline=(PaperRef("p3", "Leaves"),),
    scanned=(31, 31),
    judged=12,
    notices=("history shortened",),
    error="No model.",
    timings=Timings(0.1, None, 2.0, 10, 5, 7),
)


def test_a_full_answer_has_exactly_the_fields_of_the_contract():
    assert answer_json(FULL) == {
        "question": "Which papers grow?",
        "kind": "compare",
        "abstained": True,
        "reason": "not_stated",
        "answer": "Trees grow [1].",
        "sentences": [{"text": "Trees grow.", "citations": [1], "verdict": "supported"}],
        "citations": [
            {
                "n": 1,
                "paper_id": "p1",
                "title": "Trees",
                "quote": "Trees grow.",
                "start": 0,
                "end": 11,
                "sources": ["list.txt", "more.bib"],
            }
        ],
        "nearest": [{"paper_id": "p2", "title": "Roots"}],
        "table": {
            "columns": ["Problem"],
            "rows": [{"paper_id": "p1", "cells": [{"text": "Trees grow.", "citations": [1]}]}],
        },
        "entries": [{"paper_id": "p1", "title": "Trees", "citations": [1]}],
        "borderline": [{"paper_id": "p3", "title": "Leaves", "citations": []}],
        "scanned": [31, 31],
        "judged": 12,
        "notices": ["history shortened"],
        "error": "No model.",
        "timings": {
            "evidence_s": 0.1,
            "first_token_s": None,
            "total_s": 2.0,
            "prompt_tokens": 10,
            "cached_tokens": 5,
            "completion_tokens": 7,
        },
    }


def test_what_a_kind_does_not_have_is_null_and_not_empty():
    plain = answer_json(Answer("What grows?", "single", "Trees."))
    absent = ("reason", "table", "entries", "borderline", "scanned", "judged", "error")
    assert all(plain[name] is None for name in absent)
    assert plain["sentences"] == plain["citations"] == plain["nearest"] == plain["notices"] == []


def test_the_json_survives_being_written_and_read():
    assert json.loads(json.dumps(answer_json(FULL))) == answer_json(FULL)


def test_sources_are_listed_with_number_title_and_quote():
    assert source_lines([CITATION]) == ["[1] Trees: “Trees grow.”"]
