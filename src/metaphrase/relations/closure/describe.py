"""From translated pairs to what the scorers see: views, links, comparison, left-over words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from metaphrase.core.values import Direction, MetamorphicCase
from metaphrase.relations.closure.comparison import Comparison, compare
from metaphrase.relations.closure.context import context_features
from metaphrase.relations.closure.links import FIRM, Links
from metaphrase.relations.closure.sentences import sentence_features
from metaphrase.relations.closure.sightings import sightings
from metaphrase.relations.closure.views import PairView, view_pair
from metaphrase.relations.closure.word_features import Evidence, LeftOver, describe_left_over
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Link, SoftAligner

__all__ = ["Described", "describe_pairs", "link_pairs"]

# Alignment and sightings learn from this many pairs together; more would only take more memory.
_BATCH = 4_000
_TOGETHER = 64
_NO_LINKS = (Links(()), Links(()))


@dataclass(frozen=True, slots=True)
class Described:
    """One pair; `left` are the words of the two translations that have no counterpart of their form."""

    view: PairView
    comparison: Comparison
    links: tuple[Links, Links]
    left: tuple[LeftOver, ...]


def describe_pairs(
    cases: Sequence[MetamorphicCase], resources: Resources, *, ask_sentences: Callable[[Direction], bool] = lambda _: True
) -> Iterator[Described]:
    """In order. Pairs without a left-over word are not aligned: nothing is to be explained there.

    `ask_sentences`: whether a sentence encoder is to be asked about pairs of a direction, if there is one.
    """
    for start in range(0, len(cases), _BATCH):
        yield from _describe_batch(cases[start : start + _BATCH], resources, ask_sentences)


def link_pairs(cases: Sequence[MetamorphicCase], resources: Resources) -> Iterator[Described]:
    """In order, all of them aligned, their left-over words not described: what closures need, and much cheaper."""
    for start in range(0, len(cases), _BATCH):
        views = [view_pair(case) for case in cases[start : start + _BATCH]]
        linked: dict[int, tuple[Links, Links]] = {}
        for direction in sorted({view.direction for view in views}):
            chosen = [k for k, view in enumerate(views) if view.direction == direction]
            linked.update(
                (k, _firm(both)) for k, both in zip(chosen, _links([views[k] for k in chosen], direction, resources), strict=True)
            )
        for k, view in enumerate(views):
            yield Described(view, compare(view.outputs[0], view.outputs[1], view.target), linked.pop(k), ())


def _describe_batch(
    cases: Sequence[MetamorphicCase], resources: Resources, ask_sentences: Callable[[Direction], bool]
) -> Iterator[Described]:
    """Described a few at a time, because the features of many pairs take much memory."""
    views = [view_pair(case) for case in cases]
    compared = [compare(view.outputs[0], view.outputs[1], view.target) for view in views]
    evidence: dict[int, Evidence] = {}
    for direction in sorted({view.direction for view in views}):
        chosen = [
            k
            for k, (view, comparison) in enumerate(zip(views, compared, strict=True))
            if view.direction == direction and (comparison.left_over(0) or comparison.left_over(1))
        ]
        if chosen:
            evidence.update(zip(chosen, _evidence([views[k] for k in chosen], direction, resources), strict=True))
    for start in range(0, len(views), _TOGETHER):
        described = [_describe(views[k], compared[k], evidence.pop(k, None)) for k in range(start, min(start + _TOGETHER, len(views)))]
        if resources.has("embedder"):
            described = _with_context(described, resources)
        yield from _with_sentences(described, resources, ask_sentences)


def _evidence(views: Sequence[PairView], direction: Direction, resources: Resources) -> list[Evidence]:
    """Of pairs of one direction: links, and what the pairs together show."""
    links = _links(views, direction, resources)
    seen, groups = sightings(views, links)
    lexicon, synonyms = resources.lexicon(direction), resources.synonyms(direction.target)
    return [Evidence(both, lexicon, synonyms, seen, group) for both, group in zip(links, groups, strict=True)]


def _links(views: Sequence[PairView], direction: Direction, resources: Resources) -> list[tuple[Sequence[Link], Sequence[Link]]]:
    """Weak ones too, where the aligner tells them."""
    pairs = [pair for view in views for pair in view.bitexts()]
    aligner = resources.aligner(direction)
    found: Sequence[Sequence[Link]]
    found = aligner.soft_links(pairs) if isinstance(aligner, SoftAligner) else [alignment.links for alignment in aligner.align(pairs)]
    return list(zip(found[::2], found[1::2], strict=True))


def _firm(links: Sequence[Sequence[Link]]) -> tuple[Links, Links]:
    firm = [Links(link for link in side if link.weight >= FIRM) for side in links]
    return firm[0], firm[1]


def _describe(view: PairView, comparison: Comparison, evidence: Evidence | None) -> Described:
    if evidence is None:
        return Described(view, comparison, _NO_LINKS, ())
    return Described(view, comparison, _firm(evidence.links), tuple(describe_left_over(view, comparison, evidence)))


def _with_context(described: Sequence[Described], resources: Resources) -> list[Described]:
    """What contextual vectors add about the left-over words, where the profile has an embedder.

    The words are cut as for the aligner, so that both use the same encoding of a text.
    """
    result = list(described)
    for target in sorted({pair.view.direction.target for pair in described if pair.left}):
        chosen = [k for k, pair in enumerate(described) if pair.left and pair.view.direction.target == target]
        texts = [[t.text for t in text.tokens] for k in chosen for text in described[k].view.outputs]
        vectors = resources.embedder(target).embed_words(texts)
        for n, k in enumerate(chosen):
            pair = described[k]
            result[k] = _with_features(pair, context_features(pair.comparison, pair.left, (vectors[2 * n], vectors[2 * n + 1])))
    return result


def _with_sentences(described: Sequence[Described], resources: Resources, ask_sentences: Callable[[Direction], bool]) -> list[Described]:
    """What a sentence encoder adds, where one was fetched for the language."""
    result = list(described)
    for direction in sorted({pair.view.direction for pair in described if pair.left}):
        embedder = resources.sentence_embedder(direction.target) if ask_sentences(direction) else None
        if embedder is not None:
            chosen = [k for k, pair in enumerate(described) if pair.left and pair.view.direction == direction]
            found = sentence_features([(described[k].comparison, described[k].left) for k in chosen], embedder)
            for k, extra in zip(chosen, found, strict=True):
                result[k] = _with_features(described[k], extra)
    return result


def _with_features(pair: Described, extra: Sequence[dict[str, float]]) -> Described:
    left = tuple(replace(word, features={**word.features, **more}) for word, more in zip(pair.left, extra, strict=True))
    return replace(pair, left=left)
