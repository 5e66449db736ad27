"""Candidate texts for a translation, best first, each with the name of its kind.

- follow-up, mutant: a variant's translation with the replaced word mapped back (the papers' way); a follow-up was translated already.
- synonym: the translation of a variant whose replacing word means the same, as it is.
- majority: the translation itself, but for the blamed places that most variants word in another, common way.
- phrase: where one text is a part of the other, the part's words put in place, or cut out.
- part: the translation itself, but for a piece that another engine words differently at a blamed place.
- engine: another engine's translation of the same text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from metaphrase.repair.mapping import Mapped, Mapper, Place, patch
from metaphrase.repair.options import RepairOptions
from metaphrase.repair.parts import apply, parts, touches
from metaphrase.repair.phrases import cut_phrase, put_phrase
from metaphrase.repair.ranking import rank
from metaphrase.repair.values import Replaced, Variant
from metaphrase.repair.way_back import SAME, Related
from metaphrase.resources.protocols import Aligner
from metaphrase.text.languages import Language
from metaphrase.text.normalise import fold

__all__ = ["Candidate", "Candidates", "Counterpart", "Material"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text; `origin` is the variant, engine or count behind it, `value` what it was ranked by."""

    text: str
    kind: str
    origin: str
    ranked_by: str
    value: float
    mapped: Mapped | None = None
    variant: Variant | None = None

    @property
    def keeps_untranslated(self) -> bool:
        """Whether the word that is mapped back is one that the engine left as it was."""
        return self.mapped is not None and self.mapped.untranslated


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The translation of the larger text, or of the part, and what the verdict blames in it."""

    translation: str
    larger: bool
    blamed: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """All that candidates for the translation of one text can be made from.

    `blamed`: places of the translation that the verdict blames, in characters. `places`: where a variant's translation speaks of its word, if known. `others`: near
    translations that no candidate can be made from but that agree with some. `counterpart`: the other text of a pair of which one is a part of the other.
    `must_differ`: the pair's translations are the same and must not be, so that a word is lost in one of them.
    """

    text: str
    translation: str
    variants: tuple[Variant, ...]
    engines: Mapping[str, str]
    places: Mapping[str, Place] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    blamed: tuple[tuple[int, int], ...] = ()
    counterpart: Counterpart | None = None
    must_differ: bool = False


class Candidates:
    """The candidates of one text, made one after another as they are asked for."""

    def __init__(
        self,
        material: Material,
        languages: tuple[Language, Language],
        aligner: Aligner,
        options: RepairOptions,
        related: Related | None = None,
    ) -> None:
        self._related = related
        self._material = material
        self._target = languages[1]
        self._options = options
        variants = material.variants
        self._mapper = Mapper(*languages, aligner, material.text, material.translation, variants, material.places)
        self.voters: list[list[str]] = [self._mapper.words(i) for i in range(len(variants))]
        self.refused: Counter[str] = Counter()
        self._words = [t.text for t in languages[1].tokens(material.translation)]

    def place(self, replaced: Replaced) -> Place | str:
        return self._mapper.place(replaced)

    def __iter__(self) -> Iterator[Candidate]:
        seen = {self._material.translation}
        for candidate in self._all():
            if candidate.text not in seen:
                seen.add(candidate.text)
                yield candidate

    def _all(self) -> Iterator[Candidate]:
        kinds = self._options.candidates
        # Variants that all replace the same word would outvote that word itself.
        positions = {(v.replaced.start, v.replaced.end) for v in self._material.variants}
        yield from (c for c in self._mapped() if c.kind in kinds)
        if "majority" in kinds and len(positions) > 1:
            yield from self._majority()
        if "phrase" in kinds:
            yield from self._phrases()
        if "part" in kinds:
            yield from self._parts()
        if "engine" in kinds:
            for name, text in sorted(self._material.engines.items()):
                yield Candidate(text, "engine", name, "none", 0.0)

    def _mapped(self) -> Iterator[Candidate]:
        variants = self._material.variants
        number = {variant.text: i for i, variant in enumerate(variants)}
        others = [[t.text for t in self._target.tokens(text)] for text in self._material.others]
        by, ranked = rank(variants, self.voters, self._options.rank, self._options.metric, others)
        if len(ranked) < len(variants):
            self.refused["the system gave the variant no score to rank it by"] += len(variants) - len(ranked)
        lost = self._material.must_differ
        for value, variant in ranked:
            place = number[variant.text]
            if self._mapper.teaches(place, lost_word=lost) and self._synonymous(variant):
                yield Candidate(variant.translation, "synonym", variant.text, by, value, variant=variant)
            mapped = self._mapper.map_back(place, lost_word=lost)
            if isinstance(mapped, str):
                self.refused[mapped] += 1
            elif not self._fits(mapped):
                self.refused["the mapped word asks for another gender or number"] += 1
            else:
                yield Candidate(mapped.text, variant.origin, variant.text, by, value, mapped, variant)

    def _synonymous(self, variant: Variant) -> bool:
        replaced = variant.replaced
        old, new = self._material.text[replaced.start : replaced.end], variant.text[replaced.other_start : replaced.other_end]
        return self._related is not None and self._related(old, new) >= SAME

    def _fits(self, mapped: Mapped) -> bool:
        """Whether the word put back asks of the words that came with the variant what the word it replaces asked of them."""
        if mapped.untranslated:
            return True  # nobody knows what it asks for
        old, new = self._target.agreement_class(mapped.replaces), self._target.agreement_class(mapped.word)
        known = {fold(word) for word in self._words} | {fold(mapped.word)}
        came = [fold(t.text) for t in self._target.tokens(mapped.text) if fold(t.text) not in known]
        for axis, (asked, asks) in enumerate(zip(old, new, strict=True)):
            if asked != asks and None not in (asked, asks) and any(self._target.agreement_class(w)[axis] == asked for w in came):
                return False
        return True

    def _majority(self) -> Iterator[Candidate]:
        """Every blamed place that most variants agree to word differently, changed at once."""
        tokens = self._target.tokens(self._material.translation)
        wordings: dict[tuple[int, int], Counter[str]] = {}
        for i, variant in enumerate(self._material.variants):
            own = self._mapper.place(variant.replaced)
            if isinstance(own, str):
                continue  # which change is the replaced word's own is not known
            theirs = self._target.tokens(variant.translation)
            for change in self._mapper.changes(i):
                a, b, c, d = change.left_start, change.left_end, change.right_start, change.right_end
                if a == b or (a < own[1] and own[0] < b) or not self._is_blamed(tokens[a].start, tokens[b - 1].end):
                    continue
                piece = variant.translation[theirs[c].start : theirs[d - 1].end] if c < d else ""
                wordings.setdefault((a, b), Counter())[piece] += 1
        count = len(self._material.variants)
        agreed = {place: common.most_common(1)[0] for place, common in wordings.items()}
        chosen = {place: piece for place, (piece, votes) in agreed.items() if 2 * votes > count}
        if chosen:
            text = self._material.translation
            for (start, end), piece in sorted(chosen.items(), reverse=True):
                text = patch(text, tokens[start].start, tokens[end - 1].end, piece)
            share = min(agreed[place][1] for place in chosen) / count
            yield Candidate(text, "majority", f"{len(chosen)} places", "share of variants", share)

    def _is_blamed(self, start: int, end: int) -> bool:
        """Everything is, where the verdict names no place."""
        return not self._material.blamed or touches(start, end, self._material.blamed)

    def _phrases(self) -> Iterator[Candidate]:
        other, own = self._material.counterpart, self._material.translation
        if other is None:
            return
        texts = (
            cut_phrase(other.translation, own, self._material.blamed, self._target)
            if other.larger
            else put_phrase(own, other.translation, other.blamed, self._target)
        )
        for text in texts:
            yield Candidate(text, "phrase", "the larger text" if other.larger else "the phrase", "none", 0.0)

    def _parts(self) -> Iterator[Candidate]:
        own = self._material.translation
        for name, text in sorted(self._material.engines.items()):
            found = [p for p in parts(own, text, self._target) if self._is_blamed(p.start, p.end) and p.fits(own, self._target)]
            for part in found:
                yield Candidate(part.put(own), "part", name, "none", 0.0)
            if len(found) > 1:
                yield Candidate(apply(own, found), "part", name, "none", 0.0)
