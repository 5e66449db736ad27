"""How alike two meanings are: SemMT-R, SemMT-D and SemMT-H of the paper, exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import Levenshtein

from metaphrase.text.meaning import automata, regex
from metaphrase.text.meaning.automata import Limits

__all__ = ["Similarities", "compare_regexes", "language_similarity", "regex_similarity"]

BALANCE: Final = 0.5
"""K of the paper: how much of SemMT-H is SemMT-R."""
SETTLED: Final = 0.001
"""The paper's stop: the ratio moves by less than this when words may be one character longer."""
_LONGEST_WORD: Final = 400


@dataclass(frozen=True, slots=True)
class Similarities:
    """R over tokens, D over languages, H of both; None where it was not decided, and then ``why``."""

    tokens: float | None
    language: float | None
    hybrid: float | None
    why: str = ""


def regex_similarity(left: str, right: str) -> float:
    """SemMT-R: one minus the edit distance over tokens; a class or a literal is one token."""
    a, b = regex.tokens(left), regex.tokens(right)
    longest = max(len(a), len(b))
    return 1.0 - Levenshtein.distance(a, b) / longest if longest else 1.0


def language_similarity(left: regex.Node, right: regex.Node, limits: Limits = Limits()) -> float:
    """SemMT-D: words in both languages over words in either, up to the length at which the ratio settles.

    The length grows from the shortest word of either language. The limit itself is 0 or 1 for most pairs, because "containing X" holds
    for nearly all long words; the early stop is what makes the figure speak. Two empty languages are equal.
    Raises `automata.LimitReached` when the limits do not suffice.
    """
    alphabet = automata.alphabet_of([left, right])
    compiler = automata.Compiler(alphabet, automata.Budget.of(limits))
    first, second = compiler.compile(left), compiler.compile(right)
    both = either = 0
    previous: float | None = None
    for counts in automata.count_words(first, second, compiler):
        both += counts.both
        either += counts.left + counts.right - counts.both
        if not either:
            if not counts.alive or counts.length > _LONGEST_WORD:
                return 1.0
            continue
        ratio = both / either
        if not counts.alive or (previous is not None and abs(ratio - previous) < SETTLED) or counts.length > _LONGEST_WORD:
            return ratio
        previous = ratio
    raise AssertionError("counting does not end by itself")


def compare_regexes(left: str, right: str, *, balance: float = BALANCE, limits: Limits = Limits()) -> Similarities:
    """All three similarities of two written expressions; nothing is raised."""
    try:
        tokens = regex_similarity(left, right)
        trees = regex.parse(left), regex.parse(right)
    except regex.RegexSyntaxError as error:
        return Similarities(None, None, None, f"unreadable expression: {error}")
    try:
        language = language_similarity(*trees, limits)
    except automata.LimitReached as error:
        return Similarities(tokens, None, None, f"the languages were not compared: {error}")
    return Similarities(tokens, language, balance * tokens + (1 - balance) * language)
