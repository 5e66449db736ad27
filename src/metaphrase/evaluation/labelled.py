"""Labelled cases from a data folder, and published figures beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metaphrase.campaign.plan import expected
from metaphrase.core.errors import InputError
from metaphrase.core.values import Case, MetamorphicCase
from metaphrase.files.cases import read_cases
from metaphrase.text.near_copies import source_groups

__all__ = ["LabelledCases", "find_files", "published_figures", "read_labelled"]


@dataclass(frozen=True, slots=True)
class LabelledCases:
    """Cases with their labels; rows with the same group number come from the same sentence."""

    cases: Sequence[Case]
    labels: Sequence[bool]
    groups: Sequence[int]
    files: Sequence[str]

    def __len__(self) -> int:
        return len(self.cases)

    def positions(self, **wanted: str) -> list[int]:
        """Rows whose direction, transformation or other stated field has these values (compared without case)."""

        def value(case: Case, name: str) -> str:
            stated = {"direction": str(case.direction), "transformation": case.transformation}
            return str(stated.get(name, case.extra.get(name, ""))).casefold()

        return [i for i, case in enumerate(self.cases) if all(value(case, k) == v.casefold() for k, v in wanted.items())]


def find_files(data: Path, pattern: str, folder: str) -> list[Path]:
    """Files of a pattern in the data folder itself or in its subfolder."""
    if not data.is_dir():
        raise InputError(f"{data}: no such data folder")
    found = sorted(data.glob(pattern)) or sorted((data / folder).glob(pattern))
    if not found:
        raise InputError(f"{data}: no file {pattern} there, nor in {data / folder}")
    return found


def read_labelled(paths: Sequence[Path], label: str = "violation") -> LabelledCases:
    """All rows that carry the label, grouped by the longer of their inputs."""
    cases: list[Case] = []
    labels: list[bool] = []
    files: list[str] = []
    for path in paths:
        for case in read_cases(path):
            if isinstance(case.extra.get(label), bool):
                cases.append(expected(case))
                labels.append(case.extra[label])
                files.append(path.name)
    return LabelledCases(cases, labels, source_groups([_longer(case) for case in cases]), files)


def _longer(case: Case) -> str:
    if isinstance(case, MetamorphicCase) and len(case.followup) > len(case.source):
        return case.followup
    return case.source


def published_figures(data: Path) -> Mapping[str, Any]:
    """The papers' tables, where the data folder (or the one above) has them."""
    for folder in (data, data.parent):
        path = folder / "paper_tables.json"
        if path.is_file():
            loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return loaded
    return {}
