"""Signatures: what exactly produced a result.

A signature is printed with every report and every benchmark table, and is part of the keys in the
store, so that a changed parameter is a different thing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Signature", "content_hash"]


def content_hash(*parts: object) -> str:
    """A short, stable hash of JSON-like values."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Signature:
    """Name, version and parameters of a system, resource, transformation or relation.

    Secrets never belong into `parameters`.
    """

    name: str
    version: str = "1"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        inner = "".join(f"|{key}:{_plain(value)}" for key, value in sorted(self.parameters.items()) if value is not None)
        return f"{self.name}|v:{self.version}{inner}"

    @property
    def digest(self) -> str:
        return content_hash(str(self))


def _plain(value: object) -> str:
    if isinstance(value, Signature):
        return f"({value})"
    if isinstance(value, (list, tuple)):
        return "+".join(_plain(v) for v in value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
