"""From cases to described pairs: words, links, vectors, rules. Every distinct text is aligned and embedded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from metaphrase.core.values import Direction
from metaphrase.relations.closure.links import Links
from metaphrase.relations.closure.views import Text, words_of
from metaphrase.relations.differential.alone import Answer
from metaphrase.relations.differential.pairs import EnginePair, PairDescriber, Rendered
from metaphrase.relations.differential.rules import Breach, changed_negation, changed_numbers
from metaphrase.resources.lite.aligner import lite_aligner
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Aligner, Link, SoftAligner, TokenPair
from metaphrase.text.languages import language

__all__ = ["Described", "Renderer"]

DICTIONARY = {"zh", "en"}


@dataclass(frozen=True, slots=True)
class Described:
    """Two engines' translations compared, and the rules that they break."""

    engines: tuple[str, str]
    pair: EnginePair
    breaches: tuple[Breach, ...]


class Renderer:
    """One direction on one profile."""

    def __init__(self, way: Direction, resources: Resources) -> None:
        self.way = way
        self.languages = language(way.source), language(way.target)
        self.synonyms = resources.synonyms(way.target)
        self.describer = PairDescriber(*self.languages, resources.lexicon(way), self.synonyms)
        # Where there is a dictionary, the lexical aligner's graded links serve better here than the encoder's, on any profile.
        dictionary = {way.source.split("-")[0], way.target.split("-")[0]} == DICTIONARY
        self.aligner: Aligner = lite_aligner(way, {}) if dictionary and resources.profile == "neural" else resources.aligner(way)
        self._embedder = resources.embedder(way.target) if resources.has("embedder") else None

    def source(self, text: str) -> Text:
        return words_of(text, self.way.source)

    def render(self, sources: Sequence[str], answers: Sequence[Sequence[Answer]]) -> list[dict[str, Rendered]]:
        """Words, links and vectors of all answers; every distinct text once."""
        wanted = list(dict.fromkeys((s, a.text) for s, some in zip(sources, answers, strict=True) for a in some))
        texts = {(s, t): (words_of(s, self.way.source), words_of(t, self.way.target)) for s, t in wanted}
        pairs = [TokenPair(tuple(t.text for t in a.tokens), tuple(t.text for t in b.tokens)) for a, b in (texts[key] for key in wanted)]
        if isinstance(self.aligner, SoftAligner):
            rows: list[Sequence[Link]] = list(self.aligner.soft_links(pairs))
        else:
            rows = [alignment.links for alignment in self.aligner.align(pairs)]
        links = {key: Links(row) for key, row in zip(wanted, rows, strict=True)}
        vectors: dict[str, Any] = {}
        if self._embedder is not None:
            distinct = list(dict.fromkeys(t for _, t in wanted))
            views = [words_of(t, self.way.target) for t in distinct]
            found = self._embedder.embed_words([[t.text for t in view.tokens] for view in views])
            vectors = dict(zip(distinct, found, strict=True))
        return [
            {a.engine: Rendered(a.engine, texts[s, a.text][1], links[s, a.text], vectors.get(a.text)) for a in some}
            for s, some in zip(sources, answers, strict=True)
        ]

    def describe(self, source: Text, renderings: Mapping[str, Rendered]) -> list[Described]:
        """Every pair of engines; the pair's order is that of its texts, so that the order of engines changes nothing."""
        described = []
        for pair_of_engines in combinations(renderings, 2):
            a, b = sorted(pair_of_engines, key=lambda e: (renderings[e].text.text, e))
            pair = self.describer.describe(source, renderings[a], renderings[b])
            breaches = [*changed_numbers(pair, *self.languages)]
            negation = changed_negation(pair, *self.languages)
            if negation is not None:
                breaches.append(negation)
            described.append(Described((a, b), pair, tuple(breaches)))
        return described
