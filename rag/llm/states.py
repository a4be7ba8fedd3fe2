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
from pathlib import Path

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

    def put(self, key: str, state: bytes) -> None:
        """Keep a state. A full or read-only disk is no error: it is computed again."""
        self._remember(key, state)
        if self._folder is not None and len(state) <= self._disk_bytes:
            with contextlib.suppress(OSError):
                self._write(key, state)

    def holds(self, key: str) -> bool:
        """Whether the state is at hand, without reading it."""
        path = self._path(key)
        return key in self._memory or (path is not None and path.exists())

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
            os.utime(path)
        except OSError:
            return None
        state = data[_DIGEST:]
        if hashlib.blake2b(key.encode() + state).digest() != data[:_DIGEST]:
            self.drop(key)
            return None
        return state

    def _write(self, key: str, state: bytes) -> None:
        path = self._path(key)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        self._make_room(path.parent, len(state))
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(hashlib.blake2b(key.encode() + state).digest())
                out.write(state)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _make_room(self, folder: Path, size: int) -> None:
        found = sorted(
            (
                (entry.stat().st_mtime_ns, entry.stat().st_size, entry.path)
                for entry in os.scandir(folder)
                if entry.is_file()
            ),
        )
        used = sum(entry[1] for entry in found)
        for _, length, name in found:
            if used + size <= self._disk_bytes:
                return
            Path(name).unlink(missing_ok=True)
            used -= length
