"""Index on a small disk until it is full, read there, then go on with more room."""

# ruff: noqa: T201 - its output is what the test reads

import json
import os
import subprocess
import sys
from pathlib import Path

import rag.index.indexes
from rag.config import Config
from tests.integration.crash_child import open_library, use_hashes
from tests.integration.visit_child import tried


def fill_disk(path: Path) -> None:
    with path.open("wb", buffering=0) as out:
        try:
            while True:
                out.write(bytes(4096))
        except OSError:
            return


def main() -> None:
    use_hashes()
    rag.index.indexes._BATCH = 64
    config, lists = Config.from_environment(os.environ), Path(sys.argv[1])
    disk = config.library.parent
    committed = []

    def index():
        with open_library(config, lists) as library:
            library.index([lists], on_commit=committed.extend)
            return library.count()

    def kept():
        with open_library(config, lists) as library:
            return set(committed) <= {paper.paper_id for paper in library.papers()}

    def found():
        with open_library(config, lists) as library:
            return len(library.search("word1 word2", k=3))

    said = {"index": tried(index), "committed": len(committed)}
    fill_disk(disk / "filler")
    said |= {"kept when full": tried(kept), "found when full": tried(found)}
    (disk / "filler").unlink()
    subprocess.run(["mount", "-o", "remount,size=400m", str(disk)], check=True)
    print(json.dumps({**said, "kept": tried(kept), "then": tried(index)}))


if __name__ == "__main__":
    main()
