"""How likely a pair of translations holds an error, and which words show it: the learned scorer and the paper's rule behind one interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any, Protocol

import numpy as np

from metaphrase.core.logistic import Logistic
from metaphrase.core.weights import Weights
from metaphrase.relations.differential.pairs import EnginePair, PairDescriber
from metaphrase.relations.differential.parts import Part
from metaphrase.relations.differential.rules import Breach
from metaphrase.resources.protocols import Synonyms
from metaphrase.text.languages import Language

__all__ = ["MAJOR_FEATURES", "LearnedScorer", "MarkedWord", "PairScore", "PaperScorer", "Scorer", "logit", "major_features"]

MAJOR_FEATURES = ("logit", "left-over")
# A broken rule is reported whatever the weights say, as a major error: the probabilities that it stands for at least. The first is about what the
# papers' labels, which overlook many a number, say of such pairs.
RULE = 0.5
RULE_MAJOR = 0.8
_LIKELY = 0.6


@dataclass(frozen=True, slots=True)
class MarkedWord:
    """A word that the scorer holds for (part of) the difference, with its weight."""

    side: int
    index: int
    weight: float


@dataclass(frozen=True, slots=True)
class PairScore:
    """`score`: probability that one of the two has an error; `major`: that one has a major error; `why` for scorers that judge by parts."""

    score: float
    major: float
    violated: bool
    marked: tuple[MarkedWord, ...]
    parts: tuple[Part, ...] = ()


class Scorer(Protocol):
    needs_parts: bool

    def score(self, pair: EnginePair, breaches: Sequence[Breach], parts: Sequence[Part]) -> PairScore: ...
    def parameters(self) -> dict[str, Any]: ...


# No score is surer than this: one pair without a difference must not outweigh all others.
_SUREST = 0.01


def logit(p: float) -> float:
    p = min(max(p, _SUREST), 1 - _SUREST)
    return log(p / (1 - p))


def major_features(score: float, features: Mapping[str, float]) -> dict[str, float]:
    return {"logit": logit(score), "left-over": features["left-over"]}


def _probability(model: Logistic, features: Mapping[str, float]) -> float:
    total = model.bias + sum(weight * features[name] for name, weight in model.weights.items())
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


class LearnedScorer:
    """Logistic models over few named features; see the weights' provenance."""

    needs_parts = False

    def __init__(self, weights: Weights, *, threshold: float | None = None, report_marked: bool = False) -> None:
        values = weights.values
        self._report_marked = report_marked
        self._weights = weights
        self._pair, self._word, self._major = (Logistic.read(values[name]) for name in ("pair", "word", "major"))
        self._threshold = float(values["threshold"]) if threshold is None else threshold
        self._mark = float(values["mark"])

    def parameters(self) -> dict[str, Any]:
        return {"scorer": "learned", "weights": self._weights.digest, "threshold": self._threshold}

    def score(self, pair: EnginePair, breaches: Sequence[Breach], parts: Sequence[Part]) -> PairScore:
        if pair.clean and not breaches:
            return PairScore(0.0, 0.0, False, ())
        score = _probability(self._pair, pair.features)
        major = _probability(self._major, major_features(score, pair.features))
        marked = [MarkedWord(w.side, w.index, _probability(self._word, w.features)) for w in pair.left_over]
        if breaches:
            score, major = max(score, RULE), max(major, RULE_MAJOR)
        limit = self._mark
        violated = bool(breaches) or score >= self._threshold or (self._report_marked and any(m.weight >= limit for m in marked))
        if violated and not breaches:  # a report must say where: then the likeliest words stand for it
            limit = min(limit, _LIKELY * max((m.weight for m in marked), default=0.0))
        return PairScore(score, major, violated, tuple(m for m in marked if m.weight >= limit))


class PaperScorer:
    """The rule as published: a part violates if its two translations are less alike than `similarity` and the synonym check fails.

    The sentence vectors of the paper come from SimCSE. Ours are means of the profile's contextual vectors, or bags where the profile has none, so
    that the published thresholds do not carry over (both are options).
    """

    needs_parts = True

    def __init__(self, describer: PairDescriber, target: Language, synonyms: Synonyms, *, similarity: float, bag: float) -> None:
        self._describer, self._target, self._synonyms = describer, target, synonyms
        self._similarity, self._bag = similarity, bag

    def parameters(self) -> dict[str, Any]:
        return {"scorer": "paper", "similarity": self._similarity, "bag": self._bag}

    def score(self, pair: EnginePair, breaches: Sequence[Breach], parts: Sequence[Part]) -> PairScore:
        worst, marked, broken = 1.0, [], []
        for part in parts:
            sides = self._projected(pair, part)
            alike = self._cosine(pair, sides)
            worst = min(worst, alike)
            if alike < self._similarity and not self._synonymous(pair, sides):
                broken.append(part)
                marked += [MarkedWord(side, k, 1 - alike) for side in (0, 1) for k in sides[side] if self._left(pair, side, k)]
        score = 1 - worst
        return PairScore(score, score, bool(broken), tuple(marked), tuple(broken))

    def _projected(self, pair: EnginePair, part: Part) -> tuple[list[int], list[int]]:
        """The part's translations, in target order; a Latin phrase that one side keeps stands for the other side's words (named entities)."""
        sides = [sorted({j for i in part.words for j, w in rendered.links.of_source(i) if w >= _PART_LINK}) for rendered in pair.sides]
        kept = {(w.side, w.index) for w in pair.left_over if w.features["kept"]}
        for side in (0, 1):
            for i in part.words:
                if any((side, j) in kept for j, _ in pair.sides[side].links.of_source(i)):
                    same = {j for s in (0, 1) for j, w in pair.sides[s].links.of_source(i) if w >= _PART_LINK}
                    sides[0] = [j for j in sides[0] if j not in same or ((0, j) not in kept and side == 1)]
                    sides[1] = [j for j in sides[1] if j not in same or ((1, j) not in kept and side == 0)]
        return sides[0], sides[1]

    def _cosine(self, pair: EnginePair, sides: tuple[list[int], list[int]]) -> float:
        if not sides[0] or not sides[1]:
            return 1.0 if not sides[0] and not sides[1] else 0.0
        left, right = pair.sides[0].vectors, pair.sides[1].vectors
        if left is not None and right is not None:
            a, b = left[sides[0]].mean(axis=0), right[sides[1]].mean(axis=0)
            return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-9))
        bags = [self._describer.bag([pair.sides[s].text.words[k] for k in sides[s]]) for s in (0, 1)]
        product = sum(bags[0][unit] * bags[1][unit] for unit in bags[0])
        norms = sqrt(sum(n * n for n in bags[0].values()) * sum(n * n for n in bags[1].values()))
        return product / norms if norms else 1.0

    def _left(self, pair: EnginePair, side: int, index: int) -> bool:
        return any(w.side == side and w.index == index for w in pair.left_over)

    def _synonymous(self, pair: EnginePair, sides: tuple[list[int], list[int]]) -> bool:
        """Every left-over word has a word close enough on the other side; left-overs on one side only have none."""
        words = [
            [
                pair.sides[s].text.words[k]
                for k in sides[s]
                if self._left(pair, s, k) and not self._target.is_stop(pair.sides[s].text.words[k])
            ]
            for s in (0, 1)
        ]
        if not words[0] and not words[1]:
            return True
        if not words[0] or not words[1]:
            return False
        best = [min(max(self._synonyms.related(a, b) for b in words[1 - s]) for a in words[s]) for s in (0, 1)]
        return min(best) > self._bag


_PART_LINK = 0.4
