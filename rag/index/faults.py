"""Say what to do where the machine, and not Citewell, is why a library cannot be used."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.errors import CitewellError


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Say what to do where a folder cannot be written, or its disk is full."""
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        full = "full" in str(error) or getattr(error, "errno", None) == errno.ENOSPC
        if full:
            raise CitewellError(
                f"The disk that holds {folder} is full. Papers reported as committed are safe. "
                "Free some space and give the same command again."
            ) from error
        if "readonly" in str(error) or not os.access(_existing(folder), os.W_OK):
            raise CitewellError(
                f"The library {folder} cannot be written. Give yourself the right to write there, "
                "or copy the library to another folder and name it with --library."
            ) from error
        raise


def _existing(folder: Path) -> Path:
    return next(p for p in (folder, *folder.parents) if p.exists())
