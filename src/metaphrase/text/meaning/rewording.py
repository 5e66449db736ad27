"""Other words for the same statement: things, counts and words of order replaced by what the lexicon says means the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from metaphrase.text.meaning.compare import compare
from metaphrase.text.meaning.lexicon import Lexicon, Mark, Reader

__all__ = ["Rewording", "rewordings"]

_REPLACED: Final = frozenset({"thing", "before", "follow", "start", "end", "count"})


@dataclass(frozen=True, slots=True)
class Rewording:
    """A reworded sentence, and the phrase that was replaced."""

    text: str
    before: str
    after: str


def rewordings(sentence: str, lexicon: Lexicon) -> list[Rewording]:
    """All sentences with one phrase replaced by another one of the same entry; nothing is kept that the rules read differently."""
    reader = Reader(lexicon)
    marks = reader.read(sentence)
    found: dict[str, Rewording] = {}
    for mark in marks:
        if mark.kind not in _REPLACED or mark.name.startswith("<") or (mark.kind == "thing" and mark.count is not None):
            continue
        before = sentence[mark.start : mark.end]
        for after in _others(mark, before, lexicon):
            text = _agree(sentence[: mark.start], after) + after + sentence[mark.end :]
            if text != sentence and text not in found and not compare(marks, reader.read(text)):
                found[text] = Rewording(text, before, after)
    return list(found.values())


def _others(mark: Mark, before: str, lexicon: Lexicon) -> list[str]:
    if mark.kind == "count":
        return _counts(mark, before, lexicon)
    same = (mark.kind, mark.name, mark.plural)
    # One ending for one ending: "starting with" is not replaced by "starts with", which needs another sentence around it.
    form = before.split()[0][-3:].lower() if mark.kind in ("start", "end") else ""
    phrases = [" ".join(words) for words, entry in lexicon.phrases.items() if entry == same]
    return [phrase for phrase in phrases if phrase != before.lower() and len(phrase.split()) > 1 and phrase.split()[0].endswith(form)]


def _counts(mark: Mark, before: str, lexicon: Lexicon) -> list[str]:
    if mark.count is None or mark.count.vague:
        return []
    number = re.search(r"\d+", before)
    word = number.group() if number else next((w for w in before.lower().split() if w in lexicon.numbers), None)
    times = next((w for w in before.lower().split() if w in lexicon.occasions), None)
    if word is None or times is None:
        return []
    wanted = ("#" if mark.count.least else "", "#" if mark.count.most is not None else "")
    forms = [pattern for pattern, bounds in lexicon.counts.items() if bounds == wanted and pattern.count("#") == 1 and len(pattern) > 1]
    return [f"{' '.join(pattern).replace('#', word)} {times}" for pattern in forms]


def _agree(left: str, after: str) -> str:
    """ "a" before a vowel letter is "an", and the other way round."""
    match = re.search(r"\b(an?)(\s+)$", left, re.IGNORECASE)
    if match is None:
        return left
    article = match.group(1)[0] + ("n" if after[0].lower() in "aeiou" else "")
    return left[: match.start()] + article + match.group(2)
