"""Find the files to read, and read each into records, whatever its encoding and format."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from charset_normalizer import from_bytes

from rag.corpus.readers import bibtex, json_, markdown, pdf, plain, table, tagged, xml_
from rag.errors import UsageError
from rag.types import Record, Skip

Records = Iterator[Record | Skip]
_MARKS = (("utf-8", b"\xef\xbb\xbf"), ("utf-16", b"\xff\xfe"), ("utf-16", b"\xfe\xff"))
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_NOT_TEXT = {b"PK\x03\x04": "a zip archive or office document", b"\x89PNG": "a picture",
             b"\xff\xd8\xff": "a picture", b"SQLite": "a database"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read: `shown` is its name within the folder that was asked for.

    `root` is that folder, or None where the file itself was named. One that is `closed` is a
    folder below it that cannot be listed; reading it says so.
    """

    path: Path
    shown: str
    root: Path | None = None
    closed: bool = False

    @property
    def kept(self) -> Path:
        """The path as it can be written down, whatever bytes the name is made of."""
        return Path(_printable(self.path))


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
        return [Found(path, _printable(Path(path.name)))]
    if not path.is_dir():
        raise UsageError(f"There is no file or folder {path}. Check the name and try again.")
    closed: list[Path] = []
    files: list[Path] = []
    # A folder that cannot be listed must not look like one whose files are gone.
    for folder, below, names in os.walk(path, onerror=lambda e: closed.append(Path(e.filename))):
        below[:] = [name for name in below if not name.startswith(".")]
        inside = (Path(folder, name) for name in names if not name.startswith("."))
        files += filter(_may_be_file, inside)
    found = [Found(p, _printable(p.relative_to(path)), path) for p in files]
    found += [Found(p, _printable(p.relative_to(path)), path, closed=True) for p in closed]
    return sorted(found, key=lambda item: item.path)


def _may_be_file(path: Path) -> bool:
    """Whether it is a file, or cannot be looked at: then reading it says why."""
    try:
        return path.is_file()
    except OSError:
        return True


def _printable(path: Path) -> str:
    """A path as text, with bytes that are no UTF-8 as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def digest(path: Path) -> bytes:
    """Return the SHA-256 of a file's bytes; of an unreadable one, that of nothing."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").digest()
    except OSError:
        return b""


def read(found: Found) -> Records:
    """Yield the records of a file, and a Skip for each part that cannot be used.

    A file that cannot be used at all gives one Skip, at the place "file".
    """
    if found.closed:
        yield Skip(found.shown, "file", "the folder cannot be listed; check who may read it")
        return
    try:
        with _open(found.path) as stream:
            if _name(found).endswith(_LINES):
                yield from _json_lines(stream, found.shown)
            else:
                yield from _parse(stream.read(), found)
    except (OSError, EOFError, zlib.error) as error:
        yield Skip(found.shown, "file", f"cannot be read: {_reason(error)}")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _open(path: Path) -> BinaryIO:
    stream = path.open("rb")
    if stream.read(2) == b"\x1f\x8b":
        stream.close()
        return io.BufferedReader(gzip.open(path, "rb"))
    stream.seek(0)
    return stream


def _name(found: Found) -> str:
    return found.path.name.lower().removesuffix(".gz")


def _json_lines(stream: BinaryIO, shown: str) -> Records:
    """Read a file of one object a line without holding it whole."""
    start = stream.peek(4)[:4] if isinstance(stream, io.BufferedReader) else b""
    if any(start.startswith(mark) for name, mark in _MARKS if name != "utf-8"):
        yield from json_.read(decode(stream.read()), shown)
        return
    empty = True
    with io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace") as lines:
        for record in json_.read_lines(lines, shown):
            empty = False
            yield record
    if empty:
        yield Skip(shown, "file", "no text in it")


def _parse(data: bytes, found: Found) -> Records:
    if data[:1024].lstrip().startswith(b"%PDF"):
        yield from pdf.read(data, found.shown)
        return
    kind = next((kind for mark, kind in _NOT_TEXT.items() if data.startswith(mark)), None)
    text = "" if kind else decode(data)
    if kind or _is_binary(text):
        yield Skip(found.shown, "file", f"not a text file but {kind or 'binary data'}")
    elif not text.strip():
        yield Skip(found.shown, "file", "no text in it")
    else:
        yield from _read_text(text, found)


def _read_text(text: str, found: Found) -> Records:
    """Choose the reader by what the text looks like; its name decides between the last two."""
    name, shown = _name(found), found.shown
    if xml_.fits(text):
        return xml_.read(text, shown)
    if json_.fits(text):
        return json_.read(text, shown)
    if tagged.fits(text):
        return tagged.read(text, shown)
    if bibtex.fits(text):
        return bibtex.read(text, shown)
    if table.fits(text) or name.endswith((".csv", ".tsv", ".tab")):
        return table.read(text, shown)
    if name.endswith((".md", ".markdown")) and markdown.fits(text):
        return markdown.read(text, shown)
    return plain.read(text, shown)


def _is_binary(text: str) -> bool:
    sample = text[:4000]
    return sum(c < " " and c not in "\n\t\f\v\x1b" for c in sample) > len(sample) / 50


def decode(data: bytes) -> str:
    """Return the text of `data`: by its byte order mark, as UTF-8 or UTF-16, or as guessed."""
    for name, mark in _MARKS:
        if data.startswith(mark):
            return _lines(data.decode(name, errors="replace"))
    zeros = data[:400].count(0)
    if zeros > len(data[:400]) / 4:
        little = data[1:400:2].count(0) >= data[:400:2].count(0)
        return _lines(data.decode("utf-16-le" if little else "utf-16-be", errors="replace"))
    try:
        return _lines(data.decode("utf-8"))
    except UnicodeDecodeError:
        return _lines(_guess(data))


def _guess(data: bytes) -> str:
    """Decode what is not UTF-8: Western unless the guess is another with few odd letters."""
    western = data.decode("cp1252", errors="replace")
    odd = sum(ord(c) > 127 for c in western)
    if odd < len(western) / 10:
        return western
    best = from_bytes(data).best()
    return str(best) if best else western


def _lines(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
