"""Time the start of the served page and watch its memory, in a process of its own.

Run as `python -m benchmarks.speed_serve`, it is that process: it serves the page as `citewell
serve` does, asks questions, and prints what it saw as JSON. With `--all` it first waits until
every paper has been read ahead, and asks for a list too, so that more states are in memory.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from benchmarks.report import HERE, Result
from benchmarks.speed_turns import conversations, shown

_STEP_S = 0.05
_MOST_S = 900


def measure(model: str, library: Path, *, whole: bool = False, rounds: int = 2) -> Result:
    """Cold start and memory; the second start finds the files in the system's memory.

    With `whole` also how long reading ahead takes, minutes where no paper was read before.
    """
    runs = [_run(model, library, whole) for _ in range(rounds)]
    last = runs[-1]
    most = max(run["memory"] for run in runs)
    rows = (
        ("page, seconds from the start of the process", *(shown(r["page"]) for r in runs)),
        ("library and models loaded, seconds", *(shown(r["ready"]) for r in runs)),
        ("first answer, seconds from the question", *(shown(r["first_answer"]) for r in runs)),
        ("all papers read ahead, seconds from the start", *(shown(r["ahead"]) for r in runs)),
        ("anonymous memory at the most, MB", *(shown(r["memory"] / 1e6, 0) for r in runs)),
    )
    columns = ("what", *(f"start {n}" for n in range(1, rounds + 1)))
    asked = "one question of each kind, all papers read" if whole else "a question and a comparison"
    settings = {"model": model, "papers": str(last["papers"]), "asked": asked}
    figures = {"memory": most, "page": last["page"], "ready": last["ready"]}
    return Result("speed-serve", "Start and memory", columns, rows, settings, figures)


def _run(model: str, library: Path, whole: bool) -> dict[str, float | None]:
    command = [sys.executable, "-m", "benchmarks.speed_serve", *(["--all"] if whole else [])]
    environment = {
        **os.environ, "CITEWELL_MODEL": model, "CITEWELL_LIBRARY": str(library),
        "CITEWELL_BENCH_STARTED": repr(time.time()),
    }  # fmt: skip
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=HERE.parent, env=environment
    )
    found: dict[str, float | None] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Serve, ask, watch, and print the figures."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    began = float(os.environ["CITEWELL_BENCH_STARTED"])
    memory = Memory()
    memory.start()
    from tempfile import TemporaryDirectory

    import uvicorn

    from rag.config import Config
    from rag.machine import LocalMachine
    from rag.ui.app import backend_of, listen
    from rag.ui.conversations import Conversations
    from rag.ui.desk import Desk
    from rag.ui.page import make_app

    config = Config.from_environment(os.environ)
    with TemporaryDirectory() as folder:
        backend = backend_of(config)
        kept = Conversations(Path(folder) / "conversations.sqlite3")
        machine = LocalMachine(config, backend)
        app = make_app(Desk(backend, kept, machine.imports), machine)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        listener = listen("127.0.0.1", 0)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        backend.start()
        threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
        seen = {"page": _when(lambda: _is_there(address), began)}
        seen["ready"] = _when(lambda: backend.ready, began)
        chat = backend.chat(threading.Event())
        if chat is None:
            raise SystemExit(backend.problem)
        single, compare, listing = (questions[0] for _, *questions in conversations(1))
        seen["first_answer"] = _ask(chat, single)
        whole = "--all" in sys.argv
        seen["ahead"] = _when(lambda: _all_read(backend.ahead()), began) if whole else None
        for question in (compare, *([listing] if whole else [])):
            _ask(chat, question)
        seen["papers"] = backend.count() or 0
        seen["memory"] = memory.most
        backend.close()
        server.should_exit = True
    print(json.dumps(seen))


class Memory(threading.Thread):
    """Watches the memory of this process that no file backs, in bytes."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0

    def run(self) -> None:
        while True:
            status = Path("/proc/self/status").read_text()
            found = re.search(r"RssAnon:\s+(\d+) kB", status)
            self.most = max(self.most, int(found[1]) * 1024 if found else 0)
            time.sleep(_STEP_S)


def _ask(chat: object, question: str) -> float:
    started = time.perf_counter()
    for _ in chat.ask(question, ()):  # type: ignore[attr-defined]
        pass
    return time.perf_counter() - started


def _all_read(words: str) -> bool:
    found = re.match(r"([\d,]+) of ([\d,]+)", words)
    return bool(found and (found[1] == found[2] or "no more" in words))


def _is_there(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def _when(true: Callable[[], bool], began: float) -> float:
    """Seconds from `began` until something is true. Raises TimeoutError."""
    while not true():
        if time.time() - began > _MOST_S:
            raise TimeoutError("it took too long")
        time.sleep(_STEP_S)
    return time.time() - began


if __name__ == "__main__":
    main()
