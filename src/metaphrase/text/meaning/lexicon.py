"""The words of the meaning language, one table a language, and the reader that turns a sentence into marks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any, Final

_WORD: Final = re.compile(r"[\u3400-\u9fff]|<[Mm]\d>|\"[^\"]{1,40}\"|“[^”]{1,40}”|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\w\s]")
_CONTRACTION: Final = re.compile(r"^(.+?)(n['’]t)$", re.IGNORECASE)
_SKIPPED: Final = re.compile(r"[-‐-―()\[\]{}'’.!?:]")
LONGEST_SENTENCE: Final = 120
"""Words; a longer text is not one statement that the grammar could read."""


class LexiconError(ValueError):
    """A lexicon table has an entry that cannot be used."""


@dataclass(frozen=True, slots=True)
class Count:
    """How often: at least, at most (None: without end)."""

    least: int
    most: int | None
    vague: bool = False

    def says(self) -> str:
        if self.most is None:
            return f"at least {self.least}"
        if self.least == self.most:
            return f"exactly {self.least}"
        return f"at most {self.most}" if self.least == 0 else f"{self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence with its place."""

    text: str
    start: int
    end: int
    lower: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A phrase that the lexicon knows.

    ``kind`` is an operator name, ``thing``, ``count``, ``head`` (what the sentence is about) or ``unknown``.
    """

    kind: str
    start: int
    end: int
    name: str = ""
    plural: bool = False
    article: str = ""
    count: Count | None = None
    predicate: bool = False
    """The count is said of the subject: "the line is at least six times"."""
    noun: str = ""
    """What a literal is called: ``string``, ``words``, ``ANY`` ("the character <M0>") or nothing."""
    occasions: bool = False
    """The count is about times ("three times"), so it follows what it counts."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All phrases of one language, looked up by their words."""

    language: str
    phrases: Mapping[tuple[str, ...], tuple[str, str, bool]]
    """Words to (kind, name, plural)."""
    counts: Mapping[tuple[str, ...], tuple[str, str]]
    """Words with ``#`` for numbers to the bounds."""
    vague: Mapping[tuple[str, ...], Count]
    numbers: Mapping[str, int]
    occasions: frozenset[str]
    repeaters: frozenset[str]
    """Words between a number and "times" that change nothing: "six consecutive times"."""
    adverbs: Mapping[str, int]
    """Once, twice: the number and "times" in one word."""
    singular: frozenset[str]
    definite: frozenset[str]
    how_many: frozenset[tuple[str, ...]]
    copulas: frozenset[str]
    reach: Mapping[str, int]
    """By first word, how many words a phrase can have; numbers are ``#``."""
    count_reach: Mapping[str, int]


def _words_of(phrase: str) -> tuple[str, ...]:
    return tuple(word.lower for word in split_words(phrase.replace("#", " 0 ")))


def split_words(text: str) -> list[Word]:
    """Words, numbers and punctuation marks with character spans; "don't" is "do" and "not"."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        contraction = _CONTRACTION.match(match.group()) if "t" in match.group() else None
        if contraction:
            cut = match.start() + contraction.end(1)
            stem = contraction.group(1)
            found += [Word(stem, match.start(), cut, stem.lower()), Word("not", cut, match.end(), "not")]
        elif not _SKIPPED.fullmatch(match.group()):
            found.append(Word(match.group(), match.start(), match.end(), match.group().lower()))
    return found


def languages() -> list[str]:
    """Codes of the languages that have a lexicon."""
    folder = resources.files("metaphrase.text.meaning").joinpath("lexicons")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


@lru_cache(maxsize=8)
def load(language: str) -> Lexicon | None:
    """The lexicon that comes with the package, or None for a language that has none."""
    table = _shipped(language)
    return build(language, table) if table is not None else None


def extended(language: str, additions: Mapping[str, Mapping[str, Any]]) -> Lexicon | None:
    """The shipped lexicon with a user's words: lists grow, single values are replaced."""
    table = _shipped(language)
    if table is None:
        return None
    for section, entries in additions.items():
        if section not in table or section == "plurals":
            known = ", ".join(name for name in table if name != "plurals")
            raise LexiconError(f"unknown lexicon table '{section}'; known: {known}")
        if not isinstance(entries, Mapping):
            raise LexiconError(f"lexicon table '{section}' must be a table of words")
        for name, value in entries.items():
            present = table[section].get(name)
            if section in ("things", "operators", "collections", "fillers", "determiners") and not isinstance(value, list):
                raise LexiconError(f"lexicon entry {section}.{name} must be a list of phrases")
            if section in ("operators", "collections", "fillers", "determiners") and present is None:
                raise LexiconError(f"unknown lexicon entry {section}.{name}; known: {', '.join(table[section])}")
            if section in ("counts", "vague") and not (isinstance(value, list) and len(value) == 2):
                raise LexiconError(f'lexicon entry {section}.{name} must be two bounds, such as ["3", ""]')
            table[section][name] = [*present, *value] if isinstance(present, list) and section not in ("counts", "vague") else value
    return build(language, table)


def _shipped(language: str) -> dict[str, Any] | None:
    path = resources.files("metaphrase.text.meaning").joinpath("lexicons", f"{language.split('-')[0]}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def build(language: str, table: Mapping[str, Any]) -> Lexicon:
    phrases: dict[tuple[str, ...], tuple[str, str, bool]] = {}
    plural = table["plurals"].get("suffix", "")
    for filler in table["fillers"]["words"]:
        phrases[_words_of(filler)] = ("filler", "", False)
    for name, entries in table["operators"].items():
        for entry in entries:
            phrases[_words_of(entry)] = (name, "", False)
    for noun in table["collections"]["nouns"]:
        phrases[_words_of(noun)] = ("head", noun, False)
        if plural:
            phrases[_words_of(noun + plural)] = ("head", noun, True)
    for name, entries in table["things"].items():
        for entry in entries:
            phrases[_words_of(entry)] = ("thing", name, False)
            if plural:
                phrases[_words_of(entry + plural)] = ("thing", name, True)
    for name, entries in table["plurals"].items():
        if name == "suffix":
            continue
        for entry in entries:
            phrases[_words_of(entry)] = ("thing", name, True)
    counts = {tuple("#" if word == "0" else word for word in _words_of(key)): (low, high) for key, (low, high) in table["counts"].items()}
    occasions = table["occasions"]
    vague = {_words_of(key): Count(int(low or 0), int(high) if high else None, vague=True) for key, (low, high) in table["vague"].items()}
    return Lexicon(
        reach=_reach(phrases),
        count_reach=_reach([*counts, *vague]),
        language=language,
        phrases=phrases,
        counts=counts,
        vague=vague,
        numbers=dict(table["numbers"]),
        occasions=frozenset(occasions["words"]),
        repeaters=frozenset(occasions["between"]),
        adverbs={word: value for word, value in occasions.items() if isinstance(value, int)},
        singular=frozenset(table["determiners"]["singular"]),
        definite=frozenset(table["determiners"]["definite"]),
        copulas=frozenset(table["fillers"]["copulas"]),
        how_many=frozenset(_words_of(phrase) for phrase in table["collections"]["how_many"]),
    )


def _reach(phrases: Iterable[tuple[str, ...]]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in phrases:
        if phrase:
            longest[phrase[0]] = max(longest.get(phrase[0], 0), len(phrase))
    return longest


def _noun(entry: tuple[str, str, bool]) -> str:
    kind, name, _ = entry
    return "string" if kind == "head" else kind if kind == "words" else name


def _bound(rule: str, values: Sequence[int]) -> int | None:
    if not rule:
        return None
    if not rule.startswith("#"):
        return int(rule)
    if rule == "#2":
        return values[1]
    return values[0] + int(rule[1:] or 0)


@dataclass(slots=True)
class Reader:
    """Sentences to marks."""

    lexicon: Lexicon

    def read(self, text: str) -> list[Mark]:
        words = split_words(text)[: LONGEST_SENTENCE + 1]
        marks: list[Mark] = []
        article = ""
        start = 0
        while start < len(words):
            mark, used = self._next(words, start)
            lower = words[start].lower
            if used == 1 and (lower in self.lexicon.singular or lower in self.lexicon.definite) and mark.kind in ("filler", "count"):
                # "one letter" is an article before a thing, a count before anything else.
                follower = self._next(words, start + 1)[0] if start + 1 < len(words) else None
                if mark.kind == "filler" or (follower is not None and follower.kind == "thing" and not follower.plural):
                    article = "the" if lower in self.lexicon.definite else "a"
                    start += 1
                    continue
            if mark.kind == "thing":
                mark = replace(mark, article=article)
            if mark.kind != "filler":
                marks.append(mark)
                article = ""
            start += used
        return self._attach_counts(self._correlatives(marks))

    def _next(self, words: Sequence[Word], start: int) -> tuple[Mark, int]:
        literal = self._literal(words, start)
        if literal is not None:
            return literal
        counted = self._number_of(words, start) or self._count(words, start)
        reach = max(self.lexicon.reach.get(words[start].lower, 0), counted[1] if counted is not None else 0)
        for size in range(min(reach, len(words) - start), 0, -1):
            if counted is not None and counted[1] >= size:
                return counted
            entry = self.lexicon.phrases.get(tuple(word.lower for word in words[start : start + size]))
            if entry is not None:
                kind, name, plural = entry
                return Mark(kind, words[start].start, words[start + size - 1].end, name, plural), size
        word = words[start]
        return Mark("unknown", word.start, word.end, word.text), 1

    def _literal(self, words: Sequence[Word], start: int) -> tuple[Mark, int] | None:
        """``<M0>`` or a quoted text, with the noun before it: "the string <M0>", "character strings <M0>"."""
        for size in (1, 2, 3, 4):
            if start + size > len(words):
                break
            last = words[start + size - 1]
            if last.text[0] in '<"“' and len(last.text) > 2:
                before = tuple(word.lower for word in words[start : start + size - 1])
                kind = self.lexicon.phrases.get(before, ("", "", False))
                if before and kind[0] not in ("head", "words") and kind[1] not in ("ANY",):
                    return None
                name = last.text.upper() if last.text[0] == "<" else last.text[1:-1]
                return Mark("thing", words[start].start, last.end, name, False, noun=_noun(kind)), size
            if self.lexicon.phrases.get((last.lower,), ("", "", False))[0] in ("comma", "or", "and"):
                break
        return None

    def _number_of(self, words: Sequence[Word], start: int) -> tuple[Mark, int] | None:
        """ "The number of lines" speaks about how many lines there are."""
        if start + 3 <= len(words) and tuple(word.lower for word in words[start : start + 2]) in self.lexicon.how_many:
            entry = self.lexicon.phrases.get((words[start + 2].lower,))
            if entry is not None and entry[0] == "head":
                return Mark("head", words[start].start, words[start + 2].end, entry[1], True, count=Count(0, None)), 3
        return None

    def _number(self, word: str) -> int | None:
        if word.isdigit() and len(word) < 7:
            return int(word)
        return self.lexicon.numbers.get(word)

    def _count(self, words: Sequence[Word], start: int) -> tuple[Mark, int] | None:
        first = words[start]
        if first.lower in self.lexicon.adverbs:
            value = self.lexicon.adverbs[first.lower]
            return Mark("count", first.start, first.end, count=Count(value, value), occasions=True), 1
        lower = first.lower
        reach = max(self.lexicon.count_reach.get(lower, 0), self.lexicon.count_reach["#"] if self._number(lower) is not None else 0)
        for size in range(min(reach, len(words) - start), 0, -1):
            span = words[start : start + size]
            key: list[str] = []
            values: list[int] = []
            adverb = False
            for word in span:
                number = self._number(word.lower)
                if number is None and word.lower in self.lexicon.adverbs:
                    number, adverb = self.lexicon.adverbs[word.lower], True
                # A sign "#" in the text is not the number of a pattern.
                key.append("#" if number is not None else word.lower.replace("#", ""))
                values += [] if number is None else [number]
            vague = self.lexicon.vague.get(tuple(word.lower for word in span))
            rule = self.lexicon.counts.get(tuple(key))
            if vague is None and rule is None:
                continue
            count = vague
            if rule is not None:
                least, most = _bound(rule[0], values), _bound(rule[1], values)
                count = Count(max(least or 0, 0), None if most is None else max(most, 0))
            used = size
            occasions = adverb
            while start + used < len(words) and words[start + used].lower in self.lexicon.repeaters | self.lexicon.occasions:
                occasions = occasions or words[start + used].lower in self.lexicon.occasions
                used += 1
            predicate = start > 0 and words[start - 1].lower in self.lexicon.copulas
            return Mark("count", first.start, words[start + used - 1].end, count=count, occasions=occasions, predicate=predicate), used
        return None

    def _correlatives(self, marks: Sequence[Mark]) -> list[Mark]:
        """ "Not only X but also Y" denies nothing; "not only containing X" denies "only"."""
        out: list[Mark] = []
        for place, mark in enumerate(marks):
            if mark.kind != "correlative":
                out.append(mark)
            elif not any(later.kind == "and" for later in marks[place + 1 :]):
                out += [Mark("not", mark.start, mark.end), Mark("only", mark.start, mark.end)]
        return out

    def _attach_counts(self, marks: Iterable[Mark]) -> list[Mark]:
        """ "At least two vowels" is one thing with a count; "two lines" counts the lines themselves."""
        out: list[Mark] = []
        pending: Mark | None = None
        for mark in marks:
            if pending is not None and mark.kind in ("thing", "head", "words", "unknown"):
                mark = replace(mark, start=pending.start, count=pending.count, predicate=pending.predicate)
                pending = None
            elif pending is not None:
                out.append(pending)
                pending = None
            if mark.kind == "count" and not mark.occasions:
                pending = mark
            else:
                out.append(mark)
        return out + ([pending] if pending is not None else [])
