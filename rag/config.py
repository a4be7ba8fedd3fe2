"""All settings in one frozen value, read once at the entry points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

DEFAULT_EMBEDDER = "all-MiniLM-L6-v2"
DEFAULT_MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m"


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one run. Sizes are in bytes, lengths in tokens."""

    data_dir: Path
    cache_dir: Path
    library: Path
    store: str | None = None
    embedder: str = DEFAULT_EMBEDDER
    reranker: Path | None = None
    model: str = DEFAULT_MODEL
    model_sources: tuple[str, ...] = ("hub", "wheels")
    hub_url: str | None = None
    threads: int | None = None
    context_tokens: int = 4096
    state_memory_bytes: int = 512 * 2**20
    state_disk_bytes: int = 4 * 2**30
    api_key: str | None = field(default=None, repr=False)

    @classmethod
    def from_environment(
        cls,
        environ: Mapping[str, str],
        *,
        library: str | None = None,
        store: str | None = None,
        embedder: str | None = None,
        reranker: str | None = None,
        model: str | None = None,
    ) -> Config:
        """Read CITEWELL_* variables; a value given on the command line wins.

        CITEWELL_DATA and CITEWELL_CACHE move the data and cache folders,
        CITEWELL_LIBRARY, CITEWELL_STORE, CITEWELL_EMBEDDER and CITEWELL_MODEL stand for
        the options of the same name, CITEWELL_MODEL_SOURCES orders the places models are
        fetched from, CITEWELL_HUB_URL names another hub, CITEWELL_THREADS sets the cores, and
        CITEWELL_API_KEY is the key for a model server.
        """
        data_dir = Path(environ.get("CITEWELL_DATA") or platformdirs.user_data_path("citewell"))
        cache_dir = Path(environ.get("CITEWELL_CACHE") or platformdirs.user_cache_path("citewell"))
        chosen = library or environ.get("CITEWELL_LIBRARY")
        sources = environ.get("CITEWELL_MODEL_SOURCES", "hub,wheels")
        threads = environ.get("CITEWELL_THREADS", "")
        return cls(
            data_dir=data_dir.absolute(),
            cache_dir=cache_dir.absolute(),
            library=(Path(chosen) if chosen else data_dir / "library").absolute(),
            store=store or environ.get("CITEWELL_STORE") or None,
            embedder=embedder or environ.get("CITEWELL_EMBEDDER") or DEFAULT_EMBEDDER,
            reranker=Path(reranker).absolute() if reranker else None,
            model=model or environ.get("CITEWELL_MODEL") or DEFAULT_MODEL,
            model_sources=tuple(s.strip() for s in sources.split(",") if s.strip()),
            hub_url=environ.get("CITEWELL_HUB_URL") or None,
            threads=int(threads) if threads.isdigit() else None,
            api_key=environ.get("CITEWELL_API_KEY") or None,
        )

    @property
    def models_dir(self) -> Path:
        """Where downloaded models live."""
        return self.data_dir / "models"

    @property
    def wheels_dir(self) -> Path:
        """Where wheels that were built on this machine live."""
        return self.cache_dir / "wheels"
