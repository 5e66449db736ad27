"""CIT's transformation: compress a sentence to its core, then put one adjunct back.

`source` is the core, `followup` the core with one adjunct; variants of the adjunct have one of its words replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import Field

from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Direction, Edit, MetamorphicCase, Segment
from metaphrase.resources.profiles import Resources
from metaphrase.text.diff import changes
from metaphrase.text.languages import Language, language
from metaphrase.transforms.adjuncts import Adjunct, adjuncts, has_core, without
from metaphrase.transforms.candidates import CandidateSource, MaskedWords, SimilarTable, TypedSwaps
from metaphrase.transforms.sentences import Sentence, read_sentences

__all__ = ["Compression", "CompressionOptions", "make"]


class CompressionOptions(Options):
    """`variants`: how many mutants of each adjunct are inserted besides the adjunct itself."""

    seed: int = 0
    max_cases: int = Field(default=5, ge=1)
    variants: int = Field(default=1, ge=0)
    top: int = Field(default=10, ge=1)


@configured_by(CompressionOptions)
def make(resources: Resources, options: Mapping[str, Any]) -> Compression:
    return Compression(resources, read_options(CompressionOptions, options, "[method.cit]"))


class Compression:
    name = "cit"

    def __init__(self, resources: Resources, options: CompressionOptions) -> None:
        self._resources = resources
        self._options = options

    def signature(self) -> Signature:
        return Signature("adjunct-insertion", "1", {**self._options.model_dump(), "profile": self._resources.profile})

    def propose(self, segments: Sequence[Segment], direction: Direction) -> Iterator[Case]:
        tongue = language(direction.source)
        sentences = read_sentences(segments, self._resources.parser(direction.source))
        found = [adjuncts(sentence, tongue) for sentence in sentences]
        variants = self._variants(sentences, found, tongue)
        for sentence, some, other in zip(sentences, found, variants, strict=True):
            yield from self._cases(sentence, some, other, direction)

    def _cases(
        self, sentence: Sentence, found: Sequence[Adjunct], variants: Mapping[Adjunct, list[Sentence]], direction: Direction
    ) -> Iterator[Case]:
        core = without(sentence, found)
        left = [w for w in sentence.words if not any(a.start <= w.start < a.end for a in found)]
        if not found or not has_core([w.text for w in left], [w.tag for w in left]):
            return
        seen = {core}
        number = 0
        for one in found:
            others = [a for a in found if a != one]
            for version, text in enumerate(
                [without(sentence, others), *(without(v, _moved(others, one, v, sentence)) for v in variants[one])]
            ):
                if text in seen or number == self._options.max_cases:
                    continue
                seen.add(text)
                number += 1
                yield MetamorphicCase(
                    id=f"{sentence.segment.id}/cit-{number}",
                    direction=direction,
                    transformation=self.name,
                    source=core,
                    followup=text,
                    edits=_edits(core, text, language(direction.source)),
                    extra=MappingProxyType(
                        {
                            "segment": sentence.segment.id,
                            "adjunct": one.kind,
                            "variant": version,
                            "parameters": self._options.model_dump(),
                        }
                    ),
                )

    def _variants(
        self, sentences: Sequence[Sentence], found: Sequence[Sequence[Adjunct]], tongue: Language
    ) -> list[dict[Adjunct, list[Sentence]]]:
        """The sentence with a word of an adjunct replaced, for each adjunct."""
        result: list[dict[Adjunct, list[Sentence]]] = [{a: [] for a in some} for some in found]
        if not self._options.variants:
            return result
        inside = {id(s): some for s, some in zip(sentences, found, strict=True)}

        def accepts(sentence: Sentence, index: int, tongue: Language) -> bool:
            word = sentence.words[index]
            content = word.tag.startswith(("NN", "JJ", "CD")) and not tongue.is_stop(word.text)
            return content and any(a.start <= word.start < a.end for a in inside[id(sentence)])

        sources: list[CandidateSource] = (
            [MaskedWords(self._resources, accepts, top=self._options.top, min_length=2)]
            if self._resources.has("masked-lm")
            else [SimilarTable(self._resources, accepts), TypedSwaps(self._options.seed)]
        )
        for source in sources:
            for number, proposals in enumerate(source.propose(sentences, tongue)):
                sentence = sentences[number]
                for proposal in sorted(proposals, key=lambda p: -p.rank):
                    place = sentence.words[proposal.index].start
                    one = next((a for a in found[number] if a.start <= place < a.end), None)
                    if one is not None and len(proposal.replacements) == 1 and len(result[number][one]) < self._options.variants:
                        segment = Segment(sentence.segment.id, proposal.followup(sentence), sentence.segment.language)
                        result[number][one].append(Sentence(segment, sentence.tree, sentence.words))
        return result


def _moved(others: Sequence[Adjunct], one: Adjunct, variant: Sentence, original: Sentence) -> list[Adjunct]:
    """The other adjuncts where they stand in a variant, whose one adjunct is longer or shorter."""
    shift = len(variant.text) - len(original.text)
    return [a if a.start < one.start else Adjunct(a.start + shift, a.end + shift, a.kind) for a in others]


def _edits(source: str, followup: str, tongue: Language) -> tuple[Edit, ...]:
    left, right = tongue.tokens(source), tongue.tokens(followup)
    found = []
    for change in changes([t.text for t in left], [t.text for t in right]):
        start, end = _characters(left, change.left_start, change.left_end, source)
        new_start, new_end = _characters(right, change.right_start, change.right_end, followup)
        found.append(Edit(start, end, new_start, new_end, source[start:end], followup[new_start:new_end]))
    return tuple(found)


def _characters(tokens: Sequence[Any], first: int, last: int, text: str) -> tuple[int, int]:
    if first < last:
        return tokens[first].start, tokens[last - 1].end
    place = tokens[first].start if first < len(tokens) else len(text)
    return place, place
