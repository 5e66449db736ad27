"""Regular expressions that stand for the meaning of a sentence.

The language is that of the NL-RX data: character classes ``[<VOW>] [<NUM>] [<LET>] [<CAP>] [<LOW>]``, the literals
``<M0>`` to ``<M3>``, ``.``, concatenation, ``|``, ``&`` (both hold), ``~`` (complement), ``* + ? {m,n}`` and ``\\b``.
An abstract thing that the lexicon does not know is written ``<x:signature>``: one symbol that no class contains.

``~`` reaches over what follows up to the next ``|`` or ``&``, which is how the data is written (``~ ( x )``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

CLASS_NAMES: Final = ("VOW", "NUM", "LET", "CAP", "LOW")
LITERALS: Final = ("dog", "truck", "ring", "lake")
"""What ``<M0>`` to ``<M3>`` stand for."""

_LONGEST_BOUND: Final = 1000
_DEEPEST: Final = 100
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<literal><M[0-3]>)|(?P<thing><x:[^<>\s]+>)|(?P<class>\[\s*<(?:VOW|NUM|LET|CAP|LOW)>\s*\])"
    r"|(?P<boundary>\\\s*b)|(?P<bounds>\{\s*\d*\s*,\s*\d*\s*\}|\{\s*\d+\s*\})|(?P<mark>[()|&~*+?.])|(?P<char>[A-Za-z0-9]))\s*"
)


class RegexSyntaxError(ValueError):
    """A text is not a regular expression of this language; ``position`` is the offending character."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        super().__init__(f"{problem} at character {position + 1} of {text!r}")
        self.text = text
        self.position = position
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the syntax tree."""


@dataclass(frozen=True, slots=True)
class Empty(Node):
    """The empty word."""


@dataclass(frozen=True, slots=True)
class AnyCharacter(Node):
    """``.``"""


@dataclass(frozen=True, slots=True)
class CharacterClass(Node):
    """One character out of a named class."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A fixed string of letters and digits."""

    text: str


@dataclass(frozen=True, slots=True)
class Thing(Node):
    """One abstract symbol: a noun that the lexicon does not know."""

    name: str


@dataclass(frozen=True, slots=True)
class Boundary(Node):
    """``\\b``"""


@dataclass(frozen=True, slots=True)
class Concat(Node):
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Union(Node):
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Intersection(Node):
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Complement(Node):
    body: Node


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    """``body`` at least ``least`` and at most ``most`` times; ``most`` is None for "without end"."""

    body: Node
    least: int
    most: int | None


def tokens(text: str) -> list[str]:
    """The tokens of a regular expression, blanks removed; a class, a literal or a bound is one token."""
    return [token for token, _ in _tokens(text)]


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    position = len(text) - len(text.lstrip())
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise RegexSyntaxError(text, position, f"unexpected {text[position]!r}")
        yield re.sub(r"\s+", "", match.group()), match.start()
        position = match.end()


def parse(text: str, *, tight_complement: bool = False) -> Node:
    """Read a regular expression.

    ``tight_complement`` binds ``~`` to the next atom before any repeat, as the released values of the paper do.
    """
    return _Parser(text, tight_complement=tight_complement).whole()


@dataclass(slots=True)
class _Parser:
    text: str
    tight_complement: bool = False
    _items: list[tuple[str, int]] = field(init=False)
    _next: int = field(init=False, default=0)
    _depth: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._items = list(_tokens(self.text))

    def whole(self) -> Node:
        if not self._items:
            raise RegexSyntaxError(self.text, 0, "empty expression")
        node = self._union()
        if self._next < len(self._items):
            raise self._error(f"unexpected {self._peek()!r}")
        return node

    def _peek(self) -> str:
        return self._items[self._next][0] if self._next < len(self._items) else ""

    def _error(self, problem: str) -> RegexSyntaxError:
        position = self._items[self._next][1] if self._next < len(self._items) else len(self.text)
        return RegexSyntaxError(self.text, position, problem)

    def _union(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"more than {_DEEPEST} levels of brackets")
        parts = [self._intersection()]
        while self._peek() == "|":
            self._next += 1
            parts.append(self._intersection())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else Union(tuple(parts))

    def _intersection(self) -> Node:
        parts = [self._concatenation()]
        while self._peek() == "&":
            self._next += 1
            parts.append(self._concatenation())
        return parts[0] if len(parts) == 1 else Intersection(tuple(parts))

    def _concatenation(self) -> Node:
        parts: list[Node] = []
        while self._peek() not in ("", "|", "&", ")"):
            parts.append(self._repeated())
        if not parts:
            raise self._error("an operand is missing")
        return parts[0] if len(parts) == 1 else Concat(tuple(parts))

    def _repeated(self) -> Node:
        node = self._atom()
        while True:
            bounds = _bounds(self._peek())
            if bounds is None:
                return node
            least, most = bounds
            if (most is not None and most < least) or max(least, most or 0) > _LONGEST_BOUND:
                raise self._error(f"bounds {self._peek()} are not between 0 and {_LONGEST_BOUND} in order")
            node = Repeat(node, least, most)
            self._next += 1

    def _atom(self) -> Node:
        token = self._peek()
        if token == "~":
            self._next += 1
            self._depth += 1
            if self._depth > _DEEPEST:
                raise self._error(f"more than {_DEEPEST} levels of complement")
            body = self._atom() if self.tight_complement else self._repeated()
            self._depth -= 1
            return Complement(body)
        if token == "(":
            self._next += 1
            if self._peek() == ")":
                self._next += 1
                return Empty()
            node = self._union()
            if self._peek() != ")":
                raise self._error("a closing bracket is missing")
            self._next += 1
            return node
        leaf = _leaf(token)
        if leaf is None:
            raise self._error(f"unexpected {token!r}" if token else "the expression ends too early")
        self._next += 1
        return leaf


def _bounds(token: str) -> tuple[int, int | None] | None:
    fixed: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if token in fixed:
        return fixed[token]
    if not token.startswith("{"):
        return None
    least, comma, most = token[1:-1].partition(",")
    if not comma:
        return int(least), int(least)
    return int(least or 0), int(most) if most else None


def _leaf(token: str) -> Node | None:
    if token == ".":
        return AnyCharacter()
    if token.startswith("["):
        return CharacterClass(token[2:5])
    if token.startswith("<M"):
        return Literal(LITERALS[int(token[2])])
    if token.startswith("<x:"):
        return Thing(token[3:-1])
    if token.startswith("\\"):
        return Boundary()
    return Literal(token) if len(token) == 1 and token.isalnum() else None


def show(node: Node) -> str:
    """The expression as text, with all the brackets that it needs and blanks between tokens."""
    match node:
        case Empty():
            return "( )"
        case AnyCharacter():
            return "."
        case CharacterClass(name):
            return f"[ <{name}> ]"
        case Literal(text):
            return f"<M{LITERALS.index(text)}>" if text in LITERALS else " ".join(text)
        case Thing(name):
            return f"<x:{name}>"
        case Boundary():
            return "\\ b"
        case Concat(parts):
            return " ".join(_bracketed(part, (Union, Intersection)) for part in parts)
        case Union(parts):
            return " | ".join(_bracketed(part, (Union,)) for part in parts)
        case Intersection(parts):
            return " & ".join(_bracketed(part, (Union, Intersection)) for part in parts)
        case Complement(body):
            return f"~ ( {show(body)} )"
        case Repeat(body, least, most):
            single = isinstance(body, (AnyCharacter, CharacterClass, Thing))
            inner = show(body) if single else f"( {show(body)} )"
            return f"{inner} {_show_bounds(least, most)}"
    raise AssertionError(f"unknown node {node!r}")


def _bracketed(node: Node, loose: tuple[type[Node], ...]) -> str:
    text = show(node)
    return f"( {text} )" if isinstance(node, (*loose, Complement)) else text


def _show_bounds(least: int, most: int | None) -> str:
    if most is None:
        return {0: "*", 1: "+"}.get(least, f"{{ {least} , }}")
    return f"{{ {least} }}" if least == most else f"{{ {least} , {most} }}"


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Concat(parts) | Union(parts) | Intersection(parts):
            return parts
        case Complement(body) | Repeat(body, _, _):
            return (body,)
    return ()


def walk(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(children(current))
