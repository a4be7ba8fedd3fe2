"""Draws a turn of the talk, running or finished, as escaped HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from rag.text import readable
from rag.types import Answer, AnswerSentence, Cell, Citation, PaperRef, Reason, Table
from rag.ui.markup import escape, quoted, shown
from rag.ui.turn import Draft, Turn

RUNNING = "running"
CHAT = "turn"
_MARK = re.compile(r"\[(\d{1,6})\]")
_EVIDENCE_SHOWN = 3
_LONGEST_WORD = 30
_PARTLY = (
    '<span class="partly" title="Only a part of this sentence was found in the abstract it cites">'
    "partly</span>"
)
_REFUSALS: dict[Reason, str] = {
    "not_stated": "The abstracts in this library do not say.",
    "full_text_needed": "The abstracts do not say; the full paper may.",
    "not_in_library": "Nothing in this library is about that.",
    "no_question": "Ask a question about the papers.",
}


def turn_html(turn: Turn, number: int, *, last: bool, place: str = CHAT) -> str:
    """One finished turn; `number` counts from 0, the last one of a chat can be asked again."""
    titles = {paper_id: paper.title for paper_id, paper in turn.papers.items()}
    body = _body(turn.answer, str(number), turn.evidence, titles)
    stopped = '<p class="notice">Stopped before the end.</p>' if turn.stopped else ""
    actions = _actions(number, last=last) if place == CHAT else ""
    return _article(turn.answer.question, f"{place}-{number}", body + stopped + actions)


def draft_html(draft: Draft, number: int, *, place: str = CHAT) -> str:
    """The turn that is being answered, with what it is doing now."""
    body = _body(draft.answer, RUNNING, draft.evidence, draft.titles, draft.pending)
    likely = "" if draft.answer.entries else _likely(draft.likely)
    status = (
        f'<p class="stage"><span class="pulse" aria-hidden="true"></span>{escape(draft.stage)}…</p>'
    )
    return _article(draft.answer.question, f"{place}-{number}", body + likely + status)


def _likely(likely: Sequence[PaperRef]) -> str:
    """Papers that seem to belong while others are still being read."""
    if not likely:
        return ""
    items = "".join(f"<li>{_paper_button(p.paper_id, p.title, RUNNING)}</li>" for p in likely)
    return f'<section class="nearest"><h3>Likely so far</h3><ul>{items}</ul></section>'


def _article(question: str, name: str, body: str) -> str:
    return (
        f'<article class="turn" id="{name}">'
        f'<h2 class="question" dir="auto">{escape(question)}</h2>{body}</article>'
    )


def _body(
    answer: Answer,
    turn: str,
    evidence: Sequence[Citation],
    titles: Mapping[str, str],
    pending: str = "",
) -> str:
    citations = {citation.n: citation for citation in answer.citations}
    names = {**{c.paper_id: c.title for c in answer.citations}, **titles}
    parts = [
        "" if answer.abstained else _evidence(evidence, turn, _others(answer, turn)),
        _table(answer.table, names, citations, turn) if answer.table else "",
        _prose(answer, citations, turn, pending),
        _entries(answer.entries, "entries", citations, turn),
        _borderline(answer.borderline, citations, turn),
        _scanned(answer),
        _folded(answer),
        _nearest(answer.nearest, turn),
        "".join(f'<p class="notice">{shown(text)}</p>' for text in answer.notices),
        f'<p class="error" role="alert">{shown(answer.error)}</p>' if answer.error else "",
    ]
    return "".join(parts)


def _others(answer: Answer, turn: str) -> Callable[[Citation], bool]:
    """Tells evidence from papers that a finished answer does not cite."""
    cited = {citation.paper_id for citation in answer.citations}
    return lambda item: turn != RUNNING and bool(cited) and item.paper_id not in cited


def _evidence(evidence: Sequence[Citation], turn: str, is_other: Callable[[Citation], bool]) -> str:
    if not evidence:
        return ""
    items = "".join(
        f'<li><button type="button" class="quote" data-on="source" data-turn="{turn}" '
        f'data-ref="e{index}"><q>{quoted(citation.quote)}</q>'
        f"<cite>{'also looked at: ' if is_other(citation) else ''}{shown(citation.title)}</cite>"
        "</button></li>"
        for index, citation in enumerate(evidence[:_EVIDENCE_SHOWN])
    )
    return (
        f'<section class="evidence" aria-label="Found in the abstracts"><ul>{items}</ul></section>'
    )


def _prose(answer: Answer, citations: Mapping[int, Citation], turn: str, pending: str) -> str:
    kept = [sentence for sentence in answer.sentences if sentence.verdict != "unsupported"]
    if answer.entries and answer.message:
        kept = []
    drawn = (
        [f'<span class="s">{shown(answer.message)}</span>']
        if answer.message and not answer.abstained
        else []
    )
    drawn += [_sentence(sentence, citations, turn) for sentence in kept]
    if pending.strip():
        drawn.append(f'<span class="pending">{shown(pending)}</span>')
    if drawn:
        return f'<div class="prose" dir="auto">{" ".join(drawn)}</div>'
    return _without_sentences(answer)


def _without_sentences(answer: Answer) -> str:
    text = answer.text.strip() or (_REFUSALS[answer.reason] if answer.reason else "")
    if not text:
        return ""
    kind = "refusal" if answer.abstained and answer.reason else "prose"
    return f'<div class="{kind}" dir="auto"><p>{shown(text)}</p></div>'


def _sentence(sentence: AnswerSentence, citations: Mapping[int, Citation], turn: str) -> str:
    known = [n for n in sentence.citations if n in citations]
    pieces, placed, at = [], set(), 0
    text = readable(sentence.text)
    for found in _MARK.finditer(text):
        if int(found[1]) in known:
            placed.add(int(found[1]))
            pieces += [escape(text[at : found.start()]), _chip(citations[int(found[1])], turn)]
            at = found.end()
    tail = _chips([n for n in known if n not in placed], citations, turn)
    if sentence.verdict == "partial":
        tail += _PARTLY
    return f'<span class="s {sentence.verdict}">{"".join(pieces)}{_kept(text[at:], tail)}</span>'


def _kept(text: str, tail: str) -> str:
    """The text with its tail, which no line break parts from the last word."""
    head, space, word = text.rpartition(" ")
    if not tail or len(word) > _LONGEST_WORD:
        return escape(text) + tail
    return f'{escape(head + space)}<span class="kept">{escape(word)}{tail}</span>'


def _chip(citation: Citation, turn: str) -> str:
    label = f"Source {citation.n}: {readable(citation.title)}"
    return (
        f'<button type="button" class="chip" data-on="source" data-turn="{turn}" '
        f'data-ref="c{citation.n}" data-title="{shown(citation.title)}" '
        f'data-quote="{quoted(citation.quote)}" aria-label="{escape(label)}">'
        f"[{citation.n}]</button>"
    )


def _chips(numbers: Sequence[int], citations: Mapping[int, Citation], turn: str) -> str:
    return "".join(_chip(citations[n], turn) for n in numbers if n in citations)


def _table(
    table: Table, titles: Mapping[str, str], citations: Mapping[int, Citation], turn: str
) -> str:
    names = [(row.paper_id, titles.get(row.paper_id, row.paper_id)) for row in table.rows]
    heads = "".join(
        f'<th scope="col">{_paper_button(paper_id, name, turn)}</th>' for paper_id, name in names
    )
    rows = "".join(
        f'<tr><th scope="row">{shown(column)}</th>'
        + "".join(_cell(row.cells[i], citations, turn) for row in table.rows if i < len(row.cells))
        + "</tr>"
        for i, column in enumerate(table.columns)
    )
    return (
        '<div class="table" tabindex="0" role="region" aria-label="Comparison"><table>'
        f'<thead><tr><th scope="col">Aspect</th>{heads}</tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
        '<p class="actions"><button type="button" data-on="table-copy">Copy the table</button>'
        '<button type="button" data-on="table-csv">Save as CSV</button></p>'
    )


def _cell(cell: Cell, citations: Mapping[int, Citation], turn: str) -> str:
    kind = "" if cell.citations else ' class="none"'
    return f"<td{kind}>{quoted(cell.text)}{_chips(cell.citations, citations, turn)}</td>"


def _paper_button(paper_id: str, title: str, turn: str) -> str:
    return (
        f'<button type="button" class="paper" data-on="source" data-turn="{turn}" '
        f'data-ref="p{escape(paper_id)}">{shown(title)}</button>'
    )


def _entries(
    entries: Sequence[PaperRef] | None, kind: str, citations: Mapping[int, Citation], turn: str
) -> str:
    if not entries:
        return ""
    items = "".join(_entry(entry, citations, turn) for entry in entries)
    return f'<ol class="{kind}">{items}</ol>'


def _entry(entry: PaperRef, citations: Mapping[int, Citation], turn: str) -> str:
    quotes = [citations[n] for n in entry.citations if n in citations]
    why = f"<q>{quoted(quotes[0].quote)}</q>" if quotes else ""
    chips = _chips(entry.citations, citations, turn)
    return f"<li>{_paper_button(entry.paper_id, entry.title, turn)}{chips}{why}</li>"


def _borderline(
    entries: Sequence[PaperRef] | None, citations: Mapping[int, Citation], turn: str
) -> str:
    drawn = _entries(entries, "entries", citations, turn)
    if not drawn:
        return ""
    count = len(entries or ())
    return f'<details class="fold"><summary>Borderline ({count})</summary>{drawn}</details>'


def _scanned(answer: Answer) -> str:
    if answer.scanned is None:
        return ""
    done, total = answer.scanned
    judged = "" if answer.judged is None else f", {answer.judged} read closely"
    return f'<p class="scanned">Scanned {done} of {total} papers{judged}.</p>'


def _folded(answer: Answer) -> str:
    texts = [s.text for s in answer.sentences if s.verdict == "unsupported"]
    if not texts:
        return ""
    items = "".join(f"<li>{shown(text)}</li>" for text in texts)
    return (
        '<details class="fold"><summary>Not found in the abstracts '
        f"({len(texts)})</summary><ul>{items}</ul></details>"
    )


def _nearest(nearest: Sequence[PaperRef], turn: str) -> str:
    if not nearest:
        return ""
    items = "".join(f"<li>{_paper_button(p.paper_id, p.title, turn)}</li>" for p in nearest)
    return f'<section class="nearest"><h3>Nearest papers</h3><ul>{items}</ul></section>'


def _actions(number: int, *, last: bool) -> str:
    buttons = (
        f'<button type="button" data-on="copy" data-turn="{number}">Copy</button>'
        f'<button type="button" data-on="edit" data-turn="{number}">Edit the question</button>'
    )
    if last:
        buttons += '<button type="button" data-on="retry">Try again</button>'
    return f'<footer class="actions">{buttons}</footer>'
