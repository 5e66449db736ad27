"""Benchmark results: tables that print as text and Markdown and are written as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metaphrase.core.errors import ConfigurationError
from metaphrase.files.lines import open_output

__all__ = ["Cell", "Result", "Table", "write_result"]

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; fractions are shown with three digits, None as a dash."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"title": self.title, "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows], "note": self.note}

    def markdown(self) -> str:
        lines = [f"### {self.title}", "", "| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join(_shown(cell) for cell in row) + " |" for row in self.rows]
        return "\n".join([*lines, *(["", self.note] if self.note else []), ""])


@dataclass(frozen=True, slots=True)
class Result:
    """What a benchmark found: tables, the signatures behind them, what was measured on, and time."""

    name: str
    tables: Sequence[Table]
    signatures: Mapping[str, str]
    data: str
    cases: int
    seconds: float
    notes: Sequence[str] = field(default_factory=tuple)

    def markdown(self) -> str:
        milliseconds = 1000 * self.seconds / self.cases if self.cases else 0.0
        head = [f"## {self.name}", "", f"Data: {self.data}; {self.cases} cases, {milliseconds:.2f} ms a case.", ""]
        tail = [*(f"- {note}" for note in self.notes), *(f"- {name}: `{text}`" for name, text in self.signatures.items()), ""]
        return "\n".join([*head, *(table.markdown() for table in self.tables), *tail])

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "data": self.data,
            "cases": self.cases,
            "seconds": self.seconds,
            "signatures": dict(self.signatures),
            "tables": [table.to_json() for table in self.tables],
            "notes": list(self.notes),
        }


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def write_result(result: Result, path: Path) -> None:
    """JSON or Markdown, by extension."""
    if path.suffix not in (".json", ".md"):
        raise ConfigurationError(f"{path}: benchmarks are written as .json or .md")
    with open_output(path) as stream:
        if path.suffix == ".md":
            stream.write(result.markdown())
        else:
            json.dump(result.to_json(), stream, ensure_ascii=False, indent=2)
            stream.write("\n")
