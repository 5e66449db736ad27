"""Findings as JSON Lines, one a line, in rank order; also what --baseline reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

from metaphrase.core.values import Finding
from metaphrase.files.cases import dumps
from metaphrase.reports.base import finding_to_json

__all__ = ["write"]


def write(findings: Iterable[Finding], run: Mapping[str, Any], stream: IO[str]) -> None:
    for finding in findings:
        stream.write(dumps(finding_to_json(finding)) + "\n")
