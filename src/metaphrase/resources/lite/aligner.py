"""Word alignment without a model: evidence, batch statistics, and a small scorer of links.

Chinese-English uses CC-CEDICT; other pairs spelling, numbers, names and the user's glossary. The scorer is logistic and
runs in rounds; its weights were learnt from gold alignments (see the provenance in `weights/`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from metaphrase.core.logistic import Logistic, sigmoid
from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction
from metaphrase.core.weights import Weights, read_weights, shipped_weights
from metaphrase.resources.lite.evidence import (
    ChineseEnglishEvidence,
    EvidenceSource,
    GeneralEvidence,
    GlossaryEvidence,
    Matrix,
    read_glossary,
    strength,
)
from metaphrase.resources.lite.link_features import FunctionWords, cell_features, neighbour_features
from metaphrase.resources.lite.statistics import posteriors
from metaphrase.resources.protocols import Alignment, Link, TokenPair
from metaphrase.text.languages import Language, language
from metaphrase.text.normalise import fold

__all__ = ["AlignerOptions", "LexicalAligner", "lite_aligner"]

# Statistics are taken over this many distinct pairs at a time, which bounds memory.
BATCH = 1_000
# A link below this is not reported at all.
FLOOR = 0.05


class AlignerOptions(Options):
    """`[resource.aligner]`."""

    glossary: Path | None = None
    weights: Path | None = None
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A pair with everything the first round needs."""

    words: tuple[tuple[str, ...], tuple[str, ...]]
    features: dict[str, Matrix]


class LexicalAligner:
    """Aligns one direction. Links carry their probability; those under the threshold are left out."""

    def __init__(
        self, direction: Direction, evidence: EvidenceSource, weights: Weights, *, transposed: bool = False, threshold: float | None = None
    ) -> None:
        self._direction = direction
        self._transposed = transposed
        order = (direction.target, direction.source) if transposed else (direction.source, direction.target)
        self._languages: tuple[Language, Language] = (language(order[0]), language(order[1]))
        self._evidence = evidence
        self._weights = weights
        self._rounds = [Logistic.read(r) for r in weights.values["rounds"]]
        self._function_words = FunctionWords(weights.values.get("function-words", {}))
        self._threshold = float(weights.values["threshold"]) if threshold is None else threshold

    def align(self, pairs: Sequence[TokenPair]) -> list[Alignment]:
        return [Alignment(tuple(link for link in row if link.weight >= self._threshold)) for row in self.soft_links(pairs)]

    def soft_links(self, pairs: Sequence[TokenPair]) -> list[list[Link]]:
        """All links worth mentioning, also those that `align` would not report."""
        distinct = sorted(set(pairs), key=lambda p: (p.source, p.target))
        found: dict[TokenPair, list[Link]] = {}
        for start in range(0, len(distinct), BATCH):
            batch = distinct[start : start + BATCH]
            for pair, p in zip(batch, self.probabilities(batch), strict=True):
                rows, columns = np.nonzero(p >= FLOOR)
                found[pair] = [Link(i, j, round(float(p[i, j]), 4)) for i, j in zip(rows.tolist(), columns.tolist(), strict=True)]
        return [found[pair] for pair in pairs]

    def probabilities(self, pairs: Sequence[TokenPair]) -> list[Matrix]:
        """Source words by target words, learning from exactly these pairs."""
        return [p.T if self._transposed else p for p in (self.score(item) for item in self._prepared(pairs, None))]

    def prepare(self, pairs: Sequence[TokenPair], function_words: Sequence[FunctionWords] | None = None) -> list[Prepared]:
        return list(self._prepared(pairs, function_words))

    def _prepared(self, pairs: Sequence[TokenPair], function_words: Sequence[FunctionWords] | None) -> Iterator[Prepared]:
        """One at a time: the features of a batch would fill hundreds of megabytes."""
        words = [self._fold(pair) for pair in pairs]
        evidence = [_sparse(self._evidence.matrices(*self._in_order(pair))) for pair in pairs]
        lemmas = [tuple(tuple(self._languages[s].lemma(w) for w in side) for s, side in enumerate(pair)) for pair in words]
        learnt = posteriors([(a, b) for a, b in lemmas], [strength(e) for e in evidence])
        for k, (pair, posterior) in enumerate(zip(words, learnt, strict=True)):
            found = {name: matrix.astype(np.float64) for name, matrix in evidence[k].items()}
            evidence[k] = {}  # seen for the last time
            table = self._function_words if function_words is None else function_words[k]
            if pair[0] and pair[1]:
                yield Prepared(pair, cell_features(*pair, self._languages, found, posterior, table.matrix(*pair)))
            else:
                yield Prepared(pair, {})

    def score(self, item: Prepared) -> Matrix:
        if not item.features:
            return np.zeros((len(item.words[0]), len(item.words[1])))
        # All rounds see the same cell features, so their part of the sum is one product.
        cells = np.stack(list(item.features.values())).reshape(len(item.features), -1)
        weights = np.array([[scorer.weights[name] for name in item.features] for scorer in self._rounds])
        missing = set(self._rounds[0].weights) - set(item.features)
        assert not missing, f"the first round was learnt with features that are not there: {', '.join(sorted(missing))}"
        fixed = (weights @ cells).reshape(len(self._rounds), *next(iter(item.features.values())).shape)
        p = sigmoid(fixed[0] + self._rounds[0].bias)
        for scorer, known in zip(self._rounds[1:], fixed[1:], strict=True):
            seen = neighbour_features(p)
            p = sigmoid(known + scorer.bias + sum(scorer.weights[name] * value for name, value in seen.items()))
        return p

    def _in_order(self, pair: TokenPair) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (pair.target, pair.source) if self._transposed else (pair.source, pair.target)

    def _fold(self, pair: TokenPair) -> tuple[tuple[str, ...], tuple[str, ...]]:
        first, second = self._in_order(pair)
        return tuple(fold(w) for w in first), tuple(fold(w) for w in second)

    def signature(self) -> Signature:
        return Signature(
            "lexical-aligner", "1", {"pair": str(self._direction), "weights": self._weights.digest, "threshold": self._threshold}
        )


def _sparse(evidence: dict[str, Matrix]) -> dict[str, Matrix]:
    """In half the precision, and matrices without any evidence, which most are, as views of a single zero: a batch waits for all of its evidence."""
    none = np.float32(0.0)
    return {name: found.astype(np.float32) if found.any() else np.broadcast_to(none, found.shape) for name, found in evidence.items()}


@configured_by(AlignerOptions)
def lite_aligner(direction: Direction, options: Mapping[str, Any]) -> LexicalAligner:
    """The aligner of the lite profile for a direction."""
    chosen = read_options(AlignerOptions, options, "[resource.aligner]")
    bases = (direction.source.split("-")[0], direction.target.split("-")[0])
    transposed = bases == ("en", "zh")  # the weights were learnt with Chinese as the source
    first, second = (language(c) for c in ((direction.target, direction.source) if transposed else (direction.source, direction.target)))
    if set(bases) == {"zh", "en"}:
        name = "aligner-zh-en"
        evidence: EvidenceSource = ChineseEnglishEvidence()
    else:
        name = "aligner-general"
        evidence = GeneralEvidence(first, second)
    if chosen.glossary is not None:
        evidence = GlossaryEvidence(evidence, read_glossary(chosen.glossary, first, second, swapped=transposed), first, second)
    weights = read_weights(chosen.weights) if chosen.weights else shipped_weights("metaphrase.resources.lite", name)
    if weights is None:
        raise FileNotFoundError(f"the package lacks weights/{name}.json")
    return LexicalAligner(direction, evidence, weights, transposed=transposed, threshold=chosen.threshold)
