"""Put tasks about one paper to the model, and clean what it writes as it comes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rag.answer.prompt import Prompts
from rag.text import clean
from rag.types import LanguageModel, Paper, Stop

ANSWER_TOKENS = 110
"""Room for the 80 words an answer may have."""

_TASK_TOKENS = 700
_THINKING = re.compile(r"<think>.*?(?:</think>|$)", re.S)
_CONTROL = re.compile(
    r"<\|?/?(?:im_(?:start|end)|end(?:oftext|_of_turn)?|eot_id|s|assistant|user)\|?>"
)
_TURN = re.compile(r"(?:^|\n)\s*(?:user|assistant|system|Question)\s*:.*", re.S | re.I)
_MARK = re.compile(
    r"\s*(?:\[(?:(?:source|paper|abstract|ref(?:erence)?)\s*)?\d+(?:\s*[-–,]\s*\d+)*\]|【[^】]{0,20}】"
    r"|\(\s*(?:source|abstract)\s*\d*\s*\))",
    re.I,
)
_DANGLING = re.compile(
    r"\s*(?:\[(?:source|paper|abstract|ref(?:erence)?)?[\s\d,–-]*|【[^】]{0,20}|<\|?[a-z_]*)$", re.I
)
_OPEN = re.compile(r"<[^>\n]{0,24}$|\s*[\[【][^\]】\n]{0,24}$|\n[^\n:]{0,12}$")
_ENDED = re.compile(r"[.!?…]\W{0,2}$")
_REFUSAL = re.compile(
    r"\b(?:abstract|paper|text|context|passage|information|study|authors?)\b[^.]{0,60}?"
    r"\b(?:does|do|did|is|are|was|has|have)(?: not|n['’]t)\b[^.]{0,40}?"
    r"\b(?:state|mention|provide|specif|say|contain|give|discuss|include|address|answer|describe|"
    r"report|detail|indicate|explicit|available|clear)"
    r"|\b(?:not|isn['’]t|aren['’]t) (?:explicitly |directly |specifically )?"
    r"(?:stated|mentioned|provided|specified|given|discussed|addressed|available|described|"
    r"reported)"
    r"|\bno (?:information|mention|details?)\b|^\W*(?:sorry|i['’]?m sorry|unfortunately|i cannot|"
    r"i can['’]t)\b"
    r"|^\W*not (?:stated|mentioned)\b",
    re.I,
)


class Reader:
    """Reads papers for one turn. `stop` is asked between the steps of the model."""

    def __init__(self, model: LanguageModel, prompts: Prompts, stop: Stop | None = None) -> None:
        self.model = model
        self._prompts = prompts
        self._stop = stop

    def margin(self, paper: Paper, task: str, question: str) -> float:
        """Logit of Yes minus No for a yes/no task about a paper and a question."""
        prompt = self._prompts.about(self.document(paper), task, question=question)
        return self.model.margin(prompt, stop=self._stop)

    def write(self, paper: Paper, task: str, **values: str) -> Iterator[str]:
        """The model's text for a task about a paper, cleaned: all of it so far, as it grows.

        Text that was cut off for its length ends with an ellipsis.
        """
        prompt = self._prompts.about(self.document(paper), task, **values)
        before = self.model.usage().completion_tokens
        text = ""
        for text in tidy(self.model.write(prompt, limit=ANSWER_TOKENS, stop=self._stop)):
            yield text
        used = self.model.usage().completion_tokens - before
        if text and used >= ANSWER_TOKENS and not _ENDED.search(text):
            yield f"{text}…"

    def alone(self, task: str, limit: int = ANSWER_TOKENS, **values: str) -> str:
        """The model's text for a task that needs no paper."""
        prompt = self._prompts.alone(task, **values)
        return last(tidy(self.model.write(prompt, limit=limit, stop=self._stop)))

    def document(self, paper: Paper) -> str:
        """What the model reads of a paper: its own title, and as much abstract as fits."""
        title = f"Title: {clean(paper.title)}\n" if paper.title_source != "generated" else ""
        return self._prompts.fill("document", title=title, abstract=self._fitting(paper.text))

    def _fitting(self, text: str) -> str:
        room = self.model.context_tokens - _TASK_TOKENS
        plain = clean(text[: room * 8])
        while len(plain) > room and self.model.count_tokens(plain) > room:
            plain = plain[: len(plain) * 3 // 4]
        return plain


def last(texts: Iterable[str]) -> str:
    """The finished text."""
    final = ""
    for text in texts:
        final = text
    return final.strip()


def is_refusal(text: str) -> bool:
    """Whether the model says that the abstract has no answer."""
    return bool(_REFUSAL.search(text))


def tidy(pieces: Iterable[str]) -> Iterator[str]:
    """Drop thoughts, control marks, invented turns and the model's own citation marks.

    Yields the whole text so far, each time it has grown. What may still turn into one of
    these is held back until it is decided.
    """
    raw = sent = ""
    for piece in pieces:
        raw += piece
        text = _cleaned(raw)
        ready = text[: _decided(text, raw)]
        if ready != sent and not sent.startswith(ready):
            yield ready
            sent = ready
        if _TURN.search(raw[1:]):
            break
    rest = _DANGLING.sub("", _cleaned(raw)).rstrip()
    if rest and rest != sent:
        yield rest


def _cleaned(raw: str) -> str:
    text = _THINKING.sub("", raw)
    if "</think>" in text:
        text = text.rpartition("</think>")[2]
    text = _TURN.sub("", _CONTROL.sub("\n", text))
    text = _MARK.sub("", text)
    return re.sub(r"\s+", " ", text.lstrip())


def _decided(text: str, raw: str) -> int:
    if "<think>" in raw and "</think>" not in raw:
        return 0
    tail = _OPEN.search(raw)
    held = len(raw) - tail.start() if tail else 0
    return max(0, len(text.rstrip()) - held)
