"""Word alignment against gold: the error rate, and learning the link scorer of the lite aligner."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metaphrase.core.errors import InputError
from metaphrase.core.logistic import Logistic, fit_logistic
from metaphrase.core.values import Direction
from metaphrase.core.weights import Weights
from metaphrase.evaluation.groups import folds
from metaphrase.resources.lite.aligner import LexicalAligner, Prepared
from metaphrase.resources.lite.evidence import EvidenceSource, Matrix
from metaphrase.resources.lite.link_features import FunctionWords, neighbour_features
from metaphrase.resources.protocols import Alignment, TokenPair
from metaphrase.text.languages import language
from metaphrase.text.near_copies import source_groups
from metaphrase.text.normalise import fold

if TYPE_CHECKING:
    from metaphrase.resources.neural.encoder import Encoder

__all__ = ["AlignmentFigures", "GoldAlignment", "GoldSet", "cross_validated_links", "error_rate", "fit_aligner", "read_gold_alignments"]

ROUNDS = 3
THRESHOLD = 0.42
PENALTY = 1.0
# Cells that nothing speaks for are many and alike; the scorer learns from one in five of them.
EASY_SHARE = 0.2
POSSIBLE_WEIGHT = 0.1


@dataclass(frozen=True, slots=True)
class GoldAlignment:
    """`possible` holds the sure links too."""

    id: str
    pair: TokenPair
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class AlignmentFigures:
    error_rate: float
    precision: float
    recall: float
    sentences: int


def read_gold_alignments(path: Path) -> list[GoldAlignment]:
    gold = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            sure = frozenset((int(i), int(j)) for i, j in row["sure"])
            possible = frozenset((int(i), int(j)) for i, j in row["possible"])
            gold.append(
                GoldAlignment(str(row["id"]), TokenPair(tuple(row["source_tokens"]), tuple(row["target_tokens"])), sure, possible | sure)
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}:{number}: not a gold alignment (source_tokens, target_tokens, sure, possible): {error}") from error
    return gold


def error_rate(gold: Sequence[GoldAlignment], alignments: Sequence[Alignment]) -> AlignmentFigures:
    """AER = 1 - (|A & S| + |A & P|) / (|A| + |S|), pooled."""
    found = sure = in_sure = in_possible = 0
    for row, alignment in zip(gold, alignments, strict=True):
        links = {(link.source, link.target) for link in alignment.links}
        found, sure = found + len(links), sure + len(row.sure)
        in_sure, in_possible = in_sure + len(links & row.sure), in_possible + len(links & row.possible)
    total = found + sure
    return AlignmentFigures(
        1 - (in_sure + in_possible) / total if total else 0.0,
        in_possible / found if found else 0.0,
        in_sure / sure if sure else 0.0,
        len(gold),
    )


class _Counts:
    """Linked and met, for pairs of function words; a sentence's own share can be taken out."""

    def __init__(self, rows: Iterable[tuple[tuple[str, ...], tuple[str, ...], frozenset[tuple[int, int]]]], stops: tuple[Any, Any]) -> None:
        self.met: Counter[tuple[str, str]] = Counter()
        self.linked: Counter[tuple[str, str]] = Counter()
        for source, target, links in rows:
            left = [(i, w) for i, w in enumerate(source) if stops[0](w)]
            right = [(j, w) for j, w in enumerate(target) if stops[1](w)]
            for i, a in left:
                for j, b in right:
                    self.met[a, b] += 1
                    self.linked[a, b] += (i, j) in links

    def rates(self, without: _Counts | None = None) -> FunctionWords:
        rates: dict[str, dict[str, float]] = {}
        for (a, b), met in sorted(self.met.items()):
            linked = self.linked[a, b] - (without.linked[a, b] if without else 0)
            seen = met - (without.met[a, b] if without else 0)
            if seen > 0 and linked > 0:
                rates.setdefault(a, {})[b] = round((linked + 0.08) / (seen + 4), 3)
        return FunctionWords(rates)


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Gold of one pair of languages, with the evidence its aligner uses."""

    direction: Direction
    evidence: EvidenceSource
    gold: Sequence[GoldAlignment]
    encoder: Encoder | None = None
    """Of the neural profile, whose scorer sees contextual features too."""

    def aligner(self, weights: Weights) -> LexicalAligner:
        if self.encoder is None:
            return LexicalAligner(self.direction, self.evidence, weights)
        from metaphrase.resources.neural.link_scorer import ContextualAligner

        return ContextualAligner(self.direction, self.evidence, weights, self.encoder, again=True)


class _Learner:
    """Learns rounds of link scorers from gold, of one pair of languages or of several together."""

    def __init__(self, sets: Sequence[GoldSet]) -> None:
        self._sets = sets
        self.gold = [g for s in sets for g in s.gold]
        # Which function words go together is a fact of a pair of languages, so only a scorer for one pair has the table.
        self._function_words = len(sets) == 1
        tests = (language(sets[0].direction.source).is_stop, language(sets[0].direction.target).is_stop)
        self._stops = tests
        self._folded = [(tuple(map(fold, g.pair.source)), tuple(map(fold, g.pair.target)), g.sure) for g in self.gold]
        # Short sentences repeat; what was learnt from one must not be tried on its copy.
        self.groups = source_groups([" ".join(g.pair.source) for g in self.gold])
        self._own = [_Counts([row], tests) for row in self._folded] if self._function_words else []

    def _prepare(self, tables: Sequence[FunctionWords]) -> list[Prepared]:
        blank = Weights("blank", {"rounds": [], "threshold": THRESHOLD}, {})
        items: list[Prepared] = []
        for s in self._sets:
            items += s.aligner(blank).prepare([g.pair for g in s.gold], tables[len(items) : len(items) + len(s.gold)])
        return items

    def learn(self, train: Sequence[int]) -> tuple[list[Logistic], FunctionWords]:
        """Scorers and function words from the sentences `train`."""
        counts = _Counts([self._folded[k] for k in train], self._stops)
        inside = set(train)
        table = counts.rates() if self._function_words else FunctionWords({})
        tables = [counts.rates(self._own[k]) if self._function_words and k in inside else table for k in range(len(self.gold))]
        items = self._prepare(tables)
        rounds: list[Logistic] = []
        features = [item.features for item in items]
        for number in range(ROUNDS):
            scorer = self._fit(features, train)
            rounds.append(scorer)
            if number + 1 < ROUNDS:
                before = self._cross_fitted(features, train)
                features = [item.features | neighbour_features(p) if item.features else {} for item, p in zip(items, before, strict=True)]
        return rounds, table

    def _cross_fitted(self, features: Sequence[dict[str, Matrix]], train: Sequence[int]) -> list[Matrix]:
        """What a scorer says about sentences it was not fitted on, so that the next round sees honest neighbours."""
        result: list[Matrix] = [np.zeros((0, 0))] * len(features)
        for part in folds([self.groups[k] for k in train], 4):
            scorer = self._fit(features, [train[n] for n in part.train])
            for k in [train[n] for n in part.test]:
                result[k] = scorer.probability(features[k])
        return [p if p.size or not f else np.zeros(next(iter(f.values())).shape) for p, f in zip(result, features, strict=True)]

    def _fit(self, features: Sequence[dict[str, Matrix]], train: Sequence[int]) -> Logistic:
        names = list(features[train[0]])
        rows, labels, weights = [], [], []
        random = np.random.default_rng(0)
        for k in train:
            if not features[k]:
                continue
            row = self.gold[k]
            table = np.stack([features[k][name].ravel() for name in names], axis=1)
            label = np.zeros(features[k]["exact"].shape)
            weight = np.ones_like(label)
            for i, j in row.possible:
                weight[i, j] = POSSIBLE_WEIGHT
            for i, j in row.sure:
                label[i, j], weight[i, j] = 1.0, 1.0
            easy = (features[k]["both-ways"].ravel() < 0.02) & (label.ravel() == 0)
            keep = ~easy | (random.random(len(easy)) < EASY_SHARE)
            rows.append(table[keep])
            labels.append(label.ravel()[keep])
            weights.append((weight.ravel() * np.where(easy, 1 / EASY_SHARE, 1.0))[keep])
        return fit_logistic(names, np.concatenate(rows), np.concatenate(labels), np.concatenate(weights), penalty=PENALTY)


def _weights(name: str, rounds: Sequence[Logistic], table: FunctionWords, provenance: dict[str, Any]) -> Weights:
    values = {"threshold": THRESHOLD, "rounds": [r.plain() for r in rounds], "function-words": dict(table.rates)}
    return Weights(name, values, provenance)


def fit_aligner(name: str, sets: Sequence[GoldSet], provenance: dict[str, Any]) -> Weights:
    learner = _Learner(sets)
    rounds, table = learner.learn(range(len(learner.gold)))
    return _weights(name, rounds, table, provenance)


def cross_validated_links(sets: Sequence[GoldSet]) -> list[list[Alignment]]:
    """Links of each sentence by a scorer that saw neither it nor a near copy; a list a set."""
    learner = _Learner(sets)
    found: list[Alignment] = [Alignment(())] * len(learner.gold)
    for part in folds(learner.groups):
        rounds, table = learner.learn(part.train)
        weights = _weights("fold", rounds, table, {})
        aligned = [links for s in sets for links in s.aligner(weights).align([g.pair for g in s.gold])]
        for k in part.test:
            found[k] = aligned[k]
    ends = list(itertools.accumulate(len(s.gold) for s in sets))
    return [found[end - len(s.gold) : end] for s, end in zip(sets, ends, strict=True)]
