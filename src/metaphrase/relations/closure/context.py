"""What contextual vectors say about a left-over word: how alike it is to what might be its counterpart.

Vectors of one sentence all share a large common part, so the mean of both translations is taken off before words are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from metaphrase.relations.closure.comparison import Comparison
from metaphrase.relations.closure.word_features import LeftOver

__all__ = ["context_features"]

Vectors = NDArray[np.float32]


def context_features(comparison: Comparison, left: Sequence[LeftOver], vectors: tuple[Vectors, Vectors]) -> list[dict[str, float]]:
    """For each left-over word; similarities are cosines, negative ones count as 0."""
    alike, chosen = _similarity(vectors)
    free = [np.array(comparison.left_over(side), dtype=np.int64) for side in (0, 1)]
    stops = {(word.side, word.index) for word in left if word.features["stop"]}
    content = [np.array([k for k in free[side] if (side, int(k)) not in stops], dtype=np.int64) for side in (0, 1)]
    result = []
    for word in left:
        other = 1 - word.side
        row = alike[word.index] if word.side == 0 else alike[:, word.index]
        mass = chosen[word.side][word.index]
        slot = np.array(word.slot, dtype=np.int64)
        best_free = _best(row, free[other])
        gap = 1.0 - max(best_free, _best(row, np.array(word.renderings, dtype=np.int64)))
        result.append(
            {
                "context-best": _best(row, np.arange(len(row))),
                "context-left": best_free,
                "context-left-content": _best(row, content[other]),
                "context-mutual": best_free * _chosen_back(alike if word.side == 0 else alike.T, word.index, free[word.side], free[other]),
                "context-mass-left": float(mass[free[other]].sum()),
                "context-mass-slot": float(mass[slot].sum()),
                "context-gap": gap,
                **{f"context-gap-{name}": gap * value for name, value in _weights(word.features).items()},
            }
        )
    return result


def _weights(known: Mapping[str, float]) -> dict[str, float]:
    """A word that nothing is like means more if it is a rare content word, translates a shared input word, or is lost."""
    content = 1 - known["stop"]
    return {"content": content, "rare": content * known["rarity"], **{name: known[name] for name in ("shared", "edited", "lost")}}


def _chosen_back(alike: Vectors, index: int, own: NDArray[np.int64], others: NDArray[np.int64]) -> float:
    """Whether the most alike left-over word of the other side finds no left-over word of this side more alike."""
    if not len(others):
        return 0.0
    back = alike[:, others[alike[index][others].argmax()]]
    return float(back[index] >= back[own].max())


def _similarity(vectors: tuple[Vectors, Vectors]) -> tuple[Vectors, tuple[Vectors, Vectors]]:
    """Cosines of every pair of words, and how each word would share itself out over the words of the other translation."""
    common = np.concatenate(vectors).mean(axis=0)
    centred = [v - common for v in vectors]
    sides = [v / (np.linalg.norm(v, axis=1, keepdims=True) + 1e-9) for v in centred]
    alike: Vectors = np.asarray(np.maximum(sides[0] @ sides[1].T, 0.0), dtype=np.float32)
    return alike, (_shares(alike), _shares(alike.T))


def _shares(alike: Vectors) -> Vectors:
    """Softmax by row; the factor makes a clearly best word take most."""
    raised = np.exp(12.0 * (alike - alike.max(axis=1, keepdims=True)))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float32)


def _best(row: Vectors, places: NDArray[np.int64]) -> float:
    return float(row[places].max()) if len(places) else 0.0
