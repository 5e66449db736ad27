"""Word links of one input and its translation, ready to be asked from both sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from metaphrase.resources.protocols import Link

__all__ = ["FIRM", "Links"]

# A link that may be told to a reader; weaker ones only weigh.
FIRM = 0.4

_NONE: tuple[tuple[int, float], ...] = ()


class Links:
    def __init__(self, links: Iterable[Link]) -> None:
        self.all = tuple(links)
        source: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
        target: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
        for link in self.all:
            source[link.source].append((link.target, link.weight))
            target[link.target].append((link.source, link.weight))
        self._source, self._target = source, target

    def of_source(self, index: int) -> Sequence[tuple[int, float]]:
        """(target word, weight) of the links of a source word."""
        return self._source.get(index, _NONE)

    def of_target(self, index: int) -> Sequence[tuple[int, float]]:
        """(source word, weight) of the links of a target word."""
        return self._target.get(index, _NONE)

    def weight(self, source: int, target: int) -> float:
        return next((w for j, w in self.of_source(source) if j == target), 0.0)
