"""Errors that are certain: put into a pair of translations that is held to be fine.

A word that both translations share is replaced by another of the pool or deleted, a number gets another value, a statement is denied or a denial taken
away, always in one translation only. Style variants change nothing that a reader would call meaning.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from metaphrase.core.values import DifferentialCase, Span
from metaphrase.relations.closure.comparison import Comparison, Match, compare
from metaphrase.relations.closure.views import Text, words_of
from metaphrase.relations.differential.rules import is_number
from metaphrase.resources.protocols import Synonyms
from metaphrase.text.languages import Language
from metaphrase.text.normalise import widths
from metaphrase.text.tokens import is_word

__all__ = ["KINDS", "Injected", "Injector", "style_variants"]

KINDS = ("replaced", "deleted", "number", "negation")
_TRIES = 50


@dataclass(frozen=True, slots=True)
class Injected:
    """A case with one error. `places`: where it can be seen, as (engine, start, end); marking one of them is finding it."""

    case: DifferentialCase
    kind: str
    engine: str
    places: tuple[tuple[str, int, int], ...]

    def marked_by(self, spans: Sequence[Span]) -> bool:
        return any(s.text == engine and s.start < end and start < s.end for s in spans for engine, start, end in self.places)


class Injector:
    """Makes errors of every kind that a pair allows; the same seed and pair give the same errors."""

    def __init__(self, target: Language, synonyms: Synonyms, texts: Sequence[str], *, seed: int = 0) -> None:
        self._target, self._synonyms, self._seed = target, synonyms, seed
        words = {w for text in texts for w in words_of(text, target.code).words if self._ordinary(w)}
        self._pool = sorted(words)

    def errors(self, case: DifferentialCase) -> Iterator[Injected]:
        """For cases with two translations."""
        engines = list(case.translations)
        generator = random.Random(f"{self._seed} {case.id}")
        victim = generator.randrange(2)
        views = [words_of(case.translations[e] or "", self._target.code) for e in engines]
        comparison = compare(views[0], views[1], self._target)
        makers: dict[str, Callable[[Text, Text, Comparison, int, random.Random], _Change | None]] = {
            "replaced": self._replaced, "deleted": self._deleted, "number": self._number, "negation": self._negation,
        }  # fmt: skip
        for kind in KINDS:
            change = makers[kind](views[victim], views[1 - victim], comparison, victim, generator)
            if change is None:
                continue
            text = views[victim].text
            changed = text[: change.start] + change.text + text[change.end :]
            translations = MappingProxyType({**case.translations, engines[victim]: changed})
            places = [(engines[1 - victim], *place) for place in change.elsewhere]
            if change.text:
                places.append((engines[victim], change.start + change.shown, change.start + len(change.text)))
            yield Injected(replace(case, id=f"{case.id}-{kind}", translations=translations), kind, engines[victim], tuple(places))

    def _ordinary(self, word: str) -> bool:
        own_script = self._target.latin_script or not word.isascii()
        return len(word) > 1 and own_script and self._target.is_content(word) and self._target.number_of(word) is None

    def _shared(self, view: Text, comparison: Comparison, side: int) -> list[int]:
        """Ordinary words that both translations have."""
        same = (Match.IN_PLACE, Match.MOVED)
        return [
            k for k, w in enumerate(view.words) if comparison.matches[side][k] in same and self._ordinary(w) and view.words.count(w) == 1
        ]

    def _replaced(self, view: Text, other: Text, comparison: Comparison, side: int, generator: random.Random) -> _Change | None:
        places = self._shared(view, comparison, side)
        if not places or not self._pool:
            return None
        k = generator.choice(places)
        token, partner = view.tokens[k], other.tokens[comparison.partners[side][k]]
        for _ in range(_TRIES):
            word = generator.choice(self._pool)
            if word not in view.words and word not in other.words and self._synonyms.related(word, view.words[k]) < 0.3:
                return _Change(token.start, token.end, word, ((partner.start, partner.end),))
        return None

    def _deleted(self, view: Text, other: Text, comparison: Comparison, side: int, generator: random.Random) -> _Change | None:
        places = self._shared(view, comparison, side)
        if not places:
            return None
        k = generator.choice(places)
        token, partner = view.tokens[k], other.tokens[comparison.partners[side][k]]
        return _Change(token.start, token.end, "", ((partner.start, partner.end),))

    def _number(self, view: Text, other: Text, comparison: Comparison, side: int, generator: random.Random) -> _Change | None:
        there = {n.value: (n.start, n.end) for n in self._target.quantities(widths(other.text))}
        found = [
            n for n in self._target.quantities(widths(view.text)) if n.value in there and n.value > 1 and is_number(view, n, self._target)
        ]
        if not found:
            return None
        number = generator.choice(found)
        text = self._other_number(view.text[number.start : number.end], generator)
        values = [n.value for n in self._target.quantities(widths(text))]
        if not values or values[0] == number.value or values[0] in there:
            return None
        return _Change(number.start, number.end, text, (there[number.value],))

    def _other_number(self, quote: str, generator: random.Random) -> str:
        digits = [m.start() for m in re.finditer(r"\d", quote)]
        if digits:
            at = generator.choice(digits)
            other = generator.choice([c for c in "123456789" if c != widths(quote[at])])
            return quote[:at] + other + quote[at + 1 :]
        numerals = self._target.plural_numerals
        for numeral in numerals:
            if numeral in quote:
                return quote.replace(numeral, generator.choice([n for n in numerals if n != numeral]), 1)
        return quote

    def _negation(self, view: Text, other: Text, comparison: Comparison, side: int, generator: random.Random) -> _Change | None:
        here, there = (self._target.negation_spans(text.text) for text in (view, other))
        options = []
        if here and len(here) == len(there):
            k = generator.randrange(len(here))
            start, end = here[k]
            end += len(view.text[end:]) - len(view.text[end:].lstrip(" "))
            options.append(_Change(start, end, "", (there[k],)))
        for k, token in enumerate(view.tokens):
            denial = self._target.denials.get(view.words[k])
            if denial and comparison.matches[side][k] in (Match.IN_PLACE, Match.MOVED) and not here and not there:
                options.append(_Change(token.start, token.end, denial, ()))
        return generator.choice(options) if options else None


@dataclass(frozen=True, slots=True)
class _Change:
    """text[start:end] becomes `text`, of which the part from `shown` on is new; `elsewhere` is the counterpart in the other translation."""

    start: int
    end: int
    text: str
    elsewhere: tuple[tuple[int, int], ...]
    shown: int = 0


_FULL_WIDTH = {ord(c): ord(c) + 0xFEE0 for c in "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%"}
_MARKS = str.maketrans(
    {"，": ",", "。": ".", "“": '"', "”": '"', "：": ":", "；": ";", "（": "(", "）": ")", "—": "-", "’": "'", ",": "，"}
)


def style_variants(text: str, target: Language) -> Iterator[tuple[str, str]]:
    """(what was changed, the text): spacing, punctuation, full-width forms, the way numbers are written."""
    spaced = re.sub(r"(?<=[^\W\d_a-zA-Z])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u3400-\u9fff])", " ", text)
    variants = {
        "spacing": spaced if not target.latin_script else text.replace(" ", "  "),
        "punctuation": text.translate(_MARKS) if not target.latin_script else text.replace('"', "“").rstrip("."),
        "full-width": text.translate(_FULL_WIDTH),
        "digits": _digit_style(text, target),
    }
    for name, variant in variants.items():
        if variant != text and is_word(text):
            yield name, variant


def _digit_style(text: str, target: Language) -> str:
    """Numbers of four and more digits with or without separators."""
    grouped = re.sub(r"(?<![\d.,])\d{5,}(?![\d.,])", lambda m: f"{int(m.group()):,}", text)
    if grouped != text:
        return grouped
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text) if target.decimal_point == "." else text
