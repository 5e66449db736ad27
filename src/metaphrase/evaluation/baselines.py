"""The baseline rows of the word-closure paper's Tables 6 and 7: every method judged by its own relation.

The paper picks, for each method and system, the threshold of the highest F1 on the rows it reports; so do we in the figures set beside
the published ones, and next to them stands what one threshold for all systems and one from other sentences reach.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.judging import judge
from metaphrase.campaign.plan import make_relation
from metaphrase.core.errors import InputError, MissingResourceError
from metaphrase.core.values import Outcome, Verdict
from metaphrase.core.weights import Weights
from metaphrase.evaluation.base import Learnt
from metaphrase.evaluation.groups import folds
from metaphrase.evaluation.labelled import LabelledCases, find_files, published_figures, read_labelled
from metaphrase.evaluation.metrics import Counts, best_threshold, bootstrap, count
from metaphrase.evaluation.tables import Cell, Result, Table
from metaphrase.resources.profiles import Resources

__all__ = [
    "benchmark",
    "calibrate_bleu",
    "calibrate_constituency_distance",
    "calibrate_dependency_distance",
    "calibrate_edit_distance",
    "calibrate_lcs",
    "calibrate_tf_idf",
]

# The relation that the paper replicates for each method, and the other one that SIT offers.
_ROWS = (
    ("SIT", "dependency-distance"),
    ("SIT", "constituency-distance"),
    ("CAT", "lcs"),
    ("Purity", "bag-of-words"),
    ("CIT", "constituency-paths"),
    ("PatInv", "must-differ"),
)
_TRANSFORMATIONS = {relation: name for name, relation in _ROWS} | dict.fromkeys(("edit-distance", "tf-idf", "bleu"), "CAT")
_COLUMNS = [
    "method", "relation", "direction", "rows", "P", "R", "F1", "95 %", "published F1", "one threshold", "its F1", "F1, threshold from other folds",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Judged:
    """One method's rows of one direction, with a score each: the higher, the more of a violation."""

    labels: list[bool]
    scores: list[float]
    groups: list[int]
    systems: list[str]

    def best(self, positions: Sequence[int]) -> float:
        """The threshold of the highest F1; 0.5 where no threshold finds anything right."""
        labels, scores = [self.labels[i] for i in positions], [self.scores[i] for i in positions]
        if not any(label and score > 0 for label, score in zip(labels, scores, strict=True)):
            return 0.5
        return max(best_threshold(labels, scores), 1e-9)

    def counts(self, threshold: float) -> Counts:
        return count(self.labels, [score >= threshold for score in self.scores])


def benchmark(data: Path, resources: Resources, configuration: Configuration) -> Result:
    rows: list[list[Cell]] = []
    signatures: dict[str, str] = {}
    notes: list[str] = []
    cases = 0
    published = published_figures(data).get("word_closure", {})
    started = time.perf_counter()
    for method, name in _ROWS:
        try:
            labelled = read_labelled(find_files(data, f"{method}-*.jsonl", "word_closure"))
        except InputError as error:
            notes.append(f"{method}: left out, {error}")
            continue
        relation = make_relation(name, resources, configuration, transformation=method.casefold())
        try:
            verdicts = judge(relation, labelled.cases)
        except MissingResourceError as error:
            notes.append(f"{method} by {name}: left out, {error}")
            continue
        signatures[f"{method} by {name}"] = str(relation.signature())
        cases += len(labelled)
        for direction in sorted({str(c.direction) for c in labelled.cases}):
            judged = _judged(labelled, verdicts, direction)
            rows.append([method, name, direction, *_figures(judged, _published(published, method, direction))])
    note = "Published: pooled from the printed counts over three systems, dev and held-out rows together, thresholds picked on those rows."
    return Result(
        "baselines",
        [Table("Own relations, pooled over systems", _COLUMNS, rows, note)],
        signatures,
        data.name,
        cases,
        time.perf_counter() - started,
        notes,
    )


def calibrate(name: str, data: Path, resources: Resources, configuration: Configuration) -> Learnt:
    """The threshold of the highest F1, for each direction."""
    method = _TRANSFORMATIONS[name]
    labelled = read_labelled(find_files(data, f"{method}-*.jsonl", "word_closure"))
    relation = make_relation(name, resources, configuration, transformation=method.casefold())
    started = time.perf_counter()
    verdicts = judge(relation, labelled.cases)
    rows: list[list[Cell]] = []
    best: dict[str, float] = {}
    for direction in sorted({str(c.direction) for c in labelled.cases}):
        judged = _judged(labelled, verdicts, direction)
        rows.append([method, name, direction, *_figures(judged, None)])
        best[direction] = _stated(name, judged.best(range(len(judged.labels))))
    result = Result(
        f"{name} on {method}",
        [Table("Threshold of the highest F1", _COLUMNS, rows)],
        {"relation": str(relation.signature())},
        data.name,
        len(labelled),
        time.perf_counter() - started,
    )
    provenance = {"data": data.name, "rows": len(labelled), "criterion": "F1, pooled over systems"}
    key = "d" if name.endswith("distance") and name != "edit-distance" else "threshold"
    return Learnt({name: Weights(name, {key: best}, provenance)}, result)


calibrate_lcs = partial(calibrate, "lcs")
calibrate_edit_distance = partial(calibrate, "edit-distance")
calibrate_tf_idf = partial(calibrate, "tf-idf")
calibrate_bleu = partial(calibrate, "bleu")
calibrate_dependency_distance = partial(calibrate, "dependency-distance")
calibrate_constituency_distance = partial(calibrate, "constituency-distance")


def _stated(name: str, threshold: float) -> float:
    """As the relation's option states it: a similarity, or the distance that is still fine."""
    return round(1 - threshold, 3) if name in ("lcs", "edit-distance", "tf-idf", "bleu") else int(threshold)


def _judged(labelled: LabelledCases, verdicts: Sequence[Verdict], direction: str) -> _Judged:
    chosen = labelled.positions(direction=direction)
    return _Judged(
        [labelled.labels[i] for i in chosen],
        [_score(verdicts[i]) for i in chosen],
        [labelled.groups[i] for i in chosen],
        [str(labelled.cases[i].extra.get("system", "")) for i in chosen],
    )


def _score(verdict: Verdict) -> float:
    """Distances as they are; a case that the relation does not judge is not reported."""
    if verdict.outcome is Outcome.NOT_APPLICABLE:
        return -1.0
    return float(verdict.extra.get("distance", verdict.score or 0.0))


def _figures(judged: _Judged, published: float | None) -> list[Cell]:
    everything = range(len(judged.labels))
    thresholds = {system: judged.best([i for i in everything if judged.systems[i] == system]) for system in set(judged.systems)}
    reported = [judged.scores[i] >= thresholds[judged.systems[i]] for i in everything]
    counts = count(judged.labels, reported)
    interval = bootstrap(judged.groups, lambda drawn: count([judged.labels[i] for i in drawn], [reported[i] for i in drawn]).f1)
    one = judged.best(everything)
    figures: list[Cell] = [len(judged.labels), counts.precision, counts.recall, counts.f1, str(interval), published]
    return [*figures, one, judged.counts(one).f1, _cross_validated(judged).f1]


def _cross_validated(judged: _Judged) -> Counts:
    gold: list[bool] = []
    predicted: list[bool] = []
    for fold in folds(judged.groups):
        threshold = judged.best(fold.train)
        gold += [judged.labels[i] for i in fold.test]
        predicted += [judged.scores[i] >= threshold for i in fold.test]
    return count(gold, predicted)


def _published(tables: Mapping[str, Any], method: str, direction: str) -> float | None:
    for name in ("table_6", "table_7"):
        table = tables.get(name)
        if table and table["direction"] == direction:
            cells = [system[method]["baseline"] for system in table["cells"].values() if method in system]
            return Counts(*(sum(cell[key] for cell in cells) for key in ("tp", "fp", "fn", "tn"))).f1
    return None
