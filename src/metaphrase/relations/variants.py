"""The relation of TransRepair and CAT: two translations must be nearly equal once the replaced word's translation is left out.

Where that translation stands is not known, so every short changed slice is left out in turn, and the best pair of such
variants counts (METHODS: "largest common sub-sequence" variants). Tokens are compared as they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Severity, Span, Verdict
from metaphrase.relations.pairs import Pair, judge_pairs, shipped_threshold
from metaphrase.relations.similarity import bleu, edit_similarity, lcs_similarity, tf_idf_similarity
from metaphrase.relations.verdicts import UNCALIBRATED, holds, violated
from metaphrase.resources.profiles import Resources
from metaphrase.text.diff import Change, changes
from metaphrase.text.languages import Language, language
from metaphrase.text.normalise import fold
from metaphrase.text.tokens import Token

__all__ = ["VariantOptions", "VariantRelation", "bleu_relation", "edit_distance_relation", "lcs_relation", "tf_idf_relation"]

Metric = Callable[[Sequence[str], Sequence[str]], float]

# A pair that differs in more places than this has no word that explains it; trying all variants would be quadratic.
_MOST_CHANGES = 30


class VariantOptions(Options):
    """`threshold`: violated below this similarity, and a major finding below `major_threshold`, unless all that differs is agreement.

    `slice_words`: a changed slice of up to so many words may be left out.

    The papers' text says "fewer than five words"; the released verdicts come out with at most three.
    """

    threshold: float = Field(ge=0, le=1)
    major_threshold: float = Field(default=0.8, ge=0, le=1)
    slice_words: int = Field(default=3, ge=0)


@dataclass(frozen=True, slots=True)
class _Variant:
    words: tuple[str, ...]
    left_out: tuple[int, int] | None  # token positions


class VariantRelation:
    """One of the four metrics, over variants."""

    def __init__(self, name: str, metric: Metric, options: VariantOptions) -> None:
        self.name = name
        self._metric = metric
        self._options = options

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        return judge_pairs(self, cases, lambda pairs: [self._judge(pair) for pair in pairs])

    def similarity(self, source: Sequence[str], followup: Sequence[str]) -> float:
        """The best similarity over all pairs of variants of two token sequences."""
        return self._best(source, followup, changes(source, followup))[0]

    def signature(self) -> Signature:
        return Signature(self.name, "1", self._options.model_dump(by_alias=True))

    def _best(self, source: Sequence[str], followup: Sequence[str], found: Sequence[Change]) -> tuple[float, _Variant, _Variant]:
        few = found if len(found) <= _MOST_CHANGES else ()
        lefts = self._variants(tuple(source), [(c.left_start, c.left_end) for c in few])
        rights = self._variants(tuple(followup), [(c.right_start, c.right_end) for c in few])
        best: tuple[float, _Variant, _Variant] | None = None
        for left in lefts:
            for right in rights:
                value = self._metric(left.words, right.words)
                if best is None or value > best[0]:
                    best = (value, left, right)
        assert best is not None
        return best

    def _variants(self, words: tuple[str, ...], slices: Sequence[tuple[int, int]]) -> list[_Variant]:
        shortened = [_Variant(words[:a] + words[b:], (a, b)) for a, b in slices if 0 < b - a <= self._options.slice_words]
        return [_Variant(words, None), *shortened]

    def _judge(self, pair: Pair) -> Verdict:
        target = language(pair.case.direction.target)
        source, followup = target.tokens(pair.source_translation), target.tokens(pair.followup_translation)
        found = changes([t.text for t in source], [t.text for t in followup])
        similarity, left, right = self._best([t.text for t in source], [t.text for t in followup], found)
        lefts = [(c.left_start, c.left_end) for c in found]
        rights = [(c.right_start, c.right_end) for c in found]
        spans = (
            *_spans("source_translation", pair.source_translation, source, lefts, left.left_out),
            *_spans("followup_translation", pair.followup_translation, followup, rights, right.left_out),
        )
        fails = similarity < self._options.threshold
        reason = f"the translations are {similarity:.3f} alike by {self.name}"
        excused = [f"'{_quote(text, toks, v.left_out)}'" for text, toks, v in _sides(pair, source, followup, left, right) if v.left_out]
        if excused:
            reason += f", leaving out {' and '.join(excused)}"
        reason += f"; {'less than the' if fails else 'at least the'} {self._options.threshold:g} that the relation asks for"
        extra = {"similarity": similarity}
        if not fails:
            return holds(pair.case, self, 1.0 - similarity, reason, extra=extra)
        severity = Severity.MAJOR if similarity < self._options.major_threshold else Severity.MINOR
        words = [t.text for t in source]
        if (
            target.inflects
            and self.similarity(words, _in_the_forms_of(words, [t.text for t in followup], target)) >= self._options.threshold
        ):
            severity = Severity.MINOR
            reason += "; what differs may only follow the gender or number of the replaced word"
        return violated(pair.case, self, 1.0 - similarity, reason, spans, severity, extra={**extra, "severity_basis": UNCALIBRATED})


def _in_the_forms_of(words: Sequence[str], others: Sequence[str], target: Language) -> list[str]:
    """The other words, each that only agrees with something else written as its counterpart: las naciones europeas, los naciones europeos."""
    folded = {fold(word): word for word in words}
    return [
        other if other in words else next((w for f, w in folded.items() if target.differ_in_agreement(f, fold(other))), other)
        for other in others
    ]


def _sides(
    pair: Pair, source: Sequence[Token], followup: Sequence[Token], left: _Variant, right: _Variant
) -> list[tuple[str, Sequence[Token], _Variant]]:
    return [(pair.source_translation, source, left), (pair.followup_translation, followup, right)]


def _quote(text: str, tokens: Sequence[Token], piece: tuple[int, int] | None) -> str:
    return text[tokens[piece[0]].start : tokens[piece[1] - 1].end] if piece else ""


def _spans(
    field: str, text: str, tokens: Sequence[Token], slices: Sequence[tuple[int, int]], left_out: tuple[int, int] | None
) -> list[Span]:
    """The changed places of a translation, but for the one that was left out."""
    places = [(tokens[a].start, tokens[b - 1].end) for a, b in slices if a < b and (a, b) != left_out]
    return [Span(field, start, end, text[start:end]) for start, end in places]


def _make(name: str, metric: Metric, options: Mapping[str, Any]) -> VariantRelation:
    given = {"threshold": shipped_threshold(name), **options}
    return VariantRelation(name, metric, read_options(VariantOptions, given, f"[relation.{name}]"))


@configured_by(VariantOptions)
def lcs_relation(resources: Resources, options: Mapping[str, Any]) -> VariantRelation:
    return _make("lcs", lcs_similarity, options)


@configured_by(VariantOptions)
def edit_distance_relation(resources: Resources, options: Mapping[str, Any]) -> VariantRelation:
    return _make("edit-distance", edit_similarity, options)


@configured_by(VariantOptions)
def tf_idf_relation(resources: Resources, options: Mapping[str, Any]) -> VariantRelation:
    return _make("tf-idf", tf_idf_similarity, options)


@configured_by(VariantOptions)
def bleu_relation(resources: Resources, options: Mapping[str, Any]) -> VariantRelation:
    return _make("bleu", bleu, options)
