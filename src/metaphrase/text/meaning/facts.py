"""What must survive a round trip in any sentence: numbers, quantities, dates, negation, comparison, conditions, modal verbs and names.

This is the check for free text, whose meaning cannot be written as an expression. It compares two texts of one language.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from metaphrase.text.languages import Language
from metaphrase.text.meaning.compare import Difference
from metaphrase.text.meaning.lexicon import split_words
from metaphrase.text.normalise import fold
from metaphrase.text.tokens import Token

__all__ = ["FactTable", "compare_facts"]

_LONGEST: Final = 6
_NAME: Final = re.compile(r"[^\W\d_a-z][\w.&'’-]*")
_WORTH_OF_NUMBER: Final = 0.9
_WORTH_OF_NAME: Final = 0.6
_WORTH_OF_DATE: Final = 0.8


@dataclass(frozen=True, slots=True)
class FactTable:
    """Phrases by (kind, group), and how surely a change of a kind is an error."""

    phrases: Mapping[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    worth: Mapping[str, float] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Words that say a number without being one: both, twice."""

    @classmethod
    def of(cls, table: Mapping[str, Mapping[str, Any]], numbers: Mapping[str, int]) -> FactTable:
        phrases: dict[tuple[str, ...], tuple[str, str]] = {}
        worth: dict[str, float] = {}
        for kind, groups in table.items():
            for group, entries in groups.items():
                if group == "worth":
                    worth[kind] = float(entries)
                    continue
                for entry in entries:
                    phrases[tuple(word.lower for word in split_words(entry))] = (kind, group)
        return cls(phrases, worth, numbers)


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int


@dataclass(slots=True)
class _Facts:
    groups: dict[str, dict[str, list[_Place]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    numbers: list[tuple[Fraction, _Place]] = field(default_factory=list)
    dates: list[tuple[str, _Place]] = field(default_factory=list)
    names: list[tuple[str, _Place]] = field(default_factory=list)


def compare_facts(source: str, back: str, language: Language, table: FactTable) -> list[tuple[Difference, float]]:
    """What changed, each with how surely it is an error."""
    ours, theirs = _read(source, language, table), _read(back, language, table)
    found = _values("number", ours.numbers, theirs.numbers, _WORTH_OF_NUMBER)
    found += _values("date", ours.dates, theirs.dates, _WORTH_OF_DATE)
    for kind, worth in table.worth.items():
        found += _groups(kind, ours.groups[kind], theirs.groups[kind], worth)
    written = fold(back)
    lost = [
        (name, place) for name, place in ours.names if name not in written and not any(_alike(name, other) for other, _ in theirs.names)
    ]
    found += [
        (Difference("name-lost", "meaning", "the name {source} is lost", (place.start, place.end)), _WORTH_OF_NAME) for _, place in lost
    ]
    return found


def _read(text: str, language: Language, table: FactTable) -> _Facts:
    facts = _Facts()
    words = split_words(text)
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST, len(words) - place), 0, -1):
            entry = table.phrases.get(tuple(word.lower for word in words[place : place + size]))
            if entry is not None:
                kind, group = entry
                facts.groups[kind][group].append(_Place(words[place].start, words[place + size - 1].end))
                place += size
                break
        else:
            place += 1
    facts.numbers = [(quantity.value, _Place(quantity.start, quantity.end)) for quantity in language.quantities(text)]
    facts.numbers += [(Fraction(table.numbers[word.lower]), _Place(word.start, word.end)) for word in words if word.lower in table.numbers]
    tokens = language.tokens(text)
    months = set(language.named_numbers)
    for number, token in enumerate(tokens):
        lower = fold(token.text)
        if lower in months and not (number == 0 or lower in ("may", "march", "second")):
            facts.dates.append((lower, _Place(token.start, token.end)))
    facts.names = [(fold(token.text), _Place(token.start, token.end)) for token in _names(tokens, language)]
    return facts


def _names(tokens: Sequence[Token], language: Language) -> list[Token]:
    """Capitalised words inside a sentence; the first word of a sentence may only be capitalised for that."""
    found: list[Token] = []
    starts = True
    for token in tokens:
        lower = fold(token.text)
        if not starts and _NAME.fullmatch(token.text) and not language.is_stop(token.text) and lower not in language.named_numbers:
            found.append(token)
        starts = token.text in '.!?:;"“”()'
    return found


def _alike(left: str, right: str) -> bool:
    return left[:4] == right[:4] or left in right or right in left


def _values(
    name: str, ours: Sequence[tuple[Any, _Place]], theirs: Sequence[tuple[Any, _Place]], worth: float
) -> list[tuple[Difference, float]]:
    mine, other = Counter(value for value, _ in ours), Counter(value for value, _ in theirs)
    lost = _left(ours, mine - other)
    new = _left(theirs, other - mine)
    # "One" is also a pronoun and an article: it may come and go.
    lost, new = ([item for item in some if item[0] != 1] for some in (lost, new))
    out: list[tuple[Difference, float]] = []
    for (_, a), (_, b) in zip(lost, new, strict=False):
        out.append((Difference(f"{name}-changed", "meaning", "{source} came back as {back}", (a.start, a.end), (b.start, b.end)), worth))
    out += [(Difference(f"{name}-lost", "meaning", f"the {name} {{source}} is lost", (a.start, a.end)), worth) for _, a in lost[len(new) :]]
    out += [
        (Difference(f"{name}-added", "meaning", f"the {name} {{back}} was added", None, (b.start, b.end)), worth)
        for _, b in new[len(lost) :]
    ]
    return out


def _left(items: Sequence[tuple[Any, _Place]], wanted: Counter[Any]) -> list[tuple[Any, _Place]]:
    rest = Counter(wanted)
    out: list[tuple[Any, _Place]] = []
    for value, place in reversed(items):
        if rest[value] > 0:
            rest[value] -= 1
            out.append((value, place))
    return out[::-1]


def _groups(
    kind: str, ours: Mapping[str, list[_Place]], theirs: Mapping[str, list[_Place]], worth: float
) -> list[tuple[Difference, float]]:
    lost = [(group, place) for group, places in ours.items() for place in places[len(theirs.get(group, [])) :]]
    new = [(group, place) for group, places in theirs.items() for place in places if not ours.get(group)]
    out: list[tuple[Difference, float]] = []
    for (_, a), (_, b) in zip(lost, new, strict=False):
        out.append((Difference(f"{kind}-changed", "meaning", "{source} came back as {back}", (a.start, a.end), (b.start, b.end)), worth))
    out += [(Difference(f"{kind}-lost", "meaning", "{source} is lost", (a.start, a.end)), worth) for _, a in lost[len(new) :]]
    out += [(Difference(f"{kind}-added", "meaning", "{back} was added", None, (b.start, b.end)), worth) for _, b in new[len(lost) :]]
    return out
