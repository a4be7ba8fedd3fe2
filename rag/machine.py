"""What the browser page knows of this machine: libraries, folders, memory, models, checks."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from rag.config import Config
from rag.doctor import examine
from rag.library import Library
from rag.llm.catalogue import CATALOGUE, ModelSpec, is_installed, known_spec
from rag.llm.download import install
from rag.shelves import MAIN, Shelves
from rag.ui.app import open_chat_of
from rag.ui.backend import Backend
from rag.ui.status_html import Check, ModelLine


class LocalMachine:
    """The machine that the page is served from.

    Its settings change when another library or model is chosen.
    """

    def __init__(self, config: Config, backend: Backend) -> None:
        self._config = config
        self._backend = backend
        self._shelves = Shelves(config)

    # ------------------------------------------------------------ libraries

    def libraries(self) -> tuple[tuple[str, ...], str, str]:
        """The names of all libraries, the one that is open, and the one opened at the start."""
        shelves = self._shelves
        return shelves.names(), shelves.name_of(self._config.library), shelves.first

    def open_library(self, name: str) -> None:
        """Open another library. Raises UsageError, LibraryBusy, LibraryDamaged."""
        folder = self._shelves.folder(name)
        if folder != self._config.library:
            self._change_library(folder, create=False)

    def create_library(self, name: str) -> None:
        """Make an empty library and open it. Raises UsageError, LibraryBusy."""
        self._change_library(self._shelves.new_folder(name), create=True)

    def imports(self) -> Path:
        """The folder for files that are added to the library that is open."""
        return self._config.library / "imports"

    def _change_library(self, folder: Path, *, create: bool) -> None:
        config = replace(self._config, library=folder)
        name = self._shelves.name_of(folder)
        self._backend.change_library(
            "" if name == MAIN else name,
            lambda: Library.open(config, create=create),
            lambda library: open_chat_of(config, library),
        )
        self._config = config

    # ------------------------------------------------------------ state

    def facts(self) -> list[tuple[str, str]]:
        """Names and values, in words."""
        config, count = self._config, self._backend.count()
        return [
            ("State", self._backend.problem or self._backend.state),
            ("Papers", "not known yet" if count is None else f"{count:,}"),
            ("Library", f"{config.library}, {_size(config.library)}"),
            ("Search index", self._index()),
            ("Kept for quick answers", self._kept()),
            ("Chat model", self._backend.model),
            ("Read ahead", self._backend.ahead() or "nothing yet"),
            ("Embedder", config.embedder),
            ("Models and conversations", f"{config.data_dir}"),
            ("Memory in use", f"{_memory() / 1e6:,.0f} MB"),
            ("Network", self._network()),
        ]

    def _index(self) -> str:
        folder = self._config.library
        if self._config.store:
            return f"words {_size(folder / 'words')}; vectors in {self._config.store}"
        return f"words {_size(folder / 'words')}, vectors {_size(folder / 'chroma')}"

    def _kept(self) -> str:
        limit = f"{self._config.state_disk_bytes / 1e6:,.0f} MB"
        return f"{_size(self._config.library / 'states')} of at most {limit} of papers already read"

    def _network(self) -> str:
        if self._backend.sent_to:
            return f"questions and abstracts are sent to {self._backend.sent_to}"
        return "nothing leaves this machine; only downloads of models need it"

    def check(self) -> Iterator[Check]:
        """Look at each thing in turn, as `citewell doctor` does."""
        for finding in examine(self._config):
            yield Check(finding.subject, finding.ok, finding.text, finding.cure)

    def models(self) -> list[ModelLine]:
        """The models of the catalogue."""
        return [self._line(spec) for spec in CATALOGUE]

    def pull(self, name: str, report: Callable[[str], None]) -> None:
        """Download a model. Raises UsageError, DownloadFailed."""
        install(self._config, known_spec(name), report)

    def use(self, name: str) -> None:
        """Answer with another chat model from now on. Raises UsageError."""
        config = replace(self._config, model=known_spec(name).name)
        self._backend.change_model(config.model, lambda library: open_chat_of(config, library))
        self._config = config

    def _line(self, spec: ModelSpec) -> ModelLine:
        in_use = spec.name in (self._backend.model, self._config.embedder)
        installed = is_installed(self._config, spec)
        return ModelLine(
            spec.name, spec.kind, spec.size, spec.licence, installed, in_use, spec.notes
        )


def _size(folder: Path) -> str:
    files = (Path(at, name) for at, _, names in os.walk(folder) for name in names)
    total = sum(map(_length, files))
    return f"{total / 1e6:,.0f} MB" if total >= 1e6 else "under 1 MB"


def _length(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # what is kept for quick answers goes at any time
        return 0


def _memory() -> int:
    """Bytes of memory in use now where Linux tells, else at the most."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
