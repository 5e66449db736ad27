"""The conventions behind the similarities that the SemMT authors released, for the benchmark's ``--compat`` only.

They differ from the paper's text: ``.`` is ``[A-Za-z0-9_]``; a complement ranges over 16-bit characters and binds tighter than a repeat;
``\\b`` is the letter b; brackets survive only before ``*`` and ``+``; an expression that Python before 3.11 rejects counts as 0; any drop
of the ratio stops the growth of the word length, which ends at four characters or one more than the shortest word; what still moves
there with both automata larger than three states timed out and counts as 0; the last two printed characters are cut.
Found by comparing with the released values; nothing here is used to judge a translation.
"""

from __future__ import annotations

import re
import struct
import warnings
from typing import Final

from rapidfuzz.distance import Levenshtein

from metaphrase.text.meaning import automata, regex

__all__ = ["released_language_similarity", "released_regex_similarity"]

_SYMBOL: Final = re.compile(r"<M\d>|\[<\w+>\]|\\b|\{[\d(,)]*\}|[][()|&~*+.]")
_DOUBLE_REPEAT: Final = re.compile(r"(?:[*+?]|\{\d*,\d*\})(?:[*+]|\{\d*,\d*\})")
_CHARACTERS: Final = 65_536
_SETTLED: Final = 0.001
_LONGEST: Final = 4
_LIMITS: Final = automata.Limits(states=200_000, seconds=1.5)


def released_regex_similarity(left: str, right: str) -> float:
    """SemMT-R as released: characters that are no symbol of the language are skipped."""
    a, b = (_SYMBOL.findall(re.sub(r"\s+", "", text)) for text in (left, right))
    longest = max(len(a), len(b))
    return 1.0 - Levenshtein.distance(a, b) / longest if longest else 1.0


def released_language_similarity(left: str, right: str) -> float:
    """SemMT-D as released."""
    if not (_accepted(left) and _accepted(right)):
        return 0.0
    try:
        trees = [regex.parse(_lose_brackets(text), tight_complement=True) for text in (left, right)]
        alphabet = automata.alphabet_of(trees, extra="_", others=_CHARACTERS - 63, boundary_is_b=True)
        compiler = automata.Compiler(alphabet, automata.Budget.of(_LIMITS))
        first, second = compiler.compile(trees[0]), compiler.compile(trees[1])
        return _cut(_grow(first, second, compiler))
    except (regex.RegexSyntaxError, automata.LimitReached):
        return 0.0


def _grow(first: automata.Dfa, second: automata.Dfa, compiler: automata.Compiler) -> float:
    both = either = 0
    previous: float | None = None
    last = _LONGEST
    for counts in automata.count_words(first, second, compiler):
        both += counts.both
        either += counts.left + counts.right - counts.both
        if not either:
            if not counts.alive:
                return 1.0
            continue
        ratio = both / either
        if previous is None:
            shortest = counts.length
            last = max(_LONGEST, shortest + 1)
        elif both and ratio - previous < _SETTLED:
            return ratio
        elif counts.length >= last:
            timed_out = shortest < _LONGEST and min(len(first), len(second)) > 3
            return 0.0 if timed_out else ratio
        if not counts.alive:
            return ratio
        previous = ratio
    raise AssertionError("counting does not end by itself")


def _accepted(text: str) -> bool:
    """Whether Python's ``re`` before 3.11 compiles it."""
    plain = re.sub(r"\s+", "", text)
    plain = re.sub(r"\[<\w+>\]", "[a]", plain)
    plain = re.sub(r"<M(\d)>", lambda match: regex.LITERALS[int(match[1]) % 4], plain)
    if _DOUBLE_REPEAT.search(plain):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(plain)
    except re.error:
        return False
    return True


def _lose_brackets(text: str) -> str:
    plain = re.sub(r"\s+", "", text)
    plain = re.sub(r"<M(\d)>", lambda match: regex.LITERALS[int(match[1]) % 4], plain)
    kept = list(plain)
    opened: list[int] = []
    for place, character in enumerate(plain):
        if character == "(":
            opened.append(place)
        elif character == ")" and opened:
            start = opened.pop()
            if plain[place + 1 : place + 2] not in ("*", "+"):
                kept[start] = kept[place] = ""
    return "".join(kept)


def _cut(ratio: float) -> float:
    """A single-precision number as it is printed, less its last two characters."""
    if ratio in (0.0, 1.0):
        return ratio
    single = struct.unpack("f", struct.pack("f", ratio))[0]
    printed = next(text for digits in range(1, 10) if struct.pack("f", float(text := f"{single:.{digits}g}")) == struct.pack("f", single))
    return ratio if "e" in printed else float(printed[:-2] or 0) if printed[:-2] != "0." else 0.0
