"""Where replacements come from: the similar-words table, typed swaps, or a masked language model.

All give proposals for a batch of sentences; what may be proposed for a word is decided here, what is kept by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from metaphrase.core.signature import Signature
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import MaskedText
from metaphrase.text.languages import Language
from metaphrase.text.tokens import is_word
from metaphrase.transforms.editing import Replacement, apply, replace_word
from metaphrase.transforms.isotopic import is_named_again, is_ruled, rules_its_neighbour
from metaphrase.transforms.sentences import Sentence, is_noun
from metaphrase.transforms.swaps import swaps

__all__ = ["CandidateFilter", "CandidateSource", "MaskedWords", "Proposal", "SimilarTable", "TypedSwaps", "WordFilter"]

_JOINTS = frozenset("- ‐ – ' ’".split())

# Whether a word of a sentence may be replaced at all, and whether by this one.
WordFilter = Callable[[Sentence, int, Language], bool]
CandidateFilter = Callable[[Sentence, int, str, Language], bool]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Word `index` of a sentence replaced; `scores` are what the filters saw, `rank` orders proposals, best first."""

    index: int
    replacements: tuple[Replacement, ...]
    origin: str
    rank: float
    scores: Mapping[str, float] = field(default_factory=dict)

    def followup(self, sentence: Sentence) -> str:
        return apply(sentence.text, self.replacements)[0]

    @property
    def place(self) -> int:
        """Where the new word starts in the follow-up."""
        shift = sum(len(r.after) - (r.end - r.start) for r in self.replacements[:-1])
        return self.replacements[-1].start + shift


class CandidateSource(Protocol):
    def propose(self, sentences: Sequence[Sentence], language: Language) -> list[list[Proposal]]: ...
    def signature(self) -> Signature: ...


class SimilarTable:
    """Words of the similar-words table, by word and tag; nouns that stand beside nouns are left alone (they are half a term)."""

    def __init__(self, resources: Resources, accepts: WordFilter, kind: str = "similar") -> None:
        self._resources = resources
        self._accepts = accepts
        self._kind = kind

    def signature(self) -> Signature:
        return Signature("similar-words", "1", {"kind": self._kind})

    def propose(self, sentences: Sequence[Sentence], language: Language) -> list[list[Proposal]]:
        return [self._sentence(sentence, language) for sentence in sentences]

    def _sentence(self, sentence: Sentence, language: Language) -> list[Proposal]:
        table = self._resources.similar_words(language.code)
        found = []
        for index, word in enumerate(sentence.words):
            lowered = sentence.lowered(index)
            if lowered is None or not self._accepts(sentence, index, language) or not sentence.is_whole(index):
                continue
            if _is_half_a_term(sentence, index) or _is_bound(sentence, index, language):
                continue
            for other in table.words(lowered, word.tag, self._kind):
                if language.gender_of(lowered) == language.gender_of(other.text) and not any(
                    other.text == w.text.lower() for w in sentence.words
                ):
                    changes = replace_word(sentence, index, other.text, language)
                    found.append(Proposal(index, changes, "similar-words", other.score, {"similarity": other.score}))
        return found


def _is_bound(sentence: Sentence, index: int, language: Language) -> bool:
    """A verb that rules a preposition (it occurred TO me), a noun in an idiom (on DUTY) or that is named twice."""
    tag = sentence.words[index].tag
    if is_noun(tag):
        before = sentence.words[index - 1] if index else None
        idiom = (
            before is not None and before.tag == "IN" and before.text.lower() not in language.complementizers and is_ruled(sentence, index)
        )
        return idiom or is_named_again(sentence, index)
    return tag.startswith("VB") and rules_its_neighbour(sentence, index, language)


def _is_half_a_term(sentence: Sentence, index: int) -> bool:
    """Beside a hyphen or apostrophe that stands apart (tokenised text), a noun beside a noun, or used as another part of speech."""
    words = sentence.words
    if any(0 <= i < len(words) and words[i].text in _JOINTS for i in (index - 1, index + 1)):
        return True
    tag = words[index].tag
    before = words[index - 1].tag if index else ""
    after = words[index + 1].tag if index + 1 < len(words) else ""
    if tag.startswith("VB") and before in ("DT", "PRP$", "JJ"):
        return True  # "the beginning": no verb there
    if tag == "JJ" and before in ("DT", "IN") and not (is_noun(after) or after.startswith(("JJ", "VB", "CC", ","))):
        return True  # "as a whole", "in particular": no adjective there
    if not is_noun(tag):
        return False
    return any(0 <= i < len(words) and is_noun(words[i].tag) for i in (index - 1, index + 1))


class TypedSwaps:
    """Numbers, weekdays, countries and the like; they keep the sentence's grammar, so they rank first."""

    def __init__(self, seed: int, kinds: frozenset[str] | None = None) -> None:
        self._seed = seed
        self._kinds = kinds

    def signature(self) -> Signature:
        return Signature("typed-swaps", "1", {"seed": self._seed, "kinds": sorted(self._kinds) if self._kinds else None})

    def propose(self, sentences: Sequence[Sentence], language: Language) -> list[list[Proposal]]:
        return [
            [
                Proposal(swap.index, replace_word(sentence, swap.index, swap.after, language), swap.kind, 1.0)
                for swap in swaps(sentence, language, self._seed)
                if self._kinds is None or swap.kind in self._kinds
            ]
            for sentence in sentences
        ]


class MaskedWords:
    """What a masked language model puts in a word's place; its probability is the rank."""

    def __init__(
        self,
        resources: Resources,
        accepts: WordFilter,
        *,
        top: int,
        min_probability: float = 0.0,
        min_length: int = 1,
        keeps: CandidateFilter | None = None,
    ) -> None:
        self._resources = resources
        self._accepts = accepts
        self._keeps = keeps
        self._top = top
        self._min_probability = min_probability
        self._min_length = min_length

    def signature(self) -> Signature:
        parameters = {"top": self._top, "min-probability": self._min_probability, "min-length": self._min_length}
        return Signature("masked-lm", "2", {**parameters, "filter": self._keeps.__name__ if self._keeps else None})

    def propose(self, sentences: Sequence[Sentence], language: Language) -> list[list[Proposal]]:
        places = [
            (number, index)
            for number, sentence in enumerate(sentences)
            for index in range(len(sentence.words))
            if sentence.is_whole(index) and self._accepts(sentence, index, language)
        ]
        masked = [MaskedText(sentences[n].text, sentences[n].words[i].start, sentences[n].words[i].end) for n, i in places]
        filled = self._resources.masked_lm(language.code).fill(masked, top=self._top) if masked else []
        found: list[list[Proposal]] = [[] for _ in sentences]
        for (number, index), candidates in zip(places, filled, strict=True):
            sentence = sentences[number]
            for candidate in candidates:
                if candidate.probability < self._min_probability or len(candidate.text) < self._min_length:
                    continue
                if not _differs(candidate.text, sentence.words[index].text):
                    continue
                if self._keeps is not None and not self._keeps(sentence, index, candidate.text, language):
                    continue
                changes = replace_word(sentence, index, candidate.text, language)
                scores = {"probability": candidate.probability}
                found[number].append(Proposal(index, changes, "masked-lm", candidate.probability, scores))
        return found


def _differs(candidate: str, original: str) -> bool:
    return is_word(candidate) and all(c.isalnum() for c in candidate) and candidate.casefold() != original.casefold()
