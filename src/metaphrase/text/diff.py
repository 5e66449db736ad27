"""What differs between two sequences."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

__all__ = ["Block", "Change", "changes", "matching_blocks"]


@dataclass(frozen=True, slots=True)
class Block:
    """`size` equal items from `left` on and from `right` on."""

    left: int
    right: int
    size: int


@dataclass(frozen=True, slots=True)
class Change:
    """left[left_start:left_end] stands where the other has right[right_start:right_end]; one may be empty."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int


def matching_blocks(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Block]:
    """Longest matching blocks, in order, without the empty one at the end."""
    found = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    return [Block(b.a, b.b, b.size) for b in found if b.size]


def changes(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Change]:
    """The gaps between matching blocks."""
    result = []
    i = j = 0
    for block in [*matching_blocks(left, right), Block(len(left), len(right), 0)]:
        if i < block.left or j < block.right:
            result.append(Change(i, block.left, j, block.right))
        i, j = block.left + block.size, block.right + block.size
    return result
