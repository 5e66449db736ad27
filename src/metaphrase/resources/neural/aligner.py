"""Word alignment by the encoder: the softmax rule, for any pair of languages.

After Dou and Neubig, "Word Alignment by Fine-tuning Embeddings on Parallel Corpora" (EACL 2021), the aligner of the word-closure
paper: dot products of the pieces' states in layer 8, softmax in both directions, and a link where both are above a threshold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction
from metaphrase.resources.neural.encoder import Encoder, States
from metaphrase.resources.neural.wordpiece import Pieces
from metaphrase.resources.protocols import Alignment, Link, TokenPair
from metaphrase.text.languages import language

__all__ = ["SoftmaxAligner", "aligner_pieces", "both_ways"]


class SoftmaxAligner:
    """Links where two pieces choose each other; a word is linked if one of its pieces is."""

    def __init__(self, encoder: Encoder, direction: Direction, *, layer: int = 8, threshold: float = 1e-3) -> None:
        self._encoder = encoder
        self._direction = direction
        self._layer = layer
        self._threshold = threshold

    def signature(self) -> Signature:
        return Signature("softmax", "1", {"model": self._encoder.signature(), "layer": self._layer, "threshold": self._threshold})

    def align(self, pairs: Sequence[TokenPair]) -> list[Alignment]:
        sides = aligner_pieces(self._encoder, pairs, self._direction)
        states = self._encoder.states([side.ids for pair in sides for side in pair], [self._layer])
        return [
            self._links(pieces, states[2 * number][self._layer], states[2 * number + 1][self._layer]) for number, pieces in enumerate(sides)
        ]

    def _links(self, pieces: tuple[Pieces, Pieces], source: States, target: States) -> Alignment:
        if not len(source) or not len(target):
            return Alignment(())
        forward, backward = both_ways(source @ target.T)
        chosen = (forward > self._threshold) & (backward > self._threshold)
        strength = np.sqrt(forward * backward)
        best: dict[tuple[int, int], float] = {}
        for i, j in zip(*np.nonzero(chosen), strict=True):
            words = pieces[0].words[i], pieces[1].words[j]
            best[words] = max(best.get(words, 0.0), float(strength[i, j]))
        return Alignment(tuple(Link(i, j, weight) for (i, j), weight in sorted(best.items())))


def aligner_pieces(encoder: Encoder, pairs: Sequence[TokenPair], direction: Direction) -> list[tuple[Pieces, Pieces]]:
    """The pieces of both sides; clitics are read as the words they stand for (n't as not)."""
    source, target = language(direction.source).full_forms, language(direction.target).full_forms
    return [
        (
            encoder.pieces.words([source.get(word.casefold(), word) for word in pair.source]),
            encoder.pieces.words([target.get(word.casefold(), word) for word in pair.target]),
        )
        for pair in pairs
    ]


def both_ways(similarity: States) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Softmax over the target for each source piece, and over the source for each target piece."""
    forward = np.exp(similarity - similarity.max(axis=1, keepdims=True))
    backward = np.exp(similarity - similarity.max(axis=0, keepdims=True))
    return forward / forward.sum(axis=1, keepdims=True), backward / backward.sum(axis=0, keepdims=True)
