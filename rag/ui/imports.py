"""Takes files and text from the page into the library's own folder, and indexes them."""

from __future__ import annotations

import queue
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Thread

from rag.errors import CitewellError, UsageError
from rag.ui.library_html import AccountLike, account_html, failure_html, progress_html

_UNSAFE = re.compile(r"[^\w.() -]+")
_LONGEST_NAME = 100
_MOST_FILES = 200
_MOST_TEXT = 5_000_000
Index = Callable[[Sequence[Path], Callable[[int, int], None]], AccountLike]


def keep_files(uploads: Sequence[str], folder: Path, endings: Sequence[str]) -> list[Path]:
    """Copy uploaded files into `folder` under safe names. Raises UsageError."""
    if len(uploads) > _MOST_FILES:
        raise UsageError(f"At most {_MOST_FILES} files at once. Put them in a folder and index it.")
    wrong = [name for name in map(safe_name, uploads) if not name.lower().endswith(tuple(endings))]
    if wrong:
        raise UsageError(f"{wrong[0]} is of no kind that can be read: {', '.join(endings)}.")
    folder.mkdir(parents=True, exist_ok=True)
    return [_keep(Path(upload), folder) for upload in uploads]


def keep_text(text: str, folder: Path) -> list[Path]:
    """Write pasted text into `folder` as a file of its own. Raises UsageError."""
    if not text.strip():
        raise UsageError("Paste some text first.")
    if len(text) > _MOST_TEXT:
        raise UsageError("This text is too long to paste. Save it as a file, and add the file.")
    folder.mkdir(parents=True, exist_ok=True)
    path = _free(folder, f"pasted {time.strftime('%Y-%m-%d %H.%M')}{_ending(text)}")
    path.write_text(text, encoding="utf-8")
    return [path]


def safe_name(upload: str) -> str:
    """The last part of a file's name, without signs that mean something to a file system."""
    name = _UNSAFE.sub("_", upload.replace("\\", "/").rsplit("/", 1)[-1]).strip(". ")
    return name[-_LONGEST_NAME:] or "file"


def run_import(index: Index, paths: Sequence[Path]) -> Iterator[str]:
    """Index files in a thread; yields HTML that says how far it has come, and the account."""
    news: queue.Queue[tuple[int, int] | AccountLike | Exception] = queue.Queue()

    def work() -> None:
        try:
            news.put(index(paths, lambda done, total: news.put((done, total))))
        except Exception as error:
            news.put(error)

    Thread(target=work, name="citewell-import", daemon=True).start()
    yield progress_html("Reading")
    while isinstance(item := _latest(news), tuple):
        yield progress_html(f"Indexed {item[0]:,} of {item[1]:,} papers", *item)
    if isinstance(item, CitewellError):
        yield failure_html(str(item))
    elif isinstance(item, Exception):
        yield failure_html(f"The import failed: {item}. What was indexed before it is safe.")
    else:
        yield account_html(item, [path.name for path in paths])


def _latest(
    news: queue.Queue[tuple[int, int] | AccountLike | Exception],
) -> tuple[int, int] | AccountLike | Exception:
    item = news.get()
    while isinstance(item, tuple) and not news.empty():
        item = news.get()
    return item


def _keep(upload: Path, folder: Path) -> Path:
    name, content = safe_name(upload.name), upload.read_bytes()
    same = folder / name
    if same.exists() and same.read_bytes() == content:
        return same
    path = _free(folder, name)
    shutil.copyfile(upload, path)
    return path


def _free(folder: Path, name: str) -> Path:
    path, number = folder / name, 1
    while path.exists():
        number += 1
        path = folder / f"{Path(name).stem} ({number}){Path(name).suffix}"
    return path


def _ending(text: str) -> str:
    start = text.lstrip()
    if start.startswith("@"):
        return ".bib"
    if re.match(r"TY  ?-", start):
        return ".ris"
    if start.startswith(("{", "[")):
        return ".json"
    return ".txt"
