"""What is known about a translated word that has no counterpart of its form in the other translation.

Features are named and lie in 0..1. They say whether the edit explains the word (it translates a changed input word),
whether the other translation renders the same input word, how alike that rendering is, whether the dictionary licenses
it, and what kind of word it is. The learned scorer weighs them; reasons quote them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from metaphrase.relations.closure.comparison import Comparison, Match
from metaphrase.relations.closure.links import FIRM, Links
from metaphrase.relations.closure.sightings import Sightings
from metaphrase.relations.closure.views import PairView
from metaphrase.resources.protocols import Lexicon, Link, Synonyms
from metaphrase.text.languages import language
from metaphrase.text.tokens import is_word

__all__ = ["Evidence", "LeftOver", "describe_left_over"]


@dataclass(frozen=True, slots=True)
class LeftOver:
    """One word (`index` in output `side`), its features, the shared input word it translates, and that word's rendering on the other side.

    `slot` is where on the other side a counterpart would stand.
    """

    side: int
    index: int
    features: dict[str, float]
    input_word: int | None
    renderings: tuple[int, ...]
    slot: range


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a profile and the batch know about a pair: its links, weak ones too, word lists, and what other sentences show."""

    links: tuple[Sequence[Link], Sequence[Link]]
    lexicon: Lexicon
    synonyms: Synonyms
    sightings: Sightings
    group: int


def describe_left_over(view: PairView, comparison: Comparison, evidence: Evidence) -> list[LeftOver]:
    left = (comparison.left_over(0), comparison.left_over(1))
    if not left[0] and not left[1]:
        return []
    describer = _Describer(view, comparison, evidence, left)
    return [describer.describe(side, index) for side in (0, 1) for index in left[side]]


@dataclass(slots=True)
class _Rendering:
    """What the other translation makes of an input word that this word translates."""

    alike: float = 0.0
    licensed: float = 0.0
    both_licensed: float = 0.0
    free: float = 0.0
    double: float = 0.0
    unrendered: float = 0.0
    seen: float = 0.0


class _Describer:
    def __init__(self, view: PairView, comparison: Comparison, evidence: Evidence, left: tuple[list[int], list[int]]) -> None:
        self.view, self.comparison, self.evidence, self.left = view, comparison, evidence, left
        self.links = (Links(evidence.links[0]), Links(evidence.links[1]))
        self.lexicon, self.synonyms = evidence.lexicon, evidence.synonyms
        self.language = view.target
        self.words = (view.outputs[0].words, view.outputs[1].words)
        self.lemmas = tuple([self.language.lemma(w) for w in words] for words in self.words)
        given = language(view.direction.source)
        self.given = tuple([given.lemma(w) for w in text.words] for text in view.inputs)
        self.changed = (view.changed(0), view.changed(1))
        self.image = (self._image(0), self._image(1))
        self.content = tuple([k for k, w in enumerate(words) if self.language.is_content(w)] for words in self.words)
        stops = self.language.is_stop
        self.content_left = tuple([k for k in left[s] if not stops(self.words[s][k])] for s in (0, 1))
        self.edited_only = [float(bool(self.changed[s]) and not self.changed[1 - s]) for s in (0, 1)]

    def _image(self, side: int) -> dict[int, float]:
        """Output words that translate changed input words."""
        image: dict[int, float] = {}
        for source in self.changed[side]:
            for target, weight in self.links[side].of_source(source):
                image[target] = max(weight, image.get(target, 0.0))
        return image

    def _best(self, word: str, side: int, indexes: Sequence[int]) -> float:
        return max((self.synonyms.related(word, self.words[side][k]) for k in indexes), default=0.0)

    def _reworded(self, side: int, index: int, indexes: Sequence[int]) -> float:
        """Square root, because even words that often stand for each other share few of their inputs."""
        reworded, group = self.evidence.sightings.reworded, self.evidence.group
        lemma, others = self.lemmas[side][index], self.lemmas[1 - side]
        return sqrt(max((reworded(lemma, others[k], group) for k in indexes), default=0.0))

    def describe(self, side: int, index: int) -> LeftOver:
        other = 1 - side
        word = self.words[side][index]
        linked = self.links[side].of_target(index)
        shared = [(i, w) for i, w in linked if i in self.view.shared[side]]
        best_input = max(shared, key=lambda link: link[1], default=(None, 0.0))
        rendering = self._rendering(side, index, shared)
        slot = self.comparison.slot(side, index)
        neighbours = [k for k in (index - 1, index + 1) if 0 <= k < len(self.words[side])]
        gap = set(self.left[side])
        listed, listed_edit, uncovered = self._listed(side, word)
        content_there = set(self.content_left[other])
        features = {
            "stop": float(self.language.is_stop(word)),
            "number": float(self.language.number_of(word) is not None),
            "name": float(index > 0 and self.view.outputs[side].tokens[index].text[:1].isupper()),
            "negation": float(word in self.language.negations),
            "rarity": self.synonyms.rarity(word),
            "length": min(len(word), 4) / 4 if self.language.compares_by_character else min(len(word), 10) / 10,
            "edited": self.image[side].get(index, 0.0),
            "beside-edit": max((self.image[side].get(k, 0.0) for k in neighbours), default=0.0),
            "listed-for-edit": listed_edit,
            "seen-for-edit": max((self._seen(side, i, index) for i, _ in linked if i not in self.view.shared[side]), default=0.0),
            "edit-only-here": self.edited_only[side],
            "edit-only-there": self.edited_only[other],
            "edit-size": min(len(self.changed[0]) + len(self.changed[1]), 12) / 12,
            "shared": best_input[1],
            "unrendered": rendering.unrendered,
            "lost": best_input[1] * (1 - max(rendering.free, rendering.double, rendering.alike)),
            "counterpart-free": rendering.free,
            "alike-counterpart": rendering.alike,
            "licensed": rendering.licensed,
            "both-licensed": rendering.both_licensed,
            "seen-both": rendering.seen,
            "listed": listed,
            "listed-uncovered": uncovered,
            "alike-left": self._best(word, other, self.left[other]),
            "alike-any": self._best(word, other, [k for k, w in enumerate(self.words[other]) if is_word(w)]),
            "reworded-left": self._reworded(side, index, self.left[other]),
            "reworded-slot": self._reworded(side, index, slot),
            "slot-content": min(sum(k in content_there for k in slot), 3) / 3,
            "left-here": min(len(self.content_left[side]), 8) / 8,
            "left-there": min(len(self.content_left[other]), 8) / 8,
            "left-share": len(self.content_left[side]) / max(1, len(self.content[side])),
            "beside-left": sum(k in gap for k in neighbours) / 2,
            "covered": self.comparison.covered[side][index],
            "short": float(len(self.words[side]) < 8),
        }
        firm = [i for i, w in shared if w >= FIRM]
        places = {k for i in firm for k, w in self.links[other].of_source(self.view.shared[side][i]) if w >= FIRM}
        return LeftOver(side, index, features, best_input[0] if firm else None, tuple(sorted(places)), slot)

    def _seen(self, side: int, source: int, target: int) -> float:
        """How well known the rendering is from other sentences: three are enough."""
        times = self.evidence.sightings.times(self.given[side][source], self.lemmas[side][target], self.evidence.group)
        return min(times, 3) / 3

    def _rendering(self, side: int, index: int, shared: Sequence[tuple[int, float]]) -> _Rendering:
        other = 1 - side
        word = self.words[side][index]
        result = _Rendering()
        for source, weight in shared:
            twin = self.view.shared[side][source]
            own, known = self._licence(side, source, index), self._seen(side, source, index)
            alike = licence = linked = 0.0
            for k, trust in self.links[other].of_source(twin):
                sure = min(1.0, 1.5 * trust)
                alike = max(alike, sure * self.synonyms.related(word, self.words[other][k]))
                licence = max(licence, sure * self._licence(other, twin, k))
                linked = max(linked, trust)
                both = weight * trust
                result.seen = max(result.seen, both * min(known, self._seen(other, twin, k)))
                if self.comparison.matches[other][k] is Match.NONE:
                    result.free = max(result.free, both)
                    continue
                partner = self.comparison.partners[other].get(k)
                if partner is not None:
                    result.double = max(result.double, both * self.links[side].weight(source, partner))
            result.unrendered = max(result.unrendered, weight * (1 - linked))
            result.alike = max(result.alike, weight * alike)
            result.licensed = max(result.licensed, weight * own)
            result.both_licensed = max(result.both_licensed, weight * (own * licence) ** 0.5)
        return result

    def _licence(self, side: int, source: int, target: int) -> float:
        return self.lexicon.strength(self.view.inputs[side].words[source], self.words[side][target])

    def _listed(self, side: int, word: str) -> tuple[float, float, float]:
        """Is the word a listed translation of a shared input word, of a changed one, and of one the other side has no listed word for?"""
        other = 1 - side
        listed = edit = uncovered = 0.0
        for k, source in enumerate(self.view.inputs[side].words):
            strength = self.lexicon.strength(source, word)
            if strength <= 0.0:
                continue
            if k not in self.view.shared[side]:
                edit = max(edit, strength)
                continue
            listed = max(listed, strength)
            if strength > 0.25:
                rendered = max((self.lexicon.strength(source, w) for w in self.words[other]), default=0.0)
                uncovered = max(uncovered, strength * (1 - rendered))
        return listed, edit, uncovered
