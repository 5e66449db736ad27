"""Folds of labelled rows: rows made from the same or nearly the same sentence are never cut apart."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Fold", "folds"]


@dataclass(frozen=True, slots=True)
class Fold:
    """Row positions to learn from and to test on."""

    train: tuple[int, ...]
    test: tuple[int, ...]


def folds(groups: Sequence[int], number: int = 5, *, seed: int = 0) -> Iterator[Fold]:
    """Cross-validation that keeps groups together; sizes are balanced."""
    sizes = Counter(groups)
    names = sorted(sizes)
    random.Random(seed).shuffle(names)
    names.sort(key=lambda name: -sizes[name])
    loads = [0] * number
    place: dict[int, int] = {}
    for name in names:
        lightest = loads.index(min(loads))
        place[name] = lightest
        loads[lightest] += sizes[name]
    for k in range(number):
        train = tuple(i for i, group in enumerate(groups) if place[group] != k)
        yield Fold(train, tuple(i for i, group in enumerate(groups) if place[group] == k))
