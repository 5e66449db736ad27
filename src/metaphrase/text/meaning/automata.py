"""Exact automata for the meaning language, over an alphabet compressed to what the expressions can tell apart.

Characters that no part of the expressions at hand distinguishes form one *atom* with a weight, so "a capital letter" costs one
transition and still counts as 26 words.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from metaphrase.text.meaning import regex
from metaphrase.text.meaning.regex import Node

_UPPER: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER: Final = _UPPER.lower()
_DIGITS: Final = "0123456789"
_VOWELS: Final = "AEIOUaeiou"
_MEMBERS: Final = {"VOW": _VOWELS, "NUM": _DIGITS, "LET": _UPPER + _LOWER, "CAP": _UPPER, "LOW": _LOWER}


class LimitReached(Exception):
    """The automaton needs more states or time than allowed: the question is not decided."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much work a question may cost before it is left undecided."""

    states: int = 30_000
    seconds: float = 1.0


@dataclass(slots=True)
class Budget:
    """The work left for one question; shared by all its automata."""

    states: int
    deadline: float
    _calls: int = 0

    def check(self) -> None:
        if time.monotonic() > self.deadline:
            raise LimitReached("the automaton needs too much time")

    @classmethod
    def of(cls, limits: Limits) -> Budget:
        return cls(limits.states, time.monotonic() + limits.seconds)

    def spend(self, states: int = 1) -> None:
        self.states -= states
        if self.states < 0:
            raise LimitReached("the automaton needs too many states")
        self._calls += 1
        if self._calls % 64 == 0 and time.monotonic() > self.deadline:
            raise LimitReached("the automaton needs too much time")


@dataclass(frozen=True, slots=True)
class Alphabet:
    """Atoms of a set of expressions: a weight each, and the mask of atoms that a leaf admits."""

    weights: tuple[int, ...]
    masks: dict[str, int]
    """Mask of atoms by leaf: a class name, ``.``, a character, ``\\b`` or ``<x:name>``."""


def alphabet_of(nodes: Iterable[Node], *, extra: str = "", others: int = 0, boundary_is_b: bool = False) -> Alphabet:
    """The coarsest alphabet that tells apart all that the expressions can.

    ``extra`` are characters that ``.`` admits besides letters and digits; ``others`` counts characters that only a complement reaches.
    """
    base = _UPPER + _LOWER + _DIGITS + extra
    leaves: dict[str, frozenset[str]] = {".": frozenset(base)}
    own: list[str] = []
    for node in {leaf for tree in nodes for leaf in regex.walk(tree)}:
        match node:
            case regex.CharacterClass(name):
                leaves[name] = frozenset(_MEMBERS[name])
            case regex.Literal(text):
                leaves.update((letter, frozenset(letter)) for letter in text)
            case regex.Boundary():
                leaves["\\b"] = frozenset("b") if boundary_is_b else frozenset(["\\b"])
                own += [] if boundary_is_b else ["\\b"]
            case regex.Thing(name):
                leaves[f"<x:{name}>"] = frozenset([f"<x:{name}>"])
                own.append(f"<x:{name}>")
    leaves["."] |= frozenset(symbol for symbol in own if symbol.startswith("<x:"))
    names = sorted(leaves)
    groups: dict[int, int] = {}
    for symbol in [*base, *sorted(set(own))]:
        key = sum(1 << i for i, name in enumerate(names) if symbol in leaves[name])
        groups[key] = groups.get(key, 0) + 1
    if others:
        groups[0] = groups.get(0, 0) + others
    keys = sorted(groups)
    masks = {name: sum(1 << a for a, key in enumerate(keys) if key >> i & 1) for i, name in enumerate(names)}
    return Alphabet(tuple(groups[key] for key in keys), masks)


@dataclass(frozen=True, slots=True)
class Dfa:
    """A complete deterministic automaton; state 0 is the start."""

    moves: tuple[tuple[int, ...], ...]
    accepting: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.moves)


@dataclass(frozen=True, slots=True)
class _Glushkov:
    """Position sets of an expression: bit p of a mask is position p."""

    nullable: bool
    first: int
    last: int


class Compiler:
    """Expressions to minimal automata over one alphabet, within one budget."""

    def __init__(self, alphabet: Alphabet, budget: Budget) -> None:
        self.alphabet = alphabet
        self.budget = budget
        self._cache: dict[Node, Dfa] = {}

    def compile(self, node: Node) -> Dfa:
        known = self._cache.get(node)
        if known is None:
            known = self._cache[node] = self._build(node)
        return known

    def _build(self, node: Node) -> Dfa:
        match node:
            case regex.Complement(body):
                inner = self.compile(body)
                return Dfa(inner.moves, tuple(not a for a in inner.accepting))
            case regex.Intersection(parts):
                result = self.compile(parts[0])
                for part in parts[1:]:
                    result = self.minimal(self.product(result, self.compile(part)))
                return result
        return self.minimal(_Positions(self, node).determinise())

    def product(self, left: Dfa, right: Dfa) -> Dfa:
        """Both hold."""
        moves, pairs = self.pair_moves(left, right)
        return Dfa(moves, tuple(left.accepting[a] and right.accepting[b] for a, b in pairs))

    def pair_moves(self, left: Dfa, right: Dfa) -> tuple[tuple[tuple[int, ...], ...], list[tuple[int, int]]]:
        numbers = {(0, 0): 0}
        pairs = [(0, 0)]
        moves: list[tuple[int, ...]] = []
        for a, b in pairs:
            row: list[int] = []
            for pair in zip(left.moves[a], right.moves[b], strict=True):
                number = numbers.get(pair)
                if number is None:
                    self.budget.spend()
                    number = numbers[pair] = len(pairs)
                    pairs.append(pair)
                row.append(number)
            moves.append(tuple(row))
        return tuple(moves), pairs

    def minimal(self, dfa: Dfa) -> Dfa:
        """Moore's partition refinement; unreachable states are never built, so none need removing."""
        blocks = [int(a) for a in dfa.accepting]
        count = len(set(blocks))
        while True:
            names: dict[tuple[int, ...], int] = {}
            self.budget.check()
            refined = [
                names.setdefault((block, *[blocks[target] for target in row]), len(names))
                for block, row in zip(blocks, dfa.moves, strict=True)
            ]
            if len(names) == count:
                break
            blocks, count = refined, len(names)
        if count == len(dfa):
            return dfa
        # Blocks are numbered by first appearance, so the start stays state 0.
        first: dict[int, int] = {}
        for state, block in enumerate(refined):
            first.setdefault(block, state)
        moves = tuple(tuple(refined[target] for target in dfa.moves[state]) for state in first.values())
        return Dfa(moves, tuple(dfa.accepting[state] for state in first.values()))


class _Positions:
    """Glushkov positions of one expression; complements and intersections inside it enter as ready automata."""

    def __init__(self, compiler: Compiler, node: Node) -> None:
        self._compiler = compiler
        self._masks: list[int] = []
        self._follow: list[int] = []
        self._sets = self._visit(node)

    def determinise(self) -> Dfa:
        width = len(self._compiler.alphabet.weights)
        admits = [0] * width
        for position, mask in enumerate(self._masks):
            for atom in range(width):
                if mask >> atom & 1:
                    admits[atom] |= 1 << position
        follow = self._follow
        last = self._sets.last
        numbers: dict[int, int] = {}
        moves: list[tuple[int, ...]] = []
        accepting = [self._sets.nullable]
        # The start is a state of its own: no position set stands for "nothing read yet".
        reach_rows = [self._sets.first]
        budget = self._compiler.budget
        row_number = 0
        while row_number < len(reach_rows):
            reach = reach_rows[row_number]
            row: list[int] = []
            for atom in range(width):
                target = reach & admits[atom]
                number = numbers.get(target)
                if number is None:
                    budget.spend()
                    number = numbers[target] = len(reach_rows)
                    after = 0
                    rest = target
                    while rest:
                        low = rest & -rest
                        after |= follow[low.bit_length() - 1]
                        rest ^= low
                    reach_rows.append(after)
                    accepting.append(bool(target & last))
                row.append(number)
            moves.append(tuple(row))
            row_number += 1
        return Dfa(tuple(moves), tuple(accepting))

    def _position(self, mask: int) -> _Glushkov:
        self._compiler.budget.spend()
        bit = 1 << len(self._masks)
        self._masks.append(mask)
        self._follow.append(0)
        return _Glushkov(False, bit, bit)

    def _link(self, last: int, first: int) -> None:
        while last:
            low = last & -last
            self._follow[low.bit_length() - 1] |= first
            last ^= low

    def _chain(self, parts: Iterable[_Glushkov]) -> _Glushkov:
        result = _Glushkov(True, 0, 0)
        for part in parts:
            self._link(result.last, part.first)
            result = _Glushkov(
                result.nullable and part.nullable,
                result.first | part.first if result.nullable else result.first,
                part.last | result.last if part.nullable else part.last,
            )
        return result

    def _visit(self, node: Node) -> _Glushkov:
        masks = self._compiler.alphabet.masks
        match node:
            case regex.Empty():
                return _Glushkov(True, 0, 0)
            case regex.AnyCharacter():
                return self._position(masks["."])
            case regex.CharacterClass(name):
                return self._position(masks[name])
            case regex.Thing(name):
                return self._position(masks[f"<x:{name}>"])
            case regex.Boundary():
                return self._position(masks["\\b"])
            case regex.Literal(text):
                return self._chain([self._position(masks[letter]) for letter in text])
            case regex.Concat(parts):
                return self._chain(self._visit(part) for part in parts)
            case regex.Union(parts):
                sets = [self._visit(part) for part in parts]
                first = last = 0
                for part in sets:
                    first |= part.first
                    last |= part.last
                return _Glushkov(any(part.nullable for part in sets), first, last)
            case regex.Repeat(body, least, most):
                return self._repeat(body, least, most)
        return self._embed(self._compiler.compile(node))

    def _repeat(self, body: Node, least: int, most: int | None) -> _Glushkov:
        if most is None:
            parts = [self._visit(body) for _ in range(max(least, 1))]
            looped = parts[-1]
            self._link(looped.last, looped.first)
            if least == 0:
                parts[-1] = _Glushkov(True, looped.first, looped.last)
            return self._chain(parts)
        needed = [self._visit(body) for _ in range(least)]
        optional = [self._visit(body) for _ in range(most - least)]
        return self._chain([*needed, *(_Glushkov(True, part.first, part.last) for part in optional)])

    def _embed(self, dfa: Dfa) -> _Glushkov:
        """A ready automaton as positions: one for each (transition target, set of atoms) that can still accept."""
        live = _live(dfa)
        entries: dict[tuple[int, int], int] = {}
        by_source: list[list[tuple[int, int]]] = []
        for row in dfa.moves:
            masks: dict[int, int] = {}
            for atom, target in enumerate(row):
                if live[target]:
                    masks[target] = masks.get(target, 0) | 1 << atom
            by_source.append(list(masks.items()))
            for key in masks.items():
                if key not in entries:
                    entries[key] = len(self._masks)
                    self._position(key[1])
        bits = [sum(1 << entries[key] for key in keys) for keys in by_source]
        last = 0
        for (target, _), position in entries.items():
            self._follow[position] |= bits[target]
            if dfa.accepting[target]:
                last |= 1 << position
        return _Glushkov(dfa.accepting[0], bits[0], last)


def _live(dfa: Dfa) -> list[bool]:
    """States from which an accepting one can be reached."""
    sources: list[list[int]] = [[] for _ in dfa.moves]
    for state, row in enumerate(dfa.moves):
        for target in set(row):
            sources[target].append(state)
    live = list(dfa.accepting)
    stack = [state for state, yes in enumerate(live) if yes]
    while stack:
        for source in sources[stack.pop()]:
            if not live[source]:
                live[source] = True
                stack.append(source)
    return live


@dataclass(frozen=True, slots=True)
class Counts:
    """Words of exactly one length: in the first language, the second, both."""

    length: int
    left: int
    right: int
    both: int
    alive: bool
    """Whether longer words may follow."""


def count_words(left: Dfa, right: Dfa, compiler: Compiler) -> Iterator[Counts]:
    """How many words of length 0, 1, 2, ... lie in each language and in both: without end."""
    moves, pairs = compiler.pair_moves(left, right)
    weights = compiler.alphabet.weights
    # Transitions folded per target, so that a step costs one multiplication for each distinct target.
    steps: list[list[tuple[int, int]]] = []
    for row in moves:
        folded: dict[int, int] = {}
        for weight, target in zip(weights, row, strict=True):
            folded[target] = folded.get(target, 0) + weight
        steps.append(list(folded.items()))
    kinds = [(left.accepting[a], right.accepting[b]) for a, b in pairs]
    useful = _useful(moves, [a or b for a, b in kinds])
    counts: dict[int, int] = {0: 1}
    length = 0
    while True:
        first = second = both = 0
        for state, ways in counts.items():
            in_left, in_right = kinds[state]
            first += ways if in_left else 0
            second += ways if in_right else 0
            both += ways if in_left and in_right else 0
        following: dict[int, int] = {}
        for state, ways in counts.items():
            for target, weight in steps[state]:
                if useful[target]:
                    following[target] = following.get(target, 0) + ways * weight
        yield Counts(length, first, second, both, bool(following))
        compiler.budget.spend(len(counts))
        counts = following
        length += 1


def _useful(moves: Sequence[Sequence[int]], accepting: Sequence[bool]) -> list[bool]:
    return _live(Dfa(tuple(tuple(row) for row in moves), tuple(accepting)))


def equivalent(left: Dfa, right: Dfa) -> bool:
    """Whether two automata over one alphabet accept the same words."""
    seen = {(0, 0)}
    stack = [(0, 0)]
    while stack:
        a, b = stack.pop()
        if left.accepting[a] != right.accepting[b]:
            return False
        for pair in zip(left.moves[a], right.moves[b], strict=True):
            if pair not in seen:
                seen.add(pair)
                stack.append(pair)
    return True
