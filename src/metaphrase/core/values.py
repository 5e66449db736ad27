"""The values that travel through a run: segment, case, translation, verdict, finding.

All are frozen. Positions are characters of Python strings (code points), never bytes or words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias

from metaphrase.core.errors import InputError
from metaphrase.core.signature import content_hash

__all__ = [
    "Case",
    "DifferentialCase",
    "Direction",
    "Edit",
    "Expectation",
    "Finding",
    "MetamorphicCase",
    "Origin",
    "Outcome",
    "Report",
    "Request",
    "RoundTripCase",
    "Segment",
    "Severity",
    "Span",
    "Translation",
    "Verdict",
]

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, order=True)
class Direction:
    """From one language to another, as codes: en, zh, es, pt-br."""

    source: str
    target: str

    @classmethod
    def parse(cls, text: str) -> Direction:
        """Read "en-zh"; region subtags use an underscore or a second hyphen ("en-pt_br", "en-zh-tw")."""
        source, _, target = text.strip().lower().partition("-")
        if not source or not target:
            raise InputError(f"'{text}' is not a direction: write it as 'en-zh'")
        return cls(source, target.replace("_", "-"))

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"

    @property
    def reversed(self) -> Direction:
        return Direction(self.target, self.source)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text: the field (or engine) it lies in and characters [start, end)."""

    text: str
    start: int
    end: int
    quote: str

    def overlaps(self, other: Span) -> bool:
        return self.text == other.text and self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a segment was read: for messages and reports."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Segment:
    """One sentence to test with."""

    id: str
    text: str
    language: str
    origin: Origin | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Edit:
    """How a follow-up differs from its source: source[start:end] became followup[start:end].

    An insertion has an empty source part, a deletion an empty follow-up part.
    """

    source_start: int
    source_end: int
    followup_start: int
    followup_end: int
    before: str
    after: str


class Expectation(StrEnum):
    """What a metamorphic pair's translations must do outside the edited words."""

    SAME = "same"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Request:
    """A translation that a case still waits for.

    `engine` is empty where any one system serves; a differential case names the engine.
    """

    field: str
    text: str
    direction: Direction
    engine: str = ""


@dataclass(frozen=True, slots=True)
class MetamorphicCase:
    """A source, a follow-up made from it, and the edits that link them."""

    id: str
    direction: Direction
    transformation: str
    source: str
    followup: str
    source_translation: str | None = None
    followup_translation: str | None = None
    edits: tuple[Edit, ...] | None = None
    expectation: Expectation = Expectation.SAME
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    kind = "metamorphic"

    def requests(self) -> Iterator[Request]:
        if self.source_translation is None:
            yield Request("source_translation", self.source, self.direction)
        if self.followup_translation is None:
            yield Request("followup_translation", self.followup, self.direction)

    def answered(self, name: str, text: str) -> MetamorphicCase:
        if name == "source_translation":
            return replace(self, source_translation=text)
        return replace(self, followup_translation=text)

    def texts(self) -> Iterator[tuple[str, str]]:
        """The translations that spans may lie in: (field, text)."""
        yield "source_translation", self.source_translation or ""
        yield "followup_translation", self.followup_translation or ""

    @property
    def key(self) -> str:
        return content_hash(self.transformation, str(self.direction), self.source, self.followup)


@dataclass(frozen=True, slots=True)
class DifferentialCase:
    """One source for several engines."""

    id: str
    direction: Direction
    source: str
    translations: Mapping[str, str | None] = field(default_factory=lambda: NOTHING)
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    kind = "differential"
    transformation = ""

    def requests(self) -> Iterator[Request]:
        for engine, text in self.translations.items():
            if text is None:
                yield Request(engine, self.source, self.direction, engine)

    def answered(self, name: str, text: str) -> DifferentialCase:
        return replace(self, translations=MappingProxyType({**self.translations, name: text}))

    def texts(self) -> Iterator[tuple[str, str]]:
        for engine, text in self.translations.items():
            yield engine, text or ""

    @property
    def key(self) -> str:
        return content_hash("differential", str(self.direction), self.source, sorted(self.translations))


@dataclass(frozen=True, slots=True)
class RoundTripCase:
    """One source, translated and translated back. `direction` is that of the way there."""

    id: str
    direction: Direction
    source: str
    intermediate: str | None = None
    back_translation: str | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    kind = "round-trip"
    transformation = ""

    def requests(self) -> Iterator[Request]:
        if self.intermediate is None:
            yield Request("intermediate", self.source, self.direction)
        elif self.back_translation is None:
            yield Request("back_translation", self.intermediate, self.direction.reversed)

    def answered(self, name: str, text: str) -> RoundTripCase:
        if name == "intermediate":
            return replace(self, intermediate=text)
        return replace(self, back_translation=text)

    def texts(self) -> Iterator[tuple[str, str]]:
        yield "intermediate", self.intermediate or ""
        yield "back_translation", self.back_translation or ""

    @property
    def key(self) -> str:
        return content_hash("round-trip", str(self.direction), self.source)


Case: TypeAlias = MetamorphicCase | DifferentialCase | RoundTripCase


@dataclass(frozen=True, slots=True)
class Translation:
    """What a system answered for one text: the translation, or why there is none.

    `score` is the system's own log-probability, where it gives one (grey-box repair).
    """

    text: str | None
    failure: str | None = None
    score: float | None = None

    @property
    def ok(self) -> bool:
        return self.text is not None


class Outcome(StrEnum):
    VIOLATED = "violated"
    HOLDS = "holds"
    NOT_APPLICABLE = "not-applicable"


class Severity(StrEnum):
    """As in MQM: a major error misleads a reader, a minor one does not."""

    MINOR = "minor"
    MAJOR = "major"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a relation says about one translated case.

    `score` is the probability or degree of a violation, `major` the probability of a major error;
    both lie in 0..1 and are None where the relation cannot tell.
    """

    id: str
    relation: str
    outcome: Outcome
    score: float | None
    reason: str
    signature: str
    spans: tuple[Span, ...] = ()
    severity: Severity | None = None
    major: float | None = None
    category: str | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def violated(self) -> bool:
        return self.outcome is Outcome.VIOLATED


@dataclass(frozen=True, slots=True)
class Report:
    """One violated verdict with the case it is about: the evidence behind a finding."""

    case: Case
    verdict: Verdict
    system: str
    method: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One error: the reports that point at the same words of the same translation, best first."""

    id: str
    segment: Segment
    reports: tuple[Report, ...]
    known: bool = False
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def best(self) -> Report:
        return self.reports[0]

    @property
    def severity(self) -> Severity:
        return min((r.verdict.severity or Severity.MINOR for r in self.reports), key=lambda s: s is Severity.MINOR)

    @property
    def major(self) -> float:
        """Rank: probability of a major error, by the surest report; the score where there is none."""
        return max(rank(r.verdict) for r in self.reports)

    @property
    def reason(self) -> str:
        return self.best.verdict.reason

    @property
    def spans(self) -> tuple[Span, ...]:
        return self.best.verdict.spans


def rank(verdict: Verdict) -> float:
    """How much a verdict matters, for ordering."""
    return verdict.major if verdict.major is not None else (verdict.score or 0.0)
