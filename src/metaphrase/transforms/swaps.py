"""Typed swaps: a number for a number, a weekday for a weekday, a country for a country.

They need no model and keep the sentence's grammar; which words are of a kind is the language's to say.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from metaphrase.text.languages import Language, WordClass
from metaphrase.text.tokens import is_opaque
from metaphrase.transforms.sentences import Sentence, is_noun, is_proper_noun

__all__ = ["Swap", "chosen", "swaps"]

_INTEGER = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_DECIMAL = re.compile(r"\d+\.\d")
_JOINTS = frozenset("- ‐ –".split())
_YEARS = range(1900, 2100)


@dataclass(frozen=True, slots=True)
class Swap:
    """Word `index` may become `after`; `kind` names the class."""

    index: int
    after: str
    kind: str


def swaps(sentence: Sentence, language: Language, seed: int) -> Iterator[Swap]:
    """All swaps of a sentence, in word order; which member of a class is taken depends on the seed and the sentence only."""
    for index in range(len(sentence.words)):
        if sentence.is_whole(index):
            found = _number(sentence, index, language, seed) or _numeral(sentence, index, language, seed)
            if found is not None:
                yield found
            else:
                yield from _class_members(sentence, index, language, seed)


def chosen(seed: int, *parts: object) -> int:
    """A number that depends on the seed and the parts only."""
    return int.from_bytes(hashlib.sha256(repr((seed, *parts)).encode()).digest()[:4])


def _beside(sentence: Sentence, index: int) -> tuple[str, str]:
    words = sentence.words
    return words[index - 1].text if index else "", words[index + 1].text if index + 1 < len(words) else ""


def _number(sentence: Sentence, index: int, language: Language, seed: int) -> Swap | None:
    text = sentence.words[index].text
    before, after = _beside(sentence, index)
    dated = _is_month(before, language) or _is_month(after, language)
    if before[:1].isupper() and not dated and not sentence.starts_sentence(index - 1):
        return None  # Boeing 737, Article 50: part of a name
    if before.lower() in language.definite_articles and index + 1 < len(sentence.words) and sentence.words[index + 1].tag == "NN":
        return None  # the 727 crisis: a name, not a count
    ceiling = (
        28
        if dated
        else 12
        if language.clock.match(sentence.text, sentence.words[index].end)
        else next((n for mark, n in language.number_ceilings.items() if after.startswith(mark)), 0)
    )
    if _DECIMAL.fullmatch(text):
        last = int(text[-1])
        other = text[:-1] + str(_neighbour(last, 1, 9, chosen(seed, sentence.text, index)))
        return None if any(w.text == other for w in sentence.words) else Swap(index, other, "number")
    if not _INTEGER.fullmatch(text) or text.startswith("0"):
        return None
    value = int(text.replace(",", ""))
    if (after[:1].isupper() and not dated) or after in _JOINTS:
        return None  # 1984 Olympics, 15 - a - side
    is_year = "," not in text and value in _YEARS and len(text) == 4
    if value < 2 or (ceiling and value > 31):
        return None
    zeros = len(text.replace(",", "")) - len(text.replace(",", "").rstrip("0"))
    step = 1 if is_year or ceiling else 10**zeros
    percent = after in language.percent_words
    top = ceiling or (99 if percent else 10 ** len(text.replace(",", "")) - 1)
    low = 10 ** (len(text.replace(",", "")) - 1) if not ceiling else 2
    for direction in (1, -1) if chosen(seed, sentence.text, index) % 2 else (-1, 1):
        new = value + direction * step
        if max(low, 2) <= new <= top and not _crosses(sentence, index, value, new):
            return Swap(index, f"{new:,}" if "," in text else str(new), "year" if is_year else "number")
    return None


def _neighbour(value: int, low: int, high: int, choice: int) -> int:
    up, down = value + 1, value - 1
    if up > high:
        return down
    return up if down < low or choice % 2 else down


def _crosses(sentence: Sentence, index: int, old: int, new: int) -> bool:
    """Whether another number of the sentence lies between old and new: "from 5 to 6" must stay in order."""
    low, high = sorted((old, new))
    others = [w.text.replace(",", "") for i, w in enumerate(sentence.words) if i != index]
    return any(low <= int(t) <= high for t in others if t.isascii() and t.isdigit())


def _is_month(word: str, language: Language) -> bool:
    return any(c.kind == "month" for c in _classes(language).get(word, ()))


def _numeral(sentence: Sentence, index: int, language: Language, seed: int) -> Swap | None:
    """Number words from two on; in Chinese also with their measure word in one token."""
    lowered = sentence.lowered(index)
    numerals = language.plural_numerals
    before, after = (w.lower() for w in _beside(sentence, index))
    if (
        lowered is None
        or not numerals
        or before in language.beside_numerals
        or after in language.beside_numerals - language.definite_articles
    ):
        return None
    if before in _JOINTS or after in _JOINTS or any(w.text.lower() in language.enumerating_words for w in sentence.words):
        return None  # one - to - two; "two cards, one is ... and the other"
    if lowered in numerals:
        stem, rest = lowered, ""
    elif sentence.words[index].tag == "CD" and len(lowered) == 2 and lowered[0] in numerals and language.compares_by_character:
        stem, rest = lowered[0], lowered[1]
    else:
        return None
    if any(w.text.lower() in numerals for i, w in enumerate(sentence.words) if i != index):
        return None
    place = numerals.index(stem)
    new = _neighbour(place, 0, len(numerals) - 1, chosen(seed, sentence.text, index))
    return Swap(index, numerals[new] + rest, "number")


def _class_members(sentence: Sentence, index: int, language: Language, seed: int) -> Iterator[Swap]:
    text = sentence.words[index].text
    classes = _classes(language)
    word = text if text in classes else (sentence.lowered(index) or text)
    for word_class in classes.get(word, ()):
        if _fits(sentence, index, word_class, language):
            others = [w for w in word_class.words if w != word and not any(w == x.text for x in sentence.words)]
            if others:
                yield Swap(index, others[chosen(seed, sentence.text, index) % len(others)], word_class.kind)
                return


@cache
def _classes(language: Language) -> dict[str, tuple[WordClass, ...]]:
    """The classes of a word; a unit may be in several, of which the first that fits counts."""
    found: dict[str, tuple[WordClass, ...]] = {}
    for word_class in language.word_classes:
        for word in word_class.words:
            found[word] = (*found.get(word, ()), word_class)
    return found


def _fits(sentence: Sentence, index: int, word_class: WordClass, language: Language) -> bool:
    before, after = _beside(sentence, index)
    if before.lower() in word_class.not_after or after.lower() in word_class.not_before:
        return False
    numbered = before[:1].isdigit() or before.lower() in language.plural_numerals
    if word_class.needs == "number" and not (numbered or before[:1] in language.plural_numerals):
        return False
    if word_class.needs == "cue" and not (numbered or after[:1].isdigit() or before.lower() in word_class.cues):
        return False
    if word_class.kind == "colour" and not language.compares_by_character and not _before_noun(sentence, index):
        return False  # "mostly white"
    if word_class.kind == "colour" and index and sentence.words[index - 1].tag == "TO":
        return False  # "to green the desert"
    if word_class.kind == "colour" and any(w.text in word_class.words for i, w in enumerate(sentence.words) if i != index):
        return False  # "red, white and blue"
    if word_class.kind == "country" and _has_other_names(sentence, index, language):
        return False  # "Lima, Peru": another country would not be where the city is
    named = word_class.name or "name" in word_class.kind
    if named and sum(w.text == sentence.words[index].text for w in sentence.words) > 1:
        return False  # "Italy must pay Italy's debts": the other one would still be meant
    return not (word_class.name and _beside_names(sentence, index, language))


def _before_noun(sentence: Sentence, index: int) -> bool:
    return index + 1 < len(sentence.words) and is_noun(sentence.words[index + 1].tag)


def _has_other_names(sentence: Sentence, index: int, language: Language) -> bool:
    known = _classes(language)
    return any(_is_name(sentence, i) and w.text not in known for i, w in enumerate(sentence.words) if i != index and not is_opaque(w.text))


def _beside_names(sentence: Sentence, index: int, language: Language) -> bool:
    """Bank of China, Good Friday, New Zealand First: part of a longer name."""
    words = sentence.words
    for i in (index - 1, index + 1):
        if 0 <= i < len(words) and _is_name(sentence, i) and not _is_month(words[i].text, language):
            return True
    if index >= 2 and words[index - 1].text in ("of", "and", "&", "de", "the") and _is_name(sentence, index - 2):
        return True
    return index + 2 < len(words) and words[index + 1].text in ("of", "&") and _is_name(sentence, index + 2)


def _is_name(sentence: Sentence, index: int) -> bool:
    word = sentence.words[index]
    if word.text[:1].isupper():
        return not sentence.starts_sentence(index) or is_proper_noun(word.tag)
    return word.tag == "NR"
