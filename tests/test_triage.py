"""Triage: verdicts that blame the same words are one finding."""

from __future__ import annotations

from metaphrase.campaign.triage import group
from metaphrase.core.values import Direction, MetamorphicCase, Outcome, Report, Segment, Severity, Span, Verdict

SEGMENT = Segment("s", "A long sentence about figures.", "en")


def _report(name: str, followup: str, translation: str, words: str, *, score: float = 0.5, system: str = "engine") -> Report:
    extra = {"segment": "s"}
    case = MetamorphicCase(name, Direction("en", "es"), "purity", SEGMENT.text, followup, "Una frase.", translation, extra=extra)
    start = translation.index(words)
    span = Span("followup_translation", start, start + len(words), words)
    verdict = Verdict(name, "bag-of-words", Outcome.VIOLATED, score, "because", "r|v:1", (span,), Severity.MAJOR)
    return Report(case, verdict, system, "purity")


def test_overlapping_words_of_one_translation_are_one_finding_with_the_surest_report_first() -> None:
    reports = [
        _report("a", "the figures", "las cifras de ventas", "cifras"),
        _report("b", "the figures", "las cifras de ventas", "cifras de ventas", score=0.9),
        _report("c", "a team", "un equipo", "equipo"),
    ]
    findings = group(reports, {"s": SEGMENT})
    assert [[r.case.id for r in f.reports] for f in findings] == [["b", "a"], ["c"]]


def test_a_word_that_two_follow_ups_miss_in_the_same_source_is_one_finding() -> None:
    reports = [
        _report("a", "sales figures", "Cifras de ventas", "Cifras"),
        _report("b", "the drop in figures", "la gota en cifras", "cifras"),
    ]
    assert len(group(reports, {"s": SEGMENT})) == 1


def test_a_report_that_bridges_two_findings_joins_them() -> None:
    text = "uno dos tres"
    reports = [_report("a", "x", text, "uno"), _report("b", "x", text, "tres"), _report("c", "x", text, "uno dos tres")]
    assert len(group(reports, {"s": SEGMENT})) == 1


def test_systems_are_kept_apart_but_share_the_id() -> None:
    reports = [_report("a", "x", "uno", "uno", system="one"), _report("b", "x", "uno", "uno", system="two")]
    findings = group(reports, {"s": SEGMENT})
    assert len(findings) == 2
    assert len({f.id for f in findings}) == 1


def test_known_ids_are_set_apart_and_ids_differ_between_sentences() -> None:
    report = _report("a", "x", "uno", "uno")
    (finding,) = group([report], {"s": SEGMENT})
    (again,) = group([report], {"s": SEGMENT}, frozenset({finding.id}))
    (other,) = group([report], {"s": Segment("s", "Another sentence.", "en")})
    assert again.known
    assert not finding.known
    assert other.id != finding.id
