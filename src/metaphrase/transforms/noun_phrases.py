"""Noun phrases against what contains them: the referentially transparent inputs of Purity.

A phrase and its container are one case: `source` is the container, `followup` the phrase; the edits delete what stands around the phrase.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Direction, Edit, MetamorphicCase, Segment
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import language
from metaphrase.text.normalise import bare
from metaphrase.text.trees import Tree

__all__ = ["NounPhraseOptions", "NounPhrases", "make"]


class NounPhraseOptions(Options):
    """`max_words` counts words of the phrase, `min_content_words` those that are not stop words."""

    max_words: int = 10
    min_content_words: int = 3
    max_cases: int = 50


@configured_by(NounPhraseOptions)
def make(resources: Resources, options: Mapping[str, Any]) -> NounPhrases:
    return NounPhrases(resources, read_options(NounPhraseOptions, options, "[method.purity]"))


class NounPhrases:
    name = "purity"

    def __init__(self, resources: Resources, options: NounPhraseOptions) -> None:
        self._resources = resources
        self._options = options

    def signature(self) -> Signature:
        return Signature("noun-phrases", "1", {**self._options.model_dump(), "profile": self._resources.profile})

    def propose(self, segments: Sequence[Segment], direction: Direction) -> Iterator[Case]:
        parser = self._resources.parser(direction.source)
        for segment, tree in zip(segments, parser.parse([s.text for s in segments]), strict=True):
            yield from self._cases(segment, tree, direction)

    def _cases(self, segment: Segment, tree: Tree, direction: Direction) -> Iterator[Case]:
        whole = (0, len(segment.text))
        pairs: dict[tuple[tuple[int, int], tuple[int, int]], None] = {}
        self._pairs(tree, [whole], segment.text, language(direction.source).is_content, pairs)
        made = 0
        for (start, end), (inner_start, inner_end) in pairs:
            container, phrase = segment.text[start:end], segment.text[inner_start:inner_end]
            if bare(container) == bare(phrase) or made == self._options.max_cases:
                continue
            made += 1
            before, after = segment.text[start:inner_start], segment.text[inner_end:end]
            length = len(phrase)
            edits = [Edit(0, len(before), 0, 0, before, ""), Edit(len(before) + length, end - start, length, length, after, "")]
            yield MetamorphicCase(
                id=f"{segment.id}/purity-{made}",
                direction=direction,
                transformation="purity",
                source=container,
                followup=phrase,
                edits=tuple(e for e in edits if e.before),
                extra=MappingProxyType({"segment": segment.id, "container_start": start}),
            )

    def _pairs(
        self,
        node: Tree,
        containers: list[tuple[int, int]],
        text: str,
        is_content: Any,
        pairs: dict[tuple[tuple[int, int], tuple[int, int]], None],
    ) -> None:
        """Algorithm 1 of the paper, RECURSIVENPFINDER."""
        if node.is_leaf:
            return
        if node.label == "NP" and not (len(node.children) == 1 and node.children[0].is_leaf):
            words = [t.text for t in node.tokens() if t.text[:1].isalnum()]
            if len(words) <= self._options.max_words and sum(map(is_content, words)) >= self._options.min_content_words:
                place = (node.start, node.end)
                for container in containers:
                    if container != place:
                        pairs.setdefault((container, place))
                containers = [*containers, place]
        for child in node.children:
            self._pairs(child, containers, text, is_content, pairs)
