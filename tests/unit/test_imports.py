"""Data flows one way: who may import whom, and where the slow libraries are imported."""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STAGES = ("corpus", "index", "llm", "answer", "ui")
GROUND = {"types", "errors", "config", "text", "export"}
# These wire the stages together, so they import across.
WIRING = {"rag.answer.chat", "rag.ui.app"}
SLOW = ("chromadb", "llama_cpp", "sentence_transformers", "gradio")


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> set[str]:
    """Names of the modules that a file imports, at its top or in a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = name_of(path).split(".")[: -node.level or None] if node.level else []
            module = ".".join([*package, *([node.module] if node.module else [])])
            found.add(module)
            found.update(f"{module}.{alias.name}" for alias in node.names)
    return found


MODULES = sorted((ROOT / "rag").rglob("*.py"))
STAGED = [
    path
    for path in MODULES
    if path.parent not in (ROOT / "rag", ROOT / "rag/commands") and name_of(path) not in WIRING
]


def allowed(stage: str, module: str) -> bool:
    if not module.startswith("rag."):
        return True
    return module.split(".")[1] in {*GROUND, stage}


@pytest.mark.parametrize("path", STAGED, ids=name_of)
def test_a_stage_imports_only_itself_and_the_ground(path):
    stage = name_of(path).split(".")[1]
    assert stage in STAGES
    across = {module for module in imported(path) if not allowed(stage, module)}
    assert not across


def test_types_and_errors_import_nothing_of_ours():
    for module in ("types", "errors"):
        assert not [m for m in imported(ROOT / f"rag/{module}.py") if m.split(".")[0] == "rag"]


@pytest.mark.parametrize("library", SLOW)
def test_a_slow_library_is_imported_in_one_module(library):
    users = defaultdict(set)
    for path in MODULES:
        for module in imported(path):
            users[module.split(".")[0]].add(name_of(path))
    assert len(users[library]) == 1, users[library]


def test_the_entry_points_start_without_any_slow_library():
    entries = ("rag.cli", "rag.doctor", "rag.library", "rag.llm.gguf", "rag.ui.app", "app")
    code = f"import sys, {', '.join(entries)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not {*SLOW, "torch", "transformers", "huggingface_hub"} & set(done.stdout.split())
