"""Learns what each rule of the judge is worth, and measures the judge on labelled round trips."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metaphrase.text.meaning.compare import compare
from metaphrase.text.meaning.lexicon import Lexicon, Reader

__all__ = ["Scored", "learn_rules", "round_trip_groups", "score", "score_rows"]

# Two made-up rows, of which 1.4 are bugs, keep a rule seen once from being certain.
_PRIOR = 0.7
_PRIOR_ROWS = 2.0


@dataclass(frozen=True, slots=True)
class Scored:
    """The rules that fired on a labelled row."""

    id: str
    bug: bool
    rules: frozenset[str]
    group: int


def score_rows(rows: Sequence[Mapping[str, Any]], lexicon: Lexicon, *, number: bool = True, source: str = "source") -> list[Scored]:
    reader = Reader(lexicon)
    out: list[Scored] = []
    for row, group in zip(rows, round_trip_groups(rows, source), strict=True):
        found = compare(reader.read(row[source]), reader.read(row["back_translation"]))
        fired = frozenset(d.rule for d in found if number or d.kind == "meaning")
        out.append(Scored(str(row["id"]), bool(row["violation"]), fired, group))
    return out


def round_trip_groups(rows: Sequence[Mapping[str, Any]], source: str = "source") -> list[int]:
    """Rows with the same source sentence, or the same predicted expression of it, share a number."""
    parents: dict[str, str] = {}

    def root(key: str) -> str:
        while parents.setdefault(key, key) != key:
            parents[key] = parents[parents[key]]
            key = parents[key]
        return key

    for row in rows:
        keys = ["s" + " ".join(row[source].lower().split())]
        keys += ["m" + row["seed"]] if row.get("seed") else []
        keys += ["r" + "".join(row["source_regex"].split())] if row.get("source_regex") else []
        for key in keys[1:]:
            parents[root(keys[0])] = root(key)
    return [int(hashlib.sha256(root("s" + " ".join(row[source].lower().split())).encode()).hexdigest()[:8], 16) for row in rows]


def learn_rules(rows: Sequence[Scored]) -> dict[str, float]:
    """For each rule, how often a row on which it fired is a bug."""
    fired: Counter[str] = Counter()
    bugs: Counter[str] = Counter()
    for row in rows:
        fired.update(row.rules)
        bugs.update(row.rules if row.bug else ())
    return {rule: round((bugs[rule] + _PRIOR * _PRIOR_ROWS) / (times + _PRIOR_ROWS), 3) for rule, times in sorted(fired.items())}


def score(rules: frozenset[str], worth: Mapping[str, float]) -> float:
    """How surely one of the rules that fired is right; as the relation computes it."""
    rest = 1.0
    for rule in rules:
        rest *= 1.0 - worth.get(rule, 0.5)
    return 1.0 - rest
