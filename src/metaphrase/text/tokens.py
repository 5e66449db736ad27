"""Tokens with character offsets, for any script.

The patterns here know no language; what a language adds (contractions, segmentation) is in `languages/`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Token", "is_han", "is_opaque", "is_word", "scan"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, mark or placeholder and where it stands."""

    text: str
    start: int
    end: int

    def __str__(self) -> str:
        return self.text


# Never torn apart and never translated: what software puts into sentences.
OPAQUE = (
    r"</?[A-Za-z][^<>]*>"  # tags
    r"|&(?:[A-Za-z]+|\#\d+|\#x[0-9A-Fa-f]+);"  # entities
    r"|\{\{[^{}]*\}\}|\$?\{[^{}\s]*\}"  # {{ name }}, ${name}, {0}
    r"|%\(\w+\)[sdif]|%\d*\$?[sdif@](?![\w%])|%%"  # printf
    r"|(?:https?|ftp)://[^\s<>\"“”，。]+[^\s<>\"“”，。.,;:!?)\]}']|www\.[^\s<>\"]+[^\s<>\".,;:!?)\]}']"  # addresses
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # e-mail
)
_NUMBER = r"\d+(?:[.,:/’'\u00a0\u202f]\d+)*"
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々〇"
_KANA_HANGUL_THAI = r"\u3040-\u30ff\u31f0-\u31ff"
# Letters, marks and digits that are not Han or kana; joined by apostrophes and hyphens inside a word.
_WORD_CHAR = rf"[^\W_{_HAN}{_KANA_HANGUL_THAI}]"
_MARK = r"\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e4e\u064b-\u065f\u0670"
_WORD = rf"(?:{_WORD_CHAR}|[{_MARK}])+(?:['’\-‐‑·]?(?:{_WORD_CHAR}|[{_MARK}])+)*"
_PATTERN = re.compile(
    rf"(?P<opaque>{OPAQUE})|(?P<number>{_NUMBER}(?![^\W_{_HAN}{_KANA_HANGUL_THAI}]))|(?P<word>(?:[A-Z]\.){{2,}}|{_WORD})"
    rf"|(?P<han>[{_HAN}]+)|(?P<kana>[{_KANA_HANGUL_THAI}]+)|(?P<ellipsis>\.{{2,}}|…+)|(?P<other>\S)"
)
_OPAQUE_ONLY = re.compile(OPAQUE)
_HAN_ONLY = re.compile(rf"[{_HAN}]+")


def scan(text: str) -> Iterator[tuple[str, Token]]:
    """Pieces of a text with their kind: opaque, number, word, han (a whole run), kana, ellipsis, other."""
    for match in _PATTERN.finditer(text):
        yield match.lastgroup or "other", Token(match.group(), match.start(), match.end())


def is_opaque(text: str) -> bool:
    """Whether this is a placeholder, tag or address that no transformation may touch."""
    return _OPAQUE_ONLY.fullmatch(text) is not None


@lru_cache(maxsize=65_536)
def is_word(text: str) -> bool:
    """Whether there is anything but punctuation and symbols in it."""
    return any(unicodedata.category(c)[0] in "LNM" for c in text)


def is_han(text: str) -> bool:
    return _HAN_ONLY.fullmatch(text) is not None
