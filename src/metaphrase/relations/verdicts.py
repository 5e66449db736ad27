"""How relations write verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaphrase.core.values import NOTHING, Case, Outcome, Severity, Span, Verdict
from metaphrase.relations.base import Relation

__all__ = ["holds", "not_applicable", "violated"]


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
