"""The line-by-line JSON that the batch commands read and write."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rag.answer.render import answer_json
from rag.errors import UsageError
from rag.types import Answer, Done, Event, Hit, Paper

Line = dict[str, Any]


def read_conversations(path: Path) -> list[Line]:
    """Lines `{"id", "turns": [text, ...]}`; UsageError names the line that is not one."""
    lines = []
    for number, line in _numbered(path):
        turns = line.get("turns")
        if not isinstance(turns, list) or not all(isinstance(turn, str) for turn in turns):
            raise UsageError(f'{path}, line {number}: "turns" must be a list of texts.')
        lines.append({"id": line.get("id"), "turns": turns})
    return lines


def read_queries(path: Path) -> list[Line]:
    """Lines `{"id" or "_id", "text"}`; UsageError names the line that is not one."""
    lines = []
    for number, line in _numbered(path):
        if not isinstance(line.get("text"), str):
            raise UsageError(f'{path}, line {number}: "text" must be a text.')
        lines.append({"id": line.get("id", line.get("_id")), "text": line["text"]})
    return lines


@contextmanager
def written(path: Path) -> Iterator[IO[str]]:
    """The file that results go to, begun anew; `-` is standard output."""
    if str(path) == "-":
        yield sys.stdout
        return
    try:
        out = path.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"Cannot write to {path}: {error.strerror}.") from error
    with out:
        yield out


def put(out: IO[str], line: Line) -> None:
    """Write one line and hand it on at once."""
    text = json.dumps(line, ensure_ascii=False)
    out.write(text.encode("utf-8", "replace").decode() + "\n")
    out.flush()


def hit_json(hit: Hit) -> Line:
    """One result of a search as the contract has it."""
    return {
        "paper_id": hit.paper.paper_id,
        "source_ids": list(hit.paper.source_ids),
        "score": hit.score,
        "title": hit.paper.title,
    }


def paper_json(paper: Paper) -> Line:
    """One paper of a list as the contract has it."""
    return {
        "paper_id": paper.paper_id,
        "title": paper.title,
        "title_source": paper.title_source,
        "source_ids": list(paper.source_ids),
        "sources": list(paper.files),
        "year": paper.year,
        "authors": list(paper.authors),
        "venue": paper.venue,
    }


def conversation_json(name: object, answers: Iterable[Answer]) -> Line:
    """One conversation as the contract has it."""
    return {"id": name, "turns": [answer_json(answer) for answer in answers]}


def finished(events: Iterable[Event]) -> Answer:
    """The answer at the end of a turn's events."""
    *_, last = events
    if not isinstance(last, Done):
        raise TypeError(f"a turn ends with Done, not {type(last).__name__}")
    return last.answer


def _numbered(path: Path) -> Iterator[tuple[int, Line]]:
    try:
        text = path.read_bytes()
        text = gzip.decompress(text) if text.startswith(b"\x1f\x8b") else text
        lines = text.decode("utf-8-sig").split("\n")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise UsageError(f"Cannot read {path}: {error}.") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _parsed(path, number, line)


def _parsed(path: Path, number: int, line: str) -> Line:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}, line {number}: not JSON ({error}).") from error
    if not isinstance(value, dict):
        raise UsageError(f"{path}, line {number}: not a JSON object.")
    return value
