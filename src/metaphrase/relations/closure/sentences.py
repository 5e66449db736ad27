"""What a sentence encoder says about a left-over word: how much of the meaning hangs on it, and whether the other translation has it.

This tells how much a difference matters, not whether there is one, so it is asked for the severity alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaphrase.relations.closure.comparison import Comparison
from metaphrase.relations.closure.word_features import LeftOver
from metaphrase.resources.protocols import SentenceEmbedder

__all__ = ["SENTENCE_FEATURES", "sentence_features"]

SENTENCE_FEATURES = ("sentence-weight", "sentence-nearer", "sentence-exchanged", "sentence-elsewhere")
# A pair with more words in question is one long difference; its likeliest words tell enough.
_MOST = 8
_LONGEST_EXCHANGE = 8
_EXPLAINED = 0.5  # a word that translates the edit this surely is not in question


@dataclass(frozen=True, slots=True)
class _Question:
    """A word in its text and alone, its text without it and with what the other translation has in its place, and that translation."""

    word: str
    text: str
    without: str
    exchanged: str
    other: str

    @property
    def texts(self) -> tuple[str, ...]:
        return self.word, self.text, self.without, self.exchanged, self.other


def sentence_features(pairs: Sequence[tuple[Comparison, Sequence[LeftOver]]], embedder: SentenceEmbedder) -> list[list[dict[str, float]]]:
    """For each left-over word of each pair; 0 for words that are not in question (function words, and what the edit explains)."""
    asked = [{k: _question(comparison, left[k]) for k in _in_question(left)} for comparison, left in pairs]
    vectors = iter(embedder.embed_texts([text for questions in asked for q in questions.values() for text in q.texts]))
    answers = []
    for (_, left), questions in zip(pairs, asked, strict=True):
        values = [dict.fromkeys(SENTENCE_FEATURES, 0.0) for _ in left]
        for k in questions:
            word, text, without, exchanged, other = (next(vectors) for _ in range(5))
            found = (1 - text @ without, without @ other - text @ other, 1 - text @ exchanged, word @ other - word @ text)
            values[k] = {name: float(np.round(value, 4)) for name, value in zip(SENTENCE_FEATURES, found, strict=True)}
        answers.append(values)
    return answers


def _in_question(left: Sequence[LeftOver]) -> list[int]:
    chosen = [k for k, word in enumerate(left) if not word.features["stop"] and word.features["edited"] < _EXPLAINED]

    def likely(k: int) -> tuple[float, ...]:
        features = left[k].features
        return (features["edited"], -features["shared"], -features["rarity"], k)

    return sorted(chosen, key=likely)[:_MOST]


def _question(comparison: Comparison, word: LeftOver) -> _Question:
    here, there = comparison.texts[word.side], comparison.texts[1 - word.side]
    token, slot = here.tokens[word.index], word.slot
    before, after = here.text[: token.start], here.text[token.end :]
    instead = there.text[there.tokens[slot[0]].start : there.tokens[slot[-1]].end] if 0 < len(slot) <= _LONGEST_EXCHANGE else ""
    return _Question(token.text, here.text, before + after, before + instead + after, there.text)
