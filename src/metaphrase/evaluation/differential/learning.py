"""Learning the weights of `dcs` and judging them fairly: everything here is fitted on some rows and applied to rows of other sentences.

- `pair`: does one of two translations have an error? From the paper's labels.
- `word`: is a left-over word an error? From injected errors, against the natural left-overs of pairs labelled fine; nobody labelled words.
- `major`: is there a major error? From the readings, on top of the pair's score.
- `outlier`: how sure is it that the engine farthest from the others is the wrong one? From sentences where exactly one of three is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.logistic import Logistic, fit_logistic
from metaphrase.evaluation.differential.injection import Injected
from metaphrase.evaluation.groups import folds
from metaphrase.evaluation.metrics import best_threshold, count
from metaphrase.relations.differential.outlier import STANDING_FEATURES, ScoredPair, ranked, standings
from metaphrase.relations.differential.pairs import PAIR_FEATURES, SEMANTIC_FEATURES, WORD_FEATURES
from metaphrase.relations.differential.renderer import Described
from metaphrase.relations.differential.scorers import MAJOR_FEATURES, RULE, major_features

__all__ = [
    "FOLDS", "CrossValidated", "LabelledPairs", "Learnt", "compared_triple", "cross_validated", "learn", "triples_of", "wrong_engine",
]  # fmt: skip

Array = NDArray[np.float64]

FOLDS = 10
# Strong, because features overlap and rows are few.
PENALTY = 30.0
# A word is marked from here on: about one error of each kind for the natural left-overs of its pair; low, because a mark only says where to look.
MARK = 1 / 3
_OF_A_LANGUAGE = frozenset({"worst", "rare", "long"})


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """Described pairs with labels; `triples` are positions of a sentence's three pairs; `major` maps positions to (is major, weight)."""

    ids: Sequence[str]
    described: Sequence[Described]
    labels: Sequence[bool]
    groups: Sequence[int]
    major: Mapping[int, tuple[bool, float]] = field(default_factory=dict)
    triples: Sequence[tuple[int, int, int]] = ()
    injected: Sequence[tuple[int, Injected, Described]] = ()  # position of the pair it was made from
    general: bool = False  # learn for any pair of languages: no measure of rarity or length, which differ between languages

    def names(self) -> tuple[str, ...]:
        semantic = SEMANTIC_FEATURES if self.described and "tokens" in self.described[0].pair.features else ()
        return tuple(n for n in (*PAIR_FEATURES, *semantic) if not (self.general and n in _OF_A_LANGUAGE))

    def word_names(self) -> tuple[str, ...]:
        return tuple(n for n in WORD_FEATURES if not (self.general and n in _OF_A_LANGUAGE))

    def major_names(self) -> tuple[str, ...]:
        return tuple(n for n in MAJOR_FEATURES if not (self.general and n in _OF_A_LANGUAGE))

    def rows(self) -> Array:
        return np.array([[d.pair.features[n] for n in self.names()] for d in self.described])


@dataclass(frozen=True, slots=True)
class Outlier:
    """What speaks against an engine, and how sure the margin between the first two makes it."""

    standing: Logistic
    bias: float
    margin: float

    def plain(self) -> dict[str, Any]:
        return {"standing": self.standing.plain(), "bias": round(self.bias, 4), "margin": round(self.margin, 4)}


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a weights file holds."""

    pair: Logistic
    threshold: float
    word: Logistic
    major: Logistic
    major_threshold: float
    outlier: Outlier

    def values(self) -> dict[str, Any]:
        return {
            "pair": self.pair.plain(),
            "threshold": round(self.threshold, 4),
            "word": self.word.plain(),
            "mark": round(MARK, 4),
            "major": self.major.plain(),
            "major-threshold": round(self.major_threshold, 4),
            "outlier": self.outlier.plain(),
        }


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """For every row, what weights from other sentences say: score, verdict, probability of a major error, severity."""

    scores: Array
    violated: NDArray[np.bool_]
    major: Array
    is_major: NDArray[np.bool_]


def scores_of(pairs: LabelledPairs, model: Logistic, positions: Sequence[int], rows: Array) -> Array:
    """As the scorer does: a clean pair is 0, a broken rule at least RULE."""
    found = model.of_rows(rows[list(positions)])
    for n, k in enumerate(positions):
        one = pairs.described[k]
        if one.breaches:
            found[n] = max(found[n], RULE)
        elif one.pair.clean:
            found[n] = 0.0
    return found


def learn(pairs: LabelledPairs, positions: Sequence[int] | None = None) -> Learnt:
    """From these positions only. Thresholds come from scores of an inner cross-validation."""
    chosen = list(range(len(pairs.labels))) if positions is None else list(positions)
    rows, labels = pairs.rows(), np.array(pairs.labels, float)
    inner = np.zeros(len(pairs.labels))
    for fold in folds([pairs.groups[k] for k in chosen], 5):
        train, test = [chosen[i] for i in fold.train], [chosen[i] for i in fold.test]
        inner[test] = scores_of(pairs, fit_logistic(pairs.names(), rows[train], labels[train], penalty=PENALTY), test, rows)
    threshold = best_threshold([pairs.labels[k] for k in chosen], inner[chosen].tolist())
    pair = fit_logistic(pairs.names(), rows[chosen], labels[chosen], penalty=PENALTY)
    major, major_threshold = _learn_major(pairs, chosen, inner, threshold)
    return Learnt(pair, threshold, _learn_word(pairs, set(chosen)), major, major_threshold, _learn_outlier(pairs, set(chosen), inner))


def _learn_word(pairs: LabelledPairs, chosen: set[int]) -> Logistic:
    rows: list[list[float]] = []
    labels: list[float] = []
    for position, error, described in pairs.injected:
        if position not in chosen:
            continue
        tokens = [side.text.tokens for side in described.pair.sides]
        for word in described.pair.left_over:
            token, engine = tokens[word.side][word.index], described.engines[word.side]
            if any(engine == e and token.start < end and start < token.end for e, start, end in error.places):
                rows.append([word.features[n] for n in pairs.word_names()])
                labels.append(1.0)
    for position in sorted({k for k, _, _ in pairs.injected} & chosen):
        if not pairs.labels[position]:
            natural = [[w.features[n] for n in pairs.word_names()] for w in pairs.described[position].pair.left_over]
            rows += natural
            labels += [0.0] * len(natural)
    return fit_logistic(pairs.word_names(), np.array(rows), np.array(labels), penalty=3.0)


def _learn_major(pairs: LabelledPairs, chosen: Sequence[int], scores: Array, threshold: float) -> tuple[Logistic, float]:
    """Only a violated pair can be major, so the threshold is chosen among those."""
    known = [k for k in chosen if k in pairs.major]
    if not known:
        return Logistic({"logit": 1.0}, 0.0), 0.5
    rows = np.array([_major_row(pairs, float(scores[k]), k) for k in known])
    gold = [pairs.major[k][0] for k in known]
    weights = np.array([pairs.major[k][1] for k in known])
    model = fit_logistic(pairs.major_names(), rows, np.array(gold, float), weights / weights.mean(), penalty=5.0)
    found = np.where(scores[known] >= threshold, model.of_rows(rows), 0.0)
    best = best_threshold(gold, found.tolist(), weights.tolist())
    # Half of the best F1 is where it is best in theory (Lipton et al. 2014); the best threshold of few rows is much less stable.
    return model, count(gold, [p >= best for p in found.tolist()], weights.tolist()).f1 / 2


def _major_row(pairs: LabelledPairs, score: float, position: int) -> list[float]:
    features = major_features(score, pairs.described[position].pair.features)
    return [features[n] for n in pairs.major_names()]


def compared_triple(pairs: LabelledPairs, triple: tuple[int, int, int], scores: Array) -> list[ScoredPair]:
    return [ScoredPair(pairs.described[k].engines, pairs.described[k].pair, float(scores[k])) for k in triple]


def wrong_engine(pairs: LabelledPairs, triple: tuple[int, int, int]) -> str | None:
    """The one engine that both of its pairs blame, where the third pair is fine."""
    bad = [set(pairs.described[k].engines) for k in triple if pairs.labels[k]]
    common = bad[0] & bad[1] if len(bad) == 2 else set()
    return next(iter(common), None)


def _learn_outlier(pairs: LabelledPairs, chosen: set[int], scores: Array) -> Outlier:
    """From sentences where one of three engines is wrong: it against each of the two others, then how often the first one is it."""
    known = [
        (standings(compared_triple(pairs, t, scores)), wrong)
        for t in pairs.triples
        if set(t) <= chosen and (wrong := wrong_engine(pairs, t))
    ]
    rows = [[s[wrong][n] - s[other][n] for n in STANDING_FEATURES] for s, wrong in known for other in s if other != wrong]
    if not rows:
        return Outlier(Logistic(dict.fromkeys(STANDING_FEATURES, 1.0), 0.0), 0.0, 1.0)
    mirrored = np.array([*rows, *([-value for value in row] for row in rows)])
    standing = fit_logistic(STANDING_FEATURES, mirrored, np.repeat([1.0, 0.0], len(rows)), penalty=3.0)
    orders = [(ranked(s, standing), wrong) for s, wrong in known]
    right = np.array([float(order[0][0] == wrong) for order, wrong in orders])
    if right.min() == right.max():
        return Outlier(standing, 0.0, 1.0)
    sure = fit_logistic(["margin"], np.array([[order[0][1] - order[1][1]] for order, _ in orders]), right, penalty=1.0)
    return Outlier(standing, sure.bias, sure.weights["margin"])


def cross_validated(pairs: LabelledPairs, *, number: int = FOLDS, seed: int = 0) -> tuple[CrossValidated, dict[int, Learnt]]:
    """Also returns, for every row, the weights that judged it (for injected errors)."""
    size = len(pairs.labels)
    scores, major = np.zeros(size), np.zeros(size)
    violated, is_major = np.zeros(size, bool), np.zeros(size, bool)
    judges: dict[int, Learnt] = {}
    rows = pairs.rows()
    for fold in folds(pairs.groups, number, seed=seed):
        learnt, test = learn(pairs, fold.train), list(fold.test)
        scores[test] = scores_of(pairs, learnt.pair, test, rows)
        for k in test:
            judges[k] = learnt
            one = pairs.described[k]
            if scores[k] > 0:
                major[k] = float(learnt.major.of_rows(np.array([_major_row(pairs, float(scores[k]), k)]))[0])
            violated[k] = bool(one.breaches) or scores[k] >= learnt.threshold
            is_major[k] = violated[k] and (bool(one.breaches) or major[k] >= learnt.major_threshold)
    return CrossValidated(scores, violated, major, is_major), judges


def triples_of(sources: Sequence[str], described: Sequence[Described]) -> list[tuple[int, int, int]]:
    """Sentences that three engines translated, with all three pairs."""
    by_source: dict[str, list[int]] = {}
    for k, source in enumerate(sources):
        by_source.setdefault(source, []).append(k)
    found = []
    for positions in by_source.values():
        for a, b, c in combinations(positions, 3):
            if (
                len({frozenset(described[k].engines) for k in (a, b, c)}) == 3
                and len({e for k in (a, b, c) for e in described[k].engines}) == 3
            ):
                found.append((a, b, c))
                break
    return found
