"""Contextual vectors of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaphrase.core.signature import Signature
from metaphrase.resources.neural.encoder import Encoder, States
from metaphrase.resources.neural.wordpiece import Pieces
from metaphrase.resources.protocols import TokenVectors
from metaphrase.text.languages.base import Language

__all__ = ["NeuralEmbedder", "word_means"]


class NeuralEmbedder:
    """A word's vector is the mean of its pieces' states in a layer, in the context of its sentence.

    `embed` takes `layer` (the last one, as the papers do), `embed_words` takes `comparison_layer`, one that aligners compute anyway,
    unless asked for the last.
    """

    def __init__(self, encoder: Encoder, language: Language, *, layer: int | None = None, comparison_layer: int | None = None) -> None:
        self._encoder = encoder
        self._language = language
        self._layer = layer or encoder.layers[-1]
        self._comparison_layer = comparison_layer or encoder.layers[1]

    def signature(self) -> Signature:
        layers = {"layer": self._layer, "comparison-layer": self._comparison_layer}
        return Signature("embedder", "1", {"model": self._encoder.signature(), **layers})

    def embed(self, sentences: Sequence[str]) -> list[TokenVectors]:
        tokens = [self._language.tokens(sentence) for sentence in sentences]
        vectors = self._vectors([[t.text for t in line] for line in tokens], self._layer)
        return [TokenVectors(line, found) for line, found in zip(tokens, vectors, strict=True)]

    def embed_words(self, texts: Sequence[Sequence[str]], *, last: bool = False) -> list[States]:
        """For texts that are words already: as an aligner cuts them, so that both use the same encoding."""
        return self._vectors(texts, self._layer if last else self._comparison_layer)

    def _vectors(self, texts: Sequence[Sequence[str]], layer: int) -> list[States]:
        pieces = [self._encoder.pieces.words([self._language.full_forms.get(w.casefold(), w) for w in words]) for words in texts]
        states = self._encoder.states([p.ids for p in pieces], [layer])
        return [word_means(found[layer], own, len(words)) for words, own, found in zip(texts, pieces, states, strict=True)]


def word_means(states: States, pieces: Pieces, count: int) -> States:
    """The mean of each word's piece states: shape (count, width)."""
    if not count:
        return np.zeros((0, states.shape[1]), dtype=np.float32)
    # Pieces stand in word order and every word has one, so a word's pieces are a run.
    starts = np.searchsorted(np.asarray(pieces.words), np.arange(count))
    lengths = np.diff(np.append(starts, len(states))).astype(np.float32)
    return np.asarray(np.add.reduceat(states, starts, axis=0) / lengths[:, None], dtype=np.float32)
