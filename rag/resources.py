"""Finds the files that come with the program: the prompts and the sample lists."""

from __future__ import annotations

from pathlib import Path

from rag.errors import CitewellError


def prompts_dir() -> Path:
    """The folder of the prompt files."""
    return _folder("prompts")


def seeds_dir() -> Path:
    """The folder of the two lists that the sample library is made from."""
    return _folder("seeds")


def _folder(name: str) -> Path:
    """In an installed wheel they lie inside the package, in a checkout beside it."""
    package = Path(__file__).parent
    for folder in (package / "_data" / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise CitewellError(f"The folder {name} of Citewell is missing. Install Citewell again.")
