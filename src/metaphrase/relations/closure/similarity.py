"""How alike two fragments of a pair's translations are, for the paper's rule.

Where the profile has an embedder, as the paper measures it (its configuration 5): fragments of the same words or of synonyms are the
same, others as alike as their contextual vectors. Elsewhere as alike as the profile's synonyms find the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from metaphrase.relations.closure.describe import Described
from metaphrase.relations.closure.views import PairView
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Synonyms

__all__ = ["Contextual", "Lexical", "Similarity", "with_similarity"]

Vectors = NDArray[np.float32]

# Pairs whose vectors are held at once.
_TOGETHER = 64


class Similarity(Protocol):
    """`compares_stop_words`: whether a side with nothing but stop words is compared by these; if not, it is like no content word."""

    compares_stop_words: bool

    def of(self, left: Sequence[int], right: Sequence[int]) -> float:
        """Of words of the first translation and words of the second, by position: 0..1."""
        ...


def with_similarity(pairs: Iterable[Described], resources: Resources, *, same: float) -> Iterator[tuple[Described, Similarity]]:
    """In order, a few pairs at a time, because the vectors of many take much memory.

    Beside vectors, words count as synonyms if they are related by at least `same`.
    """
    rest = iter(pairs)
    while some := list(islice(rest, _TOGETHER)):
        found = _contextual(some, resources, same) if resources.has("embedder") else _lexical(some, resources)
        yield from zip(some, found, strict=True)


def _lexical(pairs: Sequence[Described], resources: Resources) -> list[Similarity]:
    return [Lexical(pair.view, resources.synonyms(pair.view.direction.target)) for pair in pairs]


def _contextual(pairs: Sequence[Described], resources: Resources, same: float) -> list[Similarity]:
    """The words are cut as for the aligner, so that closures and vectors speak of the same ones."""
    found: dict[int, Similarity] = {}
    for target in sorted({pair.view.direction.target for pair in pairs}):
        chosen = [k for k, pair in enumerate(pairs) if pair.view.direction.target == target]
        texts = [[t.text for t in text.tokens] for k in chosen for text in pairs[k].view.outputs]
        vectors = resources.embedder(target).embed_words(texts, last=True)
        for n, k in enumerate(chosen):
            found[k] = Contextual(pairs[k].view, resources.synonyms(target), (vectors[2 * n], vectors[2 * n + 1]), same)
    return [found[k] for k in range(len(pairs))]


class Lexical:
    """How surely each word of a side means the same as some word of the other, on average; the better of the two sides."""

    compares_stop_words = False

    def __init__(self, view: PairView, synonyms: Synonyms) -> None:
        self._view = view
        self._synonyms = synonyms

    def of(self, left: Sequence[int], right: Sequence[int]) -> float:
        if not left or not right:
            return float(not left and not right)
        return max(sum(side) / len(side) for side in _best_related(self._view, self._synonyms, left, right))


class Contextual:
    """1 for the same words, a subset, or synonyms; else the cosine of the mean vectors.

    The cosine is that of the vectors as they are, which is the paper's. Without the part that all words of both translations share,
    which the features of left-over words go without, it told violations no better (docs/neural.md).
    """

    compares_stop_words = True

    def __init__(self, view: PairView, synonyms: Synonyms, vectors: tuple[Vectors, Vectors], same: float) -> None:
        self._view = view
        self._synonyms = synonyms
        self._vectors = vectors
        self._same = same

    def of(self, left: Sequence[int], right: Sequence[int]) -> float:
        if not left or not right:
            return float(not left and not right)
        # The paper's check is a subset either way.
        if any(min(side) >= self._same for side in _best_related(self._view, self._synonyms, left, right)):
            return 1.0
        a, b = (vectors[list(places)].mean(axis=0) for vectors, places in zip(self._vectors, (left, right), strict=True))
        return max(0.0, float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-9)))


def _best_related(view: PairView, synonyms: Synonyms, left: Sequence[int], right: Sequence[int]) -> tuple[list[float], list[float]]:
    """For each distinct word of a side, how surely some word of the other means the same."""
    a, b = (sorted({text.words[k] for k in places}) for text, places in zip(view.outputs, (left, right), strict=True))
    return [max(synonyms.related(x, y) for y in b) for x in a], [max(synonyms.related(x, y) for x in a) for y in b]
