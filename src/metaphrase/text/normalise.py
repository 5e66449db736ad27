"""One form for what a reader sees as the same: quotes, full-width forms, spaces, case."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["bare", "fold", "widths"]

_LOOKALIKES = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "´": "'", "`": "'",
        "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "″": '"', "「": '"', "」": '"', "『": '"', "』": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
        "…": "...", "·": "·", "•": "·", "・": "·", "‧": "·",
        "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "\u00ad": "",
    }
)  # fmt: skip


@lru_cache(maxsize=65_536)
def fold(text: str) -> str:
    """Compatibility form, plain quotes and dashes, lower case, single spaces. Remembered, so made for words, not for sentences."""
    return _fold(text)


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text.translate(_LOOKALIKES))
    return re.sub(r"\s+", " ", plain.translate(_LOOKALIKES)).strip().casefold()


_WIDTHS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def widths(text: str) -> str:
    """Full-width forms as plain ones, character by character, so that positions stay."""
    return text.translate(_WIDTHS)


def bare(text: str) -> str:
    """`fold` without spaces and punctuation: equal iff two texts differ in typography only."""
    return "".join(c for c in _fold(text) if unicodedata.category(c)[0] in "LNM" or c in "%$€£¥+<>=")
