"""Reads the headers of weight files to tell a whole file from a part, a pointer or junk.

GGUF: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3).
safetensors: https://github.com/huggingface/safetensors#format.
"""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import BinaryIO

_POINTER = b"version https://git-lfs"
_ARRAY, _STRING = 9, 8
_MOST_DIMENSIONS = 4
_WIDTH = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


def is_pointer(path: Path) -> bool:
    """Whether the file is the short text that Git LFS leaves in place of a large file."""
    with path.open("rb") as file:
        return file.read(len(_POINTER)) == _POINTER


def gguf_extent(path: Path) -> int | None:
    """Bytes that the file has at least, by the offsets in its header; None if not GGUF.

    A header that ends before it should counts as a file that is one byte short.
    """
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            return None
        try:
            return _last_tensor(file)
        except (struct.error, KeyError, EOFError, RecursionError):
            return path.stat().st_size + 1


def safetensors_extent(path: Path) -> int | None:
    """Bytes that the file has by its header; None when it is not safetensors."""
    with path.open("rb") as file:
        start = file.read(8)
        if len(start) < 8:
            return None
        length = struct.unpack("<Q", start)[0]
        if length > path.stat().st_size:
            return None
        return _safetensors_end(file.read(length))


def _safetensors_end(header: bytes) -> int | None:
    try:
        tensors = json.loads(header)
        ends = [t["data_offsets"][1] for name, t in tensors.items() if name != "__metadata__"]
    except (ValueError, AttributeError, KeyError, TypeError, IndexError):
        return None
    return 8 + len(header) + max(ends, default=0)


def _last_tensor(file: BinaryIO) -> int:
    _, tensors, pairs = _unpack(file, "<IQQ")
    for _ in range(pairs):
        _skip_string(file)
        _skip_value(file, _unpack(file, "<I")[0])
    furthest = 0
    for _ in range(tensors):
        _skip_string(file)
        dimensions = _unpack(file, "<I")[0]
        if dimensions > _MOST_DIMENSIONS:
            raise EOFError
        *_, offset = _unpack(file, f"<{dimensions}QIQ")
        furthest = max(furthest, offset)
    return file.tell() + furthest


def _unpack(file: BinaryIO, form: str) -> tuple[int, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _skip(file: BinaryIO, count: int) -> None:
    if count > os.fstat(file.fileno()).st_size - file.tell():
        raise EOFError
    file.seek(count, os.SEEK_CUR)


def _skip_string(file: BinaryIO) -> None:
    _skip(file, _unpack(file, "<Q")[0])


def _skip_value(file: BinaryIO, kind: int) -> None:
    if kind == _STRING:
        _skip_string(file)
    elif kind == _ARRAY:
        _skip_array(file, *_unpack(file, "<IQ"))
    else:
        _skip(file, _WIDTH[kind])


def _skip_array(file: BinaryIO, kind: int, count: int) -> None:
    if kind in _WIDTH:
        _skip(file, _WIDTH[kind] * count)
    else:
        for _ in range(count):
            _skip_value(file, kind)
