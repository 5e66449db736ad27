"""Triage: verdicts that blame overlapping words of the same translation are one finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metaphrase.core.signature import content_hash
from metaphrase.core.values import Case, Finding, MetamorphicCase, Report, Segment, Severity, Span, rank

__all__ = ["group"]


def group(reports: Sequence[Report], segments: Mapping[str, Segment], baseline: frozenset[str] = frozenset()) -> list[Finding]:
    """Findings from the violated reports of some segments; `baseline` holds the ids that are known already."""
    by_segment: dict[str, list[Report]] = {}
    for report in reports:
        if report.verdict.violated:
            by_segment.setdefault(str(report.case.extra.get("segment", report.case.id)), []).append(report)
    findings = []
    for identity, some in by_segment.items():
        segment = segments[identity]
        for cluster in _clusters(some):
            ordered = sorted(cluster, key=_order)
            number = finding_id(ordered[0])
            findings.append(Finding(number, segment, tuple(ordered), number in baseline))
    return findings


def finding_id(report: Report) -> str:
    """Stable over runs and over recordings: what was translated and the blamed words, not the system's name."""
    places = sorted((text, quote) for text, quote, *_ in _places(report))
    return content_hash(str(report.case.direction), places or report.case.key)[:12]


def _order(report: Report) -> tuple[bool, float, int, str]:
    """Surest first; among equals the shortest pair, which shows the error best."""
    size = sum(len(text) for _, text in report.case.texts())
    return report.verdict.severity is not Severity.MAJOR, -rank(report.verdict), size, report.case.id


def _clusters(reports: Sequence[Report]) -> list[list[Report]]:
    """Connected components of "blames overlapping words"; a report without spans stands alone."""
    clusters: list[tuple[list[Report], list[tuple[str, Span, str]]]] = []
    for report in reports:
        places = [(text, span, report.system) for text, _, span in _places(report)]
        members, joined = [report], list(places)
        apart = []
        for cluster in clusters:
            if any(s == o and a == b and x.start < y.end and y.start < x.end for a, x, s in places for b, y, o in cluster[1]):
                members = cluster[0] + members
                joined = cluster[1] + joined
            else:
                apart.append(cluster)
        clusters = [*apart, (members, joined)]
    return [members for members, _ in clusters]


def _places(report: Report) -> Iterator[tuple[str, str, Span]]:
    for span in report.verdict.spans:
        yield _input_text(report.case, span.text), span.quote, span


def _input_text(case: Case, field: str) -> str:
    """The text whose translation a span lies in."""
    if isinstance(case, MetamorphicCase):
        return case.followup if field == "followup_translation" else case.source
    return f"{case.source}\0{field}"
