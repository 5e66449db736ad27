"""Logistic regression, small and plain: what is learnt here from labelled data is learnt with this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Logistic", "fit_logistic", "sigmoid"]

Array = NDArray[np.float64]


def sigmoid(value: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(value, -30.0, 30.0))))


@dataclass(frozen=True, slots=True)
class Logistic:
    """A weight for each named feature, and a bias."""

    weights: Mapping[str, float]
    bias: float

    @classmethod
    def read(cls, values: Mapping[str, object]) -> Logistic:
        weights, bias = values["weights"], values["bias"]
        assert isinstance(weights, dict)
        assert isinstance(bias, (int, float))
        return cls({str(k): float(v) for k, v in weights.items()}, float(bias))

    def plain(self) -> dict[str, object]:
        """For a weights file; four digits, so that such a file can be read and compared."""
        return {"bias": round(self.bias, 4), "weights": {k: float(f"{v:.4g}") for k, v in self.weights.items()}}

    def probability(self, features: Mapping[str, Array]) -> Array:
        """Of each item; features are arrays of one shape. A missing feature is a programming error."""
        total: Array | float = self.bias
        for name, weight in self.weights.items():
            total = total + weight * features[name]
        return sigmoid(np.asarray(total))

    def of_rows(self, rows: Array) -> Array:
        """The same for a matrix with one column a feature, in the order of `weights`."""
        return sigmoid(rows @ np.array(list(self.weights.values())) + self.bias)


def fit_logistic(names: Sequence[str], rows: Array, labels: Array, item_weights: Array | None = None, *, penalty: float = 1.0) -> Logistic:
    """Newton's method with an L2 penalty on standardised features."""
    share = np.ones(len(labels)) if item_weights is None else np.asarray(item_weights, float)
    mean = np.average(rows, axis=0, weights=share)
    spread = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=share))
    spread[spread < 1e-9] = 1.0
    design = np.hstack([(rows - mean) / spread, np.ones((len(rows), 1))])
    ridge = np.full(design.shape[1], penalty)
    ridge[-1] = 1e-6
    found = np.zeros(design.shape[1])
    for _ in range(40):
        p = sigmoid(design @ found)
        gradient = design.T @ (share * (labels - p)) - ridge * found
        curvature = (design * (share * p * (1 - p))[:, None]).T @ design + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        size = float(np.abs(step).max())
        found += step * min(1.0, 5.0 / size) if size > 0 else step
        if size < 1e-6:
            break
    raw = found[:-1] / spread
    return Logistic(dict(zip(names, raw.tolist(), strict=True)), float(found[-1] - raw @ mean))
