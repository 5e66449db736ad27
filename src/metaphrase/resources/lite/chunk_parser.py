"""A shallow English parser without a model: textblob's tagger and chunker, with nested noun phrases on top.

Base phrases come from the chunker. Larger noun phrases are built where the attachment is safe: possessives, "of", other prepositions
where no verb could claim them, and relative clauses. The tree is flat elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaphrase.core.errors import MissingResourceError
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction
from metaphrase.resources.lite.chinese_parser import ChineseChunkParser
from metaphrase.resources.lite.english_tags import tag_words
from metaphrase.resources.protocols import Parser
from metaphrase.text.languages import language
from metaphrase.text.languages.en import RELATIVE_PRONOUNS, TEMPORAL_ADJECTIVES
from metaphrase.text.tokens import Token, is_opaque
from metaphrase.text.trees import Tree

__all__ = ["ChunkParser", "make"]

_CLAUSE_END = frozenset({",", ";", ":", ".", "!", "?", "—", "–", "(", ")"})


def make(languages: Direction | str, options: Mapping[str, Any]) -> Parser:
    code = str(languages)
    base = code.split("-")[0]
    if base == "zh":
        return ChineseChunkParser()
    if base != "en":
        raise MissingResourceError(f"the profile 'lite' has no parser for '{code}' (English and Chinese only): use --profile neural")
    return ChunkParser()


class ChunkParser:
    """English sentences to trees of base phrases and safely attached larger noun phrases."""

    def __init__(self) -> None:
        self._language = language("en")

    def signature(self) -> Signature:
        from importlib.metadata import version

        return Signature("chunk-parser", "2", {"textblob": version("textblob")})

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        return [self._parse(sentence) for sentence in sentences]

    def _parse(self, sentence: str) -> Tree:
        tokens = self._language.tokens(sentence)
        return Tree("S", tuple(_attach(_chunks(tokens)))) if tokens else Tree("S")


def _chunks(tokens: Sequence[Token]) -> list[Tree]:
    """Base phrases and single words, from the chunker's B-/I- marks."""
    from textblob.en import parser

    # Slashes are the tagger's separators; opaque tokens are names to it.
    words = ["Name" if is_opaque(t.text) else t.text.replace("/", "|") for t in tokens]
    marked = parser.find_chunks([[word, tag] for word, tag in zip(words, tag_words(words), strict=True)])
    result: list[Tree] = []
    label = ""
    current: list[Tree] = []

    def flush() -> None:
        if current:
            result.append(Tree(label, tuple(current)))
            current.clear()

    for token, (_, tag, chunk, *_) in zip(tokens, marked, strict=True):
        leaf = Tree(tag, token=token)
        if chunk == "O" or (tag == "CC" and _ends_in_noun(current)):
            flush()
            result.append(leaf)
        else:
            if chunk.startswith("B-") or chunk[2:] != label or not current or _opens(leaf, current):
                flush()
                label = chunk[2:]
            current.append(leaf)
    flush()
    return result


# What opens a new phrase behind a noun: the chunker joins "the company last year", "the car all afternoon".
_OPENERS = frozenset({"DT", "PDT", "PRP$", "RB"})


def _opens(leaf: Tree, before: Sequence[Tree]) -> bool:
    return _ends_in_noun(before) and (leaf.label in _OPENERS or str(leaf.token).lower() in TEMPORAL_ADJECTIVES)


def _ends_in_noun(leaves: Sequence[Tree]) -> bool:
    return bool(leaves) and leaves[-1].label.startswith(("NN", "PRP")) and leaves[-1].label != "PRP$"


def _attach(chunks: list[Tree]) -> list[Tree]:
    nodes = _join_possessives(chunks)
    nodes = _join_prepositions(nodes, only_of=True)
    nodes = _join_relatives(nodes)
    return _join_prepositions(nodes, only_of=False)


def _word(node: Tree) -> str:
    tokens = node.tokens()
    return tokens[0].text.lower() if len(tokens) == 1 else ""


def _is_noun_phrase(node: Tree) -> bool:
    if node.label != "NP":
        return False
    last = list(node.leaves())[-1]
    return last.label.startswith("NN") or (len(node.children) > 1 and not node.children[-1].is_leaf)


def _join_possessives(nodes: list[Tree]) -> list[Tree]:
    """[the board] ['s] [plan] is one noun phrase that holds another."""
    result: list[Tree] = []
    i = 0
    while i < len(nodes):
        node = nodes[i]
        if node.label == "POS" and result and i + 1 < len(nodes) and _is_noun_phrase(result[-1]) and nodes[i + 1].label == "NP":
            owner = Tree("NP", (*result.pop().children, node))
            node = Tree("NP", (owner, *nodes[i + 1].children))
            i += 1
        result.append(node)
        i += 1
    return result


def _join_prepositions(nodes: list[Tree], *, only_of: bool) -> list[Tree]:
    """Right to left, so that "the head of the board of the bank" nests.

    Prepositions other than "of" are attached only to a noun phrase that starts its clause: behind a verb, the verb may own them.
    """
    result = list(nodes)
    for i in range(len(result) - 3, -1, -1):
        if len(result) - i < 3:  # joined further right already
            continue
        head, preposition, complement = result[i : i + 3]
        if not (_is_noun_phrase(head) and preposition.label == "PP" and _is_noun_phrase(complement)):
            continue
        if i > 0 and result[i - 1].label == "PP" and [leaf.label for leaf in head.leaves()] == ["NN"]:
            continue  # "in front of the hall" is a preposition
        is_of = _word(preposition) == "of"
        followed_by_verb = i + 3 < len(result) and result[i + 3].label == "VP"
        starts_clause = i == 0 or _word(result[i - 1]) in _CLAUSE_END
        if is_of or (not only_of and starts_clause and followed_by_verb and _word(preposition) not in RELATIVE_PRONOUNS):
            result[i : i + 3] = [Tree("NP", (head, Tree("PP", (*preposition.children, complement))))]
    return result


def _join_relatives(nodes: list[Tree]) -> list[Tree]:
    """[the man] [who] [sold] [the house]: up to the next verb, mark or end of the sentence."""
    result = list(nodes)
    for i in range(len(result) - 3, -1, -1):
        if len(result) - i < 3:  # joined further right already
            continue
        head, pronoun, verb = result[i : i + 3]
        if not (_is_noun_phrase(head) and _word(pronoun) in RELATIVE_PRONOUNS and verb.label == "VP"):
            continue
        end = i + 3
        while end < len(result) and result[end].label in ("NP", "PP", "ADVP", "ADJP"):
            end += 1
        if result[end - 1].label in ("NP", "ADVP", "ADJP") and (
            end == len(result) or result[end].label == "VP" or _word(result[end]) in _CLAUSE_END
        ):
            result[i:end] = [Tree("NP", (head, Tree("SBAR", tuple(result[i + 1 : end]))))]
    return result
