"""What a benchmark and a calibration are; both register through entry points."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from metaphrase.campaign.config import Configuration
from metaphrase.core.weights import Weights
from metaphrase.evaluation.tables import Result
from metaphrase.resources.profiles import Resources

__all__ = ["Benchmark", "Calibration", "Learnt"]


class Benchmark(Protocol):
    """An entry point of the group `metaphrase.benchmarks`: measures the product's own parts on labelled data."""

    def __call__(self, data: Path, resources: Resources, configuration: Configuration) -> Result: ...


@dataclass(frozen=True, slots=True)
class Learnt:
    """Weights by file name, and how well they did in cross-validation."""

    weights: dict[str, Weights]
    result: Result


class Calibration(Protocol):
    """An entry point of the group `metaphrase.calibrations`: learns a relation's or resource's numbers from labelled data."""

    def __call__(self, data: Path, resources: Resources, configuration: Configuration) -> Learnt: ...
