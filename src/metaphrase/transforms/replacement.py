"""Word replacement: SIT, CAT and TransRepair differ in which words they touch, where replacements come from and what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from pydantic import Field

from metaphrase.core.options import Options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Direction, Segment
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import Language, language
from metaphrase.transforms.candidates import CandidateSource, Proposal
from metaphrase.transforms.editing import metamorphic_case
from metaphrase.transforms.sentences import Sentence, read_sentences, same_part

__all__ = ["ReplacementOptions", "WordReplacement"]


class ReplacementOptions(Options):
    """`max_cases` a sentence and `per_word` mutants of one word; `tags` is what must stay after the replacement.

    `tags`: "same-class" compares the first two letters of the replaced word's tag, "same-tag" the whole of it (number, tense), "same-sequence"
    the tags of the whole sentence.
    `min_cosine`: of the contextual vectors of the old and the new word; 0 leaves the filter out.
    """

    seed: int = 0
    max_cases: int = Field(ge=1)
    per_word: int = Field(ge=1)
    tags: str = Field(default="same-class", pattern="^(any|same-class|same-tag|same-sequence)$")
    min_cosine: float = Field(default=0.0, ge=0, le=1)


class WordReplacement:
    """Proposals from all sources, filtered, distinct, best first, one word after another."""

    def __init__(self, name: str, resources: Resources, sources: Sequence[CandidateSource], options: ReplacementOptions) -> None:
        self.name = name
        self._resources = resources
        self._sources = sources
        self._options = options

    def signature(self) -> Signature:
        parameters = {**self._options.model_dump(), "profile": self._resources.profile}
        return Signature(self.name, "1", {**parameters, "candidates": [s.signature() for s in self._sources]})

    def propose(self, segments: Sequence[Segment], direction: Direction) -> Iterator[Case]:
        tongue = language(direction.source)
        sentences = read_sentences(segments, self._resources.parser(direction.source))
        batches = [source.propose(sentences, tongue) for source in self._sources]
        proposals = [self._shortlist([p for batch in batches for p in batch[i]], s) for i, s in enumerate(sentences)]
        proposals = self._with_kept_tags(sentences, proposals, tongue)
        if self._options.min_cosine:
            proposals = self._with_cosine(sentences, proposals, tongue)
        for sentence, kept in zip(sentences, proposals, strict=True):
            for number, proposal in enumerate(self._best(kept), start=1):
                extra = {"candidates": proposal.origin, "scores": dict(proposal.scores), "parameters": self._options.model_dump()}
                yield metamorphic_case(sentence, self.name, number, direction, proposal.replacements, extra=extra)

    def _shortlist(self, proposals: list[Proposal], sentence: Sentence) -> list[Proposal]:
        """Distinct follow-ups, ordered; what is clearly too many to be kept is not worth a filter's time."""
        distinct: dict[str, Proposal] = {}
        for proposal in sorted(proposals, key=_order):
            distinct.setdefault(proposal.followup(sentence), proposal)
        return list(distinct.values())

    def _best(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """The best of every word first, then second bests, until the limits are reached."""
        counts: dict[int, int] = {}
        turns: list[tuple[int, Proposal]] = []
        for proposal in sorted(proposals, key=_order):
            counts[proposal.index] = counts.get(proposal.index, 0) + 1
            if counts[proposal.index] <= self._options.per_word:
                turns.append((counts[proposal.index], proposal))
        turns.sort(key=lambda turn: turn[0])
        return [proposal for _, proposal in turns][: self._options.max_cases]

    def _with_kept_tags(self, sentences: Sequence[Sentence], proposals: list[list[Proposal]], tongue: Language) -> list[list[Proposal]]:
        if self._options.tags == "any":
            return proposals
        flat = [(n, p) for n, some in enumerate(proposals) for p in some]
        followups = [replace(sentences[n].segment, text=p.followup(sentences[n])) for n, p in flat]
        mutants = read_sentences(followups, self._resources.parser(tongue.code)) if flat else []
        kept: list[list[Proposal]] = [[] for _ in proposals]
        for (number, proposal), mutant in zip(flat, mutants, strict=True):
            if self._keeps_tags(sentences[number], proposal, mutant):
                kept[number].append(proposal)
        return kept

    def _keeps_tags(self, sentence: Sentence, proposal: Proposal, mutant: Sentence) -> bool:
        if self._options.tags == "same-sequence":
            return [w.tag for w in sentence.words] == [w.tag for w in mutant.words]
        new = next((w for w in mutant.words if w.start == proposal.place), None)
        if new is None:
            return False
        old = sentence.words[proposal.index]
        if self._options.tags == "same-tag":
            # Taggers mix up regular pasts and participles; their form is the same.
            return new.tag == old.tag or ({new.tag, old.tag} == {"VBD", "VBN"} and new.text.endswith("ed"))
        return same_part(new.tag, old.tag)

    def _with_cosine(self, sentences: Sequence[Sentence], proposals: list[list[Proposal]], tongue: Language) -> list[list[Proposal]]:
        """Contextual vectors of the old word in the old sentence and the new word in the new one; the cosine becomes the rank."""
        embedder = self._resources.embedder(tongue.code)
        flat = [(n, p) for n, some in enumerate(proposals) for p in some]
        used = sorted({n for n, _ in flat})
        texts = [sentences[n].text for n in used] + [p.followup(sentences[n]) for n, p in flat]
        vectors = embedder.embed(texts) if texts else []
        originals = dict(zip(used, vectors, strict=False))
        kept: list[list[Proposal]] = [[] for _ in proposals]
        for (number, proposal), mutant in zip(flat, vectors[len(used) :], strict=True):
            old = _vector_at(originals[number], sentences[number].words[proposal.index].start)
            new = _vector_at(mutant, proposal.place)
            if old is None or new is None:
                continue
            cosine = float(old @ new / (np.linalg.norm(old) * np.linalg.norm(new)))
            if cosine >= self._options.min_cosine:
                kept[number].append(replace(proposal, rank=cosine, scores={**proposal.scores, "cosine": cosine}))
        return kept


def _order(proposal: Proposal) -> tuple[float, int, str]:
    return -proposal.rank, proposal.index, proposal.replacements[-1].after


def _vector_at(vectors: object, start: int) -> np.ndarray | None:
    from metaphrase.resources.protocols import TokenVectors

    assert isinstance(vectors, TokenVectors)
    for token, row in zip(vectors.tokens, vectors.vectors, strict=True):
        if token.start <= start < token.end:
            return np.asarray(row)
    return None
