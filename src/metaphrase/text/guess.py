"""Which language a text is in, by script and function words: for files that do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from metaphrase.text.normalise import fold
from metaphrase.text.tokens import is_han

__all__ = ["function_word_share", "guess_language"]

CANDIDATES = (
    "en",
    "es",
    "fr",
    "de",
    "it",
    "pt",
    "nl",
    "ca",
    "ro",
    "pl",
    "ru",
    "uk",
    "bg",
    "tr",
    "sv",
    "da",
    "cs",
    "hu",
    "fi",
    "id",
    "vi",
    "ar",
    "hi",
)
_SCRIPTS = (
    ("ja", "\u3040", "\u30ff"),
    ("ko", "\uac00", "\ud7af"),
    ("th", "\u0e00", "\u0e7f"),
    ("he", "\u0590", "\u05ff"),
    ("el", "\u0370", "\u03ff"),
)


@lru_cache(maxsize=64)
def _function_words(code: str) -> frozenset[str]:
    from stopwordsiso import has_lang, stopwords

    return frozenset(stopwords(code)) if has_lang(code) else frozenset()


def function_word_share(words: Sequence[str], code: str) -> float:
    """The share of these folded words that are function words of a language."""
    known = _function_words(code)
    return sum(w in known for w in words) / len(words) if words else 0.0


def guess_language(texts: Iterable[str]) -> str | None:
    """A code for texts that share a language; None where nothing speaks for any."""
    joined = " ".join(texts)
    letters = [c for c in joined if c.isalpha()]
    if not letters:
        return None
    for code, first, last in _SCRIPTS:
        if sum(first <= c <= last for c in letters) > 0.1 * len(letters):
            return code
    if sum(is_han(c) for c in letters) > 0.3 * len(letters):
        return "zh"
    words = [fold(w) for w in re.findall(r"[^\W\d_]+", joined)]
    share, code = max((function_word_share(words, code), code) for code in CANDIDATES)
    return code if share >= 0.15 else None
