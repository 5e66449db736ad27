"""Findings for people: source, translations with the blamed words marked, the reason."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from metaphrase.campaign.events import Summary
from metaphrase.core.values import Finding, MetamorphicCase, Severity, Span
from metaphrase.reports.engines import EngineTable

__all__ = ["bill_lines", "show_engines", "show_findings", "show_summary"]

_STYLE = {Severity.MAJOR: "bold red", Severity.MINOR: "yellow"}
# Without colour the marks must show too.
_LEFT, _RIGHT = "⟦", "⟧"


def show_findings(console: Console, findings: Iterable[Finding], *, minor: bool = False, limit: int | None = None) -> None:
    """Major findings in full, minor ones folded into a count unless asked for."""
    shown = folded = known = beyond = 0
    for finding in findings:
        if finding.known:
            known += 1
        elif finding.severity is Severity.MINOR and not minor:
            folded += 1
        elif limit is not None and shown >= limit:
            beyond += 1
        else:
            shown += 1
            _show(console, finding, shown)
    if beyond:
        console.print(f"{beyond} more; write them all with -o findings.jsonl")
    if folded:
        console.print(f"{folded} minor {_plural('finding', folded)} folded; show them with -v")
    if known:
        console.print(f"{known} known {_plural('finding', known)} (baseline) not shown")


def show_summary(console: Console, summary: Summary, *, verbose: bool = False) -> None:
    tally = summary.input
    left_out = ", ".join(
        f"{tally[key]} {key.replace('_', ' ')}" for key in ("empty", "duplicate", "too_long", "unreadable") if tally.get(key)
    )
    console.print(
        f"{summary.segments} sentences{f' (left out: {left_out})' if left_out else ''}, {summary.cases} cases, {summary.verdicts} verdicts"
    )
    console.print(
        f"sent {summary.sent_texts} texts ({summary.sent_characters} characters), {summary.reused_texts} already known, {summary.failed_texts} failed"
    )
    for line in bill_lines(summary):
        console.print(line, markup=False, soft_wrap=True)
    for failure in summary.failures[:5]:
        console.print(f"  failed: {failure}", style="yellow", markup=False)
    redundancy = f", {summary.redundancy:.2f} reports each" if summary.redundancy else ""
    console.print(f"{summary.findings} {_plural('finding', summary.findings)}, {summary.major} major{redundancy}", style="bold")
    if verbose:
        for name, signature in summary.signatures.items():
            console.print(f"  {name}: {signature}", style="dim", markup=False)


def bill_lines(summary: Summary, *, estimate: bool = False) -> list[str]:
    """What each paid system was sent, what the cache saved, and what it cost; nothing for systems that are free."""
    lines = []
    for name, bill in summary.bills.items():
        if not bill.currency:
            continue
        sent = f"{bill.requests} {_plural('request', bill.requests)}, {bill.characters} characters"
        cost = f"{bill.spent:.4f} {bill.currency}"
        unsure = f" ({bill.unsure:.4f} of it for requests that were cut off and may not have been charged)" if bill.unsure else ""
        saved = f"; known already: {bill.saved_texts} texts, {bill.saved:.4f} {bill.currency} saved" if bill.saved_texts else ""
        verb = "would cost about" if estimate else "spent"
        lines.append(f"  {name}: {sent}, {verb} {cost}{unsure}{saved}; at {bill.price}")
    return lines


def show_engines(console: Console, table: EngineTable) -> None:
    """The comparison of engines at the end of a run."""
    from rich.table import Table

    shown = Table(title="engines", title_justify="left", show_edge=False)
    for column in table.columns:
        shown.add_column(column, overflow="fold")
    for row in table.rows():
        shown.add_row(*row)
    console.print(shown)
    console.print(table.note(), markup=False)


def _show(console: Console, finding: Finding, number: int) -> None:
    case, verdict = finding.best.case, finding.best.verdict
    style = _STYLE[finding.severity]
    head = Text(f"{number}. ", style="bold").append(f"{finding.severity}", style=style)
    head.append(f"  {finding.segment.id}  {finding.best.method}, {finding.best.system}", style="dim")
    console.print(head)
    rows: list[tuple[str, Text]] = []
    if isinstance(case, MetamorphicCase):
        rows.append(("source", Text(case.source)))
        rows.append(("", marked(case.source_translation or "", "source_translation", verdict.spans, style)))
        rows.append(("follow-up", Text(case.followup)))
        rows.append(("", marked(case.followup_translation or "", "followup_translation", verdict.spans, style)))
    else:
        rows.append(("source", Text(case.source)))
        rows.extend((name.replace("_", "-"), marked(text, name, verdict.spans, style)) for name, text in case.texts())
    width = max(9, *(len(label) for label, _ in rows))
    for label, text in rows:
        console.print(Text(f"   {label or '→':>{width}}  ", style="dim").append_text(text))
    console.print(Text(f"   {'why':>{width}}  ", style="dim").append(verdict.reason))
    console.print()


def marked(text: str, field: str, spans: Iterable[Span], style: str) -> Text:
    """The text with the spans of this field in colour and brackets."""
    result = Text()
    position = 0
    for span in sorted((s for s in spans if s.text == field), key=lambda s: s.start):
        if span.start < position:
            continue
        result.append(text[position : span.start])
        result.append(f"{_LEFT}{text[span.start : span.end]}{_RIGHT}", style=style)
        position = span.end
    return result.append(text[position:])


def _plural(word: str, count: int) -> str:
    return word if count == 1 else word + "s"
