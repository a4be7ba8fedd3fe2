"""Examines the build, the models, the folders and the library, and names a cure for each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rag.config import Config
from rag.errors import CitewellError
from rag.llm import build
from rag.llm.address import is_address, sent_to
from rag.llm.catalogue import find_embedder, find_model, spec
from rag.resources import seeds_dir

_LOW_DISK_BYTES = 1 << 30
_QUESTION = "What is this collection about?"

# The hook sees every connection that Python code tries, and cannot be taken off again.
_WITHOUT_NETWORK = """
import sys
def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto") or (
        event == "socket.connect" and not isinstance(arguments[1], (str, bytes))
    ):
        sys.stderr.write(f"NETWORK {event} {arguments[1:]}\\n")
        raise OSError("no network in this check")
sys.addaudithook(refuse)
from rag.cli import main
main(sys.argv[1:])
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `cure` is empty where nothing needs to be done."""

    subject: str
    ok: bool
    text: str
    cure: str = ""


def examine(config: Config, *, offline: bool = False) -> Iterator[Finding]:
    """Look at each thing in turn; `offline` also runs index and ask without a network."""
    yield _examine_folder("data folder", config.data_dir, "CITEWELL_DATA")
    yield _examine_folder("cache folder", config.cache_dir, "CITEWELL_CACHE")
    models = [
        _examine_model("embedder", config.embedder, lambda: find_embedder(config, config.embedder)),
        _examine_server(config) if is_address(config.model) else _examine_chat_model(config),
    ]
    yield from models
    yield _examine_privacy(config.model)
    if not is_address(config.model):
        yield _examine_build(find_model(config, config.model) if models[1].ok else None)
    yield _examine_library(config, models[0].ok)
    if offline:
        yield _examine_offline(config)


def _examine_folder(subject: str, folder: Path, variable: str) -> Finding:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not (there.is_dir() and os.access(there, os.W_OK)):
        cure = f"Make it writable, or set {variable} to another folder."
        return Finding(subject, False, f"{there} cannot be written to", cure)
    free = shutil.disk_usage(there).free
    if free < _LOW_DISK_BYTES:
        cure = f"Free some space, or set {variable} to a folder on another disk."
        return Finding(subject, False, f"{folder} has {free / 1e9:.1f} GB left", cure)
    return Finding(subject, True, f"{folder}, {free / 1e9:.0f} GB free")


def _examine_chat_model(config: Config) -> Finding:
    return _examine_model("chat model", config.model, lambda: find_model(config, config.model))


def _examine_server(config: Config) -> Finding:
    from rag.llm.remote import served_models

    try:
        names = served_models(config)
    except CitewellError as error:
        return Finding("chat model", False, str(error), "Mend the server, or choose --model.")
    return Finding("chat model", True, f"{config.model} serves {', '.join(names) or 'no list'}")


def _examine_privacy(model: str) -> Finding:
    host = sent_to(model)
    if host is None:
        return Finding("privacy", True, "nothing leaves this machine")
    return Finding("privacy", True, f"questions and abstracts are sent to {host}")


def _examine_model(subject: str, name: str, find: Callable[[], Path]) -> Finding:
    try:
        path = find()
    except CitewellError as error:
        cure = f"citewell models pull {name}" if spec(name) else "citewell models list"
        return Finding(subject, False, str(error), cure)
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    size = sum(file.stat().st_size for file in files)
    return Finding(subject, True, f"{name}, {size / 1e6:,.0f} MB, {path}")


def _examine_build(model: Path | None) -> Finding:
    result = build.smoke(model)
    if result.works:
        return Finding("llama-cpp-python", True, " ".join(result.text.split()))
    cure = "python -m rag.llm.build (it makes a build that fits this CPU, or says what to change)"
    return Finding("llama-cpp-python", False, f"does not run here: {result.text}", cure)


def _examine_library(config: Config, has_embedder: bool) -> Finding:
    from rag.library import Library

    try:
        with Library.open(config) as library:
            library.check()
            count = library.count()
            if has_embedder and count:
                library.search("results", 1)
    except CitewellError as error:
        return Finding("library", False, str(error), _library_cure(error))
    return Finding("library", True, f"{config.library}, {count} papers")


def _library_cure(error: CitewellError) -> str:
    cures = {
        "LibraryMissing": "citewell index FILE_OR_FOLDER",
        "EmbedderMismatch": "citewell index --rebuild FILE_OR_FOLDER",
    }
    return cures.get(type(error).__name__, "Follow the message, then run citewell doctor again.")


def _examine_offline(config: Config) -> Finding:
    host = sent_to(config.model)
    if host is not None:
        cure = "Choose a model on this machine: `citewell models list` names some."
        return Finding("offline", False, f"each question needs the model server {host}", cure)
    commands = [["index", str(seeds_dir())], ["ask", _QUESTION]]
    # A server on this machine is spoken to by connecting, so only indexing can be watched.
    watched = commands[:1] if is_address(config.model) else commands
    with tempfile.TemporaryDirectory() as folder:
        for command in watched:
            options = ["--library", folder, "--embedder", config.embedder, "--model", config.model]
            done = subprocess.run(
                [sys.executable, "-c", _WITHOUT_NETWORK, *options, *command],
                capture_output=True,
                text=True,
                check=False,
            )
            finding = _offline_problem(command[0], done)
            if finding:
                return finding
    names = " and ".join(command[0] for command in watched)
    return Finding("offline", True, f"{names} ran without a single attempt to connect")


def _offline_problem(command: str, done: subprocess.CompletedProcess[str]) -> Finding | None:
    lines = done.stderr.strip().splitlines()
    attempts = [line for line in lines if line.startswith("NETWORK")]
    if attempts:
        cure = "Report this with the line above: Citewell must not need the network here."
        return Finding("offline", False, f"`{command}` tried to connect: {attempts[0]}", cure)
    if done.returncode:
        said = lines[-1] if lines else f"exit code {done.returncode}"
        return Finding("offline", False, f"`{command}` failed: {said}", "Mend the findings above.")
    return None
