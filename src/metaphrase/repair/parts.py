"""Pieces of another translation of the same text put in place: one translation with one piece worded as in the other.

The pieces are what stands between words that both translations have, so that their neighbours fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaphrase.repair.mapping import patch
from metaphrase.text.diff import changes
from metaphrase.text.languages import Language
from metaphrase.text.normalise import fold

__all__ = ["Part", "apply", "carry_over", "parts", "touches"]

# Longer pieces are no wording of a word or phrase but another sentence.
_LONGEST = 5


@dataclass(frozen=True, slots=True)
class Part:
    """own[start:end] stands where the other translation has `piece`, at [other_start, other_end) of it."""

    start: int
    end: int
    piece: str
    other_start: int
    other_end: int

    def put(self, own: str) -> str:
        return patch(own, self.start, self.end, self.piece)

    def fits(self, own: str, target: Language) -> bool:
        """Whether what agrees with the old piece agrees with the new one: a determiner comes with its noun, a bare word must be of the same class."""
        old, new = target.tokens(own[self.start : self.end]), target.tokens(self.piece)
        if len(old) > 1 and len(new) > 1 and target.is_stop(old[0].text) and target.is_stop(new[0].text):
            return True
        asked, asks = target.agreement_class(old[-1].text), target.agreement_class(new[-1].text)
        return all(a is None or b is None or a == b for a, b in zip(asked, asks, strict=True))


def parts(own: str, other: str, target: Language) -> list[Part]:
    """All short pieces that two translations word differently, in order; none of them empty on either side."""
    left, right = target.tokens(own), target.tokens(other)
    found = []
    for change in changes([fold(t.text) for t in left], [fold(t.text) for t in right]):
        a, b, c, d = change.left_start, change.left_end, change.right_start, change.right_end
        if 0 < b - a <= _LONGEST and 0 < d - c <= _LONGEST:
            piece = other[right[c].start : right[d - 1].end]
            if c == 0 and a:
                piece = piece[:1].lower() + piece[1:]
            found.append(Part(left[a].start, left[b - 1].end, piece, right[c].start, right[d - 1].end))
    return found


def touches(start: int, end: int, blamed: Sequence[tuple[int, int]]) -> bool:
    return any(start < b and a < end for a, b in blamed)


def carry_over(before: str, after: str, other: str, target: Language) -> str | None:
    """The same change made in another translation, which has the old wording beside the same words, once; None if it has not.

    An error that the engine makes in a text it mostly makes in the text's variants too.
    """
    old, new, there = target.tokens(before), target.tokens(after), target.tokens(other)
    words = ["<", *(fold(t.text) for t in old), ">"]
    others = ["<", *(fold(t.text) for t in there), ">"]
    chosen = []
    for change in changes(words[1:-1], [fold(t.text) for t in new]):
        a, b, c, d = change.left_start, change.left_end, change.right_start, change.right_end
        size = b - a
        found = [
            i
            for i in range(1, len(others) - size)
            if others[i : i + size] == words[a + 1 : b + 1]
            and (others[i - 1] == words[a], others[i + size] == words[b + 1]).count(True) >= (1 if size else 2)
        ]
        if len(found) != 1 or not size:
            return None  # where a word is to be put in, only a piece around it would tell
        piece = after[new[c].start : new[d - 1].end] if c < d else ""
        first, last = there[found[0] - 1], there[found[0] + size - 2]
        chosen.append(Part(first.start, last.end, piece, 0, 0))
    return apply(other, chosen) if chosen else None


def apply(own: str, chosen: Sequence[Part]) -> str:
    """Several pieces at once."""
    for part in sorted(chosen, key=lambda p: -p.start):
        own = part.put(own)
    return own
