"""Closures as the paper defines them: connected components over the words of the four texts.

Edges are the links of both translations and the words that the inputs share. Refinement 2 of the paper links a word that
stands once in both translations to the same input words on both sides; refinement 1 links an unlinked word to what the
other words of its smallest phrase translate, or, without a tree, to what the content words right beside it do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from metaphrase.relations.closure.describe import Described
from metaphrase.relations.closure.links import Links
from metaphrase.resources.protocols import Link
from metaphrase.text.tokens import is_word
from metaphrase.text.trees import Tree

__all__ = ["Closure", "Kind", "closures", "refine"]


# Of the Penn treebanks of Chinese and English, as the paper lists them: never a whole verb phrase or clause.
_PHRASES = frozenset("NP VRD CP CLP ADJP ADVP DNP DP DVP QP".split())


class Kind(StrEnum):
    COMPARABLE = "comparable"
    CHANGED = "changed"
    UNMATCHED = "unmatched"


@dataclass(frozen=True, slots=True)
class Closure:
    """Word positions in the two inputs and the two outputs."""

    inputs: tuple[frozenset[int], frozenset[int]]
    outputs: tuple[frozenset[int], frozenset[int]]
    kind: Kind


def refine(pair: Described, trees: tuple[Tree, Tree] | None = None) -> tuple[Links, Links]:
    """Both refinements of the paper; `trees` are those of the two translations."""
    outputs = pair.view.outputs
    counts = [Counter(text.words) for text in outputs]
    extra: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
    for word in counts[0].keys() & counts[1].keys():
        if counts[0][word] != 1 or counts[1][word] != 1 or not is_word(word):
            continue
        places = [text.words.index(word) for text in outputs]
        linked = [{i for i, _ in pair.links[s].of_target(places[s])} for s in (0, 1)]
        for s in (0, 1):
            for i in linked[1 - s]:
                twin = pair.view.shared[1 - s].get(i)
                if twin is not None and twin not in linked[s]:
                    extra[s].add((twin, places[s]))
    for s in (0, 1):
        extra[s].update(_from_neighbours(pair, s) if trees is None else _from_phrase(pair, s, trees[s]))
    refined = [Links([*pair.links[s].all, *(Link(i, j) for i, j in sorted(extra[s]))]) for s in (0, 1)]
    return refined[0], refined[1]


def _from_neighbours(pair: Described, side: int) -> set[tuple[int, int]]:
    """Refinement 1 without a tree: an unlinked content word joins the content words right beside it."""
    text, language = pair.view.outputs[side], pair.view.target
    found: set[tuple[int, int]] = set()
    for k, word in enumerate(text.words):
        if not language.is_content(word) or pair.links[side].of_target(k):
            continue
        for beside in (k - 1, k + 1):
            if 0 <= beside < len(text) and language.is_content(text.words[beside]):
                found.update((i, k) for i, _ in pair.links[side].of_target(beside))
    return found


def _from_phrase(pair: Described, side: int, tree: Tree) -> set[tuple[int, int]]:
    """Refinement 1: an unlinked word joins the smallest phrase that holds it and another word."""
    text = pair.view.outputs[side]
    found: set[tuple[int, int]] = set()
    phrases = sorted(((t.start, t.end) for t in tree.subtrees() if t.label in _PHRASES), key=lambda place: place[1] - place[0])
    for k, token in enumerate(text.tokens):
        if not is_word(token.text) or pair.links[side].of_target(k):
            continue
        for start, end in phrases:
            inside = [j for j, t in enumerate(text.tokens) if start <= t.start and t.end <= end and is_word(t.text)]
            if k in inside and len(inside) > 1:
                found.update((i, k) for j in inside for i, _ in pair.links[side].of_target(j))
                break
    return found


def closures(pair: Described, links: tuple[Links, Links]) -> list[Closure]:
    """Components that hold an input word; output words without any link belong to none."""
    parent: dict[tuple[str, int, int], tuple[str, int, int]] = {}

    def root(node: tuple[str, int, int]) -> tuple[str, int, int]:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    view = pair.view
    for side in (0, 1):
        for i in range(len(view.inputs[side])):
            root(("in", side, i))
        for link in links[side].all:
            parent[root(("in", side, link.source))] = root(("out", side, link.target))
    for i, j in view.shared[0].items():
        parent[root(("in", 0, i))] = root(("in", 1, j))
    members: dict[tuple[str, int, int], list[tuple[str, int, int]]] = {}
    for node in sorted(parent):
        members.setdefault(root(node), []).append(node)
    return [_closure(pair, nodes) for nodes in members.values()]


def _closure(pair: Described, nodes: list[tuple[str, int, int]]) -> Closure:
    sets = {(kind, side): frozenset(k for a, b, k in nodes if (a, b) == (kind, side)) for kind in ("in", "out") for side in (0, 1)}
    inputs, outputs = (sets["in", 0], sets["in", 1]), (sets["out", 0], sets["out", 1])
    changed = any(k not in pair.view.shared[s] for s in (0, 1) for k in inputs[s])
    kind = Kind.CHANGED if changed else Kind.COMPARABLE if outputs[0] and outputs[1] else Kind.UNMATCHED
    return Closure(inputs, outputs, kind)
