"""The phrase view: one text is a part of the other (Purity's noun phrases, CIT's cores), so its translation should be a part of the other's translation.

Where a part ends in a translation is not known for certain. So several cuts are proposed: the phrase's own words in place of what stands where they should, or the
whole phrase in place of its image; and for the phrase, its image in the larger text. The relation and the way back choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metaphrase.repair.mapping import patch
from metaphrase.repair.parts import touches
from metaphrase.text.diff import Block, changes, matching_blocks
from metaphrase.text.languages import Language
from metaphrase.text.normalise import fold
from metaphrase.text.tokens import Token, is_word

__all__ = ["cut_phrase", "is_part", "put_phrase"]

# Words that one blamed piece may replace, and words beside a phrase's image that may belong to it.
_LONGEST = 3
_BESIDE = 2


def is_part(text: str, whole: str, language: Language) -> bool:
    """Whether a text is what remains of a longer one when words are taken out."""
    words = [fold(t.text) for t in language.tokens(text) if is_word(t.text)]
    rest = iter([fold(t.text) for t in language.tokens(whole) if is_word(t.text)])
    return len(text) < len(whole) and bool(words) and all(word in rest for word in words)


def put_phrase(whole: str, phrase: str, blamed: Sequence[tuple[int, int]], target: Language) -> Iterator[str]:
    """The larger text's translation with wordings of the phrase's translation; `blamed` are places of the latter."""
    inner, outer = target.tokens(phrase), target.tokens(whole)
    words, others = _words(inner), _words(outer)
    for change in changes(words, others):
        a, b, c, d = change.left_start, change.left_end, change.right_start, change.right_end
        if a == b or c == d or not touches(inner[a].start, inner[b - 1].end, blamed):
            continue
        piece = _lowered(phrase[inner[a].start : inner[b - 1].end], a == 0 and c > 0)
        for size in range(1, min(_LONGEST, d - c) + 1):
            yield patch(whole, outer[c].start, outer[c + size - 1].end, piece)
            if size < d - c:
                yield patch(whole, outer[d - size].start, outer[d - 1].end, piece)
    for start, end in _images(words, others):
        yield patch(whole, outer[start].start, outer[end - 1].end, _lowered(phrase.rstrip(" .!?"), start > 0))


def cut_phrase(whole: str, phrase: str, blamed: Sequence[tuple[int, int]], target: Language) -> Iterator[str]:
    """The phrase's translation with wordings of the larger text's, and images of the phrase in the latter; `blamed` are places of the former."""
    inner, outer = target.tokens(phrase), target.tokens(whole)
    for change in changes(_words(inner), _words(outer)):
        a, b, c, d = change.left_start, change.left_end, change.right_start, change.right_end
        if a == b or c == d or not touches(inner[a].start, inner[b - 1].end, blamed):
            continue
        for size in range(1, min(_LONGEST, d - c) + 1):
            for first, last in dict.fromkeys([(d - size, d - 1), (c, c + size - 1)]):
                piece = _lowered(whole[outer[first].start : outer[last].end], first == 0 and a > 0)
                yield patch(phrase, inner[a].start, inner[b - 1].end, piece)
    for start, end in _images(_words(inner), _words(outer)):
        piece = whole[outer[start].start : outer[end - 1].end]
        capital = phrase[:1].isupper()
        yield (piece[:1].upper() if capital else piece[:1].lower()) + piece[1:]


def _images(words: Sequence[str], others: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the larger text speaks of the phrase: from the first to the last word that both have, and up to two more on either side."""
    blocks = _near(matching_blocks(words, others), len(words))
    if not blocks:
        return
    first, last = blocks[0].right, blocks[-1].right + blocks[-1].size
    for before in range(_BESIDE + 1):
        for after in range(_BESIDE + 1):
            start, end = first - before, last + after
            edges = [*others[max(start, 0) : first], *others[last:end]]
            if start >= 0 and end <= len(others) and all(map(is_word, edges)):
                yield start, end


def _near(blocks: Sequence[Block], size: int) -> list[Block]:
    """The blocks around the largest one that are no farther from it than the phrase is long; words met elsewhere are not the phrase's."""
    if not blocks:
        return []
    core = max(blocks, key=lambda b: b.size)
    return [b for b in blocks if core.right - size <= b.right and b.right + b.size <= core.right + core.size + size]


def _words(tokens: Sequence[Token]) -> list[str]:
    return [fold(t.text) for t in tokens]


def _lowered(piece: str, lower: bool) -> str:
    return piece[:1].lower() + piece[1:] if lower else piece
