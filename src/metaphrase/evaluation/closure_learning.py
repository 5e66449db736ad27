"""Learning the word-closure scorer: strict labels say what differs, readings say what matters.

Everything that a later stage sees of an earlier one is cross-fitted by source sentence, so that it learns from honest
probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import InputError
from metaphrase.core.logistic import Logistic, fit_logistic
from metaphrase.core.values import Direction
from metaphrase.evaluation.groups import folds
from metaphrase.relations.closure.describe import Described
from metaphrase.relations.closure.learned import BLAME, log_odds, major_features, major_word_rows, row_features, word_rows

__all__ = ["Example", "Reading", "learn_scorers"]

Array = NDArray[np.float64]

# Penalties, chosen once; a factor of three either way changes nothing beyond noise.
WORD_PENALTY = 10.0
ROW_PENALTY = 5.0
MAJOR_WORD_PENALTY = 400.0
MAJOR_PENALTY = 10.0
INNER_FOLDS = 5
# Words to show: blamed this surely, or this share of the most blamed word. Tuning them on the labels of all rows located worse.
WORD_FLOOR = 0.2
WORD_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Reading:
    """How seriously a pair's difference was read: the share of readings that say major, and which left-over words they name.

    `weight` is how many rows of the population the row stands for, `number` how many readings there are.
    """

    major: float
    words: tuple[bool, ...]
    weight: float
    number: int


@dataclass(frozen=True, slots=True)
class Example:
    """A described pair with its strict label, the words blamed by the annotators, and a reading where there is one."""

    id: str
    group: int
    described: Described
    violation: bool
    blamed: tuple[bool, ...]
    reading: Reading | None = None

    @property
    def clean(self) -> bool:
        return not self.described.left


@dataclass(frozen=True, slots=True)
class _Strict:
    """What the first two stages learnt for a direction, and what they say about its rows when these are held out."""

    rows: list[Example]
    values: dict[str, Any]
    blame: list[Array]
    scores: Array


def learn_scorers(examples: Sequence[Example]) -> dict[Direction, dict[str, Any]]:
    """Values of a weights file by direction.

    What differs is learnt for each direction; what matters from the readings of all directions together, of which there are few.
    """
    strict = {d: _learn_strict([e for e in examples if e.described.view.direction == d]) for d in sorted(_directions(examples))}
    rows = [e for s in strict.values() for e in s.rows]
    blame = [p for s in strict.values() for p in s.blame]
    major = _learn_major(rows, blame, np.concatenate([s.scores for s in strict.values()]))
    return {
        d: {**s.values, "major-word": major.word, "major": major.row, "thresholds": {**s.values["thresholds"], "major": major.threshold}}
        for d, s in strict.items()
    }


def _directions(examples: Sequence[Example]) -> set[Direction]:
    return {e.described.view.direction for e in examples}


def _learn_strict(examples: Sequence[Example]) -> _Strict:
    rows = [e for e in examples if not e.clean]
    known = list(rows[0].described.left[0].features)
    tables = [word_rows(e.described.left, known) for e in rows]
    parts = _parts([e.group for e in rows])
    word, blame = _cross_fit(parts, tables, [_labels(e) for e in rows], known, WORD_PENALTY)
    features = [row_features(e.described.left, p) for e, p in zip(rows, blame, strict=True)]
    names = list(features[0])
    table = np.array([list(f.values()) for f in features])
    truth = np.array([float(e.violation) for e in rows])
    row = fit_logistic(names, table, truth, penalty=ROW_PENALTY)
    scores = _held_out_rows(parts, names, table, truth)
    threshold = _threshold(truth, scores, float(sum(e.violation for e in examples)))
    values = {
        "word": word.plain(),
        "row": row.plain(),
        "thresholds": {"violation": threshold, "word": WORD_FLOOR, "word-share": WORD_SHARE},
    }
    return _Strict(rows, values, blame, scores)


def _parts(groups: Sequence[int]) -> list[NDArray[np.int64]]:
    """Row positions held out together."""
    return [np.array(fold.test, np.int64) for fold in folds(groups, INNER_FOLDS, seed=1)]


def _labels(example: Example) -> Array | None:
    """None where a violation has no blamed word among the left-over ones: it cannot teach which word it is."""
    if example.violation and not any(example.blamed):
        return None
    return np.array(example.blamed, float)


def _cross_fit(
    parts: Sequence[NDArray[np.int64]], tables: Sequence[Array], labels: Sequence[Array | None], names: list[str], penalty: float
) -> tuple[Logistic, list[Array]]:
    """The model of all rows, and each row's probabilities by models that did not see its group."""

    def fit(positions: Sequence[int]) -> Logistic:
        chosen = [(tables[k], known) for k in positions if (known := labels[k]) is not None]
        return fit_logistic(names, np.concatenate([t for t, _ in chosen]), np.concatenate([y for _, y in chosen]), penalty=penalty)

    result: list[Array] = [np.zeros(0)] * len(tables)
    everything = range(len(tables))
    for part in parts:
        held = set(part.tolist())
        model = fit([k for k in everything if k not in held])
        for k in held:
            result[k] = model.of_rows(tables[k])
    return fit(everything), result


def _held_out_rows(parts: Sequence[NDArray[np.int64]], names: Sequence[str], table: Array, truth: Array) -> Array:
    scores = np.zeros(len(truth))
    for part in parts:
        others = np.setdiff1d(np.arange(len(truth)), part)
        scores[part] = fit_logistic(names, table[others], truth[others], penalty=ROW_PENALTY).of_rows(table[part])
    return scores


def _threshold(truth: Array, scores: Array, positives: float) -> float:
    """For F1: the median of the thresholds that come within half a point of the best, which is steadier than the best one."""
    order = np.argsort(-scores)
    f1 = 2 * np.cumsum(truth[order]) / (np.arange(1, len(truth) + 1) + positives)
    return round(float(np.median(scores[order][f1 >= f1.max() - 0.005])), 4)


@dataclass(frozen=True, slots=True)
class _Major:
    word: dict[str, object]
    row: dict[str, object]
    threshold: float


def _learn_major(rows: Sequence[Example], blame: Sequence[Array], scores: Array) -> _Major:
    read = [k for k, e in enumerate(rows) if e.reading is not None]
    if not read:
        raise InputError(
            "there are no readings to learn major errors from: put word_closure.jsonl into a folder 'readings' beside or inside the data folder"
        )
    readings = [r for k in read if (r := rows[k].reading) is not None]
    parts = _parts([rows[k].group for k in read])
    known = list(rows[read[0]].described.left[0].features)
    tables = [major_word_rows(rows[k].described.left, blame[k], known) for k in read]
    labels: list[Array | None] = [np.array(r.words, float) * (r.major > 0.5) for r in readings]
    word, word_blame = _cross_fit(parts, tables, labels, [*known, BLAME], MAJOR_WORD_PENALTY)
    features = [major_features(float(scores[k]), p) for k, p in zip(read, word_blame, strict=True)]
    feature_names = list(features[0])
    table = np.array([list(f.values()) for f in features])
    truth = np.array([r.major for r in readings])
    weights = np.array([r.weight for r in readings])
    model = _fit_major(feature_names, table, truth, weights)
    held_out = np.zeros(len(read))
    for part in parts:
        others = np.setdiff1d(np.arange(len(read)), part)
        held_out[part] = _fit_major(feature_names, table[others], truth[others], weights[others]).of_rows(table[part])
    return _Major(word.plain(), model.plain(), _half_of_best_f1(truth, held_out, weights))


def _fit_major(names: Sequence[str], table: Array, truth: Array, weights: Array) -> Logistic:
    """Shape from tempered weights (a few rows stand for many), level from the full ones: a probability at the natural mix."""
    tempered = np.sqrt(weights)
    shape = _fit_shares(names, table, truth, tempered / tempered.mean(), MAJOR_PENALTY)
    raw = log_odds(shape.of_rows(table))
    level = _fit_shares(["log-odds"], raw[:, None], truth, weights / weights.mean(), 0.1)
    # log_odds flattens the ends; within them the two steps are one linear model.
    slope = level.weights["log-odds"]
    return Logistic({k: slope * v for k, v in shape.weights.items()}, slope * shape.bias + level.bias)


def _fit_shares(names: Sequence[str], table: Array, truth: Array, weights: Array, penalty: float) -> Logistic:
    """Labels between 0 and 1 count as that share of both."""
    doubled = np.concatenate([table, table])
    labels = np.concatenate([np.ones(len(truth)), np.zeros(len(truth))])
    shares = np.concatenate([truth * weights, (1 - truth) * weights]) + 1e-9
    return fit_logistic(names, doubled, labels, shares, penalty=penalty)


def _half_of_best_f1(truth: Array, scores: Array, weights: Array) -> float:
    """The threshold that maximises F1 of a calibrated probability is half of the F1 it reaches."""
    clear = (truth == 0) | (truth == 1)
    order = np.argsort(-scores[clear])
    gold, share = truth[clear][order], weights[clear][order]
    f1 = 2 * np.cumsum(gold * share) / (np.cumsum(share) + (gold * share).sum())
    return round(float(f1.max()) / 2, 4)
