"""What the batch itself shows about renderings: which words translate an input word in sentences other than this one.

A campaign translates hundreds of sentences by one system, so that words it uses for one another ("epidemic" and "outbreak")
show up as renderings of the same input words. Sentences that are near copies of the one in question do not count: a
system that errs in one tends to err in its copies.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt

from metaphrase.relations.closure.links import FIRM
from metaphrase.relations.closure.views import PairView
from metaphrase.resources.protocols import Link
from metaphrase.text.languages import language
from metaphrase.text.near_copies import source_groups

__all__ = ["Sightings", "sightings"]

_FEW: frozenset[int] = frozenset()


class Sightings:
    """Renderings by lemma, each with the groups of near copies that it was seen in."""

    def __init__(self, seen: Iterable[tuple[str, str, int]]) -> None:
        self._groups: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for source, target, group in seen:
            self._groups[source, target].add(group)
        self._inputs: defaultdict[str, list[str]] = defaultdict(list)
        self._totals: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self._own: tuple[Counter[tuple[str, int]], Counter[tuple[str, int]]] = (Counter(), Counter())
        for (source, target), groups in self._groups.items():
            self._inputs[target].append(source)
            for side, word in ((0, source), (1, target)):
                self._totals[side][word] += len(groups)
                self._own[side].update((word, group) for group in groups)

    def times(self, source: str, target: str, apart_from: int) -> int:
        """In how many groups, other than this one, the input word is rendered so."""
        groups = self._groups.get((source, target), _FEW)
        return len(groups) - (apart_from in groups)

    def reworded(self, a: str, b: str, apart_from: int) -> float:
        """How readily one output word stands for the other: the chance to come from one to the other by way of an input word, both ways."""
        if a == b:
            return 1.0
        common = set(self._inputs.get(a, ())) & set(self._inputs.get(b, ()))
        both = 0.0
        for pivot in common:
            times = self.times(pivot, a, apart_from) * self.times(pivot, b, apart_from)
            if times:
                both += times / self._without(0, pivot, apart_from)
        if not both:
            return 0.0
        return both / sqrt(self._without(1, a, apart_from) * self._without(1, b, apart_from))

    def _without(self, side: int, word: str, group: int) -> int:
        return self._totals[side][word] - self._own[side][word, group]


def sightings(views: Sequence[PairView], links: Sequence[tuple[Sequence[Link], Sequence[Link]]]) -> tuple[Sightings, list[int]]:
    """From aligned pairs of one direction; and the group of each pair."""
    groups = source_groups([max((text.text for text in view.inputs), key=len) for view in views])
    source, target = language(views[0].direction.source), language(views[0].direction.target)

    def seen() -> Iterable[tuple[str, str, int]]:
        for view, both, group in zip(views, links, groups, strict=True):
            for side in (0, 1):
                given, found = view.inputs[side].words, view.outputs[side].words
                yield from ((source.lemma(given[k.source]), target.lemma(found[k.target]), group) for k in both[side] if k.weight >= FIRM)

    return Sightings(seen()), groups
