"""Which texts are near copies of each other: a follow-up carries a word or two replaced, or a phrase taken out.

Exact equality is not enough: two texts join one group if one holds most of the other's word pairs (character pairs in
scripts without spaces).
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from metaphrase.text.normalise import fold

__all__ = ["source_groups"]

# Share of the shorter text's pairs that must be in the longer one.
_SHARED = 0.6
_TOO_COMMON = 60


def source_groups(texts: Sequence[str]) -> list[int]:
    """A group number for each text; equal numbers for near copies."""
    distinct = sorted(set(texts), key=lambda t: (-len(t), t))
    parent = {text: text for text in distinct}

    def root(text: str) -> str:
        while parent[text] != text:
            parent[text] = parent[parent[text]]
            text = parent[text]
        return text

    index: dict[str, list[str]] = {}
    pairs = {text: _pairs(text) for text in distinct}
    for text in distinct:
        shared: Counter[str] = Counter()
        for pair in pairs[text]:
            bucket = index.setdefault(pair, [])
            if len(bucket) <= _TOO_COMMON:
                shared.update(bucket)
            bucket.append(text)
        for other, number in shared.items():
            if number >= _SHARED * len(pairs[text]):
                parent[root(text)] = root(other)
    numbers: dict[str, int] = {}
    return [numbers.setdefault(root(text), len(numbers)) for text in texts]


def _pairs(text: str) -> set[str]:
    units = re.findall(r"[^\W\d_]+|\d+", fold(text))
    if any("\u3040" <= c <= "\u9fff" for c in text):
        units = [c for word in units for c in word]
    return {f"{a} {b}" for a, b in itertools.pairwise(units)} or {" ".join(units)}
