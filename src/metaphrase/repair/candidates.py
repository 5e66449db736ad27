"""Candidate texts for a translation, best first, each with the name of its kind.

- follow-up, mutant: a variant's translation with the replaced word mapped back (the papers' way); a follow-up was translated already.
- majority: the translation itself, but for the places that most variants word in another, common way.
- engine: another engine's translation of the same text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from metaphrase.repair.mapping import Mapped, Mapper, Place, patch
from metaphrase.repair.options import RepairOptions
from metaphrase.repair.ranking import rank
from metaphrase.repair.values import Replaced, Variant
from metaphrase.resources.protocols import Aligner
from metaphrase.text.languages import Language

__all__ = ["Candidate", "Candidates", "Material"]


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
class Material:
    """All that candidates for the translation of one text can be made from; `places`: where a variant's translation speaks of its word, if known;
    `others`: near translations that no candidate can be made from but that agree with some."""

    text: str
    translation: str
    variants: tuple[Variant, ...]
    engines: Mapping[str, str]
    places: Mapping[str, Place] = field(default_factory=dict)
    others: tuple[str, ...] = ()


class Candidates:
    """The candidates of one text, made one after another as they are asked for."""

    def __init__(self, material: Material, languages: tuple[Language, Language], aligner: Aligner, options: RepairOptions) -> None:
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
        if "engine" in kinds:
            for name, text in sorted(self._material.engines.items()):
                yield Candidate(text, "engine", name, "none", 0.0)

    def _mapped(self) -> Iterator[Candidate]:
        variants = self._material.variants
        number = {variant.text: i for i, variant in enumerate(variants)}
        others = [[t.text for t in self._target.tokens(text)] for text in self._material.others]
        by, ranked = rank(variants, self.voters, self._options.rank, self._options.metric, others)
        for value, variant in ranked:
            mapped = self._mapper.map_back(number[variant.text])
            if isinstance(mapped, str):
                self.refused[mapped] += 1
            elif not _fits(mapped, self._target):
                self.refused["the mapped word asks for another gender or number"] += 1
            else:
                yield Candidate(mapped.text, variant.origin, variant.text, by, value, mapped, variant)

    def _majority(self) -> Iterator[Candidate]:
        """Every place that most variants agree to word differently, changed at once."""
        wordings: dict[tuple[int, int], Counter[str]] = {}
        for i, variant in enumerate(self._material.variants):
            own = self._mapper.place(variant.replaced)
            if isinstance(own, str):
                continue  # which change is the replaced word's own is not known
            tokens = self._target.tokens(variant.translation)
            for change in self._mapper.changes(i):
                if change.left_start < own[1] and own[0] < change.left_end:
                    continue
                piece = (
                    variant.translation[tokens[change.right_start].start : tokens[change.right_end - 1].end]
                    if change.right_start < change.right_end
                    else ""
                )
                wordings.setdefault((change.left_start, change.left_end), Counter())[piece] += 1
        count = len(self._material.variants)
        agreed = {place: common.most_common(1)[0] for place, common in wordings.items()}
        chosen = {place: piece for place, (piece, votes) in agreed.items() if 2 * votes > count and place[0] < place[1]}
        if chosen:
            tokens = self._target.tokens(self._material.translation)
            text = self._material.translation
            for (start, end), piece in sorted(chosen.items(), reverse=True):
                text = patch(text, tokens[start].start, tokens[end - 1].end, piece)
            share = min(agreed[place][1] for place in chosen) / count
            yield Candidate(text, "majority", f"{len(chosen)} places", "share of variants", share)


def _fits(mapped: Mapped, target: Language) -> bool:
    """Whether the word put back asks of its neighbours what the word it replaces asked for."""
    if mapped.untranslated:
        return True  # nobody knows what it asks for
    old, new = target.agreement_class(mapped.replaces), target.agreement_class(mapped.word)
    return all(a is None or b is None or a == b for a, b in zip(old, new, strict=True))
