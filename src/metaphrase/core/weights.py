"""Learnt numbers: JSON files with their provenance, beside the code that uses them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from metaphrase.core.errors import InputError
from metaphrase.core.signature import content_hash

__all__ = ["Weights", "read_weights", "shipped_weights"]


@dataclass(frozen=True, slots=True)
class Weights:
    """`values` is what the code reads, `provenance` says from which data, how and when they were learnt."""

    name: str
    values: dict[str, Any]
    provenance: dict[str, Any]

    @property
    def digest(self) -> str:
        return content_hash(self.values)[:8]


def read_weights(path: Path) -> Weights:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Weights(path.stem, dict(data["values"]), dict(data["provenance"]))
    except OSError as error:
        raise InputError(f"{path}: cannot read weights: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: not a weights file (an object with 'values' and 'provenance'): {error}; write one with 'metaphrase calibrate'"
        ) from error


def shipped_weights(package: str, name: str) -> Weights | None:
    """The weights file `name`.json in the folder `weights` of a package, or None if there is none."""
    resource = files(package) / "weights" / f"{name}.json"
    if not resource.is_file():
        return None
    data = json.loads(resource.read_text(encoding="utf-8"))
    return Weights(name, data["values"], data["provenance"])
