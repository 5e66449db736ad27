"""From replacements in a text to a follow-up and the edits that link both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from metaphrase.core.values import Direction, Edit, Expectation, MetamorphicCase
from metaphrase.text.languages import Language
from metaphrase.transforms.sentences import Sentence

__all__ = ["Replacement", "apply", "metamorphic_case", "remove", "replace_word"]


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """source[start:end] becomes `after`."""

    start: int
    end: int
    after: str


def apply(text: str, replacements: Iterable[Replacement]) -> tuple[str, tuple[Edit, ...]]:
    """The follow-up and its edits, left to right; replacements must not overlap."""
    pieces: list[str] = []
    edits: list[Edit] = []
    done = length = 0
    for change in sorted(replacements):
        pieces += [text[done : change.start], change.after]
        length += change.start - done
        edits.append(Edit(change.start, change.end, length, length + len(change.after), text[change.start : change.end], change.after))
        length += len(change.after)
        done = change.end
    return "".join([*pieces, text[done:]]), tuple(edits)


def replace_word(sentence: Sentence, index: int, after: str, language: Language) -> tuple[Replacement, ...]:
    """Replace one word; a capital at the start of the sentence and what agrees with the word (a/an) follow it."""
    word = sentence.words[index]
    if word.text[:1].isupper() and sentence.starts_sentence(index):
        after = after[:1].upper() + after[1:]
    changes = [Replacement(word.start, word.end, after)]
    if index:
        before = sentence.words[index - 1]
        agreeing = language.agreeing(before.text, after)
        if agreeing is not None:
            changes.insert(0, Replacement(before.start, before.end, agreeing))
    return tuple(changes)


def remove(text: str, start: int, end: int) -> Replacement:
    """Take characters out together with the space that would be left over."""
    if start and text[start - 1].isspace() and (end == len(text) or not text[end].isalnum()):
        start -= 1
    elif end < len(text) and text[end].isspace():
        end += 1
    return Replacement(start, end, "")


def metamorphic_case(
    sentence: Sentence,
    method: str,
    number: int,
    direction: Direction,
    replacements: Sequence[Replacement],
    *,
    expectation: Expectation = Expectation.SAME,
    extra: Mapping[str, Any],
) -> MetamorphicCase:
    """The `number`-th case of a segment; `extra` says what let it through."""
    followup, edits = apply(sentence.text, replacements)
    return MetamorphicCase(
        id=f"{sentence.segment.id}/{method}-{number}",
        direction=direction,
        transformation=method,
        source=sentence.text,
        followup=followup,
        edits=edits,
        expectation=expectation,
        extra=MappingProxyType({"segment": sentence.segment.id, **extra}),
    )
