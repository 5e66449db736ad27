"""Is this word a listed translation of that one, and do two words of a language mean the same?

Answers lie in 0..1 and come from CC-CEDICT for Chinese and English, else from spelling, numbers and a glossary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction
from metaphrase.resources.lite.cedict import cedict
from metaphrase.resources.lite.evidence import cognate, read_glossary
from metaphrase.resources.lite.names import likeness
from metaphrase.resources.lite.thesaurus import Thesaurus, read_thesaurus
from metaphrase.resources.protocols import Lexicon, Synonyms
from metaphrase.text.languages import Language, language
from metaphrase.text.normalise import fold

__all__ = ["INFLECTED", "LiteLexicon", "LiteSynonyms", "lite_lexicon", "lite_synonyms"]

# Pairs of words that are asked for again and again while a campaign's cases resemble each other.
_CACHE = 100_000
# How alike two inflections of a word are, and words that a thesaurus lists as synonyms.
INFLECTED = 0.97


class LexiconOptions(Options):
    """`[resource.lexicon]`; the glossary is best the one of the aligner."""

    glossary: Path | None = None


class LiteLexicon:
    """Listed translations of one direction."""

    def __init__(self, direction: Direction, glossary: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self._direction = direction
        self._source, self._target = language(direction.source), language(direction.target)
        self._glossary = glossary or {}
        bases = (direction.source.split("-")[0], direction.target.split("-")[0])
        self._chinese_side = bases.index("zh") if set(bases) == {"zh", "en"} else None

    @lru_cache(maxsize=_CACHE)  # noqa: B019 - a lexicon lives as long as its profile
    def strength(self, source: str, target: str) -> float:
        x, y = fold(source), fold(target)
        if x == y:
            return 1.0
        number = _number(self._source, source)
        if number is not None and number == _number(self._target, target):
            return 1.0
        listed = self._glossary.get(self._source.lemma(source), {}).get(self._target.lemma(target), 0.0) if self._glossary else 0.0
        if self._chinese_side is None:
            return max(listed, cognate(self._source.lemma(source), self._target.lemma(target)))
        chinese, english = (x, y) if self._chinese_side == 0 else (y, x)
        return max(listed, _chinese_english(chinese, english))

    def signature(self) -> Signature:
        return Signature("lite-lexicon", "1", {"pair": str(self._direction), "glossary": len(self._glossary) or None})


# What follows is asked about a word again for every word that it is compared with.
@lru_cache(maxsize=_CACHE)
def _number(words: Language, word: str) -> Fraction | None:
    return words.number_of(word)


@dataclass(frozen=True, slots=True)
class _English:
    lemma: str
    stem: str
    stop: bool
    characters: Mapping[str, float]


@lru_cache(maxsize=_CACHE)
def _english_facts(word: str) -> _English:
    words = language("en")
    lemma, stop = words.lemma(word), words.is_stop(word)
    return _English(lemma, words.stem(word), stop, {} if stop else cedict().character_profile(lemma))


def _chinese_english(chinese: str, english: str) -> float:
    dictionary, facts = cedict(), _english_facts(english)
    whole, parts = dictionary.renderings(chinese), dictionary.renderings_of_pieces(chinese)
    characters = sum(facts.characters.get(c, 0.0) for c in chinese) / max(1, len(chinese)) if facts.characters else 0.0
    known = max(
        whole.by_lemma.get(facts.lemma, 0.0),
        0.8 * whole.by_stem.get(facts.stem, 0.0),
        parts.by_lemma.get(facts.lemma, 0.0),
        0.6 * parts.by_stem.get(facts.stem, 0.0),
        0.7 * characters,
    )
    if known >= 0.5 or not english[:1].isalpha() or facts.stop:
        return known
    sounds = likeness(dictionary.pinyin(chinese), english)
    return max(known, 0.8 * sounds if sounds > 0.45 else 0.0)


class SynonymsOptions(Options):
    """`[resource.synonyms]`. `thesaurus`: MyThes files by language code; what they list counts as the same word."""

    thesaurus: Mapping[str, Path] = {}


class LiteSynonyms:
    """Words of one language."""

    def __init__(self, code: str, thesaurus: Thesaurus | None = None) -> None:
        self._language = language(code)
        self._thesaurus = thesaurus
        self._base = code.split("-")[0]

    @lru_cache(maxsize=_CACHE)  # noqa: B019
    def related(self, a: str, b: str) -> float:
        x, y = fold(a), fold(b)
        if x == y:
            return 1.0
        words = self._language
        if words.lemma(x) == words.lemma(y):
            return INFLECTED
        if self._thesaurus is not None and self._thesaurus.lists(x, y, words):
            return INFLECTED
        number = words.number_of(a)
        if number is not None and number == words.number_of(b):
            return 0.95
        if self._base == "zh":
            return _related_chinese(x, y)
        return _related_by_spelling(words, x, y, shared_entries=self._base == "en")

    @lru_cache(maxsize=_CACHE)  # noqa: B019
    def rarity(self, word: str) -> float:
        """0 for the most common words, about 1 for names and technical terms."""
        if self._base == "zh":
            from jieba import dt

            dt.check_initialized()
            return min(1.0, log(6e7 / max(1, dt.FREQ.get(word) or 1)) / log(6e7))
        if self._base == "en":
            return max(0.0, 1.0 - log(1 + len(cedict().chinese_of(self._language.lemma(word)))) / log(150))
        return min(len(word), 10) / 10

    def signature(self) -> Signature:
        listed = self._thesaurus.digest if self._thesaurus is not None else None
        return Signature("lite-synonyms", "1", {"language": self._language.code, "thesaurus": listed})


def _related_chinese(a: str, b: str) -> float:
    shared = 0.9 * 2 * len(set(a) & set(b)) / (len(set(a)) + len(set(b)))
    dictionary = cedict()
    glosses = len(set(dictionary.glosses(a)) & set(dictionary.glosses(b)))
    value = max(shared, min(0.95, 0.6 + 0.12 * glosses) if glosses else 0.0)
    if not shared and len(a) > 1 and len(b) > 1:
        sounds = Levenshtein.normalized_similarity(dictionary.pinyin(a) or a, dictionary.pinyin(b) or b)
        value = max(value, 0.6 * sounds if sounds > 0.8 else 0.0)
    return value


def _related_by_spelling(words: Language, a: str, b: str, *, shared_entries: bool) -> float:
    x, y = words.lemma(a), words.lemma(b)
    value = 0.85 if len(x) > 3 and len(y) > 3 and words.stem(a) == words.stem(b) else 0.0
    if shared_entries:
        left, right = cedict().chinese_of(x), cedict().chinese_of(y)
        common = len(left & right)
        if common:
            value = max(value, min(0.9, 0.45 + 0.15 * common / (1 + 0.02 * min(len(left), len(right)))))
    alike = Levenshtein.normalized_similarity(x, y)
    return max(value, 0.8 * alike if alike > 0.7 and x[:1] == y[:1] else 0.0)


def lite_lexicon(direction: Direction, options: Mapping[str, Any]) -> Lexicon:
    chosen = read_options(LexiconOptions, options, "[resource.lexicon]")
    source, target = language(direction.source), language(direction.target)
    return LiteLexicon(direction, read_glossary(chosen.glossary, source, target) if chosen.glossary else None)


@configured_by(SynonymsOptions)
def lite_synonyms(code: str, options: Mapping[str, Any]) -> Synonyms:
    read = read_options(SynonymsOptions, options, "[resource.synonyms]")
    path = read.thesaurus.get(code, read.thesaurus.get(code.split("-")[0]))
    return LiteSynonyms(code, read_thesaurus(path, code) if path is not None else None)
