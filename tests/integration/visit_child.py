"""Use a library in a process of few rights, and say what became of it; vectors are hashes."""

# ruff: noqa: T201 - its output is what the test reads

import json
import os
import sys
from pathlib import Path

from rag.config import Config
from rag.errors import CitewellError
from rag.library import Library
from tests.integration.crash_child import use_hashes


def tried(use):
    try:
        return use()
    except CitewellError as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    use_hashes()
    folder = Path(sys.argv[1])
    said = {}
    with Library.open(Config.from_environment(os.environ)) as library:
        library._indexes._find = lambda name: folder
        said["papers"] = library.count()
        said["listed"] = len(library.papers())
        wanted = library.papers()[3].text
        said["wanted"] = wanted
        said["found"] = tried(lambda: library.search(wanted, k=1)[0].paper.text)
        said["refused"] = tried(lambda: str(library.index([folder])))
    print(json.dumps(said))


if __name__ == "__main__":
    main()
