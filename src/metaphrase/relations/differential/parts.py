"""The parts of a source sentence: the main part and its adjuncts.

From a constituency tree (`neural`): cut at clause nodes, as the released code does (SBAR, SBARQ, SINV, SQ if there is any, else S; in Chinese trees clauses beside
others, which the paper does not have). Without one
(`lite`): cut at punctuation and before words that open a clause. The paper's main part comes from a neural compressor; ours is the part that no clause
word opens, or the first one.
"""

from __future__ import annotations

from dataclasses import dataclass

from metaphrase.relations.closure.views import Text
from metaphrase.text.languages import Language
from metaphrase.text.tokens import is_word
from metaphrase.text.trees import Tree

__all__ = ["Part", "parts_of_tree", "parts_of_words"]

_CLAUSES = frozenset({"SBAR", "SBARQ", "SINV", "SQ"})
_PLAIN_CLAUSES = frozenset({"S"})
# Chinese trees nest clauses under every verb; only a clause beside others, or one that modifies a noun, is a part.
_CHINESE_CLAUSES = frozenset({"IP", "CP"})
_BESIDE = frozenset({"IP", "NP", "PRN"})
_BREAKS = frozenset(',;:()[]—–，；：、（）“”"')
# A part needs this many content words; smaller ones join the part before.
_SMALLEST = 2


@dataclass(frozen=True, slots=True)
class Part:
    """Source words, by position, and whether they are the main part."""

    words: tuple[int, ...]
    main: bool

    def quote(self, source: Text) -> str:
        return source.text[source.tokens[self.words[0]].start : source.tokens[self.words[-1]].end]


def parts_of_words(source: Text, language: Language) -> tuple[Part, ...]:
    """Clauses by punctuation and clause words."""
    runs: list[list[int]] = [[]]
    for k, word in enumerate(source.words):
        if not is_word(word):
            if word in _BREAKS:
                runs.append([])
            continue
        if word in language.clause_words and _content(source, runs[-1], language) >= _SMALLEST:
            runs.append([])
        runs[-1].append(k)
    return _ranked(source, _joined(source, [run for run in runs if run], language), language)


def parts_of_tree(source: Text, tree: Tree, language: Language) -> tuple[Part, ...]:
    """Each clause node opens a part; what lies outside of all of them is the main part."""
    labels = {node.label for node in tree.subtrees()}
    clauses = _CLAUSES if labels & _CLAUSES else _PLAIN_CLAUSES
    owner: dict[int, int] = {}
    number = 0

    def opens(node: Tree, parent: Tree) -> bool:
        if node.label in _CHINESE_CLAUSES:
            return parent.label in _BESIDE
        if node.label == "PP":  # a conjunction with its clause: 因为 ...
            return any(child.label in _CHINESE_CLAUSES for child in node.children)
        return node.label in clauses

    def walk(node: Tree, parent: Tree, current: int, depth: int) -> None:
        nonlocal number
        if node.token is not None:
            for k, token in enumerate(source.tokens):
                if token.start < node.token.end and node.token.start < token.end and is_word(token.text):
                    owner[k] = current
            return
        if depth > 1 and opens(node, parent):
            number += 1
            current = number
        for child in node.children:
            walk(child, node, current, depth + 1)

    walk(tree, tree, 0, 0)
    runs = [[k for k in sorted(owner) if owner[k] == n] for n in range(number + 1)]
    return _ranked(source, _joined(source, [run for run in runs if run], language), language)


def _content(source: Text, run: list[int], language: Language) -> int:
    return sum(language.is_content(source.words[k]) for k in run)


def _joined(source: Text, runs: list[list[int]], language: Language) -> list[list[int]]:
    joined: list[list[int]] = []
    for run in runs:
        if joined and _content(source, run, language) < _SMALLEST:
            joined[-1] = sorted(joined[-1] + run)
        else:
            joined.append(run)
    return joined


def _ranked(source: Text, runs: list[list[int]], language: Language) -> tuple[Part, ...]:
    main = max((run for run in runs if source.words[run[0]] not in language.clause_words), key=len, default=runs[0] if runs else [])
    return tuple(Part(tuple(run), run is main) for run in runs)
