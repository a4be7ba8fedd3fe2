"""A GGUF chat model on this machine: prompt to text, with the state of each paper kept.

A prompt is decoded in fixed steps up to the end of its document, where the state is kept,
then to the end of the task. With or without a kept state the steps are the same, so the
logits are the same to the bit. The answer is decoded several tokens a step where it copies
(`rag.llm.lookup`).
"""

from __future__ import annotations

import codecs
import hashlib
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from rag.config import Config
from rag.errors import Stopped, UsageError
from rag.llm.catalogue import find_model, spec
from rag.llm.lookup import Drafter
from rag.llm.native import BATCH, Logits, Native
from rag.llm.pace import PLAIN, pace
from rag.llm.states import StateCache
from rag.llm.template import ChatTemplate, parse_template
from rag.types import Prompt, Stop, Usage


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A prompt as token ids: up to the end of the document, then to the end of the task."""

    document: list[int]
    task: list[int]

    def __len__(self) -> int:
        return len(self.document) + len(self.task)


class GgufModel:
    """A `rag.types.LanguageModel` on llama.cpp. One request at a time.

    `costs` says what steps of several tokens cost here (`rag.llm.pace`); None measures them.
    What was measured is kept in the folder `paces`, if one is given.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        can_judge: bool,
        states: StateCache,
        context_tokens: int,
        threads: int,
        costs: Mapping[int, float] | None = None,
        paces: Path | None = None,
    ) -> None:
        self.name = name
        self.can_judge = can_judge
        self._native = Native(path, context_tokens, threads)
        self.context_tokens = self._native.context_tokens
        self._template = self._read_template()
        self._states = states
        self._identity = f"{_fingerprint(path)}/{self._native.settings}"
        self._lock = threading.Lock()
        self._usage = Usage(0, 0, 0)
        self._yes = self._native.tokenize("Yes", special=False)[0]
        self._no = self._native.tokenize("No", special=False)[0]
        self.costs = costs if costs is not None else self._pace(paces)

    def _read_template(self) -> ChatTemplate:
        native = self._native
        names = [native.piece(native.special(name)).decode() for name in ("bos", "eos")]
        source = native.metadata("tokenizer.chat_template")
        return parse_template(source, bos=names[0], eos=names[1])

    def close(self) -> None:
        """Free the model once the running request has ended."""
        with self._lock:
            self._native.close()

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, special ones not counted."""
        return len(self._native.tokenize(text, special=False))

    def usage(self) -> Usage:
        """Tokens used by all calls so far."""
        return self._usage

    def write(self, prompt: Prompt, *, limit: int, stop: Stop | None = None) -> Iterator[str]:
        """Yield the answer in pieces, greedily, `limit` tokens at most.

        Raises:
            UsageError: the prompt leaves no room for `limit` tokens.
            Stopped: `stop` was set, during the prompt or the answer.
        """
        with self._lock:
            tokens = self._tokens(prompt, room=limit)
            logits = self._prefill(tokens, stop)
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            for token in self._generate(tokens, logits, limit, stop):
                text = decoder.decode(self._native.piece(token))
                if text:
                    yield text

    def margin(self, prompt: Prompt, *, stop: Stop | None = None) -> float:
        """Logit of Yes minus logit of No for the first token of the answer."""
        with self._lock:
            logits = self._prefill(self._tokens(prompt, room=1), stop)
            return float(logits[self._yes] - logits[self._no])

    def prepare(self, prompt: Prompt, *, stop: Stop) -> bool:
        """Compute and keep the state after the document, if it is not at hand.

        Returns false where there is no room for it without another one going.

        Raises:
            UsageError: the document does not fit into the context.
            Stopped: `stop` was set; it is noticed within milliseconds.
        """
        with self._lock:
            document = self._tokens(prompt, room=1).document
            key = self._key(document)
            if self._states.holds(key):
                return True
            if not self._states.has_room():
                return False
            with self._native.giving_way(stop):
                self._read(document, stop)
            self._states.put(key, self._native.save(), ahead=True)
            return True

    # ------------------------------------------------------------ prompt

    def _tokens(self, prompt: Prompt, *, room: int) -> _Tokens:
        native, template = self._native, self._template
        document = native.tokenize(template.head, special=True)
        document += native.tokenize(prompt.system, special=False)
        document += native.tokenize(template.after_system, special=True)
        document += native.tokenize(prompt.document, special=False)
        bos = native.special("bos")
        if native.adds_bos() and bos >= 0 and document[:1] != [bos]:
            document.insert(0, bos)
        task = native.tokenize(template.between, special=True) if prompt.document else []
        task += native.tokenize(prompt.task, special=False)
        task += native.tokenize(template.tail, special=True)
        tokens = _Tokens(document, task)
        if len(tokens) + room > self.context_tokens:
            raise UsageError(
                f"The question and the abstract together have {len(tokens)} tokens; "
                f"the model takes {self.context_tokens - room}. Ask in fewer words."
            )
        return tokens

    def _prefill(self, tokens: _Tokens, stop: Stop | None) -> Logits:
        """Decode the prompt, from a kept state where there is one; the last logits."""
        cached = self._load_document(tokens.document, stop)
        logits = self._decode(tokens.task, len(tokens.document), stop)
        self._count(prompt=len(tokens), cached=cached)
        return logits

    def _load_document(self, document: list[int], stop: Stop | None) -> int:
        """Bring the context to the end of the document; returns the tokens restored."""
        key = self._key(document)
        state = self._states.get(key)
        if state is not None:
            if self._native.restore(state):
                return len(document)
            self._states.drop(key)
        self._read(document, stop)
        self._states.put(key, self._native.save())
        return 0

    def _read(self, document: list[int], stop: Stop | None) -> None:
        self._native.truncate(0)
        self._decode(document, 0, stop, logits=0)

    def _decode(
        self, tokens: Sequence[int], position: int, stop: Stop | None, *, logits: int = 1
    ) -> Logits:
        result: Logits = np.empty((0,), dtype=np.float32)
        for start in range(0, len(tokens), BATCH):
            _check(stop)
            part = tokens[start : start + BATCH]
            last = start + BATCH >= len(tokens)
            rows = self._native.decode(part, position + start, logits=logits if last else 0)
            if last and logits:
                result = rows[-1]
        return result

    def _key(self, document: list[int]) -> str:
        ids = np.asarray(document, dtype=np.int32).tobytes()
        return hashlib.blake2b(self._identity.encode() + b"\0" + ids, digest_size=20).hexdigest()

    def _count(self, *, prompt: int = 0, cached: int = 0, completion: int = 0) -> None:
        old = self._usage
        self._usage = Usage(
            old.prompt_tokens + prompt,
            old.cached_tokens + cached,
            old.completion_tokens + completion,
        )

    # ------------------------------------------------------------ answer

    def _generate(
        self, tokens: _Tokens, logits: Logits, limit: int, stop: Stop | None
    ) -> Iterator[int]:
        for token in islice(self._greedy(tokens, logits, limit), limit):
            _check(stop)
            if self._native.ends(token):
                return
            self._count(completion=1)
            yield token

    def _greedy(self, tokens: _Tokens, logits: Logits, limit: int) -> Iterator[int]:
        """The likeliest tokens one after the other, without end, decoded some a step."""
        native = self._native
        drafter = Drafter([*tokens.document, *tokens.task], self.costs)
        position, end = len(tokens), len(tokens) + limit
        token = int(np.argmax(logits))
        while True:
            yield token
            drafted = drafter.draft(token, end - position - 1)
            rows = native.decode([token, *drafted], position, logits=1 + len(drafted))
            best = [int(i) for i in rows.argmax(axis=1)]
            right = next((i for i, t in enumerate(drafted) if t != best[i]), len(drafted))
            drafter.learn(drafted, right)
            position += 1 + right
            if right < len(drafted):
                native.truncate(position)
            yield from best[:right]
            token = best[right]

    def _pace(self, folder: Path | None) -> Mapping[int, float]:
        """What steps of several tokens cost; none where the model cannot take tokens back."""
        native, digest = self._native, hashlib.blake2b(self._identity.encode(), digest_size=10)
        native.truncate(0)
        native.decode([self._yes, self._no], 0, logits=2)
        if not native.truncate(1):
            return PLAIN

        def measure(width: int) -> float:
            native.truncate(0)
            started = time.perf_counter()
            native.decode([self._yes] * width, 0, logits=width)
            return time.perf_counter() - started

        return pace(folder / f"{digest.hexdigest()}.json" if folder else None, measure)


def open_model(config: Config) -> GgufModel:
    """Load the model that the settings name.

    Raises:
        ModelMissing: it is not downloaded.
        ModelDamaged: the file is truncated or not a GGUF file.
        ModelUnfit: it has no usable chat template.
    """
    known = spec(config.model)
    states = StateCache(
        config.state_memory_bytes, config.library / "states", config.state_disk_bytes
    )
    path = find_model(config, config.model)
    return GgufModel(
        path,
        name=known.name if known else path.stem,
        can_judge=known.can_judge if known else False,
        states=states,
        context_tokens=config.context_tokens,
        threads=config.threads or physical_cores(),
        paces=config.cache_dir / "paces",
    )


def physical_cores() -> int:
    """Cores this process may use, hyper-threads not counted; at least one."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    if allowed is None:
        return max(1, (os.cpu_count() or 2) // 2)
    siblings = {_core_of(cpu) for cpu in allowed}
    return max(1, len(siblings))


def _core_of(cpu: int) -> str:
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return path.read_text().strip()
    except OSError:
        return str(cpu)


def _fingerprint(path: Path) -> str:
    """A checksum over the size, the time of change, the header and samples of a model file.

    Reading all of a gigabyte would add seconds to each start; a file that is replaced by another
    one changes its time.
    """
    size = path.stat().st_size
    about = f"{size}/{path.stat().st_mtime_ns}"
    digest = hashlib.blake2b(about.encode(), digest_size=16)
    with path.open("rb") as file:
        for part in range(16):
            file.seek(size * part // 16)
            digest.update(file.read(1 << 16))
    return digest.hexdigest()


def _check(stop: Stop | None) -> None:
    if stop is not None and stop.is_set():
        raise Stopped("Stopped.")
