"""Prompts and sample lists are found in a checkout and in an installed wheel."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from rag import resources
from rag.errors import CitewellError
from rag.resources import prompts_dir, seeds_dir

ROOT = Path(__file__).parents[2]


def test_the_checkout_has_both_folders():
    assert (prompts_dir(), seeds_dir()) == (ROOT / "prompts", ROOT / "seeds")


def test_a_missing_folder_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "rag" / "resources.py"))
    with pytest.raises(CitewellError, match="Install Citewell again"):
        prompts_dir()


def test_every_package_is_named_for_the_wheel():
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    there = {
        ".".join(path.parent.relative_to(ROOT).parts) for path in ROOT.glob("rag/**/__init__.py")
    }
    assert there == {name for name in named if not name.startswith("rag._data")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    pytest.importorskip("setuptools")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("rag", "prompts", "seeds", "app.py", "pyproject.toml", "README.md", "LICENSE"):
        (source / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_prompts_seeds_page_and_app(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "app.py" in names
    for folder, inside in (("prompts", "rag/_data/prompts"), ("seeds", "rag/_data/seeds")):
        wanted = {f"{inside}/{p.name}" for p in (ROOT / folder).glob("*.txt")}
        assert wanted
        assert wanted <= set(names)
    for file in (ROOT / "rag/ui/static").iterdir():
        assert f"rag/ui/static/{file.name}" in names


def test_an_installed_wheel_finds_its_own_prompts(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = "from rag.resources import *; print(prompts_dir()); print(seeds_dir())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path.parent,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [
        str(tmp_path / "rag/_data/prompts"),
        str(tmp_path / "rag/_data/seeds"),
    ]
