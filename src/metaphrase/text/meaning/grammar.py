"""The grammar of statements: marks to terms, all readings of a statement ranked.

A *pattern* is a statement with its things and counts left out ("words X or X N"); a *term* is one reading of it
("N0(words(or(X0,X1)))"). English leaves open what "starting with X or Y, three times" counts, so a chart finds every reading and two
things learnt from labelled sentences rank them: how often a pattern had each reading, and weights of operator under operator.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from metaphrase.core.weights import shipped_weights
from metaphrase.text.meaning.lexicon import Mark

PREFIX: Final = frozenset({"contain", "only", "start", "end", "words", "not"})
INFIX: Final = frozenset({"before", "after", "follow", "and", "or"})
_READINGS_KEPT: Final = 24
_LONGEST_PATTERN: Final = 24
_VOTE_OF_WEIGHTS: Final = 2.0
"""How many labelled sentences the weights are worth against the memory of a pattern's readings."""


@dataclass(frozen=True, slots=True)
class Term:
    """One reading: an operator over terms. ``X`` is a thing and ``N`` a count, ``slot`` says which one."""

    op: str
    parts: tuple[Term, ...] = ()
    slot: int = -1

    def __str__(self) -> str:
        name = f"{self.op}{self.slot}" if self.slot >= 0 else self.op
        return f"{name}({','.join(map(str, self.parts))})" if self.parts else name


def features(term: Term) -> Iterator[str]:
    """What the weights look at: operator and child, operator and grandchild, operator and all children."""
    if not term.parts:
        return
    for place, part in enumerate(term.parts):
        yield f"{term.op}.{place} {part.op}"
        for inner in part.parts:
            if inner.op != "X":
                yield f"{term.op} {part.op} {inner.op}"
        yield from features(part)
    if len(term.parts) > 1:
        yield f"{term.op} {' '.join(part.op for part in term.parts)}"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence as a pattern and what fills it."""

    pattern: tuple[str, ...]
    things: tuple[Mark, ...]
    counts: tuple[Mark, ...]


def statement_of(marks: Sequence[Mark]) -> Statement:
    """Marks to a pattern: what carries no meaning is left out, commas are kept only inside lists."""
    kept: list[Mark] = []
    for mark in marks:
        if mark.kind in ("head", "have", "filler", "unknown"):
            continue
        if mark.kind == "instead":
            kept += [Mark("and", mark.start, mark.end), Mark("not", mark.start, mark.end)]
        elif mark.kind == "terminated":
            if kept and kept[-1].kind == "thing":
                kept.insert(len(kept) - 1, Mark("end", mark.start, mark.end))
        else:
            kept.append(mark)
    kept = _tidy(kept)
    names = ["X" if mark.kind == "thing" else "N" if mark.kind == "count" else mark.kind for mark in kept]
    return Statement(
        tuple(names),
        tuple(mark for mark in kept if mark.kind == "thing"),
        tuple(mark for mark in kept if mark.kind == "count"),
    )


def _tidy(marks: list[Mark]) -> list[Mark]:
    """Operators that lost their operand go; a comma stays only between two parts of a list."""
    out: list[Mark] = []
    for place, mark in enumerate(marks):
        after = marks[place + 1].kind if place + 1 < len(marks) else ""
        before = out[-1].kind if out else ""
        if mark.kind == "comma":
            if (
                not out
                or before in INFIX | PREFIX | {"comma", "either"}
                or after in ("", "count", "comma")
                or after in INFIX - {"and", "or"}
            ):
                continue
            if after in ("and", "or") and not any(m.kind == "comma" for m in out):
                continue
            if not any(m.kind in ("and", "or", "comma") for m in marks[place + 1 :]):
                before_list = any(m.kind == "comma" for m in out)
                mark = mark if before_list else Mark("and", mark.start, mark.end)
        if mark.kind in INFIX and (not out or before in INFIX or before in PREFIX):
            if before in INFIX and mark.kind == "follow":
                out[-1] = mark
            continue
        if mark.kind == "either" and not any(m.kind == "or" for m in marks[place + 1 :]):
            continue
        if mark.kind == "not" and before == "not":
            continue
        out.append(mark)
    while out and out[-1].kind in INFIX | PREFIX | {"comma", "either"}:
        out.pop()
    return out


def readings(pattern: Sequence[str], weights: Mapping[str, float]) -> dict[Term, float]:
    """Every reading of a pattern that the grammar allows (the best ones, if there are many) with its weight."""
    if len(pattern) > _LONGEST_PATTERN:
        return {}
    found = dict(_Chart(pattern, weights).whole())
    for place in range(len(pattern) - 1):
        # "not containing X" is also read as "containing something that is not X".
        if pattern[place] == "not" and pattern[place + 1] == "contain":
            swapped = [*pattern[:place], "contain", "not", *pattern[place + 2 :]]
            for term, weight in _Chart(swapped, weights).whole().items():
                found.setdefault(term, weight + weights.get("swapped", 0.0))
    return found


@dataclass(slots=True)
class _Chart:
    pattern: Sequence[str]
    weights: Mapping[str, float]
    _cells: dict[tuple[int, int], dict[Term, float]] = field(default_factory=dict)
    _slots: list[int] = field(default_factory=list)

    def whole(self) -> dict[Term, float]:
        seen: Counter[str] = Counter()
        for name in self.pattern:
            self._slots.append(seen[name])
            seen[name] += 1
        size = len(self.pattern)
        for width in range(1, size + 1):
            for start in range(size - width + 1):
                cell: dict[Term, float] = {}
                for term in self._build(start, start + width):
                    if term not in cell:
                        cell[term] = sum(self.weights.get(name, 0.0) for name in features(term))
                if len(cell) > _READINGS_KEPT:
                    best = sorted(cell.items(), key=lambda item: (-item[1], str(item[0])))
                    cell = dict(best[:_READINGS_KEPT])
                if cell:
                    self._cells[start, start + width] = cell
        return {term: weight + self.weights.get(f"root {term.op}", 0.0) for term, weight in self._at(0, size).items()}

    def _at(self, start: int, end: int) -> dict[Term, float]:
        return self._cells.get((start, end), {})

    def _build(self, start: int, end: int) -> Iterator[Term]:
        names = self.pattern
        first, last = names[start], names[end - 1]
        if end - start == 1:
            if first == "X":
                yield Term("X", slot=self._slots[start])
            return
        if first in PREFIX:
            yield from (Term(first, (term,)) for term in self._at(start + 1, end))
        if last == "N":
            yield from (Term("N", (term,), self._slots[end - 1]) for term in self._at(start, end - 1))
        yield from self._joined(start, end)
        yield from self._lists(start + (first == "either"), end)

    def _joined(self, start: int, end: int) -> Iterator[Term]:
        names = self.pattern
        from_here = start + 1 if names[start] == "either" else start
        for middle in range(from_here + 1, end - 1):
            op = names[middle]
            if op not in INFIX:
                continue
            # In "not X and not Y" the second "not" may only repeat the first.
            repeats = names[middle + 1] == "not" and "not" in names[:middle]
            for left in self._at(from_here, middle):
                yield from (Term(op, (left, right)) for right in self._at(middle + 1, end))
                if repeats and op in ("and", "or"):
                    yield from (Term(f"{op}_too", (left, right)) for right in self._at(middle + 2, end))

    def _lists(self, start: int, end: int) -> Iterator[Term]:
        names = self.pattern
        for first in range(start + 1, end - 2):
            if names[first] != "comma":
                continue
            for second in range(first + 2, end - 1):
                op = names[second]
                if op not in ("and", "or"):
                    continue
                close = second - 1 if names[second - 1] == "comma" else second
                yield from self._three(f"{op}3", (start, first), (first + 1, close), (second + 1, end))
                if names[first + 1] == "not" and "not" in names[:first]:
                    third = second + 2 if names[second + 1] == "not" else second + 1
                    yield from self._three(f"{op}3_too", (start, first), (first + 2, close), (third, end))

    def _three(self, op: str, *spans: tuple[int, int]) -> Iterator[Term]:
        one, two, three = (self._at(*span) for span in spans)
        for left in one:
            for middle in two:
                for right in three:
                    yield Term(op, (left, middle, right))


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was learnt from labelled sentences."""

    weights: Mapping[str, float] = field(default_factory=dict)
    memory: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """How often a pattern had each reading."""

    def rank(self, pattern: tuple[str, ...]) -> dict[Term, float]:
        """Readings of a pattern with their votes: labelled sentences that had it, and the weights' probability."""
        found = readings(pattern, self.weights)
        if not found:
            return {}
        top = max(found.values())
        masses = {term: math.exp(weight - top) for term, weight in found.items()}
        total = sum(masses.values())
        seen = self.memory.get(" ".join(pattern), {})
        votes = {term: seen.get(str(term), 0) + _VOTE_OF_WEIGHTS * mass / total for term, mass in masses.items()}
        return dict(sorted(votes.items(), key=lambda item: (-item[1], str(item[0]))))


@lru_cache(maxsize=8)
def load_ranking(language: str) -> Ranking:
    """The ranking that comes with the package; an empty one for a language that has none."""
    shipped = shipped_weights("metaphrase.text.meaning", language)
    return Ranking(shipped.values["weights"], shipped.values["memory"]) if shipped else Ranking()
