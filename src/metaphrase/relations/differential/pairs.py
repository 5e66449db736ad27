"""Two engines' translations of one sentence, compared through the words of the source.

Equal words, inflections, runs of characters and numbers are paired off first (`closure.comparison`). Every word that is left over is
described: does the source support it, does the other translation render the same source word, is that rendering alike or also a listed
translation? What remains unexplained is counted in a few named features of the pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from metaphrase.relations.closure.comparison import Comparison, compare
from metaphrase.relations.closure.links import Links
from metaphrase.relations.closure.views import Text
from metaphrase.resources.lite.lexicon import INFLECTED
from metaphrase.resources.protocols import Lexicon, Synonyms
from metaphrase.text.languages import Language
from metaphrase.text.tokens import is_word

__all__ = ["PAIR_FEATURES", "SEMANTIC_FEATURES", "WORD_FEATURES", "EnginePair", "LeftOver", "PairDescriber", "Rendered"]

Vectors = NDArray[np.float32]

WORD_FEATURES = (
    "function-word", "supported", "listed-here", "counterpart", "counterpart-left", "alike", "licensed", "lost", "listed",
    "alike-left", "alike-any", "covered", "rare", "kept", "number", "negation", "long", "neighbours",
)  # fmt: skip
PAIR_FEATURES = (
    "bag", "kept-words", "rendered-apart", "unexplained", "function-words", "source-length", "left-over", "worst", "names",
)  # fmt: skip
# Only where the profile has an embedder.
SEMANTIC_FEATURES = ("tokens", "tokens-worst")

# A link below this does not say which words render a source word.
_LINKED = 0.3
# Links under one half are common among right ones, so that their product is too strict.
_TRUST = 1.5


@dataclass(frozen=True, slots=True)
class Rendered:
    """One engine's translation: its words, their links to the source, and vectors where the profile has an embedder."""

    engine: str
    text: Text
    links: Links
    vectors: Vectors | None = None


@dataclass(frozen=True, slots=True)
class LeftOver:
    """A word (`index` in the translation `side`) without a counterpart of its form in the other translation."""

    side: int
    index: int
    features: dict[str, float]

    @property
    def explained(self) -> float:
        """The best reason why nothing is wrong with it."""
        f = self.features
        return max(f["licensed"], f["alike"], f["alike-left"])

    @property
    def unexplained(self) -> float:
        return (1 - self.features["covered"]) * (1 - self.explained)


@dataclass(frozen=True, slots=True)
class EnginePair:
    """The comparison of two renderings of a source."""

    source: Text
    sides: tuple[Rendered, Rendered]
    comparison: Comparison
    left_over: tuple[LeftOver, ...]
    features: dict[str, float]

    @property
    def clean(self) -> bool:
        """Nothing but typography differs."""
        return not self.left_over


class PairDescriber:
    """Describes pairs of one direction."""

    def __init__(self, source: Language, target: Language, lexicon: Lexicon, synonyms: Synonyms) -> None:
        self._source, self._target = source, target
        self._lexicon, self._synonyms = lexicon, synonyms

    def describe(self, source: Text, left: Rendered, right: Rendered) -> EnginePair:
        comparison = compare(left.text, right.text, self._target)
        same = self._same_words(comparison)
        words = _Words(source, (left, right), comparison, same, self)
        left_over = tuple(words.describe(side, k) for side in (0, 1) for k in words.left[side])
        features = self._features(source, (left, right), same, left_over)
        if left.vectors is not None and right.vectors is not None:
            features |= _semantic((left, right), self._target)
        return EnginePair(source, (left, right), comparison, left_over, features)

    def _same_words(self, comparison: Comparison) -> dict[int, int]:
        """Left-over words of the right side that a thesaurus lists with one of the left side: right index to left index."""
        words = comparison.texts[0].words, comparison.texts[1].words
        free = list(comparison.left_over(0))
        same: dict[int, int] = {}
        for j in comparison.left_over(1):
            found = next((i for i in free if self._synonyms.related(words[0][i], words[1][j]) >= INFLECTED), None)
            if found is not None:
                free.remove(found)
                same[j] = found
        return same

    def _features(
        self, source: Text, sides: tuple[Rendered, Rendered], same: Mapping[int, int], left_over: Sequence[LeftOver]
    ) -> dict[str, float]:
        content = [w for w in left_over if not w.features["function-word"]]
        own = [w for w in content if not w.features["kept"]]

        def by_side(words: Sequence[LeftOver], value: str = "") -> tuple[float, float]:
            sums = [0.0, 0.0]
            for word in words:
                sums[word.side] += word.unexplained if value == "unexplained" else 1.0 if value == "one" else 1 - word.features["covered"]
            return sums[0], sums[1]

        kept = by_side([w for w in content if w.features["kept"]], "one")
        names = sum(self._renders_name(source, sides[w.side].links, w.index) for w in content)
        content_words = self.content_words(source)
        left = sides[0].text.words
        forms = list(left), [left[same[j]] if j in same else word for j, word in enumerate(sides[1].text.words)]
        return {
            "bag": 1 - self._dice(forms),
            "kept-words": abs(kept[0] - kept[1]),
            "rendered-apart": self._rendered_apart(content_words, sides, forms),
            "unexplained": log1p(max(by_side(own, "unexplained"))),
            "function-words": log1p(sum(by_side([w for w in left_over if w.features["function-word"]]))),
            "source-length": log1p(len(content_words)),
            "left-over": log1p(max(by_side(content))),
            "worst": max((w.unexplained * w.features["rare"] for w in own), default=0.0),
            "names": float(names),
        }

    def content_words(self, source: Text) -> list[int]:
        return [k for k, w in enumerate(source.words) if self._source.is_content(w)]

    def bag(self, words: Sequence[str]) -> Counter[str]:
        """What a bag of this language holds: characters or lemmas, without the lightest."""
        bag: Counter[str] = Counter()
        for word in words:
            bag.update(_units(word, self._target))
        return bag

    def _dice(self, forms: tuple[list[str], list[str]]) -> float:
        left, right = (self.bag(words) for words in forms)
        total = left.total() + right.total()
        return 2 * (left & right).total() / total if total else 1.0

    def _rendered_apart(self, content_words: Sequence[int], sides: tuple[Rendered, Rendered], forms: tuple[list[str], list[str]]) -> float:
        """The share of source words whose two renderings have nothing in common."""
        apart = 0
        for i in content_words:
            bags = [
                self.bag([words[j] for j, weight in side.links.of_source(i) if weight > _LINKED])
                for side, words in zip(sides, forms, strict=True)
            ]
            apart += bool(bags[0] or bags[1]) and not bags[0] & bags[1]
        return apart / max(1, len(content_words))

    def _renders_name(self, source: Text, links: Links, index: int) -> bool:
        return any(i > 0 and source.tokens[i].text[:1].isupper() for i, _ in links.of_target(index))


@lru_cache(maxsize=65_536)
def _units(word: str, language: Language) -> tuple[str, ...]:
    if not is_word(word):
        return ()
    if language.compares_by_character and not word.isascii():
        return tuple(c for c in word if c not in language.light_characters)
    return (language.lemma(word),)


class _Words:
    """The left-over words of one pair."""

    def __init__(
        self, source: Text, sides: tuple[Rendered, Rendered], comparison: Comparison, same: Mapping[int, int], describer: PairDescriber
    ) -> None:
        self.source, self.sides, self.comparison = source, sides, comparison
        explained = set(same.values())
        self.left = [k for k in comparison.left_over(0) if k not in explained], [k for k in comparison.left_over(1) if k not in same]
        self._free = (frozenset(self.left[0]), frozenset(self.left[1]))
        self._target, self._lexicon, self._synonyms = describer._target, describer._lexicon, describer._synonyms
        self._content = [(k, source.words[k]) for k in describer.content_words(source)]
        self._foreign = tuple(not _mostly_latin(side.text.text) for side in sides)

    def describe(self, side: int, index: int) -> LeftOver:
        here, there = self.sides[side], self.sides[1 - side]
        word = here.text.words[index]
        stop = self._target.is_stop(word)
        supported = listed_here = counterpart = counterpart_left = alike = licensed = lost = 0.0
        for i, weight in here.links.of_target(index):
            strength = self._lexicon.strength(self.source.words[i], word)
            supported, listed_here = max(supported, weight), max(listed_here, weight * strength)
            others = there.links.of_source(i)
            lost = max(lost, weight * (1 - max((w for _, w in others), default=0.0)))
            for j, other in others:
                both, trust = weight * other, min(1.0, _TRUST * weight) * min(1.0, _TRUST * other)
                rendering = there.text.words[j]
                counterpart = max(counterpart, both)
                if j in self._free[1 - side]:
                    counterpart_left = max(counterpart_left, both)
                alike = max(alike, trust * self._synonyms.related(word, rendering))
                licensed = max(licensed, trust * sqrt(strength * self._lexicon.strength(self.source.words[i], rendering)))
        related = [(j, self._synonyms.related(word, w)) for j, w in enumerate(there.text.words) if is_word(w)] if not stop else []
        free = self._free[1 - side]
        neighbours = sum(k in self._free[side] for k in (index - 1, index + 1))
        features = {
            "function-word": float(stop),
            "supported": supported,
            "listed-here": listed_here,
            "counterpart": counterpart,
            "counterpart-left": counterpart_left,
            "alike": alike,
            "licensed": licensed,
            "lost": lost,
            "listed": max((self._lexicon.strength(w, word) for _, w in self._content), default=0.0) if not stop else 0.0,
            "alike-left": max((r for j, r in related if j in free), default=0.0),
            "alike-any": max((r for _, r in related), default=0.0),
            "covered": self.comparison.covered[side][index],
            "rare": self._synonyms.rarity(word),
            "kept": float(self._kept(side, word)),
            "number": float(self._target.number_of(word) is not None),
            "negation": float(word in self._target.negations),
            "long": min(1.0, len(word) / (4 if self._target.compares_by_character else 10)),
            "neighbours": neighbours / 2,
        }
        return LeftOver(side, index, features)

    def _kept(self, side: int, word: str) -> bool:
        """Left as it stands in the source; in another script every Latin word is."""
        if self._foreign[side]:
            return word.isascii() and word.isalpha()
        return len(word) > 3 and any(word == w for _, w in self._content)


def _mostly_latin(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return 2 * sum(c < "\u0250" for c in letters) >= len(letters)


def _semantic(sides: tuple[Rendered, Rendered], target: Language) -> dict[str, float]:
    """How far content words are from their nearest word on the other side, by contextual vectors: on average, and the farthest.

    The pair's mean is taken off first: raw vectors of such encoders all point one way.
    """
    left, right = sides[0].vectors, sides[1].vectors
    assert left is not None
    assert right is not None
    content = [[k for k, w in enumerate(side.text.words) if target.is_content(w)] for side in sides]
    if not content[0] or not content[1]:
        return {"tokens": float(content[0] != content[1]), "tokens-worst": float(content[0] != content[1])}
    mean = np.concatenate([left, right]).mean(axis=0)
    units = [(v - mean) / (np.linalg.norm(v - mean, axis=1, keepdims=True) + 1e-9) for v in (left, right)]
    cosines = units[0] @ units[1].T
    nearest = [cosines.max(axis=1)[content[0]], cosines.max(axis=0)[content[1]]]
    return {
        "tokens": 1 - float(nearest[0].mean() + nearest[1].mean()) / 2,
        "tokens-worst": 1 - float(min(nearest[0].min(), nearest[1].min())),
    }
