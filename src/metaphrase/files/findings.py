"""Findings that were written before: what --baseline reads."""

from __future__ import annotations

from pathlib import Path

from metaphrase.core.errors import InputError
from metaphrase.files.lines import read_json_lines

__all__ = ["read_baseline"]


def read_baseline(path: Path | str | None) -> frozenset[str]:
    """Ids of known findings, from a file that `metaphrase test -o FILE.jsonl` wrote."""
    if path is None:
        return frozenset()
    ids = []
    for line in read_json_lines(path):
        if not isinstance(line.value.get("id"), str):
            raise InputError(
                f"{path}:{line.number}: a baseline is a file that 'metaphrase test -o FILE.jsonl' wrote; this line has no 'id'"
            )
        ids.append(line.value["id"])
    return frozenset(ids)
