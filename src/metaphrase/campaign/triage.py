"""Triage: verdicts that blame the same words are one finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from metaphrase.core.signature import content_hash
from metaphrase.core.values import Case, Finding, MetamorphicCase, Report, Segment, Severity, Span, rank
from metaphrase.text.normalise import fold

__all__ = ["group"]


def group(reports: Sequence[Report], segments: Mapping[str, Segment], baseline: frozenset[str] = frozenset()) -> list[Finding]:
    """Findings from the violated reports of some segments; `baseline` holds the ids that are known already."""
    by_segment: dict[str, list[Report]] = {}
    for report in reports:
        if report.verdict.violated:
            by_segment.setdefault(str(report.case.extra.get("segment", report.case.id)), []).extend(_by_place(report))
    findings = []
    for identity, some in by_segment.items():
        segment = segments[identity]
        for cluster in _clusters(some):
            ordered = sorted(cluster, key=_order)
            number = _id(segment, ordered[0])
            findings.append(Finding(number, segment, tuple(ordered), number in baseline))
    return findings


def _by_place(report: Report) -> list[Report]:
    """A verdict that lists places apart from each other (several engines on one sentence) is a report for each of them.

    The heaviest place carries the verdict's severity; of the others, those that a rule found do.
    """
    places = report.verdict.extra.get("places") or ()
    if not places:
        return [report]
    top = max(float(place["weight"]) for place in places) or 1.0
    shared = {k: v for k, v in report.verdict.extra.items() if k != "places"}
    result = []
    for place in places:
        share = float(place["weight"]) / top
        verdict = replace(
            report.verdict,
            spans=tuple(Span(s["text"], s["start"], s["end"], s["quote"]) for s in place["spans"]),
            reason=str(place["reason"]),
            category=str(place["kind"]),
            severity=report.verdict.severity if share == 1 or place["certain"] else Severity.MINOR,
            major=None if report.verdict.major is None else round(report.verdict.major * share, 6),
            extra=MappingProxyType({**shared, "place": place}),
        )
        result.append(replace(report, verdict=verdict))
    return result


def _id(segment: Segment, report: Report) -> str:
    """Stable over runs and over recordings: the sentence, what was translated and the blamed words, not the system's name."""
    places = sorted((text, quote) for text, quote, _ in _places(report))
    return content_hash(str(report.case.direction), segment.text, places or report.case.key)[:12]


def _order(report: Report) -> tuple[bool, float, int, str]:
    """Surest first; among equals the shortest pair, which shows the error best."""
    size = sum(len(text) for _, text in report.case.texts())
    return report.verdict.severity is not Severity.MAJOR, -rank(report.verdict), size, report.case.id


def _clusters(reports: Sequence[Report]) -> list[list[Report]]:
    """Connected components of "blames the same words"; a report without spans stands alone."""
    clusters: list[list[Report]] = []
    for report in reports:
        same = [cluster for cluster in clusters if any(_same_error(report, other) for other in cluster)]
        apart = [cluster for cluster in clusters if not any(cluster is one for one in same)]
        clusters = [*apart, [*(other for cluster in same for other in cluster), report]]
    return clusters


def _same_error(one: Report, other: Report) -> bool:
    """Overlapping words of the same translation; or the same word of two follow-ups that its common source is said to lack."""
    if one.system != other.system:
        return False
    for text, quote, span in _places(one):
        for other_text, other_quote, other_span in _places(other):
            if text == other_text and span.start < other_span.end and other_span.start < span.end:
                return True
            if one.case.source == other.case.source and span.text == other_span.text and fold(quote) == fold(other_quote):
                return True
    return False


def _places(report: Report) -> Iterator[tuple[str, str, Span]]:
    for span in report.verdict.spans:
        yield _input_text(report.case, span.text), span.quote, span


def _input_text(case: Case, field: str) -> str:
    """The text whose translation a span lies in."""
    if isinstance(case, MetamorphicCase):
        return case.followup if field == "followup_translation" else case.source
    return f"{case.source}\0{field}"
