"""Find the files to read and read each into records, whatever its encoding."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from charset_normalizer import from_bytes

from rag.corpus.readers import plain
from rag.errors import UsageError
from rag.types import Record, Skip

Records = Iterator[Record | Skip]


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read: `shown` is its name within the folder that was asked for.

    `root` is that folder, or None where the file itself was named.
    """

    path: Path
    shown: str
    root: Path | None = None


def find(paths: Sequence[Path]) -> list[Found]:
    """Return the files under `paths` in a stable order, hidden ones left out.

    Raises UsageError where a path does not exist.
    """
    found: dict[Path, Found] = {}
    for path in paths:
        for item in _under(path.absolute()):
            found.setdefault(item.path, item)
    return list(found.values())


def _under(path: Path) -> list[Found]:
    if path.is_file():
        return [Found(path, path.name)]
    if not path.is_dir():
        raise UsageError(f"There is no file or folder {path}. Check the name and try again.")
    files = (p for p in sorted(path.rglob("*")) if p.is_file())
    shown = ((p, p.relative_to(path)) for p in files)
    return [Found(p, str(r), path) for p, r in shown if not any(x.startswith(".") for x in r.parts)]


def digest(path: Path) -> bytes:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


def read(found: Found) -> Records:
    """Yield the records of a file, and a Skip for each part that cannot be used."""
    try:
        data = found.path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error) as error:
        yield Skip(found.shown, "file", f"cannot be read: {error}")
        return
    text = decode(data)
    if not text.strip():
        yield Skip(found.shown, "file", "no text in it")
        return
    yield from plain.read(text, found.shown)


def decode(data: bytes) -> str:
    """Return the text of `data`, by its byte order mark, as UTF-8, or as best guessed."""
    for mark, name in (
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if data.startswith(mark):
            return _lines(data.decode(name, errors="replace").removeprefix("\ufeff"))
    try:
        return _lines(data.decode("utf-8"))
    except UnicodeDecodeError:
        best = from_bytes(data).best()
        return _lines(str(best) if best else data.decode("cp1252", errors="replace"))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
