"""Names the libraries of this machine: the one of the settings, and those beside it."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from rag.config import Config
from rag.errors import UsageError
from rag.index.record import FILE_NAME

MAIN = "Main library"
_NAME = re.compile(r"\w(?:[\w .()-]{0,58}[\w)])?")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


class Shelves:
    """The folders of libraries: `libraries/NAME` in the data folder, and that of the settings."""

    def __init__(self, config: Config) -> None:
        self._first = config.library
        self._main = config.data_dir / "library"
        self._folder = config.data_dir / "libraries"

    @property
    def first(self) -> str:
        """The name of the library that the program was started with."""
        return self.name_of(self._first)

    def name_of(self, folder: Path) -> str:
        """What a library is called; one that lies elsewhere is called by its path."""
        if folder == self._main:
            return MAIN
        return folder.name if folder.parent == self._folder else str(folder)

    def names(self) -> tuple[str, ...]:
        """All libraries: the first, the main one, then those beside it by name."""
        beside = self._folder.iterdir() if self._folder.is_dir() else ()
        others = sorted(path for path in beside if _NAME.fullmatch(path.name))
        there = [path for path in (self._main, *others) if (path / FILE_NAME).is_file()]
        return tuple(dict.fromkeys(map(self.name_of, (self._first, *there))))

    def folder(self, name: str) -> Path:
        """Where a library lies. Raises UsageError for a name that is not among `names`."""
        if name not in self.names():
            raise UsageError(f"There is no library {name!r} any more. Choose another one.")
        if name == self.first:
            return self._first
        return self._main if name == MAIN else self._folder / name

    def new_folder(self, name: str) -> Path:
        """Where a new library is to lie. Raises UsageError for a name that will not do."""
        name = unicodedata.normalize("NFC", " ".join(name.split()))
        if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
            raise UsageError(
                "Name a library with up to 60 letters, figures, spaces, full stops, hyphens or "
                "brackets; begin with a letter or a figure."
            )
        taken = [name_.casefold() for name_ in self.names()]
        if name.casefold() in taken or (self._folder / name).exists():
            raise UsageError(f"There is a library {name!r} already. Choose another name.")
        return self._folder / name
