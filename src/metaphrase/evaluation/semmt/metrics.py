"""The plain similarities that the paper compares with, over source and back-translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from metaphrase.core.errors import MissingResourceError
from metaphrase.relations.similarity import bleu
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import language

__all__ = ["Texts", "dependency_similarities", "plain_similarities", "vector_similarities"]

Texts = Sequence[tuple[str, str]]


def plain_similarities(texts: Texts) -> dict[str, list[float]]:
    """Levenshtein over characters and sentence BLEU over words."""
    tokens = language("en").tokens
    words = [([t.text for t in tokens(a)], [t.text for t in tokens(b)]) for a, b in texts]
    return {
        "LEVEN": [1.0 - Levenshtein.distance(a, b) / max(len(a), len(b), 1) for a, b in texts],
        "BLEU": [bleu(a, b) for a, b in words],
    }


def dependency_similarities(texts: Texts, resources: Resources) -> list[float] | str:
    """SIT's distance between counts of dependency relations, as a similarity; or why there is none."""
    try:
        parser = resources.dependency_parser("en")
        parses = parser.dependencies([text for pair in texts for text in pair])
    except MissingResourceError as error:
        return f"not available: {error}"
    labels = [Counter(dependency.label for dependency in parse) for parse in parses]
    distances = [sum(((labels[i] - labels[i + 1]) + (labels[i + 1] - labels[i])).values()) for i in range(0, len(labels), 2)]
    largest = max(distances, default=0) or 1
    return [1.0 - distance / largest for distance in distances]


def vector_similarities(texts: Texts, resources: Resources) -> list[float] | str:
    """Cosine of mean token vectors; or why there is none."""
    try:
        embedder = resources.embedder("en")
        vectors = [found.vectors.mean(axis=0) for found in embedder.embed([text for pair in texts for text in pair])]
    except MissingResourceError as error:
        return f"not available: {error}"
    cosines: list[float] = []
    for i in range(0, len(vectors), 2):
        a, b = vectors[i], vectors[i + 1]
        cosines.append(float(a @ b / (((a @ a) * (b @ b)) ** 0.5 or 1.0)))
    return cosines
