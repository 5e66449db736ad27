"""What repair works on and what it returns. Everything is frozen; positions are characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from metaphrase.core.values import NOTHING, Case, Direction, MetamorphicCase, Verdict
from metaphrase.files.cases import case_to_json
from metaphrase.relations.base import Relation

__all__ = ["Judged", "Repair", "Replaced", "Subject", "Translate", "Variant"]


CaseT = TypeVar("CaseT", bound=Case, covariant=True)


class Translate(Protocol):
    """Batch in, batch out; None where the system had no answer (refused, or over budget)."""

    def __call__(self, texts: Sequence[str], direction: Direction) -> list[str | None]: ...


@dataclass(frozen=True, slots=True)
class Replaced:
    """The one word that two texts differ in: its characters here and there."""

    start: int
    end: int
    other_start: int
    other_end: int


@dataclass(frozen=True, slots=True)
class Variant:
    """A text that differs from the subject in one word, with its translation. `origin`: follow-up (known already) or mutant (asked for)."""

    text: str
    translation: str
    replaced: Replaced
    origin: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Judged(Generic[CaseT]):
    """A translated case, what was said about it, and by whom it is judged again."""

    case: CaseT
    verdict: Verdict
    relation: Relation
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """One source text with all that is known about its translation: every judged case, variants, other engines' translations."""

    direction: Direction
    source: str
    translation: str
    cases: tuple[Judged[MetamorphicCase], ...]
    variants: tuple[Variant, ...] = ()
    engines: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    @property
    def violated(self) -> list[Judged[MetamorphicCase]]:
        return [judged for judged in self.cases if judged.verdict.violated]


@dataclass(frozen=True, slots=True)
class Repair:
    """One repaired (or not repaired) translation of one violated case; `case` holds its texts as they are after all repairs of the subject.

    `system` is the one whose translation it is, where that is known.
    """

    case: Case
    finding: str
    text: str
    before: str
    after: str
    accepted: bool
    evidence: Mapping[str, Any]
    system: str = ""

    @property
    def input(self) -> str:
        """The text whose translation was repaired."""
        return self.case.followup if isinstance(self.case, MetamorphicCase) and self.text == "followup_translation" else self.case.source

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"id": self.case.id, "text": self.text, "before": self.before, "after": self.after, "accepted": self.accepted}
        row |= {name: value for name, value in (("system", self.system), ("finding", self.finding)) if value}
        return {**case_to_json(self.case), **row, "evidence": dict(self.evidence)}
