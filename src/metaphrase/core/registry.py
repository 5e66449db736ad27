"""What is installed: built-ins and plugins register through the same entry points.

Loading is lazy: listing names imports nothing. Names are compared without case.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from metaphrase.core.errors import MissingResourceError, UnknownNameError

__all__ = ["Group", "benchmarks", "calibrations", "languages", "methods", "relations", "reports", "resources", "systems"]


@dataclass(frozen=True, slots=True)
class Group:
    """One extension point: `load` gives the object an entry point names."""

    kind: str
    entry_point_group: str

    def names(self) -> list[str]:
        return sorted(_entries(self.entry_point_group))

    def __contains__(self, name: str) -> bool:
        return name.casefold() in _entries(self.entry_point_group)

    def load(self, name: str) -> Any:
        entries = _entries(self.entry_point_group)
        entry = entries.get(name.casefold())
        if entry is None:
            raise UnknownNameError(self.kind, name, entries)
        try:
            return entry.load()
        except ModuleNotFoundError as error:
            extra = next(iter(entry.extras), "")
            remedy = f"pip install 'metaphrase[{extra}]'" if extra else f"pip install {error.name}"
            raise MissingResourceError(f"{self.kind} '{name}' needs the package '{error.name}': {remedy}") from error


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name.casefold(): entry for entry in entry_points(group=group)}


benchmarks = Group("benchmark", "metaphrase.benchmarks")
calibrations = Group("calibration", "metaphrase.calibrations")
languages = Group("language", "metaphrase.languages")
methods = Group("method", "metaphrase.methods")
relations = Group("relation", "metaphrase.relations")
reports = Group("report format", "metaphrase.reports")
resources = Group("resource", "metaphrase.resources")
systems = Group("system", "metaphrase.systems")
