"""Notice a local vector store that is gone, damaged or of another version, without opening it.

A truncated vector file ends the whole process when Chroma first touches it. So the files
are compared with what they were when last written; only where they differ is the store
tried out, in a process of its own.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

_DATABASE = "chroma.sqlite3"
_PROBE_SECONDS = 300
_PROBE = """
import sys
import chromadb
from chromadb.config import Settings

client = chromadb.PersistentClient(sys.argv[1], Settings(anonymized_telemetry=False))
collection = client.get_collection(sys.argv[2], embedding_function=None)
assert collection.count() >= int(sys.argv[3])
for vector in collection.get(limit=1, include=["embeddings"])["embeddings"]:
    collection.query(query_embeddings=[vector], n_results=5)
"""


def fingerprint(folder: Path) -> str:
    """Return the version of Chroma and the sizes of its files, as one line."""
    paths = [*sorted(folder.rglob("*.bin")), *folder.glob(_DATABASE)]
    files = {str(path.relative_to(folder)): path.stat().st_size for path in paths}
    return json.dumps({"chromadb": importlib.metadata.version("chromadb"), "files": files})


def is_usable(folder: Path, collection: str, at_least: int) -> bool:
    """Whether the store can be used, and its collection has `at_least` so many vectors."""
    if not (folder / _DATABASE).is_file():
        return False
    command = [sys.executable, "-c", _PROBE, str(folder), collection, str(at_least)]
    try:
        probe = subprocess.run(command, capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return probe.returncode == 0
