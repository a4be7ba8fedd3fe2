"""Headers of weight files, damaged on purpose."""

import struct

import pytest

from rag.llm.weights import gguf_extent

WHOLE = b"GGUF" + struct.pack("<IQQ", 3, 1, 1)
KEY = struct.pack("<Q", 3) + b"key"
NESTED = struct.pack("<IQ", 9, 1) * 5000


@pytest.mark.parametrize(
    "rest",
    [
        b"",
        struct.pack("<Q", 2**63) + b"x" * 100,
        struct.pack("<Q", 2**45) + b"x" * 100,
        KEY + struct.pack("<IIQ", 9, 4, 2**62) + b"x" * 100,
        KEY + struct.pack("<IIQ", 9, 8, 2**62) + b"x" * 100,
        KEY + struct.pack("<I", 9) + NESTED,
        KEY + struct.pack("<II", 4, 0) + KEY + struct.pack("<I", 2**32 - 1),
        KEY + struct.pack("<I", 77),
    ],
    ids=["nothing", "key past 2**63", "key past the end", "array of numbers past the end",
         "array of strings past the end", "arrays in arrays", "dimensions", "unknown kind"],
)  # fmt: skip
def test_a_damaged_header_counts_as_a_file_that_is_too_short(tmp_path, rest):
    path = tmp_path / "model.gguf"
    path.write_bytes(WHOLE + rest)
    assert gguf_extent(path) == len(WHOLE + rest) + 1


def test_a_file_of_another_kind_is_none(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"<html>")
    assert gguf_extent(path) is None
