from __future__ import annotations

from pathlib import Path

from rag.config import Config
from rag.machine import LocalMachine
from rag.ui.backend import Backend


def machine(folder: Path, **settings: str) -> LocalMachine:
    config = Config.from_environment({"CITEWELL_DATA": str(folder), **settings})
    return LocalMachine(config, Backend(lambda: None, lambda library: None, "a model"))


def put(folder: Path, name: str, megabytes: int) -> None:
    file = folder / "library" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as out:
        out.truncate(megabytes * 10**6)


def test_the_state_tells_how_much_room_each_part_takes_and_may_take(tmp_path):
    put(tmp_path, "words/index", 1)
    put(tmp_path, "chroma/deep/vectors", 3)
    put(tmp_path, "states/paper", 7)
    facts = dict(machine(tmp_path).facts())
    assert facts["Library"] == f"{tmp_path / 'library'}, 11 MB"
    assert facts["Search index"] == "words 1 MB, vectors 3 MB"
    assert facts["Kept for quick answers"] == "7 MB of at most 4,295 MB of papers already read"


def test_the_state_is_told_while_kept_files_go(tmp_path):
    put(tmp_path, "states/paper", 7)
    (tmp_path / "library" / "states" / "gone").symlink_to(tmp_path / "no such file")
    assert dict(machine(tmp_path).facts())["Kept for quick answers"].startswith("7 MB")


def test_a_store_elsewhere_is_named(tmp_path):
    facts = dict(machine(tmp_path, CITEWELL_STORE="http://127.0.0.1:8000").facts())
    assert facts["Search index"] == "words under 1 MB; vectors in http://127.0.0.1:8000"
