"""Parses are slow, so a campaign's store keeps them: a sentence is parsed once, whoever asks and however often the run is repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from metaphrase.core.signature import Signature
from metaphrase.resources.protocols import DependencyParser, Parser
from metaphrase.text.tokens import Token
from metaphrase.text.trees import Dependency, Tree

__all__ = ["Memory", "RememberedDependencies", "RememberedParser"]

_SLICE = 50  # sentences after which what was parsed is stored


class Memory(Protocol):
    """Keeps answers by the signature of who gave them and the text they are about."""

    def recall(self, resource: str, texts: Sequence[str]) -> dict[str, str]: ...
    def remember(self, resource: str, answers: Mapping[str, str]) -> None: ...


class RememberedParser:
    """A parser that asks the memory first."""

    def __init__(self, parser: Parser, memory: Memory) -> None:
        self._parser = parser
        self._memory = memory

    def signature(self) -> Signature:
        return self._parser.signature()

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        name = str(self.signature())
        known = {text: _read_tree(json.loads(body), text) for text, body in self._memory.recall(name, sentences).items()}
        for part in _missing(sentences, known):
            trees = self._parser.parse(part)
            self._memory.remember(name, {text: _dumps(_plain(tree)) for text, tree in zip(part, trees, strict=True)})
            known.update(zip(part, trees, strict=True))
        return [known[text] for text in sentences]

    def close(self) -> None:
        _close(self._parser)


class RememberedDependencies:
    """A dependency parser that asks the memory first."""

    def __init__(self, parser: DependencyParser, memory: Memory) -> None:
        self._parser = parser
        self._memory = memory

    def signature(self) -> Signature:
        return self._parser.signature()

    def dependencies(self, sentences: Sequence[str]) -> list[tuple[Dependency, ...]]:
        name = str(self.signature())
        known = {text: tuple(Dependency(*arc) for arc in json.loads(body)) for text, body in self._memory.recall(name, sentences).items()}
        for part in _missing(sentences, known):
            found = self._parser.dependencies(part)
            plain = [[[a.label, a.head, a.dependent] for a in arcs] for arcs in found]
            self._memory.remember(name, {text: _dumps(arcs) for text, arcs in zip(part, plain, strict=True)})
            known.update(zip(part, found, strict=True))
        return [known[text] for text in sentences]

    def close(self) -> None:
        _close(self._parser)


def _missing(sentences: Sequence[str], known: Mapping[str, object]) -> Iterator[list[str]]:
    missing = [text for text in dict.fromkeys(sentences) if text not in known]
    for start in range(0, len(missing), _SLICE):
        yield missing[start : start + _SLICE]


def _close(resource: object) -> None:
    stop = getattr(resource, "close", None)
    if stop is not None:
        stop()


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _plain(tree: Tree) -> list[Any]:
    if tree.token is not None:
        return [tree.label, tree.token.start, tree.token.end]
    return [tree.label, [_plain(child) for child in tree.children]]


def _read_tree(plain: list[Any], text: str) -> Tree:
    label, *rest = plain
    if isinstance(rest[0], list):
        return Tree(label, tuple(_read_tree(child, text) for child in rest[0]))
    start, end = rest
    return Tree(label, (), Token(text[start:end], start, end))
