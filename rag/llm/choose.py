"""Opens the chat model that the settings name: a file on this machine, or a server's."""

from __future__ import annotations

from rag.config import Config
from rag.errors import ModelUnfit
from rag.llm.address import is_address
from rag.types import LanguageModel

LEAST_CONTEXT = 1536
"""Tokens a model must take: a task, its answer, and an abstract of usual length."""


def open_model(config: Config) -> LanguageModel:
    """Load or reach the model.

    Raises:
        ModelMissing: it is not downloaded, or its server cannot be reached.
        ModelDamaged: the file is truncated or not a GGUF file.
        ModelUnfit: it has no usable chat template, or takes too little text at a time.
        ServerFailed: the server does not answer as it should.
    """
    model = _open(config)
    if model.context_tokens < LEAST_CONTEXT:
        raise ModelUnfit(
            f"The model {model.name} takes {model.context_tokens:,} tokens at a time; Citewell "
            f"needs {LEAST_CONTEXT:,} for a question and an abstract. Choose another model: "
            "`citewell models list` names some."
        )
    return model


def _open(config: Config) -> LanguageModel:
    if is_address(config.model):
        from rag.llm.remote import open_remote

        return open_remote(config)
    from rag.llm.gguf import open_model as open_file

    return open_file(config)
