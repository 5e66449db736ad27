"""Variants of a text: the follow-ups that are known, and mutants still to be translated, at most so many in all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metaphrase.core.values import MetamorphicCase
from metaphrase.repair.values import Replaced, Variant
from metaphrase.text.diff import Change, changes
from metaphrase.text.languages import Language
from metaphrase.text.tokens import Token

__all__ = ["Wanted", "among", "replacement", "select"]

# Tokens here and there: one may be a word of two tokens ("twenty one"), both would be two words.
_SIZES = ((1, 1), (1, 2), (2, 1))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A variant whose translation may still be missing."""

    text: str
    replaced: Replaced
    origin: str


def replacement(source: str, followup: str, language: Language) -> Replaced | None:
    """The one word that two texts differ in; None if they differ in more, or in words added or taken out.

    A function word that goes with it (a, an) may differ too.
    """
    left, right = language.tokens(source), language.tokens(followup)
    found = changes([t.text for t in left], [t.text for t in right])
    if len(found) > 1:
        found = [c for c in found if not all(language.is_stop(t.text) for t in _both(c, left, right))]
    if len(found) != 1:
        return None
    (a, b), (c, d) = (found[0].left_start, found[0].left_end), (found[0].right_start, found[0].right_end)
    while b - a > 1 and d - c > 1 and language.is_stop(left[a].text) and language.is_stop(right[c].text):
        a, c = a + 1, c + 1
    if (b - a, d - c) not in _SIZES:
        return None
    return Replaced(left[a].start, left[b - 1].end, right[c].start, right[d - 1].end)


def _both(change: Change, left: Sequence[Token], right: Sequence[Token]) -> list[Token]:
    return [*left[change.left_start : change.left_end], *right[change.right_start : change.right_end]]


def select(
    source: str, known: Sequence[MetamorphicCase], proposed: Iterable[MetamorphicCase], language: Language, limit: int
) -> list[Wanted]:
    """Known follow-ups first, they cost nothing; then mutants in the order proposed, words that have none yet first."""
    chosen: dict[str, Wanted] = {}
    for origin, cases in (("follow-up", known), ("mutant", proposed)):
        for case in cases:
            if case.source != source or case.followup in chosen or case.followup == source:
                continue
            found = replacement(source, case.followup, language)
            if found is not None and len(chosen) < limit:
                chosen[case.followup] = Wanted(case.followup, found, origin)
    return list(chosen.values())


def among(text: str, variants: Sequence[Variant], language: Language) -> list[Variant]:
    """Those of some variants of another text that differ from this one in a single word, seen from this one."""
    result = []
    for variant in variants:
        found = replacement(text, variant.text, language) if variant.text != text else None
        if found is not None:
            result.append(Variant(variant.text, variant.translation, found, variant.origin, variant.score))
    return result
