"""Guess masked words, jointly where a word is several pieces, and say how well a given word fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.signature import Signature
from metaphrase.resources.neural.encoder import Encoder
from metaphrase.resources.protocols import Candidate, MaskedText
from metaphrase.text.languages.base import Language
from metaphrase.text.tokens import is_han, is_word

__all__ = ["NeuralMaskedLM"]


@dataclass(frozen=True, slots=True)
class _Query:
    """A piece sequence and the position in it whose filler is wanted."""

    pieces: tuple[int, ...]
    position: int


class NeuralMaskedLM:
    """BERT's masked-LM head.

    In a language that BERT writes character by character a word gets as many masks as the masked place has characters, and whole
    words are found by beam search from the left and from the right; a word's probability is the geometric mean of the two
    products. Elsewhere guesses are single whole pieces, and their probabilities are the model's own.
    """

    def __init__(self, encoder: Encoder, language: Language, *, beam: int = 8) -> None:
        self._encoder = encoder
        self._language = language
        self._beam = beam
        self._layer = encoder.layers[-1]
        self._usable = _usable_pieces(encoder.pieces.vocabulary, by_character=language.compares_by_character)

    def signature(self) -> Signature:
        return Signature("masked-lm", "1", {"model": self._encoder.signature(), "language": self._language.code, "beam": self._beam})

    def fill(self, masked: Sequence[MaskedText], top: int = 10) -> list[list[Candidate]]:
        """The `top` most probable fillers of each place, most probable first."""
        results: list[list[Candidate]] = [[] for _ in masked]
        single = [i for i, place in enumerate(masked) if self._masks(place) == 1]
        queries = [self._query(masked[i], 1, 0) for i in single]
        for i, scores in zip(single, self._log_probabilities(queries), strict=True):
            best = _best(scores, self._usable, top)
            results[i] = [Candidate(self._encoder.pieces.vocabulary[p], float(np.exp(scores[p]))) for p in best]
        for i, place in enumerate(masked):
            if self._masks(place) > 1:
                results[i] = self._words(place, self._masks(place), top)
        return results

    def fit(self, places: Sequence[MaskedText]) -> list[float]:
        """How well what stands at each place fits there: mean log-probability of its pieces, each masked in turn."""
        queries: list[_Query] = []
        golds: list[int] = []
        owners: list[int] = []
        for number, place in enumerate(places):
            before, inside, after = self._split(place)
            for offset, piece in enumerate(inside):
                hidden = (*inside[:offset], self._encoder.pieces.mask, *inside[offset + 1 :])
                queries.append(self._cut((*before, *hidden, *after), len(before) + offset))
                golds.append(piece)
                owners.append(number)
        totals = np.zeros(len(places))
        counts = np.zeros(len(places))
        for scores, gold, owner in zip(self._log_probabilities(queries), golds, owners, strict=True):
            totals[owner] += scores[gold]
            counts[owner] += 1
        return [float(total / count) if count else 0.0 for total, count in zip(totals, counts, strict=True)]

    def _masks(self, place: MaskedText) -> int:
        inside = place.text[place.start : place.end]
        return len(inside) if self._language.compares_by_character and is_han(inside) else 1

    def _split(self, place: MaskedText) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        text = self._encoder.pieces.text
        return text(place.text[: place.start]), text(place.text[place.start : place.end]), text(place.text[place.end :])

    def _query(self, place: MaskedText, masks: int, position: int) -> _Query:
        before, _, after = self._split(place)
        return self._cut((*before, *[self._encoder.pieces.mask] * masks, *after), len(before) + position)

    def _cut(self, pieces: tuple[int, ...], position: int) -> _Query:
        """Keep what the model has positions for, around the place."""
        limit = self._encoder.manifest.positions - 2
        if len(pieces) <= limit:
            return _Query(pieces, position)
        start = max(0, min(position - limit // 2, len(pieces) - limit))
        return _Query(pieces[start : start + limit], position - start)

    def _log_probabilities(self, queries: Sequence[_Query]) -> list[NDArray[np.float32]]:
        if not queries:
            return []
        states = self._encoder.states([q.pieces for q in queries], [self._layer])
        rows = np.stack([s[self._layer][q.position] for s, q in zip(states, queries, strict=True)])
        return [row for start in range(0, len(rows), 64) for row in self._encoder.decode(rows[start : start + 64])]

    def _words(self, place: MaskedText, masks: int, top: int) -> list[Candidate]:
        first = self._query(place, masks, 0)
        beam = max(self._beam, top)
        found = {*self._search(first, masks, beam, forwards=True), *self._search(first, masks, beam, forwards=False)}
        words = sorted(found)
        onwards = self._chain(first, words, masks, forwards=True)
        backwards = self._chain(first, words, masks, forwards=False)
        scored = sorted(zip(words, (onwards + backwards) / 2, strict=True), key=lambda pair: (-pair[1], pair[0]))
        vocabulary = self._encoder.pieces.vocabulary
        return [Candidate("".join(vocabulary[p] for p in word), float(np.exp(score))) for word, score in scored[:top]]

    def _search(self, first: _Query, masks: int, beam: int, *, forwards: bool) -> list[tuple[int, ...]]:
        order = range(masks) if forwards else range(masks - 1, -1, -1)
        partial: list[tuple[tuple[int | None, ...], float]] = [((None,) * masks, 0.0)]
        for offset in order:
            queries = [_Query(self._filled(first, word), first.position + offset) for word, _ in partial]
            grown: list[tuple[tuple[int | None, ...], float]] = []
            for (word, score), scores in zip(partial, self._log_probabilities(queries), strict=True):
                for piece in _best(scores, self._usable, beam):
                    grown.append(((*word[:offset], int(piece), *word[offset + 1 :]), score + float(scores[piece])))
            partial = sorted(grown, key=lambda pair: -pair[1])[:beam]
        return [tuple(p for p in word if p is not None) for word, _ in partial]

    def _chain(self, first: _Query, words: Sequence[tuple[int, ...]], masks: int, *, forwards: bool) -> NDArray[np.float64]:
        """Log-probability of each word as a product over its pieces in one order."""
        total = np.zeros(len(words))
        order = list(range(masks)) if forwards else list(range(masks - 1, -1, -1))
        for step, offset in enumerate(order):
            known = set(order[:step])
            partial = [tuple(p if i in known else None for i, p in enumerate(word)) for word in words]
            distinct = list(dict.fromkeys(partial))
            queries = [_Query(self._filled(first, word), first.position + offset) for word in distinct]
            scores = dict(zip(distinct, self._log_probabilities(queries), strict=True))
            total += [float(scores[p][word[offset]]) for p, word in zip(partial, words, strict=True)]
        return total

    def _filled(self, first: _Query, word: Sequence[int | None]) -> tuple[int, ...]:
        mask = self._encoder.pieces.mask
        inside = tuple(mask if piece is None else piece for piece in word)
        return (*first.pieces[: first.position], *inside, *first.pieces[first.position + len(word) :])


def _usable_pieces(vocabulary: Sequence[str], *, by_character: bool) -> NDArray[np.bool_]:
    """Pieces that are words (for a language written by character: that are one character of it)."""
    if by_character:
        return np.array([is_han(piece) and len(piece) == 1 for piece in vocabulary])
    return np.array([not piece.startswith(("##", "[")) and is_word(piece) for piece in vocabulary])


def _best(scores: NDArray[np.float32], usable: NDArray[np.bool_], count: int) -> NDArray[np.intp]:
    allowed = np.where(usable, scores, -np.inf)
    count = min(count, int(usable.sum()))
    best = np.argpartition(-allowed, count - 1)[:count] if count else np.array([], dtype=np.intp)
    return best[np.argsort(-allowed[best], kind="stable")]
