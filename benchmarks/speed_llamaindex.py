"""Set LlamaIndex up in an environment of its own, and time the same questions there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import HERE, Result
from benchmarks.speed_turns import KINDS, MEASURES, Turn, by_kind, conversations, measures, spread
from rag.answer.read import ANSWER_TOKENS
from rag.config import Config
from rag.library import Library
from rag.llm.catalogue import find_embedder, find_model
from rag.llm.gguf import physical_cores

ENVIRONMENT = HERE.parent / "build" / "llamaindex"
SCRIPT = HERE / "baselines" / "llamaindex.py"
PACKAGES = (
    "llama-index-core",
    "llama-index-llms-llama-cpp",
    "llama-index-vector-stores-chroma",
    "llama-index-embeddings-huggingface",
    "torch==2.13.0",
)


def measure(config: Config, each: int | None) -> Iterator[Result]:
    """The table of LlamaIndex; none, with a word why, where it cannot be set up or run."""
    try:
        python = _environment(config)
        turns = _run(python, config, conversations(each))
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines()
        print(f"LlamaIndex is left out: {said[-1] if said else error}", file=sys.stderr)
        return
    rows = tuple(
        (kind, str(len(found)), name, spread(map(MEASURES[name], found)))
        for kind in KINDS
        if (found := turns[kind])
        for name in measures(kind)
    )
    figures = {kind: [asdict(turn) for turn in found] for kind, found in turns.items()}
    title = "The same with LlamaIndex (llama.cpp, Chroma, five abstracts a prompt)"
    settings = {"model": config.model, "answer": f"at most {ANSWER_TOKENS} tokens"}
    settings["packages"] = _versions(python)
    columns = ("kind", "turns", "seconds to", "LlamaIndex")
    yield Result("speed-llamaindex", title, columns, rows, settings, figures)


def _environment(config: Config) -> Path:
    """The interpreter of the environment, made if it is not there. Raises CalledProcessError."""
    python = ENVIRONMENT / "bin" / "python"
    ready = ENVIRONMENT / "ready"
    if ready.exists():
        return python
    _call(sys.executable, "-m", "venv", "--clear", ENVIRONMENT)
    # The build that runs on this CPU, since the index has sources alone.
    wheels = sorted(config.wheels_dir.glob("*/*.whl"))[-1:]
    _call(python, "-m", "pip", "install", "--quiet", *wheels, *PACKAGES)
    ready.touch()
    return python


def _run(python: Path, config: Config, talks: Sequence[Sequence[str]]) -> dict[str, list[Turn]]:
    with Library.open(config) as library:
        abstracts = [paper.text for paper in library.papers()]
    job = {
        "model": str(find_model(config, config.model)),
        "embedder": str(find_embedder(config, config.embedder)),
        "abstracts": abstracts,
        "talks": [questions for _, *questions in talks],
        "threads": config.threads or physical_cores(),
        "limit": ANSWER_TOKENS,
    }
    with TemporaryDirectory() as folder:
        asked, answered = Path(folder) / "asked.json", Path(folder) / "answered.json"
        asked.write_text(json.dumps(job), encoding="utf-8")
        _call(python, SCRIPT, asked, answered)
        found = json.loads(answered.read_text(encoding="utf-8"))
    return by_kind(talks, [[Turn(**turn) for turn in turns] for turns in found])


def _versions(python: Path) -> str:
    code = (
        "from importlib.metadata import version; "
        "print(', '.join(f'{n} {version(n)}' for n in ('llama-index-core', 'chromadb')))"
    )
    return _call(python, "-c", code).strip()


def _call(*command: object) -> str:
    done = subprocess.run(
        [str(part) for part in command], check=True, capture_output=True, text=True
    )
    return done.stdout
