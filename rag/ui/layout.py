"""Places papers on a plane, like ones near each other, and groups them by topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.types import Paper, Vectors
from rag.ui.topics import pairs

Places = NDArray[np.float64]

# Above this number t-SNE takes longer than a reader waits; landmarks then carry the rest.
_EXACT = 1000
_LANDMARKS = 500
_NEAR = 3
_SEED = 7
_MOST_TOPICS = 12


@dataclass(frozen=True, slots=True)
class Layout:
    """Papers with their places, shape [papers, 2], each from 0 to 1, and their topics."""

    papers: tuple[Paper, ...]
    places: Places
    topics: tuple[int, ...]
    names: tuple[str, ...]


def lay_out(papers: Sequence[Paper], vectors: Vectors) -> Layout:
    """The map of a library; the same papers always give the same map."""
    unit = _unit(vectors)
    groups = _groups(unit)
    names = _names(papers, groups)
    return Layout(tuple(papers), _scaled(_places(unit)), tuple(map(int, groups)), names)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) if len(vectors) else vectors
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)


def _places(unit: Vectors) -> Places:
    if len(unit) < 4:
        return np.array([[i, 0.0] for i in range(len(unit))]).reshape(-1, 2)
    if len(unit) <= _EXACT:
        return _embedded(unit)
    return _by_landmarks(unit)


def _embedded(unit: Vectors) -> Places:
    from sklearn.manifold import TSNE

    perplexity = min(30.0, (len(unit) - 1) / 3)
    places = TSNE(perplexity=perplexity, init="pca", random_state=_SEED).fit_transform(unit)
    return np.asarray(places, np.float64)


def _by_landmarks(unit: Vectors) -> Places:
    """Each paper between its nearest landmarks, moved a little so that none cover others."""
    from sklearn.cluster import MiniBatchKMeans

    centres = MiniBatchKMeans(_LANDMARKS, random_state=_SEED, n_init=1).fit(unit).cluster_centers_
    anchors = _embedded(_unit(centres))
    likeness = unit @ _unit(centres).T
    near = np.argpartition(-likeness, _NEAR, axis=1)[:, :_NEAR]
    weights = np.exp(20 * np.take_along_axis(likeness, near, axis=1))
    weights /= weights.sum(axis=1, keepdims=True)
    places = (anchors[near] * weights[:, :, None]).sum(axis=1)
    spread = np.ptp(anchors, axis=0) / np.sqrt(_LANDMARKS) / 3
    jitter = np.random.default_rng(_SEED).normal(size=places.shape)
    return np.asarray(places + jitter * spread, np.float64)


def _scaled(places: Places) -> Places:
    if not len(places):
        return places
    middle, span = (places.max(axis=0) + places.min(axis=0)) / 2, np.ptp(places, axis=0)
    return np.asarray(0.5 + 0.92 * (places - middle) / np.maximum(span, 1e-9), np.float64)


def _groups(unit: Vectors) -> NDArray[np.int64]:
    if len(unit) < 6:
        return np.zeros(len(unit), np.int64)
    from sklearn.cluster import MiniBatchKMeans

    count = int(np.clip(np.sqrt(len(unit) / 2), 3, _MOST_TOPICS))
    found = MiniBatchKMeans(count, random_state=_SEED, n_init=5).fit_predict(unit)
    return np.asarray(found, np.int64)


def _names(papers: Sequence[Paper], groups: NDArray[np.int64]) -> tuple[str, ...]:
    """Two words that many papers of a group share and few others have."""
    inside: dict[int, Counter[str]] = {}
    overall: Counter[str] = Counter()
    for paper, group in zip(papers, groups, strict=True):
        found = pairs(paper.text)
        inside.setdefault(int(group), Counter()).update(found)
        overall.update(found)
    taken: set[str] = set()
    names = []
    for group in range(int(groups.max(initial=-1)) + 1):
        scores = inside.get(group, Counter())
        ranked = sorted(scores, key=lambda pair: (-(scores[pair] ** 2) / overall[pair], pair))
        name = next((pair for pair in ranked if pair not in taken), f"group {group + 1}")
        taken.add(name)
        names.append(name)
    return tuple(names)
