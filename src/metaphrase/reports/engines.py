"""Which engine to choose: findings by engine and kind, and where each was the outlier, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any

from metaphrase.core.values import DifferentialCase, Finding, Severity

__all__ = ["EngineTable", "engine_table"]

_COLUMNS = ("engine", "its own errors", "95 %", "by kind", "outlier", "95 %", "words in differences")


class EngineTable:
    """Counts over a run with several engines; empty if no finding compares engines."""

    def __init__(self, findings: Iterable[Finding], sentences: int) -> None:
        self.sentences = sentences
        self.engines: dict[str, None] = {}
        self.kinds: dict[str, Counter[str]] = {}
        self.own: dict[str, set[str]] = {}
        self.outliers: dict[str, set[str]] = {}
        self.involved: Counter[str] = Counter()
        self.shared: Counter[str] = Counter()
        self.differing: set[str] = set()
        self.major: set[str] = set()
        for finding in findings:
            self._add(finding)

    def _add(self, finding: Finding) -> None:
        best = finding.best
        if not isinstance(best.case, DifferentialCase):
            return
        self.engines.update(dict.fromkeys(best.case.translations))
        place = best.verdict.extra.get("place") or {}
        kind, blamed, segment = str(best.verdict.category or "wording"), place.get("blamed") or (), finding.segment.id
        for engine in blamed:
            self.kinds.setdefault(engine, Counter())[kind] += 1
            self.own.setdefault(engine, set()).add(segment)
        if not blamed:
            self.shared[kind] += 1
            self.differing.add(segment)
            self.involved.update({span.text for span in best.verdict.spans})
        if finding.severity is Severity.MAJOR:
            self.major.add(segment)
        outlier = best.verdict.extra.get("outlier")
        if outlier:
            self.outliers.setdefault(str(outlier), set()).add(segment)

    @property
    def columns(self) -> Sequence[str]:
        return _COLUMNS if len(self.engines) > 2 else (*_COLUMNS[:4], _COLUMNS[6])

    def rows(self) -> list[list[str]]:
        """One row an engine; shares are of all sentences of the run."""
        rows = []
        for engine in self.engines:
            own, outlier = len(self.own.get(engine, ())), len(self.outliers.get(engine, ()))
            kinds = ", ".join(f"{n} {kind}" for kind, n in self.kinds.get(engine, Counter()).most_common())
            row = [engine, f"{own} of {self.sentences}", interval(own, self.sentences), kinds or "-"]
            if len(self.engines) > 2:
                row += [f"{outlier} of {self.sentences}", interval(outlier, self.sentences)]
            rows.append([*row, str(self.involved[engine])])
        return rows

    def note(self) -> str:
        kinds = ", ".join(f"{n} {kind}" for kind, n in self.shared.most_common())
        text = f"differences that name no engine: {kinds or 'none'}, in {len(self.differing)} of {self.sentences} sentences; major findings in {len(self.major)}"
        return text + ("" if len(self.engines) > 2 else "; two engines can only be said to differ, a third would name the outlier")

    def to_json(self) -> dict[str, Any]:
        return {
            "sentences": self.sentences,
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows()],
            "note": self.note(),
        }


def engine_table(findings: Iterable[Finding], sentences: int) -> EngineTable | None:
    table = EngineTable(findings, sentences)
    return table if table.engines else None


def interval(count: int, total: int) -> str:
    """Wilson's 95 % interval of a share, in per cent."""
    if not total:
        return "-"
    z, share = 1.96, count / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{100 * max(0.0, centre - half):.0f} to {100 * min(1.0, centre + half):.0f} %"
