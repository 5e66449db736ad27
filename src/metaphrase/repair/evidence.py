"""What a repair row shows about a change, in characters."""

from __future__ import annotations

from typing import Any

from metaphrase.text.diff import changes
from metaphrase.text.languages import Language

__all__ = ["changed_words"]


def changed_words(before: str, after: str, target: Language) -> list[dict[str, Any]]:
    """The changed words of both texts."""
    old, new = target.tokens(before), target.tokens(after)
    rows = []
    for change in changes([t.text for t in old], [t.text for t in new]):
        row: dict[str, Any] = {}
        for name, text, tokens, start, end in (
            ("before", before, old, change.left_start, change.left_end),
            ("after", after, new, change.right_start, change.right_end),
        ):
            a = tokens[start].start if start < len(tokens) else len(text)
            b = tokens[end - 1].end if start < end else a
            row[name] = {"start": a, "end": b, "quote": text[a:b]}
        rows.append(row)
    return rows
