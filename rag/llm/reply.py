"""Reads what a model server answers: text, thoughts, log-probabilities and token counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import exp, log
from typing import Any

from rag.errors import ServerFailed
from rag.types import Usage

FIXED_MARGIN = 2.0
"""Margin of a plain Yes; the default model gives 1.7 to 3.0 for the trials of `remote`."""

_VERDICT = re.compile(r"\W*(yes|no)\b", re.I)
_AROUND = " \t\n\"'*.,:▁ĠĊ"
_CONTROL = re.compile(
    r"<\|[^<>|\n]{1,60}\|?>|<｜[^<>｜\n]{1,60}｜>|\[/?(?:INST|SYSTEM_PROMPT)\]|<</?SYS>>"
    r"|</?(?:s|bos|eos|pad|unk|think|(?:start|end)_of_turn|start_header_id|end_header_id)>",
    re.I,
)
_BREAK = "\u200b"


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer. `tops` are the likeliest first tokens with their log-probabilities."""

    text: str
    reasoning: str
    tops: tuple[tuple[str, float], ...]

    @property
    def thinks(self) -> bool:
        """Whether the model thinks aloud before it answers."""
        return bool(self.reasoning) or "think>" in self.text

    @property
    def decided(self) -> bool:
        """Whether it begins with Yes or No."""
        return not self.thinks and bool(_VERDICT.match(self.text))

    def margin(self) -> float | None:
        """Log-probability of Yes minus that of No; None where neither is likely.

        The spellings of each are summed. One that is not among the likeliest counts as much
        as the last of these.
        """
        found = {"yes": 0.0, "no": 0.0}
        for token, value in self.tops:
            word = token.strip(_AROUND).lower()
            if word in found:
                found[word] += exp(value)
        if not any(found.values()):
            return None
        least = exp(min(value for _, value in self.tops))
        return log(found["yes"] or least) - log(found["no"] or least)

    def plain_margin(self) -> float:
        """A fixed margin by the first word after the thoughts; 0 where it is neither."""
        verdict = _VERDICT.match(without_thoughts(self.text))
        if verdict is None:
            return 0.0
        return FIXED_MARGIN if verdict[1].lower() == "yes" else -FIXED_MARGIN


def without_thoughts(text: str) -> str:
    """What stands after the last thought; nothing while one is open."""
    _, closed, after = text.rpartition("</think>")
    rest = after if closed else text
    return rest.partition("<think>")[0]


def inert(text: str) -> str:
    """The text with a zero-width break in what servers may take for control tokens."""
    return _CONTROL.sub(lambda found: found[0][0] + _BREAK + found[0][1:], text)


def active(text: str) -> str:
    """What a model wrote, without the breaks that it copied."""
    return text.replace(_BREAK, "")


def read_reply(value: dict[str, Any]) -> Reply:
    """The first choice of a chat completion. Raises ServerFailed."""
    try:
        choice = value["choices"][0]
        message = choice["message"]
        return Reply(message.get("content") or "", _reasoning(message), _tops(choice))
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise ServerFailed(
            "The model server's answer is no chat completion. Check that its address ends in the "
            "path of an OpenAI-compatible interface, mostly /v1."
        ) from error


def read_delta(value: dict[str, Any]) -> tuple[str, bool]:
    """The text of one streamed part, and whether it is the last. Raises ServerFailed."""
    if value.get("error"):
        raise ServerFailed(f"The model server failed while it wrote: {str(value['error'])[:200]}.")
    choices = value.get("choices") or [{}]
    delta = choices[0].get("delta") or {}
    return delta.get("content") or "", bool(choices[0].get("finish_reason"))


def read_usage(value: dict[str, Any]) -> Usage | None:
    """Tokens as the server counted them, or None."""
    counts = value.get("usage")
    if not isinstance(counts, dict):
        return None
    cached = (counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return Usage(
        int(counts.get("prompt_tokens") or 0),
        int(cached),
        int(counts.get("completion_tokens") or 0),
    )


def _reasoning(message: dict[str, Any]) -> str:
    return str(message.get("reasoning_content") or message.get("reasoning") or "")


def _tops(choice: dict[str, Any]) -> tuple[tuple[str, float], ...]:
    tokens = (choice.get("logprobs") or {}).get("content") or []
    tops = (tokens[0].get("top_logprobs") or []) if tokens else []
    return tuple((str(top["token"]), float(top["logprob"])) for top in tops)
