"""Measures of detection, ranking and calibration, with bootstrap intervals grouped by source sentence."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Counts", "Interval", "area_under_roc", "best_threshold", "bootstrap", "calibration_error", "count", "reliability"]


@dataclass(frozen=True, slots=True)
class Counts:
    """A confusion table; weights make it fractional."""

    tp: float
    fp: float
    fn: float
    tn: float

    @property
    def precision(self) -> float:
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float:
        return _ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)


@dataclass(frozen=True, slots=True)
class Interval:
    """95 % of the bootstrap's values lie in here."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.3f} to {self.high:.3f}"


def _ratio(a: float, b: float) -> float:
    return a / b if b else 0.0


def count(gold: Sequence[bool], predicted: Sequence[bool], weights: Sequence[float] | None = None) -> Counts:
    cells = {(g, p): 0.0 for g in (True, False) for p in (True, False)}
    for g, p, w in zip(gold, predicted, weights or [1.0] * len(gold), strict=True):
        cells[bool(g), bool(p)] += w
    return Counts(cells[True, True], cells[False, True], cells[True, False], cells[False, False])


def best_threshold(gold: Sequence[bool], scores: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """The score from which on to report, for the highest F1; the middle of the gap to the next lower score."""
    order = sorted(zip(scores, gold, weights or [1.0] * len(gold), strict=True), reverse=True)
    positive = sum(w for _, g, w in order if g)
    best, threshold = -1.0, float("inf")
    tp = fp = 0.0
    for i, (score, g, w) in enumerate(order):
        tp, fp = (tp + w, fp) if g else (tp, fp + w)
        following = order[i + 1][0] if i + 1 < len(order) else score
        if following == score and i + 1 < len(order):
            continue
        f1 = _ratio(2 * tp, tp + fp + positive)
        if f1 > best:
            best, threshold = f1, (score + following) / 2
    return threshold


def area_under_roc(gold: Sequence[bool], scores: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Probability that a positive scores above a negative; ties count half."""
    order = sorted(zip(scores, gold, weights or [1.0] * len(gold), strict=True))
    below = area = positive = 0.0
    i = 0
    while i < len(order):
        j = i
        while j < len(order) and order[j][0] == order[i][0]:
            j += 1
        ups = sum(w for _, g, w in order[i:j] if g)
        downs = sum(w for _, g, w in order[i:j] if not g)
        area += ups * (below + downs / 2)
        below += downs
        positive += ups
        i = j
    return _ratio(area, positive * below)


def reliability(
    gold: Sequence[bool], scores: Sequence[float], weights: Sequence[float] | None = None, *, bins: int = 10
) -> list[tuple[float, float, float]]:
    """(mean score, share of positives, weight) for each filled bin of equal width."""
    sums = [[0.0, 0.0, 0.0] for _ in range(bins)]
    for g, s, w in zip(gold, scores, weights or [1.0] * len(gold), strict=True):
        cell = sums[min(bins - 1, int(s * bins))]
        cell[0] += s * w
        cell[1] += g * w
        cell[2] += w
    return [(a / w, b / w, w) for a, b, w in sums if w]


def calibration_error(gold: Sequence[bool], scores: Sequence[float], weights: Sequence[float] | None = None, *, bins: int = 10) -> float:
    """Expected calibration error: mean gap between score and share of positives over the bins."""
    table = reliability(gold, scores, weights, bins=bins)
    return _ratio(sum(abs(s - share) * w for s, share, w in table), sum(w for *_, w in table))


def bootstrap(groups: Sequence[int], measure: Callable[[Sequence[int]], float], *, rounds: int = 500, seed: int = 0) -> Interval:
    """Draw whole groups with replacement; `measure` gets the row positions drawn."""
    members: dict[int, list[int]] = {}
    for position, group in enumerate(groups):
        members.setdefault(group, []).append(position)
    names = sorted(members)
    generator = random.Random(seed)
    values = []
    for _ in range(rounds):
        drawn = [position for name in generator.choices(names, k=len(names)) for position in members[name]]
        values.append(measure(drawn))
    values.sort()
    return Interval(values[int(0.025 * rounds)], values[min(rounds - 1, int(0.975 * rounds))])
