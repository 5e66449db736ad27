"""Learning the word-closure scorer: strict labels say what differs, readings say what matters.

Everything that a later stage sees of an earlier one is cross-fitted by source sentence, so that it learns from honest
probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import InputError
from metaphrase.core.logistic import Logistic, fit_logistic
from metaphrase.core.rules import fit_rules
from metaphrase.core.values import Direction
from metaphrase.evaluation.groups import folds
from metaphrase.relations.closure.describe import Described
from metaphrase.relations.closure.learned import BLAME, SENTENCES, log_odds, major_features, major_word_rows, row_features, word_rows
from metaphrase.relations.closure.sentences import SENTENCE_FEATURES

__all__ = ["Example", "Reading", "learn_scorers", "learn_together"]

Array = NDArray[np.float64]
_K = TypeVar("_K")

# Chosen once; a factor of two either way changes nothing beyond noise. There are fewer readings than labels, so fewer rules.
WORD_RULES = 200
MAJOR_WORD_RULES = 60
RATE = 0.08
# Penalties, likewise.
ROW_PENALTY = 5.0
MAJOR_PENALTY = 10.0
INNER_FOLDS = 5
# Words to show, see `located`. Tuning them on the labels of all rows located worse.
SHOWN = {"word": 0.2, "word-share": 0.4, "in-its-place": 0.05, "beside": 0.15}


@dataclass(frozen=True, slots=True)
class Reading:
    """How seriously a pair's difference was read: the share of readings that say major, and the left-over words that they name.

    A word counts 1 if it is named for a major error, a half if for a minor one. `weight` is how many rows of the population the row
    stands for, `number` how many readings there are.
    """

    major: float
    words: tuple[float, ...]
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
    return _with_major({d: _learn_strict([e for e in examples if e.described.view.direction == d]) for d in sorted(_directions(examples))})


def learn_together(examples: Sequence[Example]) -> tuple[dict[str, Any], dict[str, float]]:
    """The values of one weights file for all directions, and the cross-validated score of every example that is not clean."""
    strict = _learn_strict(examples)
    [values] = _with_major({None: strict}).values()
    return values, {e.id: float(score) for e, score in zip(strict.rows, strict.scores, strict=True)}


def _with_major(strict: Mapping[_K, _Strict]) -> dict[_K, dict[str, Any]]:
    rows = [e for s in strict.values() for e in s.rows]
    blame = [p for s in strict.values() for p in s.blame]
    scores = np.concatenate([s.scores for s in strict.values()])
    plain = _learn_major(rows, blame, scores, _plain_features(rows))
    learnt: dict[str, Any] = {"major-word": plain.word, "major": plain.row}
    thresholds = {"major": plain.threshold}
    if all(word.features.keys() >= set(SENTENCE_FEATURES) for e in rows for word in e.described.left):
        deeper = _learn_major(rows, blame, scores, [*_plain_features(rows), *SENTENCE_FEATURES])
        learnt[SENTENCES] = {"major-word": deeper.word, "major": deeper.row}
        thresholds[f"major-{SENTENCES}"] = deeper.threshold
    return {k: {**s.values, **learnt, "thresholds": {**s.values["thresholds"], **thresholds}} for k, s in strict.items()}


def _plain_features(rows: Sequence[Example]) -> list[str]:
    """What is known without a sentence encoder."""
    return [name for name in rows[0].described.left[0].features if name not in SENTENCE_FEATURES]


def _directions(examples: Sequence[Example]) -> set[Direction]:
    return {e.described.view.direction for e in examples}


def _learn_strict(examples: Sequence[Example]) -> _Strict:
    rows = [e for e in examples if not e.clean]
    known = _plain_features(rows)
    tables = [word_rows(e.described.left, known) for e in rows]
    parts = _parts([e.group for e in rows])
    word, blame = _cross_fit(parts, tables, [_labels(e) for e in rows], lambda x, y: fit_rules(known, x, y, rounds=WORD_RULES, rate=RATE))
    features = [row_features(e.described.left, p) for e, p in zip(rows, blame, strict=True)]
    names = list(features[0])
    table = np.array([list(f.values()) for f in features])
    truth = np.array([float(e.violation) for e in rows])
    row = fit_logistic(names, table, truth, penalty=ROW_PENALTY)
    scores = _held_out_rows(parts, names, table, truth)
    threshold = _steady_threshold(truth, scores, missed=sum(e.violation for e in examples if e.clean))
    values = {
        "word": word.plain(),
        "row": row.plain(),
        "thresholds": {"violation": threshold, **SHOWN},
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


class _Model(Protocol):
    def of_rows(self, rows: Array) -> Array: ...


_M = TypeVar("_M", bound=_Model)


def _cross_fit(
    parts: Sequence[NDArray[np.int64]], tables: Sequence[Array], labels: Sequence[Array | None], learn: Callable[[Array, Array], _M]
) -> tuple[_M, list[Array]]:
    """The model of all rows, and each row's probabilities by models that did not see its group."""

    def fit(positions: Sequence[int]) -> _M:
        chosen = [(tables[k], known) for k in positions if (known := labels[k]) is not None]
        return learn(np.concatenate([t for t, _ in chosen]), np.concatenate([y for _, y in chosen]))

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


def _steady_threshold(truth: Array, scores: Array, weights: Array | None = None, *, missed: int = 0) -> float:
    """For F1 of a calibrated probability: the mean of two estimates, since either alone moves by a few points from sample to sample.

    One is half of the best F1, which is where the best threshold lies in expectation; the other the median of the thresholds that come within
    half a point of it. `missed` positives are beyond reach of any threshold.
    """
    order = np.argsort(-scores)
    share = np.ones(len(truth)) if weights is None else weights[order]
    gold = truth[order] * share
    f1 = 2 * np.cumsum(gold) / (np.cumsum(share) + gold.sum() + missed)
    near = float(np.median(scores[order][f1 >= f1.max() - 0.005]))
    return round((near + float(f1.max()) / 2) / 2, 4)


@dataclass(frozen=True, slots=True)
class _Major:
    word: dict[str, object]
    row: dict[str, object]
    threshold: float


def _learn_major(rows: Sequence[Example], blame: Sequence[Array], scores: Array, known: Sequence[str]) -> _Major:
    """From the readings; `known` are the features to learn from, beside what the strict word model said."""
    read = [k for k, e in enumerate(rows) if e.reading is not None]
    if not read:
        raise InputError(
            "there are no readings to learn major errors from: put word_closure.jsonl into a folder 'readings' beside or inside the data folder"
        )
    readings = [r for k in read if (r := rows[k].reading) is not None]
    parts = _parts([rows[k].group for k in read])
    names = [*known, BLAME]
    tables = [major_word_rows(rows[k].described.left, blame[k], names) for k in read]
    labels: list[Array | None] = [np.array(r.words) for r in readings]
    word, word_blame = _cross_fit(parts, tables, labels, lambda x, y: fit_rules(names, x, y, rounds=MAJOR_WORD_RULES, rate=RATE))
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
    clear = (truth == 0) | (truth == 1)
    return _Major(word.plain(), model.plain(), _steady_threshold(truth[clear], held_out[clear], weights[clear]))


def _fit_major(names: Sequence[str], table: Array, truth: Array, weights: Array) -> Logistic:
    """Shape without weights (a few rows stand for many), level with them: a probability at the natural mix."""
    shape = _fit_shares(names, table, truth, np.ones(len(truth)), MAJOR_PENALTY)
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
