"""What is known about a translated word that has no counterpart of its form in the other translation.

Features are named and lie in 0..1. They say whether the edit explains the word (it translates a changed input word),
whether the other translation renders the same input word, how alike that rendering is, whether the dictionary licenses
it, and what kind of word it is. The learned scorer weighs them; reasons quote them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaphrase.relations.closure.comparison import Comparison, Match
from metaphrase.relations.closure.links import Links
from metaphrase.relations.closure.views import PairView
from metaphrase.resources.protocols import Lexicon, Synonyms
from metaphrase.text.tokens import is_word

__all__ = ["LeftOver", "describe_left_over"]


@dataclass(frozen=True, slots=True)
class LeftOver:
    """One word (`index` in output `side`), its features, the shared input word it translates, and that word's rendering on the other side."""

    side: int
    index: int
    features: dict[str, float]
    input_word: int | None
    renderings: tuple[int, ...]


def describe_left_over(
    view: PairView, comparison: Comparison, links: tuple[Links, Links], lexicon: Lexicon, synonyms: Synonyms
) -> list[LeftOver]:
    left = (comparison.left_over(0), comparison.left_over(1))
    if not left[0] and not left[1]:
        return []
    describer = _Describer(view, comparison, links, lexicon, synonyms, left)
    return [describer.describe(side, index) for side in (0, 1) for index in left[side]]


@dataclass(slots=True)
class _Rendering:
    """What the other translation makes of an input word that this word translates."""

    counterpart: float = 0.0
    alike: float = 0.0
    licensed: float = 0.0
    both_licensed: float = 0.0
    free: float = 0.0
    taken: float = 0.0
    double: float = 0.0


class _Describer:
    def __init__(
        self,
        view: PairView,
        comparison: Comparison,
        links: tuple[Links, Links],
        lexicon: Lexicon,
        synonyms: Synonyms,
        left: tuple[list[int], list[int]],
    ) -> None:
        self.view, self.comparison, self.links = view, comparison, links
        self.lexicon, self.synonyms, self.left = lexicon, synonyms, left
        self.language = view.target
        self.words = (view.outputs[0].words, view.outputs[1].words)
        self.changed = (view.changed(0), view.changed(1))
        self.image = (self._image(0), self._image(1))
        self.content = tuple([k for k, w in enumerate(words) if self.language.is_content(w)] for words in self.words)
        stops = self.language.is_stop
        self.content_left = tuple([k for k in left[s] if not stops(self.words[s][k])] for s in (0, 1))

    def _image(self, side: int) -> dict[int, float]:
        """Output words that translate changed input words."""
        image: dict[int, float] = {}
        for source in self.changed[side]:
            for target, weight in self.links[side].of_source(source):
                image[target] = max(weight, image.get(target, 0.0))
        return image

    def _best(self, word: str, side: int, indexes: Sequence[int]) -> float:
        return max((self.synonyms.related(word, self.words[side][k]) for k in indexes), default=0.0)

    def describe(self, side: int, index: int) -> LeftOver:
        other = 1 - side
        word = self.words[side][index]
        shared = [(i, w) for i, w in self.links[side].of_target(index) if i in self.view.shared[side]]
        best_input = max(shared, key=lambda link: link[1], default=(None, 0.0))
        rendering, places = self._rendering(side, index, shared)
        slot = self.comparison.slot(side, index)
        slot_content = [k for k in slot if k in set(self.content_left[other])]
        edited = self.image[side].get(index, 0.0)
        unlinked = 1.0 - max(edited, best_input[1])
        stop = float(self.language.is_stop(word))
        alone = float(not self.content_left[other])
        no_slot = float(not slot_content)
        only_here = float(bool(self.changed[side]) and not self.changed[other])
        only_there = float(bool(self.changed[other]) and not self.changed[side])
        alike_left = self._best(word, other, self.left[other])
        rarity = self.synonyms.rarity(word)
        listed, listed_edit, uncovered = self._listed(side, word)
        lost = best_input[1] * (1 - max(rendering.free, rendering.double, rendering.alike))
        replaced = rendering.free * (1 - rendering.alike) * (1 - stop)
        neighbours = [k for k in (index - 1, index + 1) if 0 <= k < len(self.words[side])]
        gap = set(self.left[side])
        features = {
            "stop": stop,
            "alone": alone,
            "edited": edited,
            "shared": best_input[1],
            "unlinked": unlinked,
            "counterpart": rendering.counterpart,
            "alike-counterpart": rendering.alike,
            "licensed": rendering.licensed,
            "both-licensed": rendering.both_licensed,
            "counterpart-free": rendering.free,
            "counterpart-taken": rendering.taken,
            "rendered-twice": rendering.double,
            "listed": listed,
            "listed-for-edit": listed_edit,
            "listed-uncovered": uncovered,
            "alike-left": alike_left,
            "alike-left-content": self._best(word, other, self.content_left[other]),
            "alike-any": self._best(word, other, [k for k, w in enumerate(self.words[other]) if is_word(w)]),
            "beside-edit": max((self.image[side].get(k, 0.0) for k in neighbours), default=0.0),
            "beside-left": sum(k in gap for k in neighbours) / 2,
            "number": float(self.language.number_of(word) is not None),
            "name": float(index > 0 and self.view.outputs[side].tokens[index].text[:1].isupper()),
            "negation": float(word in self.language.negations),
            "repeated": float(self.words[side].count(word) > 1),
            "elsewhere": self._elsewhere(word, other),
            "slot-content": min(len(slot_content), 3) / 3,
            "slot-alike": self._best(word, other, list(slot)),
            "slot-edited": max((self.image[other].get(k, 0.0) for k in slot), default=0.0),
            "rarity": rarity,
            "length": min(len(word), 4) / 4 if self.language.compares_by_character else min(len(word), 10) / 10,
            "edit-only-here": only_here,
            "edit-only-there": only_there,
            "covered": self.comparison.covered[side][index],
            "left-here": min(len(self.content_left[side]), 8) / 8,
            "left-there": min(len(self.content_left[other]), 8) / 8,
            "left-share": len(self.content_left[side]) / max(1, len(self.content[side])),
            "stop-edited": stop * edited,
            "edited-only-here": edited * only_here,
            "edited-only-there": edited * only_there,
            "alone-licensed": alone * rendering.licensed,
            "alone-unlinked": alone * unlinked,
            "alone-stop": alone * stop,
            "rare-unlinked": rarity * unlinked,
            "alike-both": alike_left * rendering.alike,
            "no-slot": no_slot,
            "no-slot-unlinked": no_slot * unlinked,
            "no-slot-only-there": no_slot * only_there,
            "no-slot-only-here": no_slot * only_here,
            "shared-unrendered": best_input[1] * (1 - min(1.0, rendering.counterpart / (best_input[1] + 1e-3))),
            "rare-content": rarity * (1 - stop),
            "rare-content-unlinked": rarity * (1 - stop) * unlinked,
            "lost": lost,
            "lost-licensed": lost * rendering.licensed,
            "lost-uncovered": lost * uncovered,
            "lost-only-here": lost * only_here,
            "lost-alone": lost * alone,
            "lost-rare": lost * rarity * (1 - stop),
            "edited-listed": edited * listed_edit,
            "uncovered-only-here": uncovered * only_here,
            "replaced": replaced,
            "replaced-rare": replaced * rarity,
            "replaced-licensed": replaced * rendering.both_licensed,
            "stop-licensed": stop * rendering.licensed,
            "stop-lost-licensed": stop * lost * rendering.licensed,
            "stop-uncovered": stop * uncovered,
            "alone-uncovered": alone * uncovered,
            "stop-number": stop * float(self.language.number_of(word) is not None),
            "short": float(len(self.words[side]) < 8),
            "edit-size": min(len(self.changed[0]) + len(self.changed[1]), 12) / 12,
        }
        return LeftOver(side, index, features, best_input[0], places)

    def _rendering(self, side: int, index: int, shared: Sequence[tuple[int, float]]) -> tuple[_Rendering, tuple[int, ...]]:
        other = 1 - side
        word = self.words[side][index]
        result = _Rendering()
        places: list[int] = []
        for source, weight in shared:
            twin = self.view.shared[side][source]
            alike = licence = 0.0
            for k, trust in self.links[other].of_source(twin):
                places.append(k)
                sure = min(1.0, 1.5 * trust)
                alike = max(alike, sure * self.synonyms.related(word, self.words[other][k]))
                licence = max(licence, sure * self._licence(other, twin, k))
                both = weight * trust
                result.counterpart = max(result.counterpart, both)
                if self.comparison.matches[other][k] is Match.NONE:
                    result.free = max(result.free, both)
                    continue
                result.taken = max(result.taken, both)
                partner = self.comparison.partners[other].get(k)
                if partner is not None:
                    result.double = max(result.double, both * self.links[side].weight(source, partner))
            own = self._licence(side, source, index)
            result.alike = max(result.alike, weight * alike)
            result.licensed = max(result.licensed, weight * own)
            result.both_licensed = max(result.both_licensed, weight * (own * licence) ** 0.5)
        return result, tuple(sorted(set(places)))

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

    def _elsewhere(self, word: str, side: int) -> float:
        """Does the word's form occur in the other translation, matched or not?"""
        if self.language.compares_by_character:
            return float(word in "".join(self.words[side]))
        lemma = self.language.lemma(word)
        return float(any(self.language.lemma(w) == lemma for w in self.words[side]))
