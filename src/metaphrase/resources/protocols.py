"""What methods and relations may ask of a profile. Batch in, batch out; every resource has a signature.

A resource is made by a factory that an entry point of the group `metaphrase.resources` names as
`role.profile`, for instance `aligner.lite`; see `profiles.py` for how it is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from metaphrase.core.signature import Signature
from metaphrase.text.tokens import Token
from metaphrase.text.trees import Dependency, Tree

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = [
    "Aligner",
    "Alignment",
    "Candidate",
    "DependencyParser",
    "Embedder",
    "Lexicon",
    "Link",
    "MaskedLM",
    "MaskedText",
    "Parser",
    "SentenceEmbedder",
    "SimilarWord",
    "SimilarWords",
    "SoftAligner",
    "Synonyms",
    "TokenPair",
    "TokenVectors",
]


@dataclass(frozen=True, slots=True)
class TokenPair:
    """Two texts that translate each other, as words."""

    source: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """Word `source` is translated by word `target`; positions from 0, `weight` in 0..1."""

    source: int
    target: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Alignment:
    """The links of one pair, sorted."""

    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A sentence whose characters [start, end) are to be guessed."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A guess for a masked place."""

    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """Contextual vectors, one row a token."""

    tokens: tuple[Token, ...]
    vectors: NDArray[numpy.float32]


@dataclass(frozen=True, slots=True)
class SimilarWord:
    """A word that can stand in another one's place, and how sure that is (0..1)."""

    text: str
    score: float


@runtime_checkable
class Aligner(Protocol):
    """Word alignment for one direction. What it learns from a batch, it learns from that batch only."""

    def align(self, pairs: Sequence[TokenPair]) -> list[Alignment]: ...
    def signature(self) -> Signature: ...


@runtime_checkable
class SoftAligner(Protocol):
    """An aligner that also tells the links that it would not report, with their probabilities."""

    def soft_links(self, pairs: Sequence[TokenPair]) -> list[list[Link]]: ...


@runtime_checkable
class Parser(Protocol):
    """Constituency trees; the leaves' labels are parts of speech, their tokens point into the sentence."""

    def parse(self, sentences: Sequence[str]) -> list[Tree]: ...
    def signature(self) -> Signature: ...


@runtime_checkable
class DependencyParser(Protocol):
    def dependencies(self, sentences: Sequence[str]) -> list[tuple[Dependency, ...]]: ...
    def signature(self) -> Signature: ...


@runtime_checkable
class Embedder(Protocol):
    """Contextual vectors of words; `embed_words` takes texts that are cut into words already, one row a word.

    It may take its vectors from another layer than `embed` does, unless asked for the `last`, which is the one of `embed`.
    """

    def embed(self, sentences: Sequence[str]) -> list[TokenVectors]: ...
    def embed_words(self, texts: Sequence[Sequence[str]], *, last: bool = False) -> list[NDArray[numpy.float32]]: ...
    def signature(self) -> Signature: ...


@runtime_checkable
class SentenceEmbedder(Protocol):
    """Unit vectors of whole texts, one row a text."""

    def embed_texts(self, texts: Sequence[str]) -> NDArray[numpy.float32]: ...
    def signature(self) -> Signature: ...


@runtime_checkable
class MaskedLM(Protocol):
    """Guesses for a masked place, most probable first."""

    def fill(self, masked: Sequence[MaskedText], top: int = 10) -> list[list[Candidate]]: ...
    def signature(self) -> Signature: ...


@runtime_checkable
class Lexicon(Protocol):
    """How surely a target word is a listed translation of a source word, 0..1."""

    def strength(self, source: str, target: str) -> float: ...
    def signature(self) -> Signature: ...


@runtime_checkable
class Synonyms(Protocol):
    """How surely two words of a language mean the same, and how rare a word is; both 0..1."""

    def related(self, a: str, b: str) -> float: ...
    def rarity(self, word: str) -> float: ...
    def signature(self) -> Signature: ...


@runtime_checkable
class SimilarWords(Protocol):
    """Words for another one's place, by what they do to the meaning; `tag` is the part of speech, inflection included.

    `kind` is "similar" (nearly the same), "antonym" (the opposite) or "unrelated" (something else of the same sort).
    """

    def words(self, word: str, tag: str, kind: str = "similar") -> tuple[SimilarWord, ...]: ...
    def signature(self) -> Signature: ...
