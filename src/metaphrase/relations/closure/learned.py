"""The learned scorer: small models, one on top of the other.

1. *word*: is a left-over word to blame, by the papers' strict standard; a list of rules that ask two questions each;
2. *row*: is the pair a violation, from the blame of its words; logistic;
3. *major-word* and *major*: would a reader be misled, learnt from readings of the meaning; logistic.

All rules and weights are named and come from one JSON file a profile and direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import ConfigurationError
from metaphrase.core.logistic import Logistic
from metaphrase.core.rules import Rules
from metaphrase.core.weights import Weights
from metaphrase.relations.closure.word_features import LeftOver

__all__ = ["BLAME", "LearnedScorer", "Scored", "log_odds", "major_features", "major_word_rows", "row_features", "word_rows"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """`blame` and `major_blame` are probabilities by left-over word."""

    score: float
    major: float
    blame: tuple[float, ...]
    major_blame: tuple[float, ...]
    violated: bool
    is_major: bool


BLAME = "blame"  # what the strict word model said, as a feature of the other
CLEAN = Scored(0.0, 0.0, (), (), False, False)


def log_odds(p: Array | float) -> Array:
    """Kept within about ±4.6, so that no single word decides alone."""
    return np.asarray(np.log((np.asarray(p) + 0.01) / (1.01 - np.asarray(p))))


def word_rows(left: Sequence[LeftOver], names: Sequence[str]) -> Array:
    """One column a feature; a profile may see more than weights were learnt for."""
    return np.array([[word.features[name] for name in names] for word in left], float)


def major_word_rows(left: Sequence[LeftOver], blame: Array, names: Sequence[str]) -> Array:
    return np.hstack([word_rows(left, names), log_odds(blame)[:, None]])


def _top(values: Array, number: int) -> list[float]:
    ordered = sorted(values.tolist(), reverse=True)[:number]
    return ordered + [0.0] * (number - len(ordered))


def row_features(left: Sequence[LeftOver], blame: Array) -> dict[str, float]:
    """A pair's features from the blame of its left-over words."""
    side = np.array([w.side for w in left])
    best, second = _top(blame, 2)
    any_blame = float(log_odds(1 - float(np.prod(1 - np.minimum(blame, 0.98)))))
    return {
        "best": float(log_odds(best)),
        "second": float(log_odds(second)),
        "any": any_blame,
        "any-likely": max(any_blame, -1.0),  # lets the line bend where most violations begin
        "sum": float(np.log1p(blame.sum())),
        "smaller-side": min(float(blame[side == s].sum()) for s in (0, 1)),
    }


def major_features(score: float, major_blame: Array) -> dict[str, float]:
    return {
        "violation": float(log_odds(score)),
        "best": float(log_odds(_top(major_blame, 1)[0])),
        "sum": float(np.log1p(major_blame.sum())),
    }


class LearnedScorer:
    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        values = weights.values
        if "rules" not in values["word"]:
            raise self._outdated("weights of words, not rules")
        self._word, self._row = Rules.read(values["word"]), Logistic.read(values["row"])
        self._major_word, self._major = Logistic.read(values["major-word"]), Logistic.read(values["major"])
        self._names = set(self._word.names) | (self._major_word.weights.keys() - {BLAME})
        self._thresholds: Mapping[str, Any] = values["thresholds"]

    def score(self, left: Sequence[LeftOver]) -> Scored:
        if not left:
            return CLEAN
        missing = self._names - left[0].features.keys()
        if missing:
            raise self._outdated(f"the feature '{min(missing)}'")
        blame = self._word.of_rows(word_rows(left, self._word.names))
        score = _probability(self._row, row_features(left, blame))
        major_blame = self._major_word.of_rows(major_word_rows(left, blame, [name for name in self._major_word.weights if name != BLAME]))
        major = _probability(self._major, major_features(score, major_blame))
        is_major = major >= self._thresholds["major"]
        # What probably misleads a reader is reported even where the strict standard wavers.
        violated = score >= self._thresholds["violation"] or is_major
        return Scored(score, major, tuple(blame.tolist()), tuple(major_blame.tolist()), violated, is_major)

    def _outdated(self, what: str) -> ConfigurationError:
        return ConfigurationError(
            f"the weights '{self.weights.name}' of word-closure are of another version (they have {what}): "
            "learn them again with 'metaphrase calibrate word-closure'"
        )

    def located(self, left: Sequence[LeftOver], scored: Scored) -> list[tuple[LeftOver, float]]:
        """The words to show: those blamed clearly, and those blamed almost as much as the most blamed one."""
        floor, share = self._thresholds["word"], self._thresholds["word-share"]
        return located(left, scored.blame, floor=floor, share=share)


def located(left: Sequence[LeftOver], blame: Sequence[float], *, floor: float, share: float) -> list[tuple[LeftOver, float]]:
    """Content words, unless only function words are blamed; and what the other translation has in the place of a shown word."""
    limit = min(floor, share * max(blame, default=0.0))
    known = {(word.side, word.index): (word, p) for word, p in zip(left, blame, strict=True)}
    shown = [item for item in known.values() if item[1] >= limit]
    shown = [item for item in shown if not item[0].features["stop"]] or shown
    against = {(1 - word.side, k) for word, _ in shown for k in word.renderings}
    chosen = {(word.side, word.index) for word, _ in shown} | (against & known.keys())
    return [known[place] for place in sorted(chosen)]


def _probability(model: Logistic, features: Mapping[str, float]) -> float:
    total = model.bias + sum(weight * features[name] for name, weight in model.weights.items())
    return float(1.0 / (1.0 + np.exp(-np.clip(total, -30.0, 30.0))))
