"""Guess masked words, jointly where a word is several pieces, and say how well a given word fits."""

from __future__ import annotations

from collections.abc import Generator, Sequence
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


# Log-probabilities of the usable pieces: a row a query, a column a piece.
_Rows = NDArray[np.float32]
# A word as far as it is known, and its log-probability.
_Words = dict[tuple[int | None, ...], float]
_Search = Generator[list[_Query], _Rows, _Words]

_TOGETHER = 32  # places that are worked on at a time
_FAR = 3.0  # beginnings of words that are this much less probable than the best one are not followed: a factor of 20


class NeuralMaskedLM:
    """BERT's masked-LM head.

    In a language that BERT writes character by character a word gets as many masks as the masked place has characters, and whole
    words are found by beam search from the left and from the right; a word's probability is the larger of the two
    products. Elsewhere guesses are single whole pieces, and their probabilities are the model's own.
    """

    def __init__(self, encoder: Encoder, language: Language, *, beam: int = 5) -> None:
        self._encoder = encoder
        self._language = language
        self._beam = beam
        self._usable = np.flatnonzero(_usable_pieces(encoder.pieces.vocabulary, by_character=language.compares_by_character))

    def signature(self) -> Signature:
        return Signature("masked-lm", "2", {"model": self._encoder.signature(), "language": self._language.code, "beam": self._beam})

    def fill(self, masked: Sequence[MaskedText], top: int = 10) -> list[list[Candidate]]:
        """The `top` most probable fillers of each place, most probable first."""
        results: list[list[Candidate]] = []
        for start in range(0, len(masked), _TOGETHER):
            found = self._words(masked[start : start + _TOGETHER], top)
            results += [self._candidates(words, top) for words in found]
        return results

    def _candidates(self, words: _Words, top: int) -> list[Candidate]:
        best = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:top]
        vocabulary = self._encoder.pieces.vocabulary
        return [Candidate("".join(vocabulary[p] for p in word if p is not None), float(np.exp(score))) for word, score in best]

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
        pieces, columns = np.unique(np.array(golds, dtype=np.intp), return_inverse=True)
        for row, column, owner in zip(self._log_probabilities(queries, pieces), columns, owners, strict=True):
            totals[owner] += row[column]
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

    def _log_probabilities(self, queries: Sequence[_Query], pieces: NDArray[np.intp]) -> _Rows:
        if not queries:
            return np.zeros((0, len(pieces)), dtype=np.float32)
        return self._encoder.decode(self._encoder.at([(q.pieces, q.position) for q in queries]), pieces)

    def _words(self, places: Sequence[MaskedText], top: int) -> list[_Words]:
        """Fillers of each place. All searches go on side by side: what they ask in a step is asked at once."""
        searches: list[_Search] = []
        owners: list[int] = []
        for number, place in enumerate(places):
            masks = self._masks(place)
            for forwards in (True, False)[: min(masks, 2)]:
                searches.append(self._search(self._query(place, masks, 0), masks, top, forwards=forwards))
                owners.append(number)
        found: list[_Words] = [{} for _ in places]
        asked = {number: next(search) for number, search in enumerate(searches)}
        while asked:
            rows = self._log_probabilities([query for queries in asked.values() for query in queries], self._usable)
            first = 0
            for number, queries in list(asked.items()):
                try:
                    asked[number] = searches[number].send(rows[first : first + len(queries)])
                except StopIteration as end:
                    del asked[number]
                    words = found[owners[number]]
                    words.update({word: max(score, words.get(word, -np.inf)) for word, score in end.value.items()})
                first += len(queries)
        return found

    def _search(self, first: _Query, masks: int, top: int, *, forwards: bool) -> _Search:
        """Fill the masks one after the other; yields what it asks the model, and returns the best words."""
        partial: _Words = {(None,) * masks: 0.0}
        for step, offset in enumerate(range(masks) if forwards else range(masks - 1, -1, -1), 1):
            rows = yield [_Query(self._filled(first, word), first.position + offset) for word in partial]
            grown: _Words = {}
            for (word, score), scores in zip(partial.items(), rows, strict=True):
                for column in _best(scores, max(self._beam, top)):
                    piece = int(self._usable[column])
                    grown[*word[:offset], piece, *word[offset + 1 :]] = score + float(scores[column])
            best = sorted(grown.items(), key=lambda item: -item[1])
            if step == masks:
                return dict(best[:top])
            partial = {word: score for word, score in best[: self._beam] if score > best[0][1] - _FAR}
        return partial

    def _filled(self, first: _Query, word: Sequence[int | None]) -> tuple[int, ...]:
        mask = self._encoder.pieces.mask
        inside = tuple(mask if piece is None else piece for piece in word)
        return (*first.pieces[: first.position], *inside, *first.pieces[first.position + len(word) :])


def _usable_pieces(vocabulary: Sequence[str], *, by_character: bool) -> NDArray[np.bool_]:
    """Pieces that are words (for a language written by character: that are one character of it)."""
    if by_character:
        return np.array([is_han(piece) and len(piece) == 1 for piece in vocabulary])
    return np.array([not piece.startswith(("##", "[")) and is_word(piece) for piece in vocabulary])


def _best(scores: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    count = min(count, len(scores))
    best = np.argpartition(-scores, count - 1)[:count] if count else np.array([], dtype=np.intp)
    return best[np.argsort(-scores[best], kind="stable")]
