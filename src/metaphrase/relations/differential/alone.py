"""What can be said about one engine's answer without comparing it: empty, the source itself, another language, far too long, words left as they were."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from statistics import median

from metaphrase.relations.closure.views import Text
from metaphrase.text.guess import CANDIDATES, function_word_share
from metaphrase.text.languages import Language, language
from metaphrase.text.normalise import bare, fold
from metaphrase.text.tokens import is_han, is_word

__all__ = ["Answer", "Fault", "faults_of", "untranslated_words"]

# How many times longer (or shorter) than expected an answer is before its length alone is an error.
TOO_LONG = 3.0
_LONG_ENOUGH = 30
# Letters of a translation for each letter of the source, where one of the two is written by character.
_EXPANSION = {(False, True): 0.32, (True, False): 3.1}
# Shares of a text's words that are function words of a language. Related languages share some, so that the other must have twice as many.
_OTHER_LANGUAGE, _TIMES_AS_MANY, _ENOUGH_WORDS = 0.25, 2.0, 5


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an answer is wrong whatever the others say. A `broken` one cannot be compared with the others any more."""

    kind: str
    reason: str
    places: tuple[tuple[int, int], ...] = ()
    broken: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """One engine's translation."""

    engine: str
    text: str


def faults_of(source: str, answers: Sequence[Answer], direction: tuple[Language, Language]) -> dict[str, Fault]:
    """The engines whose answers are wrong by themselves."""
    if not is_word(source):
        return {}
    found: dict[str, Fault] = {}
    for answer in answers:
        fault = _fault(source, answer, [a for a in answers if a is not answer], direction)
        if fault is not None:
            found[answer.engine] = fault
    rest = [a for a in answers if a.engine not in found]
    return {**found, **_lengths(source, rest, direction)}


def _fault(source: str, answer: Answer, others: Sequence[Answer], direction: tuple[Language, Language]) -> Fault | None:
    text = answer.text
    whole = ((0, len(text)),)
    if not is_word(text):
        return Fault("empty", f"{answer.engine} returned an empty text")
    if bare(text) == bare(source) and any(bare(other.text) != bare(source) for other in others):
        return Fault("source-copied", f"{answer.engine} returned the source itself", whole)
    other_language = _other_language(text, direction)
    if other_language:
        return Fault("wrong-language", f"{answer.engine} answered in {other_language}, not in {_called(direction[1])}", whole)
    return None


def _lengths(source: str, answers: Sequence[Answer], direction: tuple[Language, Language]) -> dict[str, Fault]:
    """Answers whose length is out of all proportion to the others'; of two, the one that fits the source less."""
    sizes = {a.engine: len(bare(a.text)) for a in answers}
    found: dict[str, Fault] = {}
    if len(sizes) < 2 or max(sizes.values()) < _LONG_ENOUGH or max(sizes.values()) <= TOO_LONG * min(sizes.values()):
        return found
    usual = len(bare(source)) * _EXPANSION.get((direction[0].compares_by_character, direction[1].compares_by_character), 1.0)
    for answer in answers:
        others = [size for engine, size in sizes.items() if engine != answer.engine]
        ratio, fit = sizes[answer.engine] / median(others), sizes[answer.engine] / usual
        worst = abs(log(fit)) >= max(abs(log(size / usual)) for size in others)
        whole = ((0, len(answer.text)),)
        if ratio > TOO_LONG and worst:
            found[answer.engine] = Fault("too-long", f"{answer.engine}'s text is {ratio:.0f} times as long as the other's", whole)
        elif ratio < 1 / TOO_LONG and worst:
            found[answer.engine] = Fault("too-short", f"{answer.engine}'s text has only {100 * ratio:.0f} % of the other's length", whole)
    return found


def _called(one: Language) -> str:
    return one.name or f"'{one.code}'"


def _other_language(text: str, direction: tuple[Language, Language]) -> str:
    """The name of the language a text is plainly in, if that is not the target; empty where in doubt."""
    target = direction[1].code.split("-")[0]
    letters = [c for c in text if c.isalpha()]
    if not letters:
        return ""
    han = sum(is_han(c) for c in letters) / len(letters)
    if target in ("zh", "ja"):
        if han or any("\u3040" <= c <= "\u30ff" for c in letters) or len(letters) < 12:
            return ""
    elif han > 0.5:
        return "Chinese or Japanese"
    words = [fold(w) for w in re.findall(r"[^\W\d_]+", text)]
    if len(words) < _ENOUGH_WORDS:
        return ""
    own = 0.0 if target in ("zh", "ja") else function_word_share(words, target)
    best = max(
        (function_word_share(words, code), code) for code in dict.fromkeys((direction[0].code.split("-")[0], *CANDIDATES)) if code != target
    )
    return _called(language(best[1])) if best[0] >= max(_OTHER_LANGUAGE, _TIMES_AS_MANY * own) else ""


def untranslated_words(source: Text, answer: Text, direction: tuple[Language, Language]) -> list[int]:
    """Ordinary source words that stand in the translation as they were, and that the target language does not know.

    Capitalised words are names, which may stay.
    """
    ordinary = {
        word
        for k, word in enumerate(source.words)
        if len(word) > 3 and source.tokens[k].text == word and direction[0].is_content(word) and direction[0].number_of(word) is None
    }
    return [
        k for k, token in enumerate(answer.tokens) if token.text in ordinary and token.text.isalpha() and not _known(token.text, direction)
    ]


@lru_cache(maxsize=16_384)
def _known(word: str, direction: tuple[Language, Language]) -> bool:
    """Whether the target language has this word, or the source language has it not (a name, a code)."""
    from simplemma import is_known

    source, target = (one.code.split("-")[0] for one in direction)
    try:
        if not is_known(word, lang=source):
            return True
    except ValueError:
        return True
    try:
        return is_known(word, lang=target)
    except ValueError:  # simplemma does not have the target; it may still be written in another script
        return direction[1].latin_script
