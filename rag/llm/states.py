"""Keep the model's state after "prefix + abstract", in memory and on disk, under limits.

An entry on disk is its key's file: a checksum, then the state, compressed not at all (the
bits of a key-value state do not compress). A damaged or foreign entry counts as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_DIGEST = hashlib.blake2b().digest_size


class StateCache:
    """Least recently used states go first, from memory and from disk alike.

    Sizes are bytes. `folder` None keeps everything in memory.
    """

    def __init__(self, memory_bytes: int, folder: Path | None, disk_bytes: int) -> None:
        self._memory: OrderedDict[str, bytes] = OrderedDict()
        self._memory_bytes = memory_bytes
        self._used = 0
        self._folder = folder
        self._disk_bytes = disk_bytes
        self._largest = 0

    def get(self, key: str) -> bytes | None:
        """The state, or None where it must be computed."""
        state = self._memory.get(key)
        if state is None:
            state = self._read(key)
            if state is not None:
                self._remember(key, state)
        else:
            self._memory.move_to_end(key)
        return state

    def put(self, key: str, state: bytes, *, ahead: bool = False) -> None:
        """Keep a state. A full or read-only disk is no error: it is computed again.

        One that is computed `ahead` of any question stays out of memory if the disk has it.
        """
        self._largest = max(self._largest, len(state))
        on_disk = self._write(key, state)
        if not (ahead and on_disk):
            self._remember(key, state)

    def holds(self, key: str) -> bool:
        """Whether the state is at hand, without reading it."""
        path = self._path(key)
        return key in self._memory or (path is not None and path.exists())

    def has_room(self) -> bool:
        """Whether one more state, of the largest size seen so far, can be kept beside all others.

        The disk counts, or the memory where nothing can be written.
        """
        folder = self._folder
        if folder is None or self._disk_bytes < self._largest or not _is_writable(folder):
            return self._used + self._largest <= self._memory_bytes
        used = sum(file.size for file in _files(folder))
        return used + self._largest + _DIGEST <= self._disk_bytes

    def memory_used(self) -> int:
        """Bytes kept in memory."""
        return self._used

    def drop(self, key: str) -> None:
        """Forget a state that turned out not to fit."""
        state = self._memory.pop(key, None)
        self._used -= len(state or b"")
        path = self._path(key)
        if path is not None:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def _remember(self, key: str, state: bytes) -> None:
        if len(state) > self._memory_bytes:
            return
        self._used += len(state) - len(self._memory.pop(key, b""))
        self._memory[key] = state
        while self._used > self._memory_bytes:
            self._used -= len(self._memory.popitem(last=False)[1])

    def _path(self, key: str) -> Path | None:
        return self._folder / f"{key}.state" if self._folder is not None else None

    def _read(self, key: str) -> bytes | None:
        path = self._path(key)
        if path is None:
            return None
        try:
            data = path.read_bytes()
        except OSError:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        state = data[_DIGEST:]
        if hashlib.blake2b(key.encode() + state).digest() != data[:_DIGEST]:
            self.drop(key)
            return None
        return state

    def _write(self, key: str, state: bytes) -> bool:
        """Write a state where the limit allows it; returns whether it is on disk."""
        path = self._path(key)
        if path is None or len(state) + _DIGEST > self._disk_bytes:
            return False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._make_room(path.parent, len(state) + _DIGEST)
            _replace(path, hashlib.blake2b(key.encode() + state).digest(), state)
        except OSError:
            return False
        return True

    def _make_room(self, folder: Path, size: int) -> None:
        found = sorted(_files(folder))
        used = sum(file.size for file in found)
        for file in found:
            if used + size <= self._disk_bytes:
                return
            Path(file.name).unlink(missing_ok=True)
            used -= file.size


class _File(NamedTuple):
    """A file of the folder, ordered by the time of its last use."""

    used_ns: int
    size: int
    name: str


def _files(folder: Path) -> Iterator[_File]:
    """The states, and the beginnings of states, that are there now."""
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(folder):
            # Another program that shares the folder may take a file away at any time.
            with contextlib.suppress(FileNotFoundError):
                if entry.name.endswith((".state", ".part")):
                    found = entry.stat()
                    yield _File(found.st_mtime_ns, found.st_size, entry.path)


def _replace(path: Path, *parts: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as out:
            out.writelines(parts)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _is_writable(folder: Path) -> bool:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return there.is_dir() and os.access(there, os.W_OK)
