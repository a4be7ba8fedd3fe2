"""Load the prompts and fill in their named placeholders.

A prompt is a text file whose placeholders stand as `{name}`. Which names a file must have
is fixed here, so that a missing or a misspelt one fails at load and not in an answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources.abc import Traversable

from rag.errors import PromptError
from rag.types import Prompt

PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    "system": frozenset(),
    "document": frozenset({"title", "abstract"}),
    "answer": frozenset({"question"}),
    "follow_up": frozenset({"question"}),
    "states_answer": frozenset({"question"}),
    "belongs": frozenset({"question"}),
    "asked_about": frozenset({"question"}),
    "aspect": frozenset({"aspect"}),
    "summary": frozenset(),
    "translate": frozenset({"text"}),
    "render": frozenset({"text", "language"}),
    "rework": frozenset({"text", "request"}),
}

_NAME = re.compile(r"\{([a-z_]+)\}")


class Prompts:
    """All prompts of a folder.

    Raises:
        PromptError: a file is missing, or its placeholders are not the expected ones.
    """

    def __init__(self, folder: Traversable) -> None:
        self._texts = {name: _read(folder, name) for name in PLACEHOLDERS}

    def fill(self, name: str, **values: str) -> str:
        """The text of a prompt with its placeholders replaced, each value as it stands."""
        return _NAME.sub(lambda match: values[match[1]], self._texts[name])

    def about(self, document: str, name: str, **values: str) -> Prompt:
        """A task about one document, behind the prefix that all tasks share."""
        return Prompt(self._texts["system"], document, self.fill(name, **values))

    def alone(self, name: str, **values: str) -> Prompt:
        """A task that needs no document, behind the same prefix."""
        return Prompt(self._texts["system"], "", self.fill(name, **values))


def _read(folder: Traversable, name: str) -> str:
    file = folder / f"{name}.txt"
    try:
        text = file.read_text(encoding="utf-8").rstrip("\n")
    except OSError as error:
        raise PromptError(f"The prompt {file} cannot be read ({error}). Install again.") from error
    found = frozenset(_NAME.findall(text))
    if found != PLACEHOLDERS[name]:
        wanted = ", ".join(sorted(PLACEHOLDERS[name])) or "none"
        raise PromptError(
            f"The prompt {file} has the placeholders {sorted(found)}; it must have {wanted}."
        )
    return text
