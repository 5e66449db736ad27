"""`metaphrase bench alignment`: error rates against gold, beside the published ones; `calibrate alignment` learns the link scorers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metaphrase.campaign.config import Configuration
from metaphrase.core.values import Direction
from metaphrase.core.weights import Weights
from metaphrase.evaluation.alignment import (
    GoldAlignment,
    GoldSet,
    cross_validated_links,
    error_rate,
    fit_aligner,
    read_gold_alignments,
)
from metaphrase.evaluation.base import Learnt
from metaphrase.evaluation.labelled import find_files, published_figures
from metaphrase.evaluation.metrics import bootstrap
from metaphrase.evaluation.tables import Cell, Result, Table
from metaphrase.resources.lite.evidence import ChineseEnglishEvidence, GeneralEvidence
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Alignment
from metaphrase.text.languages import language

__all__ = ["benchmark", "calibrate"]

# The pairs that the general link scorer learns from: Latin script on both sides.
_GENERAL = ("en-fr", "ro-en")
_DICTIONARY = "zh-en"


def benchmark(data: Path, resources: Resources, configuration: Configuration) -> Result:
    """The profile's aligner as it is installed, and learnt anew fold by fold, because it was learnt from such gold."""
    gold = _read(data)
    started = time.perf_counter()
    links = {d: resources.aligner(d).align([g.pair for g in rows]) for d, rows in gold.items()}
    seconds = time.perf_counter() - started
    validated = _cross_validated(_learning_sets(gold, resources))
    published = published_figures(data).get("awesome_align", {}).get("cells", {})
    lines: list[list[Cell]] = []
    for direction, rows in gold.items():
        figures = error_rate(rows, links[direction])
        own = validated.get(direction)
        judged = own or links[direction]
        lines.append(
            [
                str(direction),
                len(rows),
                error_rate(rows, own).error_rate if own else None,
                figures.error_rate,
                figures.precision,
                figures.recall,
                _interval(rows, judged),
                *(_printed(published, system, str(direction)) for system in published),
            ]
        )
    columns = ["pair", "sentences", "AER, cross-validated", "AER", "P", "R", "95 %", *(f"published {name}" for name in published)]
    note = "'AER' is that of the installed weights, which have seen this gold (lite: zh-en, en-fr and ro-en; neural: all four)."
    signatures = {f"aligner {d}": str(resources.aligner(d).signature()) for d in gold}
    table = Table("Alignment error rate", columns, lines, note)
    return Result("alignment", [table], signatures, data.name, sum(map(len, gold.values())), seconds)


def calibrate(data: Path, resources: Resources, configuration: Configuration) -> Learnt:
    gold = _read(data)
    weights: dict[str, Weights] = {}
    for name, sets in _learning_sets(gold, resources).items():
        provenance = {
            "data": f"{data.name}: " + ", ".join(f"{s.direction} ({len(s.gold)} sentences)" for s in sets),
            "learnt with": f"metaphrase calibrate alignment --profile {resources.profile}",
        }
        if resources.profile == "neural":
            provenance |= {"pair": str(sets[0].direction), "model": str(sets[0].encoder.signature()) if sets[0].encoder else ""}
        weights[name] = fit_aligner(name, sets, provenance)
    return Learnt(weights, benchmark(data, resources, configuration))


def _read(data: Path) -> dict[Direction, list[GoldAlignment]]:
    return {Direction.parse(p.stem): read_gold_alignments(p) for p in find_files(data, "*-*.jsonl", "alignment")}


def _learning_sets(gold: Mapping[Direction, Sequence[GoldAlignment]], resources: Resources) -> dict[str, list[GoldSet]]:
    """What is learnt together: on lite all pairs in Latin script, on neural every pair for itself."""
    if resources.profile == "neural":
        from metaphrase.resources.neural.factories import evidence_for
        from metaphrase.resources.neural.models import load_encoder

        # Every fold encodes the same sentences, so the cache holds them all.
        encoder = load_encoder("mbert", cache_megabytes=2_000)
        return {f"links-{d}": [GoldSet(d, evidence_for(language(d.source), language(d.target)), rows, encoder)] for d, rows in gold.items()}
    general = [GoldSet(d, GeneralEvidence(language(d.source), language(d.target)), rows) for d, rows in gold.items() if str(d) in _GENERAL]
    chinese = [GoldSet(d, ChineseEnglishEvidence(), rows) for d, rows in gold.items() if str(d) == _DICTIONARY]
    return {name: sets for name, sets in (("aligner-zh-en", chinese), ("aligner-general", general)) if sets}


def _cross_validated(learning: Mapping[str, Sequence[GoldSet]]) -> dict[Direction, list[Alignment]]:
    found: dict[Direction, list[Alignment]] = {}
    for sets in learning.values():
        found.update(zip([s.direction for s in sets], cross_validated_links(sets), strict=True))
    return found


def _interval(rows: Sequence[GoldAlignment], links: Sequence[Alignment]) -> str:
    drawn = bootstrap(
        range(len(rows)), lambda positions: error_rate([rows[k] for k in positions], [links[k] for k in positions]).error_rate, rounds=200
    )
    return str(drawn)


def _printed(published: Mapping[str, Any], system: str, direction: str) -> float | None:
    value = published[system].get(direction)
    return float(value) / 100 if isinstance(value, (int, float)) else None
