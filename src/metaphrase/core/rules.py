"""Boosted rules: a sum of many small tables, each of which asks two named questions.

A rule asks whether a feature is below a limit, then a second question that depends on the answer, and adds one of four
numbers to the log-odds. That is as readable as a sum of weights (a rule can be looked up for every decision), and it can say
"unless", which a sum of weights cannot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import InputError
from metaphrase.core.logistic import sigmoid

__all__ = ["Rule", "Rules", "fit_rules"]

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

_QUESTION = r"(\S+) < (\S+) \? "
_HALF = rf"\({_QUESTION}(\S+) : (\S+)\)"
_RULE = re.compile(f"{_QUESTION}{_HALF} : {_HALF}")

BINS = 16
# A part of a rule that would rest on less than this (in units of p * (1 - p)) is not made.
SUPPORT = 1.0
SHRINKAGE = 5.0
SHARE = 0.5  # of rows and of features, for each rule


@dataclass(frozen=True, slots=True)
class Question:
    """Is the feature below the limit?"""

    feature: str
    limit: float


@dataclass(frozen=True, slots=True)
class Rule:
    """`first`, then `second[0]` if its feature is below the limit, else `second[1]`; `gains` in the order below-below .. above-above.

    Written as `a < 0.5 ? (b < 0.2 ? 0.1 : -0.1) : (c < 0.3 ? 0 : 0.2)`.
    """

    first: Question
    second: tuple[Question, Question]
    gains: tuple[float, float, float, float]

    def __str__(self) -> str:
        halves = [
            f"{q.feature} < {q.limit:g} ? {a:g} : {b:g}" for q, a, b in zip(self.second, self.gains[::2], self.gains[1::2], strict=True)
        ]
        return f"{self.first.feature} < {self.first.limit:g} ? ({halves[0]}) : ({halves[1]})"

    @classmethod
    def read(cls, text: str) -> Rule:
        found = _RULE.fullmatch(text)
        if found is None:
            raise InputError(f"not a rule: '{text}'; one reads 'a < 0.5 ? (b < 0.2 ? 0.1 : -0.1) : (c < 0.3 ? 0 : 0.2)'")
        cells = found.groups()
        first, below, above = (Question(cells[k], float(cells[k + 1])) for k in (0, 2, 6))
        return cls(first, (below, above), (float(cells[4]), float(cells[5]), float(cells[8]), float(cells[9])))


@dataclass(frozen=True)
class Rules:
    """What the rules say together: a probability."""

    names: tuple[str, ...]
    bias: float
    rules: tuple[Rule, ...]

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Rules:
        rules = tuple(Rule.read(row) for row in values["rules"])
        names = sorted({q.feature for rule in rules for q in (rule.first, *rule.second)})
        return cls(tuple(names), float(values["bias"]), rules)

    def plain(self) -> dict[str, Any]:
        """For a weights file: a rule a line."""
        return {"bias": self.bias, "rules": [str(rule) for rule in self.rules]}

    @cached_property
    def _columns(self) -> tuple[Codes, Array, Array]:
        place = {name: k for k, name in enumerate(self.names)}
        asked = [(rule.first, *rule.second) for rule in self.rules]
        features = np.array([[place[q.feature] for q in row] for row in asked], np.int64).reshape(-1, 3)
        limits = np.array([[q.limit for q in row] for row in asked], float).reshape(-1, 3)
        return features, limits, np.array([rule.gains for rule in self.rules], float).reshape(-1, 4)

    def of_rows(self, rows: Array) -> Array:
        """One column a feature, in the order of `names`."""
        features, limits, gains = self._columns
        below = [rows[:, features[:, k]] < limits[:, k] for k in range(3)]
        chosen = np.where(below[0], np.where(below[1], gains[:, 0], gains[:, 1]), np.where(below[2], gains[:, 2], gains[:, 3]))
        return sigmoid(np.asarray(chosen.sum(axis=1) + self.bias))


def fit_rules(names: Sequence[str], rows: Array, labels: Array, *, rounds: int, rate: float) -> Rules:
    """Gradient boosting with second derivatives; every rule is the best two-step split of what the others leave unexplained.

    Each rule is made from half of the rows and half of the features, drawn anew, so that no few of them decide everything.
    """
    edges = [_edges(rows[:, k]) for k in range(len(names))]
    codes = np.stack([np.searchsorted(edge, rows[:, k], side="right") for k, edge in enumerate(edges)])
    share = float(np.clip(labels.mean(), 1e-6, 1 - 1e-6))
    bias = round(float(np.log(share / (1 - share))), 4)
    fitter = _Fitter(edges, codes)
    total = np.full(len(labels), bias)
    made = []
    chance = np.random.default_rng(0)
    for _ in range(rounds):
        drawn = np.flatnonzero(chance.random(len(labels)) < SHARE)
        features = np.flatnonzero(chance.random(len(names)) < SHARE)
        p = sigmoid(total[drawn])
        split = fitter.split(drawn, features, labels[drawn] - p, p * (1 - p)) if len(features) else None
        if split is None:
            continue
        first, second, gains = split
        rounded = np.array([round(rate * g, 4) for g in gains])
        total += rounded[fitter.corner(first, second)]
        questions = [Question(names[k], float(edges[k][b])) for k, b in (first, *second)]
        made.append(Rule(questions[0], (questions[1], questions[2]), tuple(rounded.tolist())))
    return Rules(tuple(names), bias, tuple(made))


def _edges(values: Array) -> Array:
    """Limits that part the values into at most `BINS` bins, rounded as they are written."""
    distinct = np.unique(values)
    if len(distinct) > BINS:
        distinct = np.unique(np.quantile(values, np.linspace(0, 1, BINS)))
        # A feature that is mostly 0: part what is not.
        rest = values[values > distinct[0]]
        if len(distinct) < BINS // 2 and len(rest):
            distinct = np.unique(np.concatenate([distinct, np.quantile(rest, np.linspace(0, 1, BINS - len(distinct)))]))
    return np.unique(np.round((distinct[1:] + distinct[:-1]) / 2, 4))[: BINS - 1]


_Place = tuple[int, int]


class _Fitter:
    """Finds the best rule on binned features."""

    def __init__(self, edges: Sequence[Array], codes: Codes) -> None:
        self._codes = codes
        self._usable = np.zeros((len(edges), BINS), bool)
        for k, edge in enumerate(edges):
            self._usable[k, : len(edge)] = True

    def split(
        self, rows: Codes, features: Codes, gradient: Array, curvature: Array
    ) -> tuple[_Place, tuple[_Place, _Place], list[float]] | None:
        codes, usable = self._codes[np.ix_(features, rows)], self._usable[features]
        whole = _sums(codes, gradient, curvature)
        first = _best(whole, usable)
        if first is None:
            return None
        below = codes[first[0]] <= first[1]
        fewer = below if below.sum() * 2 < len(below) else ~below
        part = _sums(codes[:, fewer], gradient[fewer], curvature[fewer])
        second, gains = [], []
        for half in (part, whole - part) if fewer is below else (whole - part, part):
            place = _best(half, usable)
            second.append(place or first)
            if place is None:
                gains += [_gain(half[:, 0, -1])] * 2
            else:
                inside = half[:, place[0], place[1]]
                gains += [_gain(inside), _gain(half[:, 0, -1] - inside)]
        chosen = [(int(features[k]), b) for k, b in (first, *second)]
        return chosen[0], (chosen[1], chosen[2]), gains

    def corner(self, first: _Place, second: tuple[_Place, _Place]) -> Codes:
        """Which of a rule's four numbers each row gets."""
        below, then, otherwise = (self._codes[k] > b for k, b in (first, *second))
        return np.asarray(np.where(below, 2 + otherwise, then), np.int64)


def _gain(sums: Array) -> float:
    return float(sums[0] / (sums[1] + SHRINKAGE))


def _sums(codes: Codes, gradient: Array, curvature: Array) -> Array:
    """Sums of gradient and curvature up to each bin: 2 x features x bins."""
    return np.asarray(np.cumsum([[np.bincount(row, values, BINS) for row in codes] for values in (gradient, curvature)], axis=2))


def _best(sums: Array, usable: NDArray[np.bool_]) -> _Place | None:
    """(feature, last bin below) of the split that explains most, if both parts would be well enough supported."""
    g, h = sums
    all_g, all_h = sums[0, 0, -1], sums[1, 0, -1]
    value = g**2 / (h + SHRINKAGE) + (all_g - g) ** 2 / (all_h - h + SHRINKAGE)
    value[~usable | (h < SUPPORT) | (all_h - h < SUPPORT)] = -1.0
    place = int(value.argmax())
    if value.flat[place] <= all_g**2 / (all_h + SHRINKAGE):
        return None
    return divmod(place, BINS)
