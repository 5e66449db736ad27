"""The paper's Tables III, IV, VI and VIII beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaphrase.evaluation.metrics import Counts, count
from metaphrase.evaluation.tables import Cell, Table

__all__ = ["published_tables"]

_NOTE = (
    "Ours: cross-validated on the rows at hand. Published: all rows; label and published verdicts do not look independent, "
    "so that the published figures are no yardstick for a comparison."
)


def published_tables(
    extras: Sequence[Mapping[str, Any]],
    engines: Sequence[tuple[str, ...]],
    labels: Sequence[bool],
    violated: Sequence[bool],
    figures: Mapping[str, Any],
    redundancy: Mapping[str, float],
) -> list[Table]:
    def counts(engine: str, year: int, category: str | None = None) -> Counts | None:
        chosen = [
            k
            for k, extra in enumerate(extras)
            if engine in engines[k]
            and extra.get("year") == year
            and category in (None, extra.get("category"), f"{extra.get('dataset')}-{extra.get('category')}")
        ]
        return count([labels[k] for k in chosen], [violated[k] for k in chosen]) if chosen else None

    tables = []
    for title, key, year in (("Table III (2022)", "table_3", 2022), ("Table IV (2021)", "table_4", 2021)):
        rows: list[list[Cell]] = []
        for engine, cells in _cells(figures, key).items():
            for category, theirs in cells["DCS"]["f1"].items():
                ours = counts(engine, year, None if category == "average" else category)
                if ours is not None:
                    published = [cells["DCS"][m][category] for m in ("precision", "recall")]
                    rows.append([engine, category, ours.precision, ours.recall, ours.f1, *published, theirs])
        if rows:
            columns = ["engine", "category", "P", "R", "F1", "published P", "published R", "published F1"]
            tables.append(Table(title, columns, rows, _NOTE))
    theirs = _cells(figures, "table_6")
    rows = [[engine, level, theirs.get(engine, {}).get("DCS")] for engine, level in redundancy.items()]
    note = "Reported places for each distinct error; all engines of a sentence are one case."
    tables.append(Table("Table VI: redundancy level", ["engine", "ours", "published"], rows, note))
    rows = []
    for engine, cells in _cells(figures, "table_8").get("DCS", {}).items():
        ours = counts(engine, 2022)
        if ours is not None:
            rows.append(
                [
                    engine,
                    *(int(v) for v in (ours.tn, ours.fn, ours.tp, ours.fp)),
                    ours.f1,
                    *(cells[k] for k in ("tn", "fn", "tp", "fp", "f1")),
                ]
            )
    if rows:
        columns = ["engine", "TN", "FN", "TP", "FP", "F1", "published TN", "published FN", "published TP", "published FP", "published F1"]
        tables.append(Table("Table VIII (2022)", columns, rows, _NOTE))
    return tables


def _cells(figures: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    cells: Mapping[str, Any] = figures.get(key, {}).get("cells", {})
    return cells
