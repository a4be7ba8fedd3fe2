"""The parts of the GGUF adapter that need no model."""

import dataclasses

import pytest

from rag.errors import ModelDamaged, ModelMissing
from rag.llm.gguf import open_model, physical_cores


def test_at_least_one_core_is_used():
    assert physical_cores() >= 1


def test_a_model_that_is_not_there_is_named_with_what_to_do(config):
    with pytest.raises(ModelMissing, match=r"qwen.*citewell models pull"):
        open_model(config)


def test_a_git_lfs_pointer_is_told_from_a_model(config, tmp_path):
    path = tmp_path / "model.gguf"
    path.write_text(
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 98362432\n"
    )
    assert 100 < path.stat().st_size < 140
    with pytest.raises(ModelDamaged, match=r"model\.gguf") as raised:
        open_model(dataclasses.replace(config, model=str(path)))
    message = str(raised.value)
    assert str(path.stat().st_size) in message
    assert "pointer" in message


def test_a_text_file_is_no_model(config, tmp_path):
    path = tmp_path / "model.gguf"
    path.write_text("hello " * 20)
    with pytest.raises(ModelDamaged, match=r"120"):
        open_model(dataclasses.replace(config, model=str(path)))
