"""What the encoder is spared."""

from pathlib import Path

import numpy as np
import pytest

from rag.index.embedder import LocalEmbedder


@pytest.fixture
def embedder():
    """One whose encoder only notes what it is given."""
    own = LocalEmbedder(Path("nowhere"), "noting")
    own.given = []

    def embed(texts):
        own.given.append(list(texts))
        return np.array([[float(len(text)), 0.0] for text in texts], np.float32)

    own.embed_passages = embed
    own.count_tokens = lambda texts: [1] * len(texts)
    return own


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(LocalEmbedder, "max_tokens", 256)


def test_a_question_that_is_asked_again_is_not_encoded_again(embedder):
    first = embedder.embed_queries(["why"])
    again = embedder.embed_queries(["why"])
    assert np.array_equal(first, again)
    assert embedder.given == [["why"]]


def test_what_a_caller_does_to_a_vector_does_not_change_the_next_one(embedder):
    embedder.embed_queries(["why"])[0, 0] = 9.0
    assert embedder.embed_queries(["why"])[0, 0] == 1.0


def test_several_texts_are_encoded_together(embedder):
    embedder.embed_queries(["a", "bb"])
    embedder.embed_queries(["a", "bb"])
    assert embedder.given == [["a", "bb"], ["a", "bb"]]


def test_long_texts_go_through_the_encoder_in_smaller_batches():
    sizes = []

    class Noting:
        def encode(self, texts, batch_size, **_):
            sizes.append(batch_size)
            return np.ones((len(texts), 4), np.float32)

    own = LocalEmbedder(Path("nowhere"), "noting")
    own._loaded = Noting()
    own.embed_passages(["short", "x" * 100])
    own.embed_passages(["x" * 1500])
    own.embed_passages([""])
    assert sizes == [80, 8, 8000]
