"""A chat model behind an OpenAI-compatible server: prompts as messages, text as it streams.

What the server can do is found out once, when it is opened: whether its model takes a system
message, gives log-probabilities, thinks aloud, and judges well enough to be believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PureWindowsPath
from typing import Any

from rag.config import Config
from rag.errors import ModelMissing, ServerFailed
from rag.llm.address import Address, parse_address
from rag.llm.reply import (
    Reply,
    active,
    inert,
    read_delta,
    read_reply,
    read_usage,
    without_thoughts,
)
from rag.llm.wire import Json, Refused, Wire
from rag.types import Prompt, Stop, Usage

PATIENCE_SECONDS = 300.0
_CHAT = "chat/completions"
_LIKELIEST = 20
_VERDICT_TOKENS = 8
_THOUGHT_TOKENS = 2048
_TRIAL_TOKENS = 512
_LETTERS_PER_TOKEN = 3

_TRIAL_SYSTEM = "You answer questions about one research abstract."
_TRIALS = (
    (
        "Abstract:\nHoneybees find their way home by the sun. We tracked 120 bees by radar and "
        "show that 83% returned within an hour under clouds.",
        "How many bees were tracked?",
        "What do honeybees eat in winter?",
    ),
    (
        "Abstract:\nConcrete cracks in frost. We add glass fibres to the mix, which halves the "
        "width of cracks after 50 cycles of freezing.",
        "What is added to the mix?",
        "Who paid for the study?",
    ),
)


@dataclass(frozen=True, slots=True)
class Manner:
    """How a server's model wants to be spoken to."""

    system_role: bool = True
    logprobs: bool = True
    quiet: bool = False
    thinks: bool = False
    thinks_inline: bool = False


_MANNERS = tuple(Manner(role, logprobs) for role in (True, False) for logprobs in (True, False))


class RemoteModel:
    """A `rag.types.LanguageModel` on a server; it keeps no state of papers."""

    def __init__(
        self,
        address: Address,
        *,
        key: str | None = None,
        context_tokens: int = 4096,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._wire = Wire(address.base, key, patience)
        try:
            self._id, known = _choose(self._wire, address)
            self.context_tokens = min(context_tokens, known or context_tokens)
            self.name = f"{PureWindowsPath(self._id).name} at {address.host}"
            self._usage = Usage(0, 0, 0)
            self._manner = self._find_manner()
            self.can_judge = self._judges_well()
        except BaseException:
            self._wire.close()
            raise

    def close(self) -> None:
        """End the connection."""
        self._wire.close()

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, guessed high: the server's tokeniser is not known."""
        return len(text.encode("utf-8", "replace")) // _LETTERS_PER_TOKEN + 1

    def usage(self) -> Usage:
        """Tokens used by all calls so far, as the server counts them, else guessed."""
        return self._usage

    def write(self, prompt: Prompt, *, limit: int, stop: Stop | None = None) -> Iterator[str]:
        """Yield the answer in pieces, greedily, `limit` tokens at most, thoughts left out.

        Raises:
            ModelMissing, UsageError, ServerFailed, Stopped: as `rag.llm.wire.Wire.post`.
        """
        body = self._body(prompt, limit) | {"stream": True}
        told = written = 0
        text = ""
        for piece in self._pieces(body, prompt, stop):
            text += piece
            ready = active(self._answer_of(text))
            if len(ready) > told:
                yield ready[told:]
                told, written = len(ready), written + 1
            if written >= limit:
                return

    def margin(self, prompt: Prompt, *, stop: Stop | None = None) -> float:
        """Log-probability of Yes minus that of No for the first token of the answer.

        Where the server gives none, a plain Yes or No counts `rag.llm.reply.FIXED_MARGIN`.
        Errors as in `write`.
        """
        if self._manner.logprobs and not self._manner.thinks:
            margin = self._ask(self._manner, prompt, 1, stop).margin()
            if margin is not None:
                return margin
        return self._ask(self._manner, prompt, _VERDICT_TOKENS, stop).plain_margin()

    # ------------------------------------------------------------ the first words

    def _find_manner(self) -> Manner:
        """The first manner the server accepts; one that lets the model end its thoughts."""
        prompt = next(_trials())[0]
        manner, reply = self._first_reply(prompt)
        manner = replace(manner, logprobs=bool(reply.tops))
        if reply.decided:
            return manner
        quiet = replace(manner, quiet=True)
        with suppress(Refused):
            if self._ask(quiet, prompt, _VERDICT_TOKENS).decided:
                return quiet
        long = self._ask(manner, prompt, _TRIAL_TOKENS)
        if long.thinks or long.decided:
            return replace(manner, thinks=True, thinks_inline="think>" in long.text)
        return manner

    def _first_reply(self, prompt: Prompt) -> tuple[Manner, Reply]:
        refusals: list[Refused] = []
        for manner in _MANNERS:
            try:
                return manner, self._ask(manner, prompt, _VERDICT_TOKENS)
            except Refused as error:
                refusals.append(error)
        raise refusals[0]

    def _judges_well(self) -> bool:
        """Whether the model tells the answered from the unanswered questions of the trials."""
        return all((self.margin(prompt) > 0) == stated for prompt, stated in _trials())

    # ------------------------------------------------------------ requests

    def _ask(self, manner: Manner, prompt: Prompt, limit: int, stop: Stop | None = None) -> Reply:
        body = self._body(prompt, limit, manner)
        if manner.logprobs:
            body |= {"logprobs": True, "top_logprobs": _LIKELIEST}
        value = self._wire.post(_CHAT, body, stop)
        reply = read_reply(value)
        self._count(read_usage(value) or self._guess(prompt, self.count_tokens(reply.text)))
        return reply

    def _body(self, prompt: Prompt, limit: int, manner: Manner | None = None) -> Json:
        manner = manner or self._manner
        body: Json = {
            "model": self._id,
            "messages": _messages(prompt, system_role=manner.system_role),
            "max_tokens": limit + (_THOUGHT_TOKENS if manner.thinks else 0),
            "temperature": 0,
        }
        if manner.quiet:
            body["chat_template_kwargs"] = {"enable_thinking": False}
        return body

    def _pieces(self, body: Json, prompt: Prompt, stop: Stop | None) -> Iterator[str]:
        """The streamed text; ServerFailed where it ends before the server says so."""
        ended, count, usage = False, 0, None
        try:
            for line in self._wire.lines(_CHAT, body, stop):
                data = line.removeprefix("data:").strip()
                if not line.startswith("data:") or data == "[DONE]":
                    ended = ended or data == "[DONE]"
                    continue
                value = _parsed(data)
                usage = read_usage(value) or usage
                piece, last = read_delta(value)
                ended, count = ended or last, count + bool(piece)
                if piece:
                    yield piece
        finally:
            self._count(usage or self._guess(prompt, count))
        if not ended:
            raise ServerFailed("The model server broke off its answer. Ask again.")

    def _answer_of(self, text: str) -> str:
        if self._manner.thinks_inline and "</think>" not in text:
            return ""
        return without_thoughts(text).lstrip() if self._manner.thinks_inline else text

    def _guess(self, prompt: Prompt, completion: int) -> Usage:
        read = f"{prompt.system}{prompt.document}{prompt.task}"
        return Usage(self.count_tokens(read), 0, completion)

    def _count(self, used: Usage) -> None:
        old = self._usage
        self._usage = Usage(
            old.prompt_tokens + used.prompt_tokens,
            old.cached_tokens + used.cached_tokens,
            old.completion_tokens + used.completion_tokens,
        )


def open_remote(config: Config) -> RemoteModel:
    """Reach the server that the settings name, and try its model.

    Raises:
        ModelMissing: it cannot be reached, wants a key, or lacks the model.
        ServerFailed: it does not answer as an OpenAI-compatible server does.
    """
    return RemoteModel(
        parse_address(config.model), key=config.api_key, context_tokens=config.context_tokens
    )


def served_models(config: Config) -> list[str]:
    """The names of the models of the server. Raises ModelMissing, ServerFailed."""
    wire = Wire(parse_address(config.model).base, config.api_key, PATIENCE_SECONDS)
    try:
        return [str(entry["id"]) for entry in _listed(wire)]
    finally:
        wire.close()


def _choose(wire: Wire, address: Address) -> tuple[str, int | None]:
    """The model's name for the server, and its context in tokens where that is told."""
    listed = {str(entry["id"]): entry for entry in _listed(wire)}
    name = address.model or next(iter(listed), None)
    if name is None:
        raise ModelMissing(f"The model server at {address.base} has no model. Load one there.")
    if address.model is None and len(listed) > 1:
        raise ModelMissing(
            f"The model server at {address.base} has several models ({', '.join(listed)}). Name "
            f"one after its address: --model {address.base}#{name}"
        )
    if listed and name not in listed:
        raise ModelMissing(
            f"The model server at {address.base} has no model {name!r}; it has {', '.join(listed)}."
        )
    length = listed.get(name, {}).get("max_model_len")
    return name, length if isinstance(length, int) else None


def _listed(wire: Wire) -> list[Json]:
    data = wire.get("models").get("data")
    entries = data if isinstance(data, list) else []
    return [entry for entry in entries if isinstance(entry, dict) and "id" in entry]


def _trials() -> Iterator[tuple[Prompt, bool]]:
    """Questions about an abstract, each with whether it is answered there."""
    task = 'Does the abstract state the answer to the question "{}"? Answer Yes or No.'
    for document, answered, unanswered in _TRIALS:
        yield Prompt(_TRIAL_SYSTEM, document, task.format(answered)), True
        yield Prompt(_TRIAL_SYSTEM, document, task.format(unanswered)), False


def _messages(prompt: Prompt, *, system_role: bool) -> list[dict[str, str]]:
    parts = [inert(part) for part in (prompt.document, prompt.task) if part]
    system = inert(prompt.system)
    if not system_role:
        return [{"role": "user", "content": "\n\n".join([system, *parts])}]
    user = "\n\n".join(parts)
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _parsed(data: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError as error:
        raise ServerFailed("The model server sent a line that is not JSON. Ask again.") from error
    if not isinstance(value, dict):
        raise ServerFailed("The model server sent a line that is no JSON object. Ask again.")
    return value
