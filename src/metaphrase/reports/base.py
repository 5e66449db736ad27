"""What a report is: a writer for one format, fed with the findings of a run in rank order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, Protocol

from metaphrase.campaign.store import Store
from metaphrase.core import registry
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.values import Finding
from metaphrase.files.cases import verdict_to_json
from metaphrase.files.lines import open_output

__all__ = ["ReportWriter", "finding_to_json", "format_of", "write_report"]


class ReportWriter(Protocol):
    """What an entry point of the group `metaphrase.reports` names; its name is the file extension."""

    def __call__(self, findings: Iterable[Finding], run: Mapping[str, Any], stream: IO[str]) -> None: ...


def format_of(path: Path, given: str | None = None) -> str:
    name = (given or path.suffix.removeprefix(".")).lower()
    if not name or name not in registry.reports:
        raise ConfigurationError(
            f"{path}: no report format for '{name}'; known: {', '.join(registry.reports.names())}; name one with --format"
        )
    return name


def write_report(store: Store, path: Path, given: str | None = None) -> None:
    writer: ReportWriter = registry.reports.load("jsonl" if str(path) == "-" and given is None else format_of(path, given))
    with open_output(path) as stream:
        writer(store.findings(), {**(store.fact("run") or {}), "summary": store.fact("summary")}, stream)


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """One finding for machines: the best report in full, the others by id."""
    best = finding.best
    case = best.case
    row: dict[str, Any] = {
        "id": finding.id,
        "segment": finding.segment.id,
        "file": finding.segment.origin.file if finding.segment.origin else None,
        "line": finding.segment.origin.line if finding.segment.origin else None,
        "direction": str(case.direction),
        "system": best.system,
        "method": best.method,
        "severity": str(finding.severity),
        "rank": round(finding.major, 6),
        "known": finding.known,
        "source": case.source,
    }
    if case.kind == "metamorphic":
        row["followup"] = getattr(case, "followup", "")
    row |= dict(case.texts())
    verdict = verdict_to_json(best.verdict)
    row |= {key: verdict[key] for key in ("relation", "score", "major", "spans", "reason", "category", "signature") if key in verdict}
    row["case"] = case.id
    row["reports"] = [{"case": r.case.id, "method": r.method, "system": r.system, "relation": r.verdict.relation} for r in finding.reports]
    return {**row, **{k: v for k, v in finding.extra.items() if k not in row}}
