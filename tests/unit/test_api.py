"""The names that the package hands to programs, and what naming them costs."""

import subprocess
import sys

import pytest

import rag

SLOW = {"torch", "gradio", "chromadb", "llama_cpp", "sentence_transformers", "numpy", "click"}


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, rag; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not SLOW & set(done.stdout.split())


def test_the_names_are_those_of_the_documentation():
    assert rag.Library is not None
    assert set(rag.__all__) == {"Chat", "Library", "Scope"}
    with pytest.raises(AttributeError, match="Libary"):
        rag.Libary  # noqa: B018
