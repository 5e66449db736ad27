"""The learned scorer: three small logistic models, one on top of the other.

1. *word*: is a left-over word to blame, by the papers' strict standard;
2. *row*: is the pair a violation, from the blame of its words;
3. *major-word* and *major*: would a reader be misled, learnt from readings of the meaning.

All weights are named and come from one JSON file a profile and direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import ConfigurationError
from metaphrase.core.logistic import Logistic
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
    """A pair's features from its left-over words and their blame."""
    column = {name: np.array([w.features[name] for w in left]) for name in left[0].features}
    side = np.array([w.side for w in left])
    content = column["stop"] == 0
    best, second, third = _top(blame, 3)
    best_content, second_content = _top(blame[content], 2)
    sums = [float(blame[side == s].sum()) for s in (0, 1)]
    content_best = [float(blame[(side == s) & content].max(initial=0.0)) for s in (0, 1)]
    alike = np.maximum(column["alike-counterpart"], column["alike-left"])
    unexplained = (1 - column["edited"]) * (1 - alike) * content
    context = _context_features(column, blame, side, unexplained) if "context-left" in column else {}
    open_sums = [float(unexplained[side == s].sum()) for s in (0, 1)]
    any_blame = 1 - float(np.prod(1 - np.minimum(blame, 0.98)))
    one_sided = column["edit-only-here"].max() + column["edit-only-there"].max() > 0
    return {
        "best": float(log_odds(best)),
        "second": float(log_odds(second)),
        "third": float(log_odds(third)),
        "best-content": float(log_odds(best_content)),
        "second-content": float(log_odds(second_content)),
        "best-stop": float(log_odds(_top(blame[~content], 1)[0])),
        "any": float(log_odds(any_blame)),
        "sum": float(np.log1p(blame.sum())),
        "larger-side": max(sums),
        "smaller-side": min(sums),
        "gap": abs(sums[0] - sums[1]),
        "both-content": min(content_best),
        "content-words": float(np.log1p(content.sum())),
        "words": float(np.log1p(len(left))),
        "no-content": float(not content.any()),
        "share": float(column["left-share"].max()),
        "number": float((blame * column["number"]).max()),
        "negation": float(column["negation"].max()),
        "best-short": best * float(column["short"].max()),
        "edit-size": float(column["edit-size"].max()),
        "rare-unlinked": float((column["rare-unlinked"] * content).max()),
        "unexplained-larger": max(open_sums),
        "unexplained-smaller": min(open_sums),
        "unexplained": float(np.log1p(sum(open_sums))),
        "one-sided-edit": float(one_sided),
        **context,
    }


def _context_features(column: Mapping[str, Array], blame: Array, side: Array, unexplained: Array) -> dict[str, float]:
    """Where contextual vectors are at hand: unexplained words that nothing in the other translation is like."""
    apart = 1 - np.maximum(column["context-left"], column["context-rendering"])
    strange = unexplained * apart
    return {
        "strange-best": float(strange.max()),
        "strange": float(np.log1p(strange.sum())),
        "strange-blame": float((blame * apart).max()),
        "strange-larger": max(float(strange[side == s].sum()) for s in (0, 1)),
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
        self._word, self._row = Logistic.read(values["word"]), Logistic.read(values["row"])
        self._major_word, self._major = Logistic.read(values["major-word"]), Logistic.read(values["major"])
        self._names = self._word.weights.keys() | (self._major_word.weights.keys() - {BLAME})
        self._thresholds: Mapping[str, Any] = values["thresholds"]

    def score(self, left: Sequence[LeftOver]) -> Scored:
        if not left:
            return CLEAN
        missing = self._names - left[0].features.keys()
        if missing:
            raise ConfigurationError(
                f"the weights '{self.weights.name}' of word-closure are of another version (they ask for '{min(missing)}'): "
                "learn them again with 'metaphrase calibrate word-closure'"
            )
        blame = self._word.of_rows(word_rows(left, list(self._word.weights)))
        score = _probability(self._row, row_features(left, blame))
        major_blame = self._major_word.of_rows(major_word_rows(left, blame, [name for name in self._major_word.weights if name != BLAME]))
        major = _probability(self._major, major_features(score, major_blame))
        is_major = major >= self._thresholds["major"]
        # What probably misleads a reader is reported even where the strict standard wavers.
        violated = score >= self._thresholds["violation"] or is_major
        return Scored(score, major, tuple(blame.tolist()), tuple(major_blame.tolist()), violated, is_major)

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
