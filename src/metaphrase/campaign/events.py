"""What a run tells while it goes; reporters consume these, nothing below `reports/` and `cli/` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from metaphrase.campaign.spending import Bill

__all__ = ["ChunkDone", "Event", "Finished", "Proposed", "Summary", "Translated"]


@dataclass(frozen=True, slots=True)
class Proposed:
    """Cases of a chunk are there, and this many distinct texts must be asked for."""

    cases: int
    texts: int
    characters: int


@dataclass(frozen=True, slots=True)
class Translated:
    """A batch came back."""

    system: str
    texts: int
    characters: int
    failed: int
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkDone:
    segments: int
    cases: int
    violated: int
    findings: int


@dataclass(slots=True)
class Summary:
    """The numbers of a run."""

    segments: int = 0
    cases: int = 0
    verdicts: int = 0
    violated: int = 0
    not_applicable: int = 0
    findings: int = 0
    reported: int = 0  # places that verdicts blame; several may be one finding
    major: int = 0
    known: int = 0
    sent_texts: int = 0
    sent_characters: int = 0
    reused_texts: int = 0
    failed_texts: int = 0
    failures: list[str] = field(default_factory=list)
    signatures: dict[str, str] = field(default_factory=dict)
    bills: dict[str, Bill] = field(default_factory=dict)
    input: Mapping[str, Any] = field(default_factory=dict)

    @property
    def redundancy(self) -> float | None:
        """Reports per distinct error; 1.0 is perfect."""
        return self.reported / self.findings if self.findings else None


@dataclass(frozen=True, slots=True)
class Finished:
    summary: Summary


Event: TypeAlias = Proposed | Translated | ChunkDone | Finished
