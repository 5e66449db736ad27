"""Which variant's translation is to be trusted most: the one the others agree with, or the one its system is surest of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from metaphrase.relations.similarity import bleu, edit_similarity, lcs_similarity, tf_idf_similarity
from metaphrase.repair.values import Variant

__all__ = ["METRICS", "Ranked", "cross_reference", "rank"]

METRICS: Mapping[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "lcs": lcs_similarity,
    "edit-distance": edit_similarity,
    "tf-idf": tf_idf_similarity,
    "bleu": bleu,
}

Ranked = tuple[float, Variant]


def cross_reference(texts: Sequence[Sequence[str]], metric: str) -> list[float]:
    """The mean similarity of every token sequence to all others; alone, a text agrees with nothing: 0."""
    measure = METRICS[metric]
    count = len(texts)
    sums = [0.0] * count
    for i in range(count):
        for j in range(i + 1, count):
            value = measure(texts[i], texts[j])
            sums[i] += value
            sums[j] += value
    return [total / (count - 1) if count > 1 else 0.0 for total in sums]


def rank(
    variants: Sequence[Variant], words: Sequence[Sequence[str]], by: str, metric: str, others: Sequence[Sequence[str]] = ()
) -> tuple[str, list[Ranked]]:
    """What the variants were ranked by, and (value, variant), best first. `by` is a choice of `RepairOptions.rank`.

    `others` are near translations that cannot be chosen but agree or disagree with those that can.
    """
    scores = [v.score for v in variants]
    if by == "score" or (by == "auto" and variants and all(s is not None for s in scores)):
        known = [(s, v) for s, v in zip(scores, variants, strict=True) if s is not None]
        return "score", sorted(known, key=lambda pair: (-pair[0], pair[1].text))
    values = cross_reference([*words, *others], metric)[: len(words)]
    return f"cross-reference ({metric})", sorted(zip(values, variants, strict=True), key=lambda pair: (-pair[0], pair[1].text))
