"""The one place that speaks to llama.cpp: tokens in, logits out, one sequence, one thread.

OpenMP is told to sleep while it waits: with spinning threads, another busy program on the
same cores makes a token take ten times as long.

Nothing here knows about chat, papers or caches. All calls on one `Native` must come from
one thread at a time; `rag.llm.gguf` sees to that.
"""

from __future__ import annotations

import ctypes
import functools
import os
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.errors import CitewellError, ModelDamaged, ModelMissing, Stopped
from rag.types import Stop

Logits = NDArray[np.float32]
BATCH = 64
"""Tokens decoded in one step of the prompt. A stop is noticed between two steps."""

_SEQUENCE = 0
_F16 = 1
_ABORTED = 2


class Native:
    """A loaded GGUF model with one context of `context_tokens` positions."""

    def __init__(self, path: Path, context_tokens: int, threads: int) -> None:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        import llama_cpp

        self._c: Any = llama_cpp
        _quiet(llama_cpp)
        llama_cpp.llama_backend_init()
        self._model = self._load(path)
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        trained = llama_cpp.llama_model_n_ctx_train(self._model)
        self.context_tokens = min(context_tokens, trained) if trained > 0 else context_tokens
        self._context = self._open_context(threads)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(BATCH, 0, 1)
        self.vocabulary = int(llama_cpp.llama_vocab_n_tokens(self._vocab))
        self.settings = self._settings(threads)
        self._free = weakref.finalize(
            self, _free, llama_cpp, self._batch, self._context, self._model
        )
        self._free.atexit = False

    def _load(self, path: Path) -> Any:
        params = self._c.llama_model_default_params()
        if self._c.llama_supports_gpu_offload():
            params.n_gpu_layers = 999
        model = self._c.llama_model_load_from_file(os.fsencode(path), params)
        if not model:
            raise ModelDamaged(
                f"llama.cpp could not load {path} ({path.stat().st_size:,} bytes). The file may be "
                "truncated or of an unknown kind. Run `citewell models verify`, then "
                "`citewell models pull`, or name another file with --model."
            )
        return model

    def _open_context(self, threads: int) -> Any:
        params = self._c.llama_context_default_params()
        params.n_ctx = self.context_tokens
        params.n_batch = params.n_ubatch = BATCH
        params.n_seq_max = 1
        params.n_threads = params.n_threads_batch = threads
        params.type_k = params.type_v = _F16
        params.no_perf = True
        context = self._c.llama_init_from_model(self._model, params)
        if not context:
            raise CitewellError(
                f"There is not enough memory for a context of {self.context_tokens} tokens. "
                "Close other programs or choose a smaller model with --model."
            )
        return context

    def _settings(self, threads: int) -> str:
        """All that the bits of a state depend on besides the model and the tokens."""
        build = f"{self._c.__version__} {self._c.llama_print_system_info().decode()}"
        gpu = bool(self._c.llama_supports_gpu_offload())
        return f"{build}/{self.context_tokens}/{threads}/{BATCH}/{_F16}/{gpu}"

    def close(self) -> None:
        """Free the context and the model. Safe to call twice."""
        self._free()

    # ------------------------------------------------------------ text

    def metadata(self, key: str) -> str | None:
        """A value of the file's header, such as `tokenizer.chat_template`."""
        size = 1 << 10
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = self._c.llama_model_meta_val_str(self._model, key.encode(), buffer, size)
            if length < 0:
                return None
            if length < size:
                return buffer.value.decode("utf-8", "replace")
            size = length + 1

    def special(self, name: str) -> int:
        """The id of `bos` or `eos`; -1 where the model has none."""
        return int(getattr(self._c, f"llama_vocab_{name}")(self._vocab))

    def adds_bos(self) -> bool:
        """Whether the model expects a first token of its own before any text."""
        return bool(self._c.llama_vocab_get_add_bos(self._vocab))

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Token ids; with `special` false, control tokens in the text stay plain text."""
        if not self._free.alive:
            raise ModelMissing("The chat model was exchanged for another one. Ask again.")
        data = text.encode("utf-8", "replace")
        size = len(data) + 8
        tokens = (self._c.llama_token * size)()
        count = self._c.llama_tokenize(self._vocab, data, len(data), tokens, size, False, special)
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """The bytes of a token; empty for control tokens."""
        buffer = ctypes.create_string_buffer(256)
        length = self._c.llama_token_to_piece(self._vocab, token, buffer, 256, 0, False)
        return buffer.raw[: max(length, 0)]

    def ends(self, token: int) -> bool:
        """Whether the token ends an answer."""
        return bool(self._c.llama_vocab_is_eog(self._vocab, token))

    # ------------------------------------------------------------ state

    def decode(self, tokens: Sequence[int], position: int, *, logits: int) -> Logits:
        """Run at most BATCH tokens placed from `position` on.

        Returns the logits after the last `logits` tokens, shape [logits, vocabulary], in
        memory that the next call overwrites.
        """
        batch = self._batch
        batch.n_tokens = len(tokens)
        first = len(tokens) - logits
        for i, token in enumerate(tokens):
            batch.token[i] = token
            batch.pos[i] = position + i
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = _SEQUENCE
            batch.logits[i] = i >= first
        code = self._c.llama_decode(self._context, batch)
        if code == _ABORTED:
            raise Stopped("Stopped.")
        if code != 0:
            raise CitewellError(
                f"llama.cpp could not run the model (code {code}). Ask again; if it stays, "
                "run `citewell doctor`."
            )
        if not logits:
            return np.empty((0, self.vocabulary), dtype=np.float32)
        pointer = self._c.llama_get_logits(self._context)
        return np.ctypeslib.as_array(pointer, shape=(logits, self.vocabulary))

    def truncate(self, position: int) -> bool:
        """Forget everything from `position` on; false where the model can only forget all."""
        return bool(self._c.llama_memory_seq_rm(self._memory, _SEQUENCE, position, -1))

    @contextmanager
    def giving_way(self, stop: Stop) -> Iterator[None]:
        """Let `stop` break off a step within milliseconds, not only between two steps.

        It is asked between any two operations of the network, some thousand times a step. What
        was decoded is lost with the step.
        """
        callback = self._c.ggml_abort_callback(lambda data: stop.is_set())
        self._c.llama_set_abort_callback(self._context, callback, None)
        try:
            yield
        finally:
            self._c.llama_set_abort_callback(self._context, self._c.ggml_abort_callback(), None)

    def save(self) -> bytes:
        """The exact key-value state of all positions."""
        size = self._c.llama_state_seq_get_size(self._context, _SEQUENCE)
        buffer = (ctypes.c_uint8 * size)()
        written = self._c.llama_state_seq_get_data(self._context, buffer, size, _SEQUENCE)
        return bytes(memoryview(buffer)[:written])

    def restore(self, state: bytes) -> bool:
        """Replace all positions by a saved state; false where it does not fit this model."""
        self.truncate(0)
        data = ctypes.cast(ctypes.c_char_p(state), ctypes.POINTER(ctypes.c_uint8))
        return bool(self._c.llama_state_seq_set_data(self._context, data, len(state), _SEQUENCE))


def _free(llama_cpp: Any, batch: Any, context: Any, model: Any) -> None:
    llama_cpp.llama_batch_free(batch)
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)


@functools.cache
def _silent_log(llama_cpp: Any) -> Any:
    """A log callback that says nothing: what fails is raised, with a message of ours."""
    return llama_cpp.llama_log_callback(lambda level, text, data: None)


def _quiet(llama_cpp: Any) -> None:
    llama_cpp.llama_log_set(_silent_log(llama_cpp), ctypes.c_void_p(0))
