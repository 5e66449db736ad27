"""How relations write verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaphrase.core.values import NOTHING, Case, Outcome, Severity, Span, Verdict
from metaphrase.relations.base import Relation

__all__ = ["UNCALIBRATED", "holds", "not_applicable", "violated"]


# What a verdict says (`severity_basis`) where the distance decides on the severity although pairs that were read show no such connection.
UNCALIBRATED = "rule of thumb: on pairs that were read this distance did not tell major errors from minor ones"


def not_applicable(case: Case, relation: Relation, reason: str) -> Verdict:
    """The relation cannot say anything about this case."""
    return Verdict(case.id, relation.name, Outcome.NOT_APPLICABLE, None, reason, str(relation.signature()))


def holds(
    case: Case, relation: Relation, score: float, reason: str, *, major: float | None = None, extra: Mapping[str, Any] = NOTHING
) -> Verdict:
    return Verdict(case.id, relation.name, Outcome.HOLDS, score, reason, str(relation.signature()), major=major, extra=extra)


def violated(
    case: Case,
    relation: Relation,
    score: float,
    reason: str,
    spans: tuple[Span, ...],
    severity: Severity,
    *,
    major: float | None = None,
    category: str | None = None,
    extra: Mapping[str, Any] = NOTHING,
) -> Verdict:
    return Verdict(
        case.id,
        relation.name,
        Outcome.VIOLATED,
        score,
        reason,
        str(relation.signature()),
        spans=spans,
        severity=severity,
        major=major,
        category=category,
        extra=extra,
    )
