"""Do two spellings sound alike? For names that were transliterated, or that two languages share."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

__all__ = ["bare_letters", "likeness", "skeleton"]

# Consonants that transliterations exchange fall together; vowels, h and y are dropped.
_CLASSES = str.maketrans(
    {"z": "s", "c": "k", "q": "k", "x": "s", "j": "k", "g": "k", "b": "p", "d": "t", "v": "f", "w": "f", "r": "l", "m": "n"}
    | dict.fromkeys("aeiouyh'-")
)
_DIGRAPHS = (("zh", "s"), ("ch", "s"), ("sh", "s"), ("ph", "f"), ("th", "t"), ("ck", "k"), ("ce", "s"), ("ci", "s"), ("ng", "n"))


@lru_cache(maxsize=65_536)
def bare_letters(word: str) -> str:
    """Without accents, lower case."""
    return "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))


@lru_cache(maxsize=65_536)
def skeleton(word: str) -> str:
    """The consonants of a Latin spelling, in classes, without doublings."""
    plain = bare_letters(word)
    for pair, single in _DIGRAPHS:
        plain = plain.replace(pair, single)
    return re.sub(r"(.)\1+", r"\1", plain.translate(_CLASSES))


@lru_cache(maxsize=65_536)
def likeness(a: str, b: str) -> float:
    """0..1 from the consonant skeletons of two Latin spellings; single consonants prove little."""
    left, right = skeleton(a), skeleton(b)
    if not left or not right:
        return 0.0
    value = Levenshtein.normalized_similarity(left, right)
    return value if min(len(left), len(right)) > 1 else 0.6 * value
