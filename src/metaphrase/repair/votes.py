"""How variants vote on a change of wording: each shows the old wording, the new one, or neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaphrase.text.diff import changes
from metaphrase.text.normalise import fold

__all__ = ["Votes", "count_votes"]


@dataclass(frozen=True, slots=True)
class Votes:
    """Positions of the voters that show the new wording and of those that show the old one."""

    new: tuple[int, ...]
    old: tuple[int, ...]


def count_votes(before: Sequence[str], after: Sequence[str], voters: Sequence[Sequence[str]]) -> Votes:
    """A voter shows a wording if it has the changed words together with a neighbour, at every changed place where it shows any."""
    old, new = [fold(w) for w in before], [fold(w) for w in after]
    places = [(_patterns(old, c.left_start, c.left_end), _patterns(new, c.right_start, c.right_end)) for c in changes(old, new)]
    for_new, for_old = [], []
    for number, voter in enumerate(voters):
        words = [fold(w) for w in voter]
        shown = set()
        for olds, news in places:
            has_old, has_new = any(_contains(words, p) for p in olds), any(_contains(words, p) for p in news)
            if has_old != has_new:
                shown.add("new" if has_new else "old")
        if shown == {"new"}:
            for_new.append(number)
        elif shown == {"old"}:
            for_old.append(number)
    return Votes(tuple(for_new), tuple(for_old))


def _patterns(words: Sequence[str], start: int, end: int) -> list[tuple[str, ...]]:
    """The slice with its left and with its right neighbour; of an empty slice the two neighbours together."""
    edged = ["<", *words, ">"]
    start, end = start + 1, end + 1
    if start == end:
        return [tuple(edged[start - 1 : end + 1])]
    return [tuple(edged[start - 1 : end]), tuple(edged[start : end + 1])]


def _contains(words: Sequence[str], pattern: tuple[str, ...]) -> bool:
    edged = ["<", *words, ">"]
    size = len(pattern)
    return any(tuple(edged[i : i + size]) == pattern for i in range(len(edged) - size + 1))
