"""What a batch of sentence pairs says about its words: expectation maximisation with evidence as prior.

Both directions of a lexical translation model with a preference for the diagonal (in the family of IBM model 2), all
pairs at once. Nothing is kept between batches.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaphrase.resources.lite.evidence import Matrix

__all__ = ["Posterior", "posteriors"]

Places = NDArray[np.int64]

ITERATIONS = 5
PRIOR = 5.0  # how many sightings full evidence is worth
SMOOTHING = 0.001
NOTHING = 1.0  # weight of "no counterpart", shared out over the vocabulary
DIAGONAL = 4.0  # how steeply the expectation falls with the distance of relative positions


@dataclass(frozen=True, slots=True)
class Posterior:
    """`forward[i, j]`: target word j comes from source word i, among all source words; `backward`: the reverse."""

    forward: Matrix
    backward: Matrix


def posteriors(pairs: Sequence[tuple[Sequence[Hashable], Sequence[Hashable]]], priors: Sequence[Matrix]) -> list[Posterior]:
    """Pairs of word types (lemmas, say), and the prior evidence for each pair of places."""
    if not pairs:
        return []
    left: dict[Hashable, int] = {}
    right: dict[Hashable, int] = {}
    codes, rows, columns, places = [], [], [], []
    row = column = 0
    for source, target in pairs:
        n, m = len(source), len(target)
        a = np.array([left.setdefault(w, len(left)) for w in source], np.int64)
        b = np.array([right.setdefault(w, len(right)) for w in target], np.int64)
        codes.append(((a[:, None] << 32) + b[None, :]).ravel())
        rows.append(np.repeat(np.arange(row, row + n), m))
        columns.append(np.tile(np.arange(column, column + m), n))
        row, column = row + n, column + m
        distance = np.abs((np.arange(n) + 0.5)[:, None] / max(n, 1) - ((np.arange(m) + 0.5) / max(m, 1))[None, :])
        places.append(np.exp(-DIAGONAL * distance).ravel())
    # These arrays have a cell for every pair of words of the batch, so each is let go as soon as it has served.
    types, inverse = np.unique(np.concatenate(codes), return_inverse=True)
    codes.clear()
    inverse = inverse.astype(np.int64, copy=False)
    place = np.concatenate(places)
    places.clear()
    prior = np.zeros(len(types))
    np.maximum.at(prior, inverse, np.concatenate([p.ravel() for p in priors]))
    alpha = PRIOR * prior + SMOOTHING
    forward = _expect(types >> 32, np.concatenate(columns), inverse, alpha, place, len(right))
    columns.clear()
    backward = _expect(types & 0xFFFFFFFF, np.concatenate(rows), inverse, alpha, place, len(left))
    result, at = [], 0
    for source, target in pairs:
        shape = (len(source), len(target))
        end = at + shape[0] * shape[1]
        result.append(Posterior(forward[at:end].reshape(shape), backward[at:end].reshape(shape)))
        at = end
    return result


def _expect(given: Places, group: Places, inverse: Places, alpha: Matrix, place: Matrix, vocabulary: int) -> Matrix:
    """Translation probabilities by `given` word, then each cell's share among the cells of its `group`."""
    if not len(alpha):
        return np.zeros(0)
    table = alpha / np.bincount(given, alpha)[given]
    for step in range(ITERATIONS + 1):
        share = table[inverse] * place
        share /= (np.bincount(group, share) + NOTHING / vocabulary)[group]
        if step < ITERATIONS:
            counts = np.bincount(inverse, share, len(alpha)) + alpha
            table = counts / np.bincount(given, counts)[given]
    return np.asarray(share)
