"""The learned scorer: small models, one on top of the other.

1. *word*: is a left-over word to blame, by the papers' strict standard; a list of rules that ask two questions each;
2. *row*: is the pair a violation, from the blame of its words; logistic;
3. *major-word* and *major*: would a reader be misled by the word, and by the pair; learnt from readings of the meaning in the same two ways.
   There may be a second set of them, `with-sentences`, for words that a sentence encoder was asked about.

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
from metaphrase.relations.closure.sentences import SENTENCE_FEATURES
from metaphrase.relations.closure.word_features import LeftOver

__all__ = ["BLAME", "SENTENCES", "LearnedScorer", "Scored", "log_odds", "major_features", "major_word_rows", "row_features", "word_rows"]

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
SENTENCES = "with-sentences"
WAVERS = 0.5  # share of the threshold from which on the strict standard does not exclude a violation
CLEAN = Scored(0.0, 0.0, (), (), False, False)


def log_odds(p: Array | float) -> Array:
    """Kept within about ±4.6, so that no single word decides alone."""
    return np.asarray(np.log((np.asarray(p) + 0.01) / (1.01 - np.asarray(p))))


def word_rows(left: Sequence[LeftOver], names: Sequence[str]) -> Array:
    """One column a feature; a profile may see more than weights were learnt for."""
    return np.array([[word.features[name] for name in names] for word in left], float)


def major_word_rows(left: Sequence[LeftOver], blame: Array, names: Sequence[str]) -> Array:
    """The same with `BLAME` as a further feature."""
    odds = log_odds(blame).tolist()
    return np.array([[odds[k] if name == BLAME else word.features[name] for name in names] for k, word in enumerate(left)], float)


def _summary(blame: Array) -> dict[str, float]:
    """Of the words' probabilities: the two highest, and that of any word at all, if words were independent."""
    best, second = [*sorted(blame.tolist(), reverse=True), 0.0][:2]
    any_word = 1 - float(np.prod(1 - np.minimum(blame, 0.98)))
    return {"best": float(log_odds(best)), "second": float(log_odds(second)), "any": float(log_odds(any_word))}


def row_features(left: Sequence[LeftOver], blame: Array) -> dict[str, float]:
    """A pair's features from the blame of its left-over words."""
    side = np.array([w.side for w in left])
    summary = _summary(blame)
    return {
        **summary,
        "any-likely": max(summary["any"], -1.0),  # lets the line bend where most violations begin
        "sum": float(np.log1p(blame.sum())),
        "smaller-side": min(float(blame[side == s].sum()) for s in (0, 1)),
    }


def major_features(score: float, major_blame: Array) -> dict[str, float]:
    return {"violation": float(log_odds(score)), **_summary(major_blame)}


@dataclass(frozen=True, slots=True)
class _Major:
    """The two models of what matters, and from when on it does."""

    word: Rules
    row: Logistic
    threshold: float

    @classmethod
    def read(cls, values: Mapping[str, Any], threshold: float) -> _Major:
        return cls(Rules.read(values["major-word"]), Logistic.read(values["major"]), threshold)


class LearnedScorer:
    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        values = weights.values
        if not all("rules" in values[stage] for stage in ("word", "major-word")):
            raise self._outdated("weights of words, not rules")
        self._word, self._row = Rules.read(values["word"]), Logistic.read(values["row"])
        self._thresholds: Mapping[str, Any] = values["thresholds"]
        self._plain = _Major.read(values, self._thresholds["major"])
        self._with_sentences = None
        if SENTENCES in values:
            self._with_sentences = _Major.read(values[SENTENCES], self._thresholds[f"major-{SENTENCES}"])
        self._names = {*self._word.names, *self._plain.word.names} - {BLAME}

    @property
    def asks_sentences(self) -> bool:
        """Whether it can use what a sentence encoder says."""
        return self._with_sentences is not None

    def score(self, left: Sequence[LeftOver]) -> Scored:
        if not left:
            return CLEAN
        missing = self._names - left[0].features.keys()
        if missing:
            raise self._outdated(f"the feature '{min(missing)}'")
        blame = self._word.of_rows(word_rows(left, self._word.names))
        score = _probability(self._row, row_features(left, blame))
        judge = (
            self._with_sentences if self._with_sentences is not None and left[0].features.keys() >= set(SENTENCE_FEATURES) else self._plain
        )
        major_blame = judge.word.of_rows(major_word_rows(left, blame, judge.word.names))
        major = _probability(judge.row, major_features(score, major_blame))
        # What probably misleads a reader is reported even where the strict standard wavers.
        is_major = major >= judge.threshold and score >= WAVERS * self._thresholds["violation"]
        violated = score >= self._thresholds["violation"] or is_major
        return Scored(score, major, tuple(blame.tolist()), tuple(major_blame.tolist()), violated, is_major)

    def _outdated(self, what: str) -> ConfigurationError:
        return ConfigurationError(
            f"the weights '{self.weights.name}' of word-closure are of another version (they have {what}): "
            "learn them again with 'metaphrase calibrate word-closure'"
        )

    def located(self, left: Sequence[LeftOver], scored: Scored) -> list[tuple[LeftOver, float]]:
        return located(left, scored.blame, self._thresholds)


def located(left: Sequence[LeftOver], blame: Sequence[float], thresholds: Mapping[str, float]) -> list[tuple[LeftOver, float]]:
    """The words to show: content words blamed clearly (`word`) or almost as much as the most blamed one (`word-share`); function words if
    no content word is.

    With them what the other translation has instead: renderings of the same input word, and what stands in their place if it is suspicious itself
    (`in-its-place`). And function words of the same phrase (`beside`): "as" and "as" around "long".
    """
    known = {(word.side, word.index): (word, p) for word, p in zip(left, blame, strict=True)}
    limit = min(thresholds["word"], thresholds["word-share"] * max(blame, default=0.0))
    clear = [item for item in known.values() if item[1] >= limit]
    clear = [item for item in clear if not _is_stop(item)] or clear
    shown = {(word.side, word.index) for word, _ in clear}
    for word, _ in clear:
        there = 1 - word.side
        shown.update((there, k) for k in word.renderings)
        shown.update((there, k) for k in word.slot if _suspicious(known.get((there, k)), thresholds["in-its-place"]))
    shown &= known.keys()
    reached = sorted(shown)
    while reached:
        side, index = reached.pop()
        for place in ((side, index - 1), (side, index + 1)):
            item = known.get(place)
            if item is not None and place not in shown and _is_stop(item) and item[1] >= thresholds["beside"]:
                shown.add(place)
                reached.append(place)
    return [known[place] for place in sorted(shown)]


def _is_stop(item: tuple[LeftOver, float]) -> bool:
    return bool(item[0].features["stop"])


def _suspicious(item: tuple[LeftOver, float] | None, limit: float) -> bool:
    return item is not None and not _is_stop(item) and item[1] >= limit


def _probability(model: Logistic, features: Mapping[str, float]) -> float:
    total = model.bias + sum(weight * features[name] for name, weight in model.weights.items())
    return float(1.0 / (1.0 + np.exp(-np.clip(total, -30.0, 30.0))))
