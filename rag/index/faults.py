"""Say what to do where a library's files cannot be used: gone, full, not writable, damaged."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.errors import (
    CitewellError,
    DiskFull,
    LibraryBusy,
    LibraryDamaged,
    LibraryGone,
    LibraryReadOnly,
)

_ROOM_BYTES = 1 << 20
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_HELD = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Raise a CitewellError in place of a failure of the files in `folder` that has a cure."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        cured = outer_cause(folder, error) or _of_sqlite(folder, error)
        if cured is None:
            raise
        raise cured from error


def outer_cause(folder: Path, error: Exception) -> CitewellError | None:
    """The error to raise where the disk or the user's rights are the cause of a failure."""
    if not folder.exists():
        return gone(folder)
    if _is_full(folder, error):
        return DiskFull(
            f"The disk that holds {folder} is full. Papers reported as committed are safe. "
            "Free some space and give the same command again."
        )
    if "readonly database" in str(error) or is_read_only(folder):
        return read_only(folder)
    return None


def gone(folder: Path) -> LibraryGone:
    """The error where a folder was there and is not any more."""
    return LibraryGone(
        f"{folder} was moved or deleted while Citewell was using it. Put it back, or index your "
        "files again; then start Citewell again."
    )


def read_only(folder: Path) -> LibraryReadOnly:
    """The error where a folder is to be written and cannot be."""
    return LibraryReadOnly(
        f"The library {folder} cannot be written; it can only be searched and asked. Give "
        "yourself the right to write there, or copy the library to another folder and name that "
        "with --library."
    )


def unmendable(folder: Path) -> LibraryReadOnly:
    """The error where vectors must be made anew in a folder that cannot be written."""
    return LibraryReadOnly(
        f"The vectors of the library {folder} are missing or damaged, and cannot be made anew, "
        "since the folder cannot be written. Give yourself the right to write there, or copy the "
        "library to another folder and name that with --library."
    )


def damaged(path: Path, reason: object) -> LibraryDamaged:
    """The error where the record cannot be read."""
    return LibraryDamaged(
        f"The record {path} is damaged ({reason}). Put back a copy of that file, or move the "
        "folder away and index your files again."
    )


def is_read_only(folder: Path) -> bool:
    """Whether neither the folder, nor the nearest one above where it is to be made, is writable."""
    return not os.access(nearest(folder), os.W_OK | os.X_OK)


def has_room(folder: Path) -> bool:
    """Whether the disk of an existing folder has room to work with."""
    return shutil.disk_usage(folder).free >= _ROOM_BYTES


def nearest(folder: Path) -> Path:
    """The folder, or the first above it that is there."""
    return next(p for p in (folder, *folder.parents) if p.exists())


def _is_full(folder: Path, error: Exception) -> bool:
    if getattr(error, "errno", None) in _NO_ROOM:
        return True
    said = str(error).lower()
    if "is full" in said or "no space left" in said:
        return True
    return not has_room(folder)


def _of_sqlite(folder: Path, error: Exception) -> CitewellError | None:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BROKEN or str(error).startswith(("no such table", "no such column")):
        return damaged(folder, error)
    if code in _HELD:
        return LibraryBusy(
            f"Another program holds the record in {folder}. Close it, then try again."
        )
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return CitewellError(
            f"The record in {folder} could not be read or written ({error}). Papers reported as "
            "committed are safe. See that the disk is connected and has room, then try again."
        )
    return None
