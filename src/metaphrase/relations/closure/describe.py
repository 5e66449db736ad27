"""From translated pairs to what the scorers see: views, links, comparison, left-over words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metaphrase.core.values import MetamorphicCase
from metaphrase.relations.closure.comparison import Comparison, compare
from metaphrase.relations.closure.context import context_features
from metaphrase.relations.closure.links import Links
from metaphrase.relations.closure.views import PairView, view_pair
from metaphrase.relations.closure.word_features import LeftOver, describe_left_over
from metaphrase.resources.profiles import Resources

__all__ = ["Described", "describe_pairs"]

_TOGETHER = 64
_NO_LINKS = (Links(()), Links(()))


@dataclass(frozen=True, slots=True)
class Described:
    """One pair; `left` are the words of the two translations that have no counterpart of their form."""

    view: PairView
    comparison: Comparison
    links: tuple[Links, Links]
    left: tuple[LeftOver, ...]


def describe_pairs(cases: Sequence[MetamorphicCase], resources: Resources, *, align_all: bool = False) -> Iterator[Described]:
    """In order, a few at a time, because the features of many pairs take much memory.

    Pairs without a left-over word are only aligned if `align_all` asks for it: nothing is to be explained there.
    """
    views = [view_pair(case) for case in cases]
    compared = [compare(view.outputs[0], view.outputs[1], view.target) for view in views]
    links: dict[int, tuple[Links, Links]] = {}
    for direction in sorted({view.direction for view in views}):
        chosen = [
            k
            for k, (view, comparison) in enumerate(zip(views, compared, strict=True))
            if view.direction == direction and (align_all or comparison.left_over(0) or comparison.left_over(1))
        ]
        if chosen:
            found = resources.aligner(direction).align([pair for k in chosen for pair in views[k].bitexts()])
            for n, k in enumerate(chosen):
                links[k] = (Links(found[2 * n].links), Links(found[2 * n + 1].links))
    for start in range(0, len(views), _TOGETHER):
        described = [
            Described(views[k], compared[k], links.get(k, _NO_LINKS), _left_over(views[k], compared[k], links.get(k), resources))
            for k in range(start, min(start + _TOGETHER, len(views)))
        ]
        yield from _with_context(described, resources) if resources.has("embedder") else described


def _left_over(view: PairView, comparison: Comparison, links: tuple[Links, Links] | None, resources: Resources) -> tuple[LeftOver, ...]:
    if links is None:
        return ()
    return tuple(describe_left_over(view, comparison, links, resources.lexicon(view.direction), resources.synonyms(view.direction.target)))


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
            seen = context_features(pair.comparison, pair.left, (vectors[2 * n], vectors[2 * n + 1]))
            left = tuple(replace(word, features={**word.features, **extra}) for word, extra in zip(pair.left, seen, strict=True))
            result[k] = replace(pair, left=left)
    return result
