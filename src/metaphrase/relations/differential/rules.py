"""Rules that need no weights: a changed number and a changed negation are always reported.

Both are anchored in the source: the values and negations that the source states must be in both translations or in neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from metaphrase.relations.closure.views import Text
from metaphrase.relations.differential.pairs import EnginePair
from metaphrase.text.languages import Language, Quantity
from metaphrase.text.languages.base import read_digits
from metaphrase.text.normalise import fold, widths
from metaphrase.text.tokens import is_word

__all__ = ["Breach", "changed_negation", "changed_numbers", "is_number"]


_DIGITS_FIRST = re.compile(r"^([\d.,]*\d)[^\W\d_]+$")


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that a pair breaks: `places` are (side, start, end) in characters; `blamed` is the side that departs from the source, if one does."""

    kind: str
    reason: str
    places: tuple[tuple[int, int, int], ...]
    blamed: int | None = None


@lru_cache(maxsize=8_192)
def _numbers(text: str, language: Language) -> tuple[Quantity, ...]:
    return tuple(language.quantities(widths(text)))


def _same(a: Fraction, b: Fraction) -> bool:
    """Equal, or two ways to say one thing: a year and its decade, a time by 12 and by 24 hours."""
    low, high = sorted((a, b))
    if low == high:
        return True
    return (1000 <= high < 2100 and low < 100 and high % 100 == low) or (high - low == 12 and 12 < high <= 24)


def _among(value: Fraction, others: Sequence[Quantity]) -> bool:
    return any(_same(value, other.value) for other in others)


def changed_numbers(pair: EnginePair, source: Language, target: Language) -> Iterator[Breach]:
    """A value that the source and one translation state and the other does not; or one that only one translation states, in digits."""
    texts = [side.text.text for side in pair.sides]
    stated = _numbers(pair.source.text, source)
    numbers = [_numbers(text, target) for text in texts]
    if [n.value for n in numbers[0]] == [n.value for n in numbers[1]]:
        return
    for side in (0, 1):
        here, there = numbers[side], numbers[1 - side]
        views = pair.sides[side].text, pair.sides[1 - side].text
        strange = [n for n in there if not _among(n.value, here) and not _among(n.value, stated) and is_number(views[1], n, target)]
        lost = [n for n in here if not _among(n.value, there) and _among(n.value, stated) and is_number(views[0], n, target)]
        for number in lost:
            right = texts[side][number.start : number.end]
            if strange:
                wrong = strange.pop(0)
                quote = texts[1 - side][wrong.start : wrong.end]
                yield Breach(
                    "number",
                    f"a number differs: '{right}' against '{quote}', and the source has the value of '{right}'",
                    ((side, number.start, number.end), (1 - side, wrong.start, wrong.end)),
                    1 - side,
                )
            elif not _in_words(texts[1 - side], number, target):
                yield Breach("number", f"the number '{right}' is missing", ((side, number.start, number.end),), 1 - side)
        if side == 0 and not lost and len(strange) == 1:
            alone = [n for n in here if not _among(n.value, there) and not _among(n.value, stated) and is_number(views[0], n, target)]
            if len(alone) == 1 and _in_digits(texts[0], alone[0]) and _in_digits(texts[1], strange[0]):
                quotes = [texts[0][alone[0].start : alone[0].end], texts[1][strange[0].start : strange[0].end]]
                yield Breach(
                    "number",
                    f"a number differs: '{quotes[0]}' against '{quotes[1]}'",
                    ((0, alone[0].start, alone[0].end), (1, strange[0].start, strange[0].end)),
                )
                return
        for number in strange:
            quote = texts[1 - side][number.start : number.end]
            if (
                not lost
                and any(c.isdigit() for c in quote)
                and quote not in pair.source.text
                and not _in_words(pair.source.text, number, source)
            ):
                yield Breach(
                    "number", f"the number '{quote}' is in one translation only", ((1 - side, number.start, number.end),), 1 - side
                )


def is_number(side: Text, number: Quantity, target: Language) -> bool:
    """Written in digits, as a long numeral, or as a word that is nothing but a number: numerals are parts of other words too.

    A word for one and a scale by itself ("a million", "millions") are too vague for a rule.
    """
    quote = side.text[number.start : number.end]
    if (number.value == 1 and quote.isalpha()) or fold(quote) in target.scale_words:
        return False
    if len(quote) > 1 or quote.isdigit():
        return True
    whole = next((t.text for t in side.tokens if t.start <= number.start < t.end), "")
    return number.value > 1 and target.number_of(whole) == number.value


def _in_digits(text: str, number: Quantity) -> bool:
    return any(c.isdigit() for c in text[number.start : number.end])


def _in_words(text: str, number: Quantity, language: Language) -> bool:
    """Small numbers are also said without a numeral (both, twice, pair, season), ordinals and months name theirs, and a unit may be stuck to it."""
    if number.value <= 12:
        return True
    tokens = language.tokens(text)
    return any(language.number_of(t.text) == number.value or read_digits(_DIGITS_FIRST.sub(r"\1", t.text)) == number.value for t in tokens)


def changed_negation(pair: EnginePair, source: Language, target: Language) -> Breach | None:
    """One translation negates once more than the other, and the source says which of them is right.

    Where a source word may be rendered by a negation ("unwilling", "until"), it does not say that; then the two must say the same otherwise.
    """
    spans = [target.negation_spans(widths(side.text.text)) for side in pair.sides]
    more = 0 if len(spans[0]) > len(spans[1]) else 1
    fewer = 1 - more
    if len(spans[more]) - len(spans[fewer]) != 1:
        return None
    extra = _unmatched(pair, spans, more)
    if extra is None or target.implies_negation(_left_words(pair, fewer)):
        return None
    said = f"only one translation says '{pair.sides[more].text.text[extra[0] : extra[1]]}'"
    if source.implies_negation(pair.source.text):
        return Breach("negation", said, ((more, *extra),)) if _else_alike(pair, more, extra, target) else None
    stated = len(source.negation_spans(pair.source.text))
    if stated == len(spans[fewer]):
        return Breach("negation", f"{said}, and the source has no negation there", ((more, *extra),), more)
    if stated == len(spans[more]):
        return Breach("negation", f"{said}, which the source has too", ((more, *extra),), fewer)
    return None


# How many words (characters, where a language is compared by them) on either side of a negation must be the same in a translation without it.
_AROUND = 1


def _else_alike(pair: EnginePair, more: int, extra: tuple[int, int], target: Language) -> bool:
    """Whether the other translation says the same around the negation, but without it."""
    text = pair.sides[more].text.text
    affirmed = ["", *(word for word, denial in target.denials.items() if fold(denial) == fold(text[extra[0] : extra[1]]))]
    before, after = _units(text[: extra[0]], target)[-_AROUND:], _units(text[extra[1] :], target)[:_AROUND]
    there = _units(pair.sides[1 - more].text.text, target)
    for word in affirmed:
        wanted = [*before, *_units(word, target), *after]
        if any(there[k : k + len(wanted)] == wanted for k in range(len(there) - len(wanted) + 1)):
            return True
    return False


def _units(text: str, language: Language) -> list[str]:
    if language.compares_by_character:
        return [c for c in fold(text) if is_word(c)]
    return [fold(token.text) for token in language.tokens(text) if is_word(token.text)]


def _left_words(pair: EnginePair, side: int) -> str:
    """The words of a side that the other lacks: "not viable" is said by "unworkable" too."""
    return " ".join(pair.sides[side].text.words[w.index] for w in pair.left_over if w.side == side)


def _unmatched(pair: EnginePair, spans: Sequence[Sequence[tuple[int, int]]], more: int) -> tuple[int, int] | None:
    """The negation whose word has no counterpart; the last one where all have."""
    left = {w.index for w in pair.left_over if w.side == more}
    tokens = pair.sides[more].text.tokens
    for start, end in spans[more]:
        if any(tokens[k].start < end and start < tokens[k].end for k in left):
            return start, end
    return None
