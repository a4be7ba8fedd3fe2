"""Opens the browser chat on http://127.0.0.1:7860, as `citewell serve` does."""

import sys

from rag.cli import main

if __name__ == "__main__":
    main(["serve", *sys.argv[1:]])
