"""What all tests share: settings in folders of their own, and the real models where asked for."""

import dataclasses
import os
from pathlib import Path

import pytest

from rag.config import Config
from rag.errors import MissingError
from rag.llm.catalogue import find_embedder, find_model

# As the command does: tests share their cores, and spinning threads make models crawl.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

SMALL_MODEL = "smollm2-135m-instruct-q4_1"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """Settings whose folders are all below the test's own."""
    return Config.from_environment(
        {"CITEWELL_DATA": str(tmp_path / "data"), "CITEWELL_CACHE": str(tmp_path / "cache")}
    )


@pytest.fixture(scope="session")
def installed() -> Config:
    """Settings of this machine with the small chat model; skips where a model is missing.

    In CI a missing model is a failure, so that no test is skipped unseen.
    """
    config = dataclasses.replace(Config.from_environment(os.environ), model=SMALL_MODEL)
    try:
        find_embedder(config, config.embedder)
        find_model(config, config.model)
    except MissingError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
    return config


@pytest.fixture
def real_config(installed: Config, tmp_path: Path) -> Config:
    """The real models with a library of the test's own."""
    return dataclasses.replace(installed, library=tmp_path / "library")
