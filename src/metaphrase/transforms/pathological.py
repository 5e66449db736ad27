"""PatInv's transformations: sentences of the same shape and another meaning.

Replacement: a content word by one of the same class that means something else. Removal: a content word or a phrase.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import Field

from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Direction, Expectation, Segment
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import Language, language
from metaphrase.text.trees import Tree
from metaphrase.transforms.adjuncts import adjuncts
from metaphrase.transforms.candidates import CandidateSource, MaskedWords, Proposal, SimilarTable
from metaphrase.transforms.editing import metamorphic_case, remove
from metaphrase.transforms.sentences import Sentence, Word, is_noun, read_sentences, same_part

__all__ = ["OtherMeaning", "OtherMeaningOptions", "make"]

_CONTENT = ("NN", "JJ", "RB", "VB", "VV", "VA", "AD", "PRP", "PN")


class OtherMeaningOptions(Options):
    """`replacements` and `removals` a sentence.

    Where a masked LM proposes: `top` guesses; trees may differ by `max_tree_distance` labels; `max_cosine` of the two sentences' mean
    vectors (the paper's sentence embedding). `min_removed`: characters that a removal takes away at least.
    """

    seed: int = 0
    replacements: int = Field(ge=0)
    removals: int = Field(ge=0)
    top: int = Field(ge=1)
    max_tree_distance: int = Field(ge=0)
    max_cosine: float = Field(gt=0, le=1)
    min_removed: int = Field(ge=1)


@configured_by(OtherMeaningOptions)
def make(resources: Resources, options: Mapping[str, Any]) -> OtherMeaning:
    return OtherMeaning(resources, read_options(OtherMeaningOptions, options, "[method.patinv]"))


class OtherMeaning:
    name = "patinv"

    def __init__(self, resources: Resources, options: OtherMeaningOptions) -> None:
        self._resources = resources
        self._options = options

    def signature(self) -> Signature:
        return Signature("other-meaning", "1", {**self._options.model_dump(), "profile": self._resources.profile})

    def propose(self, segments: Sequence[Segment], direction: Direction) -> Iterator[Case]:
        tongue = language(direction.source)
        sentences = read_sentences(segments, self._resources.parser(direction.source))
        replaced = self._replacements(sentences, tongue)
        for sentence, proposals in zip(sentences, replaced, strict=True):
            removed = list(self._removals(sentence, tongue))[: self._options.removals]
            for number, proposal in enumerate([*proposals, *removed], start=1):
                extra = {"candidates": proposal.origin, "scores": dict(proposal.scores), "parameters": self._options.model_dump()}
                yield metamorphic_case(
                    sentence, self.name, number, direction, proposal.replacements, expectation=Expectation.DIFFERENT, extra=extra
                )

    def _replacements(self, sentences: Sequence[Sentence], tongue: Language) -> list[list[Proposal]]:
        if not self._options.replacements:
            return [[] for _ in sentences]

        def accepts(sentence: Sentence, index: int, tongue: Language) -> bool:
            word = sentence.words[index]
            return word.tag.startswith(_CONTENT) and not tongue.is_stop(word.text)

        uses_model = self._resources.has("masked-lm")
        sources: list[CandidateSource] = (
            [MaskedWords(self._resources, accepts, top=self._options.top)]
            if uses_model
            else [SimilarTable(self._resources, accepts, "antonym"), SimilarTable(self._resources, accepts, "unrelated")]
        )
        batches = [source.propose(sentences, tongue) for source in sources]
        proposals = [[p for batch in batches for p in batch[i] if self._is_other(p, s, tongue)] for i, s in enumerate(sentences)]
        if not uses_model:  # the table's words are of the right class already: one a word is enough to find some that keep the shape
            proposals = [_one_a_word(some)[: 2 * self._options.replacements] for some in proposals]
        proposals = [_one_a_word(some) for some in self._same_shape(sentences, proposals, tongue)]
        if uses_model:
            proposals = self._far_apart(sentences, proposals, tongue)
        return [some[: self._options.replacements] for some in proposals]

    def _is_other(self, proposal: Proposal, sentence: Sentence, tongue: Language) -> bool:
        """Another lemma and stem, no stop word, and not listed as similar in either direction."""
        old, new = sentence.words[proposal.index], proposal.replacements[-1].after
        if tongue.is_stop(new) or tongue.lemma(new) == tongue.lemma(old.text) or tongue.stem(new) == tongue.stem(old.text):
            return False
        similar = {w.text for w in self._resources.similar_words(tongue.code).words(old.text.lower(), old.tag)}
        return new.lower() not in similar

    def _same_shape(self, sentences: Sequence[Sentence], proposals: list[list[Proposal]], tongue: Language) -> list[list[Proposal]]:
        flat = [(n, p) for n, some in enumerate(proposals) for p in some]
        followups = [replace(sentences[n].segment, text=p.followup(sentences[n])) for n, p in flat]
        mutants = read_sentences(followups, self._resources.parser(tongue.code)) if flat else []
        kept: list[list[Proposal]] = [[] for _ in proposals]
        for (number, proposal), mutant in zip(flat, mutants, strict=True):
            sentence = sentences[number]
            word = next((w for w in mutant.words if w.start == proposal.place), None)
            if word is None or not same_part(word.tag, sentence.words[proposal.index].tag):
                continue
            distance = _tree_distance(sentence.tree, mutant.tree)
            if distance <= self._options.max_tree_distance:
                kept[number].append(replace(proposal, scores={**proposal.scores, "tree-distance": distance}))
        return kept

    def _far_apart(self, sentences: Sequence[Sentence], proposals: list[list[Proposal]], tongue: Language) -> list[list[Proposal]]:
        embedder = self._resources.embedder(tongue.code)
        flat = [(n, p) for n, some in enumerate(proposals) for p in some[: 4 * self._options.replacements]]
        texts = [s.text for s in sentences] + [p.followup(sentences[n]) for n, p in flat]
        means = [v.vectors.mean(axis=0) if len(v.vectors) else np.zeros(1) for v in embedder.embed(texts)]
        kept: list[list[Proposal]] = [[] for _ in proposals]
        for (number, proposal), mutant in zip(flat, means[len(sentences) :], strict=True):
            original = means[number]
            cosine = float(original @ mutant / (np.linalg.norm(original) * np.linalg.norm(mutant)))
            if cosine <= self._options.max_cosine:
                kept[number].append(replace(proposal, scores={**proposal.scores, "sentence-cosine": cosine}))
        return kept

    def _removals(self, sentence: Sentence, tongue: Language) -> Iterator[Proposal]:
        """Phrases that the sentence can do without, then adjectives before a noun."""
        for one in adjuncts(sentence, tongue):
            if one.end - one.start >= self._options.min_removed:
                index = next(i for i, w in enumerate(sentence.words) if w.start >= one.start)
                yield Proposal(index, (remove(sentence.text, one.start, one.end),), f"removed {one.kind}", 1.0)
        for index, word in enumerate(sentence.words[:-1]):
            last = index + 1 if sentence.words[index + 1].tag == "DEG" else index  # 安静的小镇: with its particle
            following = sentence.words[last + 1] if last + 1 < len(sentence.words) else None
            if following is None or not _is_attribute(sentence, index, following, tongue):
                continue
            if last == index and index + 2 < len(sentence.words) and is_noun(sentence.words[index + 2].tag):
                continue  # foreign exchange reserves: it may belong to the first noun, which says the same alone
            if len(word.text) >= min(self._options.min_removed, 2):
                changes = [remove(sentence.text, word.start, sentence.words[last].end)]
                before = sentence.words[index - 1] if index else None
                agreeing = tongue.agreeing(before.text, following.text) if before else None
                if before is not None and agreeing is not None:
                    changes.insert(0, replace(changes[0], start=before.start, end=before.end, after=agreeing))
                yield Proposal(index, tuple(changes), "removed JJ", 0.5)


def _is_attribute(sentence: Sentence, index: int, noun: Word, tongue: Language) -> bool:
    """An adjective before its noun that stands alone; in Chinese one with 的, because without it is half a term (新兴市场)."""
    word = sentence.words[index]
    if word.tag != "JJ" or not is_noun(noun.tag) or not sentence.is_whole(index) or sentence.lowered(index) != word.text:
        return False
    if tongue.is_stop(word.text) or (tongue.compares_by_character and sentence.words[index + 1].tag != "DEG"):
        return False
    before = sentence.words[index - 1].tag if index else ""
    predicate = tongue.compares_by_character and is_noun(before)  # (地势低洼)的岛国
    return not predicate and before not in ("JJ", "CC", "RB", "AD", ",", "VA", "PU")


def _one_a_word(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The best proposal of each word, surest first."""
    best: dict[int, Proposal] = {}
    for proposal in proposals:
        if proposal.index not in best or proposal.rank > best[proposal.index].rank:
            best[proposal.index] = proposal
    return sorted(best.values(), key=lambda p: (-p.rank, p.index))


def _tree_distance(a: Tree, b: Tree) -> int:
    """How many more constituents of a label one tree has, summed over labels."""
    counts: dict[str, int] = {}
    for tree, sign in ((a, 1), (b, -1)):
        for node in tree.subtrees():
            if not node.is_leaf:
                counts[node.label] = counts.get(node.label, 0) + sign
    return sum(map(abs, counts.values()))
