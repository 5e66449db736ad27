"""What must survive a round trip in any sentence: numbers, quantities, dates, negation, comparison, conditions, modal verbs and names.

This is the check for free text, whose meaning cannot be written as an expression. The words are in `fact_words/<language>.toml`; their
groups have the same names in every language, so that the intermediate text can tell which leg of the trip lost something.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from metaphrase.text.languages import Language
from metaphrase.text.meaning.compare import Difference, Place
from metaphrase.text.meaning.lexicon import split_words
from metaphrase.text.meaning.trip import Trip, weigh_legs
from metaphrase.text.normalise import fold
from metaphrase.text.tokens import Token

__all__ = ["Change", "FactTable", "Facts", "compare_facts", "load_facts", "locate_facts", "read_facts"]

_NEGATION: Final = "negation"
_LONGEST: Final = 6
_NUMBER: Final = "#"  # in a table's entry: a number must follow
_NAME: Final = re.compile(r"[^\W\d_a-z][\w.&'’-]*")
# How surely a change is an error, where no table of words says so.
_WORTH: Final = {"number": 0.9, "date": 0.8, "name": 0.6}


@dataclass(frozen=True, slots=True)
class FactTable:
    """Phrases by (kind, group), and how surely a change of a kind is an error."""

    phrases: Mapping[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    worth: Mapping[str, float] = field(default_factory=dict)
    denying: frozenset[tuple[str, str]] = frozenset()
    """Groups that also deny: "must not" counts as a negation."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Words that say a number without being one: both, twice."""

    @classmethod
    def of(cls, table: Mapping[str, Mapping[str, Any]]) -> FactTable:
        phrases: dict[tuple[str, ...], tuple[str, str]] = {}
        worth: dict[str, float] = {}
        denying: set[tuple[str, str]] = set()
        for kind, groups in table.items():
            for group, entries in groups.items() if kind != "numbers" else ():
                if group == "worth":
                    worth[kind] = float(entries)
                elif group == "denies":
                    denying |= {(kind, name) for name in entries}
                else:
                    phrases |= {_phrase(entry): (kind, group) for entry in entries}
        return cls(phrases, worth, frozenset(denying), dict(table.get("numbers", {})))

    def at(self, words: Sequence[str], place: int, numbers: frozenset[int]) -> tuple[int, tuple[str, str]] | None:
        """The longest phrase that begins at a word, as its length and (kind, group); `numbers` are the words that begin a number."""
        for size in range(min(_LONGEST, len(words) - place), 0, -1):
            phrase = tuple(words[place : place + size])
            found = self.phrases.get(phrase) or (self.phrases.get((*phrase, _NUMBER)) if place + size in numbers else None)
            if found is not None:
                return size, found
        return None

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(kind for kind, _ in self.phrases.values())


def _phrase(entry: str) -> tuple[str, ...]:
    """The words of a table's entry; a number sign at its end stays one."""
    words = tuple(word.lower for word in split_words(entry.removesuffix(_NUMBER)))
    return (*words, _NUMBER) if entry.endswith(_NUMBER) else words


@lru_cache(maxsize=16)
def load_facts(code: str) -> FactTable | None:
    """The words of a language, or None for a language that has no table."""
    path = resources.files("metaphrase.text.meaning").joinpath("fact_words", f"{code.split('-')[0]}.toml")
    return FactTable.of(tomllib.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None


@dataclass(slots=True)
class Facts:
    """What a text says, by kind and then by group or value, with places."""

    said: dict[str, dict[Any, list[Place]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    text: str = ""

    def count(self, kind: str, key: Any) -> int:
        return len(self.said[kind][key])


@dataclass(frozen=True, slots=True)
class Change:
    """A difference, how surely it is an error, and what was lost or added."""

    difference: Difference
    worth: float
    kind: str
    lost: Any = None
    added: Any = None


def read_facts(text: str, language: Language, table: FactTable | None) -> Facts:
    facts = Facts(text=fold(text))
    known = table or FactTable()
    words = split_words(text)
    lowered = [word.lower for word in words]
    quantities = language.quantities(text)
    numbers = frozenset(i for i, word in enumerate(words) if any(q.start <= word.start < q.end for q in quantities))
    place = 0
    while place < len(words):
        found = known.at(lowered, place, numbers)
        size, entry = found if found is not None else (1, None)
        if entry is not None:
            where = (words[place].start, words[place + size - 1].end)
            facts.said[entry[0]][entry[1]].append(where)
            if entry in known.denying:
                facts.said[_NEGATION][_NEGATION].append(where)
        place += size
    for quantity in quantities:
        facts.said["number"][quantity.value].append((quantity.start, quantity.end))
    for word in words:
        if word.lower in known.numbers:
            facts.said["number"][Fraction(known.numbers[word.lower])].append((word.start, word.end))
    # "One" is also an article and a pronoun: it may come and go.
    facts.said["number"].pop(Fraction(1), None)
    tokens = language.tokens(text)
    for token in tokens[1:]:
        month = fold(token.text)
        # Capitals tell a month from a common word.
        if month in language.named_numbers and token.text[0].isupper():
            facts.said["date"][month].append((token.start, token.end))
    for token in _names(tokens, language):
        facts.said["name"][fold(token.text)].append((token.start, token.end))
    return facts


def _names(tokens: Sequence[Token], language: Language) -> Iterable[Token]:
    """Capitalised words inside a sentence; the first word of a sentence may only be capitalised for that."""
    starts = True
    for token in tokens:
        lower = fold(token.text)
        if not starts and _NAME.fullmatch(token.text) and not language.is_stop(token.text) and lower not in language.named_numbers:
            yield token
        starts = token.text in '.!?:;"“”()'


def compare_facts(source: Facts, back: Facts, worth: Mapping[str, float]) -> list[Change]:
    """What changed between two texts of one language."""
    weights = {**_WORTH, **worth}
    found: list[Change] = []
    for kind, value in weights.items():
        if kind == "name":
            found += _lost_names(source, back, value)
        else:
            found += _changed(kind, source, back, value, exact=kind in _WORTH)
    return found


def _changed(kind: str, source: Facts, back: Facts, worth: float, *, exact: bool) -> list[Change]:
    mine, other = source.said[kind], back.said[kind]
    lost = [(key, place) for key, places in mine.items() for place in places[len(other.get(key, ())) :]]
    # A word of logic said twice instead of once is style ("nor ... neither"); a number said twice is not.
    new = [
        (key, place) for key, places in other.items() for place in (places[len(mine.get(key, ())) :] if exact or not mine.get(key) else ())
    ]
    noun = f"the {kind} " if exact else ""
    out: list[Change] = []
    for (a, ours), (b, theirs) in zip(lost, new, strict=False):
        out.append(Change(Difference(f"{kind}-changed", "meaning", "{source} came back as {back}", ours, theirs), worth, kind, a, b))
    out += [
        Change(Difference(f"{kind}-lost", "meaning", f"{noun}{{source}} is lost", ours), worth, kind, lost=a)
        for a, ours in lost[len(new) :]
    ]
    out += [
        Change(Difference(f"{kind}-added", "meaning", f"{noun}{{back}} was added", None, theirs), worth, kind, added=b)
        for b, theirs in new[len(lost) :]
    ]
    return out


def _lost_names(source: Facts, back: Facts, worth: float) -> list[Change]:
    kept = list(back.said["name"])
    return [
        Change(Difference("name-lost", "meaning", "the name {source} is lost", places[0]), worth, "name", lost=name)
        for name, places in source.said["name"].items()
        if name not in back.text and not any(name[:4] == other[:4] or name in other or other in name for other in kept)
    ]


def locate_facts(changes: Sequence[Change], source: Facts, middle: Facts, table: FactTable | None) -> Trip | None:
    """The leg that made the changes, by what the intermediate text still says; None where its language has no words for them."""
    votes: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    known = table.kinds if table is not None else frozenset()
    for change in changes:
        if change.kind not in known and change.kind != "number":
            continue
        if change.lost is not None:
            kept = middle.count(change.kind, change.lost) >= source.count(change.kind, change.lost)
            leg, why = ("backward", "still has it") if kept else ("forward", "has already lost it")
        else:
            there = middle.count(change.kind, change.added) > source.count(change.kind, change.added)
            leg, why = ("forward", "already has it") if there else ("backward", "does not have it")
        votes[leg] += 1
        reasons.setdefault(leg, f"{change.kind}: the intermediate text {why}")
    return weigh_legs(votes, reasons)
