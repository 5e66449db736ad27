"""What a repaired text must not lose or break, whatever a relation says: placeholders, numbers, agreement, translated words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from metaphrase.text.languages import Language
from metaphrase.text.normalise import fold
from metaphrase.text.tokens import is_opaque, is_word, scan

__all__ = ["left_untranslated", "objection"]


def objection(source: str, before: str, after: str, languages: tuple[Language, Language], *, agreement: bool = True) -> str | None:
    """Why `after` may not stand in for `before` as a translation of `source`; None if nothing speaks against it.

    Without `agreement`, gender and number may change: beside a word that was left untranslated they mean nothing.
    """
    target = languages[1]
    old, new = _words(before, target), _words(after, target)
    return (
        ("it has no words" if not any(map(is_word, new)) else None)
        or ("it is the same text" if after == before else None)
        or _lost(source, before, after, languages)
        or _untranslated(source, before, after, languages)
        or (_agreement(old, new, target) if agreement else None)
        or _poorer(old, new, target)
        or _shape(old, new, target)
    )


@lru_cache(maxsize=4_096)
def left_untranslated(text: str, translation: str, languages: tuple[Language, Language]) -> frozenset[str]:
    """The words of a text (no names, no numbers, no words of both languages) that stand in its translation as they are."""
    source, target = languages
    present = set(_words(translation, target))
    words = (t.text for t in source.tokens(text))
    return frozenset(w for w in words if w in present and w.isalpha() and source.is_content(w) and not target.knows(w))


def _words(text: str, language: Language) -> list[str]:
    return [fold(t.text) for t in language.tokens(text)]


def _opaque(text: str) -> Counter[str]:
    return Counter(token.text for kind, token in scan(text) if kind == "opaque" or is_opaque(token.text))


def _lost(source: str, before: str, after: str, languages: tuple[Language, Language]) -> str | None:
    """Placeholders and tags of the source, and its numbers, must be in the repaired text, even if they were lost before."""
    missing = _opaque(source) - _opaque(after)
    if missing:
        return f"'{next(iter(missing))}' of the source is not in it"
    kept = Counter(token.text for kind, token in scan(after) if kind == "number")
    values = _values(after, languages[1])
    for kind, token in scan(source):
        if kind == "number" and not kept[token.text]:
            value = languages[0].number_of(token.text)
            if value is None or value not in values:
                return f"the number '{token.text}' of the source is not in it"
    # Numbers in words may rightly disappear ("one of them"); but not by a repair.
    spelt = _values(source, languages[0]) & _values(before, languages[1])
    if spelt - values:
        return "a number of the source is not in it"
    return None


def _values(text: str, language: Language) -> Counter[Fraction]:
    return Counter(q.value for q in language.quantities(text))


def _untranslated(source: str, before: str, after: str, languages: tuple[Language, Language]) -> str | None:
    """A repair must not leave a word untranslated that was translated."""
    added = left_untranslated(source, after, languages) - left_untranslated(source, before, languages)
    return f"it leaves '{min(added)}' untranslated" if added else None


def _agreement(old: Sequence[str], new: Sequence[str], language: Language) -> str | None:
    """Gender and number follow the replaced word; a text that takes them from a variant would disagree with its own words."""
    before, after = Counter(language.spelt_out(old)), Counter(language.spelt_out(new))
    for word in after - before:
        for other in before - after:
            if language.differ_in_agreement(word, other):
                return f"'{other}' would become '{word}', which agrees with another word"
    return None


def _poorer(old: Sequence[str], new: Sequence[str], language: Language) -> str | None:
    """Fewer content words or fewer finite verbs than before: what variants have in common may be what they all lost."""
    if sum(map(language.is_content, new)) < sum(map(language.is_content, old)):
        return "it has fewer content words"
    if sum(map(language.is_finite, new)) < sum(map(language.is_finite, old)):
        return "a verb would lose its person"
    return None


def _shape(old: Sequence[str], new: Sequence[str], language: Language) -> str | None:
    if not 2 / 3 <= (len(new) or 1) / (len(old) or 1) <= 3 / 2:
        return "its length is too different"
    doubled = [a for a, b in pairwise(new) if a == b and is_word(a)]
    if len(doubled) > sum(a == b and is_word(a) for a, b in pairwise(old)):
        return f"it has '{doubled[0]}' twice in a row"
    known = set(pairwise(old))
    pair = next((p for p in pairwise(new) if p in language.never_adjacent and p not in known), None)
    return f"'{' '.join(pair)}' cannot stand together" if pair else None
