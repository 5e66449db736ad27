"""A translated metamorphic pair as words: four texts, and which input words the two inputs share.

The pair is put into one order first, so that exchanging source and follow-up cannot change any result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from metaphrase.core.values import Direction, Edit, Expectation, MetamorphicCase
from metaphrase.resources.protocols import TokenPair
from metaphrase.text.diff import matching_blocks
from metaphrase.text.languages import Language, language
from metaphrase.text.normalise import fold
from metaphrase.text.tokens import Token, is_opaque, is_word

__all__ = ["PairView", "Text", "view_pair", "words_of"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text, its tokens, and their folded forms."""

    text: str
    tokens: tuple[Token, ...]
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def quote(self, indexes: Sequence[int]) -> str:
        """The words at these positions as they stand in the text; neighbours together, else joined by an ellipsis."""
        pieces: list[list[Token]] = []
        for k in sorted(indexes):
            if pieces and self.tokens[k - 1] is pieces[-1][-1]:
                pieces[-1].append(self.tokens[k])
            else:
                pieces.append([self.tokens[k]])
        return " … ".join(self.text[p[0].start : p[-1].end] for p in pieces)


@lru_cache(maxsize=4_096)
def words_of(text: str, code: str) -> Text:
    """Tokens, with hyphenated compounds cut, because translations write them both ways."""
    tokens: list[Token] = []
    for token in language(code).tokens(text):
        parts = token.text.split("-")
        if len(parts) == 1 or is_opaque(token.text) or not all(parts):
            tokens.append(token)
            continue
        at = token.start
        for part in parts:
            tokens.append(Token(part, at, at + len(part)))
            at += len(part) + 1
    return Text(text, tuple(tokens), tuple(fold(t.text) for t in tokens))


@dataclass(frozen=True, slots=True)
class PairView:
    """`inputs` and `outputs` hold two texts each; `shared[s]` maps a word of input s to the same word of the other input.

    `fields` names the case's field that each output came from.
    """

    direction: Direction
    inputs: tuple[Text, Text]
    outputs: tuple[Text, Text]
    shared: tuple[Mapping[int, int], Mapping[int, int]]
    fields: tuple[str, str]
    expectation: Expectation

    @property
    def target(self) -> Language:
        return language(self.direction.target)

    def changed(self, side: int) -> list[int]:
        """Input words that the edit touched, without punctuation."""
        words = self.inputs[side].words
        return [k for k, w in enumerate(words) if k not in self.shared[side] and is_word(w)]

    def bitexts(self) -> tuple[TokenPair, TokenPair]:
        return tuple(  # type: ignore[return-value]
            TokenPair(tuple(t.text for t in a.tokens), tuple(t.text for t in b.tokens))
            for a, b in zip(self.inputs, self.outputs, strict=True)
        )


def view_pair(case: MetamorphicCase) -> PairView:
    """Both translations must be there."""
    sides = [
        (case.source, case.source_translation or "", "source_translation"),
        (case.followup, case.followup_translation or "", "followup_translation"),
    ]
    swapped = (sides[1][0], sides[1][1]) < (sides[0][0], sides[0][1])
    if swapped:
        sides.reverse()
    a, b = (words_of(side[0], case.direction.source) for side in sides)
    links = _from_edits(a, b, case.edits, swapped) if case.edits else None
    if links is None:
        links = [(block.left + k, block.right + k) for block in matching_blocks(a.words, b.words) for k in range(block.size)]
    outputs = tuple(words_of(side[1], case.direction.target) for side in sides)
    return PairView(
        case.direction,
        (a, b),
        (outputs[0], outputs[1]),
        (dict(links), {j: i for i, j in links}),
        (sides[0][2], sides[1][2]),
        case.expectation,
    )


def _from_edits(a: Text, b: Text, edits: Sequence[Edit], swapped: bool) -> list[tuple[int, int]] | None:
    """Words outside the recorded edits, in order; None where the record does not fit the texts."""
    places = [((e.source_start, e.source_end), (e.followup_start, e.followup_end)) for e in edits]
    if swapped:
        places = [(right, left) for left, right in places]
    left = _outside(a, [p[0] for p in places])
    right = _outside(b, [p[1] for p in places])
    if [a.words[k] for k in left] != [b.words[k] for k in right]:
        return None
    return list(zip(left, right, strict=True))


def _outside(text: Text, places: Sequence[tuple[int, int]]) -> list[int]:
    return [k for k, t in enumerate(text.tokens) if not any(t.start < end and start < t.end for start, end in places)]
