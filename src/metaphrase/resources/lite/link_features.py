"""What the link scorer looks at: features of a cell (source word i, target word j), as named matrices.

The first round sees evidence and batch statistics; later rounds also see what the round before thinks of the
neighbouring cells, because phrases are translated together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from metaphrase.resources.lite.evidence import Matrix, strength
from metaphrase.resources.lite.statistics import Posterior
from metaphrase.text.languages import Language
from metaphrase.text.tokens import is_word

__all__ = ["FunctionWords", "cell_features", "neighbour_features"]


@dataclass(frozen=True, slots=True)
class FunctionWords:
    """How often two function words that meet in a sentence pair are linked: conventions no dictionary lists."""

    rates: Mapping[str, Mapping[str, float]]

    def matrix(self, source: Sequence[str], target: Sequence[str]) -> Matrix:
        result = np.zeros((len(source), len(target)))
        for i, word in enumerate(source):
            row = self.rates.get(word)
            if row:
                result[i] = [row.get(other, 0.0) for other in target]
        return result


def _kinds(words: Sequence[str], language: Language) -> tuple[Matrix, Matrix]:
    marks = np.array([not is_word(w) for w in words], float)
    stops = np.array([is_word(w) and language.is_stop(w) for w in words], float)
    return stops, marks


def cell_features(
    source: Sequence[str],
    target: Sequence[str],
    languages: tuple[Language, Language],
    evidence: Mapping[str, Matrix],
    posterior: Posterior,
    function_words: Matrix,
) -> dict[str, Matrix]:
    n, m = len(source), len(target)
    ones = np.ones((n, m))
    (source_stop, source_mark), (target_stop, target_mark) = _kinds(source, languages[0]), _kinds(target, languages[1])
    left, right = source_stop[:, None] * ones, target_stop[None, :] * ones
    distance = np.abs((np.arange(n) + 0.5)[:, None] / n - ((np.arange(m) + 0.5) / m)[None, :])
    listed = strength(evidence)
    forward, backward = posterior.forward, posterior.backward
    both = np.sqrt(forward * backward)
    row_rival, column_rival = _rival(listed, 1), _rival(listed, 0)
    repeated = (np.array([target.count(w) for w in target])[None, :] > 1) * ones
    unlisted = (listed == 0) * 1.0
    return {
        **evidence,
        "whole-gloss": (evidence["exact"] == 1) * 1.0,
        "source-stop": left,
        "target-stop": right,
        "both-stop": left * right,
        "one-stop": np.abs(left - right),
        "one-mark": np.abs(source_mark[:, None] - target_mark[None, :]),
        "distance": distance,
        "distance-listed": distance * listed,
        "distance-stop": distance * right,
        "distance-both-stop": distance * left * right,
        "near": np.exp(-8 * distance),
        "forward": forward,
        "backward": backward,
        "both-ways": both,
        "log-forward": np.log(forward + 1e-4),
        "log-backward": np.log(backward + 1e-4),
        "forward-in-row": _share(forward, 1),
        "forward-in-column": _share(forward, 0),
        "backward-in-row": _share(backward, 1),
        "backward-in-column": _share(backward, 0),
        "mutual-best": (_share(both, 1) >= 1) * 1.0 * (_share(both, 0) >= 1),
        "row-rival": row_rival,
        "column-rival": column_rival,
        "listed-row-rival": listed * row_rival,
        "listed-column-rival": listed * column_rival,
        "unlisted-row-rival": unlisted * row_rival,
        "unlisted-column-rival": unlisted * column_rival,
        "repeated": repeated,
        "repeated-far": listed * repeated * distance,
        "listed-target-stop": listed * right,
        "listed-source-stop": listed * left,
        "exact-both-ways": evidence["exact"] * both,
        "function-words": function_words,
        "function-words-log": np.log(function_words + 0.02) * (function_words > 0) + 3.9 * (function_words > 0),
    }


def neighbour_features(p: Matrix) -> dict[str, Matrix]:
    """From the probabilities of the round before."""
    n, m = p.shape
    ones = np.ones((n, m))
    padded = np.pad(p, 2)
    at = {(i, j): padded[2 + i : 2 + i + n, 2 + j : 2 + j + m] for i in range(-2, 3) for j in range(-2, 3)}
    row_rival, column_rival = _rival(p, 1), _rival(p, 0)
    across, along = np.maximum(at[0, -1], at[0, 1]), np.maximum(at[-1, 0], at[1, 0])
    log = np.log(p + 1e-4)
    offset = _offset_from_neighbours(p)
    return {
        "log": log,
        "before": p,
        "rival-in-row": row_rival,
        "rival-in-column": column_rival,
        "p-rival-in-row": p * row_rival,
        "p-rival-in-column": p * column_rival,
        "best-in-row": p.max(1, keepdims=True) * ones,
        "best-in-column": p.max(0, keepdims=True) * ones,
        "diagonal": np.maximum(at[-1, -1], at[1, 1]),
        "diagonal-both": at[-1, -1] * at[1, 1],
        "counter-diagonal": np.maximum(at[-1, 1], at[1, -1]),
        "across": across,
        "along": along,
        "across-rival": across * column_rival,
        "along-rival": along * row_rival,
        "across-doubt": across * (1 - p),
        "along-doubt": along * (1 - p),
        "box": reduce(np.add, at.values()) - p,
        "offset": offset,
        "offset-near": np.exp(-offset / 2),
        "offset-log": 0.1 * offset * log,
        "share-in-row": _share(p, 1),
        "share-in-column": _share(p, 0),
        "unrivalled": (row_rival < 0.2) * 1.0 * (column_rival < 0.2),
    }


def _share(values: Matrix, axis: int) -> Matrix:
    return np.asarray(values / (values.max(axis=axis, keepdims=True) + 1e-9) + 1e-12)


def _rival(values: Matrix, axis: int) -> Matrix:
    """The best other cell of the row (axis 1) or column."""
    if values.shape[axis] < 2:
        return np.zeros_like(values)
    ordered = np.partition(values, values.shape[axis] - 2, axis=axis)
    best, second = ordered.take([-1], axis=axis), ordered.take([-2], axis=axis)
    return np.where(values >= best, second, best)


def _offset_from_neighbours(p: Matrix) -> Matrix:
    """How far a cell lies from where the links of the three words before and after would put it, up to 8."""
    n, m = p.shape
    mass = p**2
    sure = mass.sum(1)
    centre = mass @ np.arange(m) / (sure + 1e-9)
    total, weight = np.zeros((n, m)), np.full((n, 1), 1e-6)
    for k in (-3, -2, -1, 1, 2, 3):
        here = slice(max(0, -k), min(n, n - k))
        there = slice(max(0, k), min(n, n + k))
        if here.start >= here.stop:
            continue
        trust = (sure[there] / abs(k))[:, None]
        total[here] += trust * np.minimum(np.abs(np.arange(m)[None, :] - (centre[there] - k)[:, None]), 8)
        weight[here] += trust
    offset: Matrix = total / weight
    offset[weight[:, 0] < 0.05] = 4.0
    return offset
