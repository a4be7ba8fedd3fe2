"""Put the last answer into another form, from the same evidence, checked like any other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.answer.converse import language_wanted, last_answer
from rag.answer.turn import Turn
from rag.errors import UnknownPaper
from rag.text import clean, split_sentences
from rag.types import Answer, AnswerSentence, Event, Paper, Routed


def answer_rework(turn: Turn, history: Sequence[Answer], request: str) -> Iterator[Event]:
    """Rewrite or translate the sentences of the last answer, each beside its own source."""
    answer = last_answer(history)
    if answer is None:
        return
    turn.draft.kind = answer.kind
    turn.question = answer.question
    yield Routed(answer.kind, answer.question)
    language = language_wanted(request)
    for sentence in answer.sentences:
        paper = _paper(turn, answer, sentence)
        if sentence.verdict == "unsupported" or paper is None:
            continue
        if language:
            yield from _translated(turn, answer, sentence, paper, language)
        else:
            text = turn.reader.alone("rework", text=clean(sentence.text), request=request)
            for start, end in split_sentences(text):
                yield from turn.conclude(text[start:end].lstrip("-*• "), paper)


def _translated(
    turn: Turn, answer: Answer, sentence: AnswerSentence, paper: Paper, language: str
) -> Iterator[Event]:
    """Translate a checked sentence; it keeps its sources if names and figures survive."""
    numbers = tuple(
        turn.draft.cite(paper, c.start, c.end)
        for c in answer.citations
        if c.n in sentence.citations
    )
    text = turn.translated(sentence.text, language)
    yield turn.draft.say(text or sentence.text, numbers, sentence.verdict)


def _paper(turn: Turn, answer: Answer, sentence: AnswerSentence) -> Paper | None:
    for citation in answer.citations:
        if citation.n in sentence.citations:
            try:
                return turn.library.paper(citation.paper_id)
            except UnknownPaper:
                return None
    return None
