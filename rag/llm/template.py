"""Render a model's own chat template so that content can never turn into control tokens.

The template is rendered once with marks where the content goes. The parts around the marks
are template text, tokenised with special tokens; the content is tokenised without.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn

from rag.errors import ModelUnfit

_SYSTEM, _DOCUMENT, _TASK = "CITEWELL0SYSTEM", "CITEWELL0DOCUMENT", "CITEWELL0TASK"


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """The four template parts around system, document and task, in order.

    A model without a system role gets the system text at the start of the user's turn;
    the parts then differ, their order does not.
    """

    head: str
    after_system: str
    between: str
    tail: str


def parse_template(source: str | None, *, bos: str, eos: str) -> ChatTemplate:
    """Turn the Jinja source of a GGUF header into its parts.

    Raises:
        ModelUnfit: there is no template, or it cannot hold a question.
    """
    if not source:
        raise ModelUnfit(
            "This model file has no chat template, so it is not a chat model. "
            "Choose an instruct model: `citewell models list` names some."
        )
    try:
        return _split(_render(source, _messages(system_role=True), bos, eos))
    except _RefusedError:
        pass
    try:
        return _split(_render(source, _messages(system_role=False), bos, eos))
    except _RefusedError as error:
        raise ModelUnfit(
            f"The chat template of this model cannot be used ({error}). Choose another model: "
            "`citewell models list` names some."
        ) from error


class _RefusedError(Exception):
    """The template raised, or dropped a part of the content."""


def _messages(*, system_role: bool) -> list[dict[str, str]]:
    user = f"{_DOCUMENT}\n\n{_TASK}"
    if system_role:
        return [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": user}]
    return [{"role": "user", "content": f"{_SYSTEM}\n\n{user}"}]


def _render(source: str, messages: list[dict[str, str]], bos: str, eos: str) -> str:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> NoReturn:
        raise _RefusedError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    try:
        return environment.from_string(source).render(
            messages=messages,
            add_generation_prompt=True,
            enable_thinking=False,
            bos_token=bos,
            eos_token=eos,
        )
    except (jinja2.TemplateError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise _RefusedError(str(error)) from error


def _split(text: str) -> ChatTemplate:
    parts = []
    for mark in (_SYSTEM, _DOCUMENT, _TASK):
        part, found, text = text.partition(mark)
        if not found:
            raise _RefusedError(f"it leaves out the {mark.removeprefix('CITEWELL0').lower()}")
        parts.append(part)
    return ChatTemplate(parts[0], parts[1], parts[2], text)
