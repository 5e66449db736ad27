"""A segment as tagged words: what all transformations that touch words look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaphrase.core.values import Segment
from metaphrase.resources.protocols import Parser
from metaphrase.text.tokens import is_opaque, is_word
from metaphrase.text.trees import Tree

__all__ = ["Sentence", "Word", "is_noun", "is_proper_noun", "read_sentences", "same_part"]


@dataclass(frozen=True, slots=True)
class Word:
    """A token with its part of speech (Penn or Chinese treebank)."""

    text: str
    start: int
    end: int
    tag: str


@dataclass(frozen=True, slots=True)
class Sentence:
    segment: Segment
    tree: Tree
    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        return self.segment.text

    def lowered(self, index: int) -> str | None:
        """The word as it would stand inside a sentence; None if its capital makes it a name."""
        word = self.words[index].text
        if not word[:1].isupper():
            return word
        return word.lower() if self.starts_sentence(index) and not word.isupper() else None

    def starts_sentence(self, index: int) -> bool:
        return not any(is_word(w.text) for w in self.words[:index])

    def ends_sentence(self, index: int) -> bool:
        return not any(is_word(w.text) for w in self.words[index + 1 :])

    def is_whole(self, index: int) -> bool:
        """Whether a word is free-standing: no placeholder, and not glued to another word, as the parts of "don't" and "A/B" are."""
        word = self.words[index]
        if is_opaque(word.text) or not is_word(word.text) or not (word.text[0].isalnum() and word.text[-1].isalnum()):
            return False
        if _is_clitic(word.text) and index and self.words[index - 1].end == word.start:
            return False  # the n't of "don't"
        before, after = self.text[word.start - 1 : word.start], self.text[word.end : word.end + 1]
        if before and before in "-‐‑–/\\@#&_'’*+=<{":
            return False
        possessive = index + 1 < len(self.words) and self.words[index + 1].tag == "POS"
        return possessive or (not (after and after in "-‐‑–/\\@&_'’*+=>}") and not self._glued(index + 1))

    def _glued(self, following: int) -> bool:
        """Whether a clitic such as n't follows without a space."""
        if following >= len(self.words):
            return False
        word = self.words[following]
        return self.words[following - 1].end == word.start and _is_clitic(word.text)


def _is_clitic(text: str) -> bool:
    return any(c in "'’" for c in text) and is_word(text)


def read_sentences(segments: Sequence[Segment], parser: Parser) -> list[Sentence]:
    return [
        Sentence(segment, tree, tuple(_words(tree)))
        for segment, tree in zip(segments, parser.parse([s.text for s in segments]), strict=True)
    ]


def _words(tree: Tree) -> list[Word]:
    return [Word(leaf.token.text, leaf.token.start, leaf.token.end, leaf.label) for leaf in tree.leaves() if leaf.token is not None]


def is_noun(tag: str) -> bool:
    return tag.startswith(("NN", "NR")) or tag in ("FW", "NT")


def is_proper_noun(tag: str) -> bool:
    return tag.startswith(("NNP", "NR"))


def same_part(tag: str, other: str) -> bool:
    """The tag class of SIT and PatInv: the first two letters."""
    return tag[:2] == other[:2]
