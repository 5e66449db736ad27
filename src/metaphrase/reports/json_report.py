"""One JSON document: the run with its signatures and summary, and the findings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import IO, Any

from metaphrase.core.values import Finding
from metaphrase.reports.base import finding_to_json

__all__ = ["write"]


def write(findings: Iterable[Finding], run: Mapping[str, Any], stream: IO[str]) -> None:
    document = {"run": dict(run), "findings": [finding_to_json(f) for f in findings]}
    json.dump(document, stream, ensure_ascii=False, indent=2)
    stream.write("\n")
