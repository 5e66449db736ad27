"""Constituency trees with character offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metaphrase.core.errors import InputError
from metaphrase.text.tokens import Token

__all__ = ["Dependency", "Tree", "read_tree"]


@dataclass(frozen=True, slots=True)
class Dependency:
    """A labelled arc; `head` is -1 for the root. Positions count leaves from 0."""

    label: str
    head: int
    dependent: int


@dataclass(frozen=True, slots=True)
class Tree:
    """A constituent. A leaf carries a token and its part of speech as label; a phrase has children."""

    label: str
    children: tuple[Tree, ...] = ()
    token: Token | None = None

    @property
    def is_leaf(self) -> bool:
        return self.token is not None

    def leaves(self) -> Iterator[Tree]:
        if self.token is not None:
            yield self
        for child in self.children:
            yield from child.leaves()

    def subtrees(self) -> Iterator[Tree]:
        """This tree and all below, parents first, left to right."""
        yield self
        for child in self.children:
            yield from child.subtrees()

    def tokens(self) -> list[Token]:
        return [leaf.token for leaf in self.leaves() if leaf.token is not None]

    @property
    def start(self) -> int:
        return self.tokens()[0].start

    @property
    def end(self) -> int:
        return self.tokens()[-1].end

    def paths(self) -> Iterator[tuple[str, ...]]:
        """Label sequences from the root to each leaf, without the word."""
        if self.is_leaf:
            yield (self.label,)
        for child in self.children:
            for path in child.paths():
                yield (self.label, *path)


_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def read_tree(brackets: str, tokens: Sequence[Token]) -> Tree:
    """Read Penn brackets; leaves take the given tokens in order."""
    pieces = re.findall(r"\(|\)|[^\s()]+", brackets)
    remaining = iter(tokens)
    position = 0

    def node() -> Tree:
        nonlocal position
        position += 1  # (
        label = ""
        if pieces[position] not in "()":
            label = pieces[position]
            position += 1
        children: list[Tree] = []
        leaf: Token | None = None
        while pieces[position] != ")":
            if pieces[position] == "(":
                children.append(node())
            else:
                word = _ESCAPES.get(pieces[position], pieces[position])
                leaf = next(remaining, None)
                if leaf is None:
                    raise InputError(f"the parse has more words than the sentence, from '{word}' on")
                position += 1
        position += 1
        return Tree(label, tuple(children), leaf)

    try:
        return node()
    except IndexError as error:
        raise InputError(f"not a bracketed tree: {brackets[:60]!r}") from error
