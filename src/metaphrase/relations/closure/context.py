"""What contextual vectors say about a left-over word: how alike it is to what might be its counterpart.

Vectors of one sentence all share a large common part, so the mean of both translations is taken off before words are compared.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    result = []
    for word in left:
        other = 1 - word.side
        row = alike[word.index] if word.side == 0 else alike[:, word.index]
        mass = chosen[word.side][word.index]
        best_free = _best(row, free[other])
        mutual = 0.0
        if len(free[other]):
            partner = int(free[other][row[free[other]].argmax()])
            back = alike[:, partner] if word.side == 0 else alike[partner]
            mutual = best_free * float(back[word.index] >= back[free[word.side]].max())
        slot = np.array(comparison.slot(word.side, word.index), dtype=np.int64)
        taken = np.setdiff1d(np.arange(len(row)), free[other])
        result.append(
            {
                "context-best": _best(row, np.arange(len(row))),
                "context-left": best_free,
                "context-mutual": mutual,
                "context-slot": _best(row, slot),
                "context-rendering": _best(row, np.array(word.renderings, dtype=np.int64)),
                "context-taken": _best(row, taken),
                "context-mass-left": float(mass[free[other]].sum()),
                "context-mass-slot": float(mass[slot].sum()),
            }
        )
    return result


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
