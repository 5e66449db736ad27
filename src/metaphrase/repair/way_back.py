"""The way back as a witness: what a translation keeps of its source comes back when it is translated again.

Two translations of one text are compared by the words of the text that come back with each, on the way back of every system that has one. A translation is
shown to be better only if it brings back all that the other does, and more. An engine that reads its own mistakes well proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metaphrase.core.values import Direction
from metaphrase.relations.similarity import lcs_similarity
from metaphrase.repair.values import Translate
from metaphrase.text.languages import Language
from metaphrase.text.normalise import fold

__all__ = ["SAME", "Comparison", "Related", "Returned", "Standing", "WayBack"]

# How surely two words of the source language mean the same, 0..1.
Related = Callable[[str, str], float]
SAME = 0.85
# About two words of a sentence; one may be an article.
_CLEARLY = 0.1
# Texts from which an engine is known, and how much more alike the better one's come back on the mean.
_ENOUGH = 20
_LEAD = 0.01


@dataclass(frozen=True, slots=True)
class Returned:
    """What came back: the content words of the text that did, and how alike the whole is."""

    words: Counter[str]
    likeness: float

    def to_json(self, text: str) -> dict[str, Any]:
        return {"text": text, "words": sum(self.words.values()), "likeness": round(self.likeness, 6)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two translations of one text, by what comes back with them on every way back that was asked."""

    texts: tuple[tuple[str, str, str], ...]  # system, old and new translation translated back
    ways: tuple[tuple[Returned, Returned], ...]

    @property
    def loses_words(self) -> bool:
        return any(old.words - new.words for old, new in self.ways)

    @property
    def worse(self) -> bool:
        return self.loses_words or any(new.likeness < old.likeness for old, new in self.ways)

    @property
    def gained(self) -> Counter[str]:
        """Words of the text that come back on some way with the new translation, and on no way with the old one.

        A wording that comes back on one way is understood there: that another engine does not know it speaks against that engine.
        """
        before: Counter[str] = Counter()
        after: Counter[str] = Counter()
        for old, new in self.ways:
            before |= old.words
            after |= new.words
        return after - before

    @property
    def gains_some(self) -> bool:
        """Such words come back, and nothing is worse on any way."""
        return bool(self.gained) and not self.worse

    @property
    def gains_words(self) -> bool:
        """Such words come back, and on every way the whole is more alike."""
        return bool(self.gained) and not self.loses_words and all(new.likeness > old.likeness for old, new in self.ways)

    @property
    def likelier(self) -> bool:
        """Nothing is lost, and the whole is clearly more alike: its words come back in order that came back torn apart."""
        return not self.worse and sum(new.likeness - old.likeness for old, new in self.ways) >= _CLEARLY * len(self.ways)

    @property
    def gains_everywhere(self) -> bool:
        """On every way a further word of the text comes back, and the whole is clearly more alike: enough to take a whole text over."""
        return self.likelier and all(new.words - old.words for old, new in self.ways)

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {"system": name, "before": old.to_json(a), "after": new.to_json(b)}
            for (name, a, b), (old, new) in zip(self.texts, self.ways, strict=True)
        ]


class Standing:
    """How well the engines' translations come back over a campaign: the one to be believed sooner where two disagree."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: Counter[str] = Counter()

    def add(self, engine: str, likeness: float) -> None:
        self._sums[engine] = self._sums.get(engine, 0.0) + likeness
        self._counts[engine] += 1

    def better(self, engine: str, other: str) -> bool:
        """Whether an engine does clearly better than another, both being known from enough texts."""
        if min(self._counts[engine], self._counts[other]) < _ENOUGH:
            return False
        return self._sums[engine] / self._counts[engine] - self._sums[other] / self._counts[other] >= _LEAD


class WayBack:
    """Translates back by one or more systems, each text once, and compares. `direction` is that of the way there."""

    def __init__(
        self, direction: Direction, languages: tuple[Language, Language], systems: Mapping[str, Translate], related: Related | None = None
    ) -> None:
        self._direction = direction
        self._languages = languages
        self._systems = systems
        self._related = related
        self._known: dict[tuple[str, str], str | None] = {}

    def __bool__(self) -> bool:
        return bool(self._systems)

    def ask(self, translations: Iterable[str]) -> None:
        """Have all of these translated back, in one batch for each system."""
        wanted = list(dict.fromkeys(translations))
        for name, translate in self._systems.items():
            missing = [text for text in wanted if (name, text) not in self._known]
            if missing:
                answers = translate(missing, self._direction.reversed)
                self._known.update({(name, text): answer for text, answer in zip(missing, answers, strict=True)})

    def of(self, translation: str, system: str) -> str | None:
        """The translation translated back; None where the system has no answer."""
        self.ask([translation])
        return self._known.get((system, translation))

    def likeness(self, text: str, translations: Sequence[str]) -> dict[str, float]:
        """How alike the text each of these comes back, on the mean of all ways; 0 where it does not come back."""
        self.ask(translations)
        count = len(self._systems)
        found = dict.fromkeys(translations, 0.0)
        for (_, translation), back in self._known.items():
            if translation in found and back is not None:
                found[translation] += self._returned(text, translation, back).likeness / count
        return found

    def compare(self, text: str, before: str, after: str) -> Comparison | None:
        """None if no system can translate both back."""
        self.ask([before, after])
        texts, ways = [], []
        for name in self._systems:
            old, new = self._known[name, before], self._known[name, after]
            if old is not None and new is not None:
                texts.append((name, old, new))
                ways.append((self._returned(text, before, old), self._returned(text, after, new)))
        return Comparison(tuple(texts), tuple(ways)) if ways else None

    def _returned(self, text: str, translation: str, back: str) -> Returned:
        source = self._languages[0]
        wanted = [fold(t.text) for t in source.tokens(text)]
        # A word that stands in the translation as it is comes back for nothing, be it a word of both languages or not.
        copied = {fold(t.text) for t in self._languages[1].tokens(translation)} & set(wanted)
        found = [fold(t.text) for t in source.tokens(back)]
        free = [w for w in found if source.is_content(w)]
        words: Counter[str] = Counter()
        for word in wanted:
            if source.is_content(word) and word not in copied:
                match = next((w for w in free if self._same(word, w)), None)
                if match is not None:
                    free.remove(match)
                    words[word] += 1
        return Returned(words, lcs_similarity(wanted, found))

    def _same(self, a: str, b: str) -> bool:
        source = self._languages[0]
        if a == b or source.lemma(a) == source.lemma(b):
            return True
        return self._related is not None and self._related(a, b) >= SAME
