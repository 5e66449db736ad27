"""Purity's own relation on labelled phrase pairs: the baseline rows "Purity" of the word-closure paper's Tables 6 and 7."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.judging import judge
from metaphrase.core.values import Verdict
from metaphrase.core.weights import Weights
from metaphrase.evaluation.base import Learnt
from metaphrase.evaluation.groups import folds
from metaphrase.evaluation.labelled import LabelledCases, find_files, published_figures, read_labelled
from metaphrase.evaluation.metrics import Counts, bootstrap, count
from metaphrase.evaluation.tables import Cell, Result, Table
from metaphrase.relations.bag_of_words import BagOfWords, BagOfWordsOptions
from metaphrase.resources.profiles import Resources

__all__ = ["benchmark", "calibrate"]

_DISTANCES = range(11)


def benchmark(data: Path, resources: Resources, configuration: Configuration) -> Result:
    labelled = read_labelled(find_files(data, "Purity-*.jsonl", "word_closure"))
    relation = BagOfWords(BagOfWordsOptions())
    started = time.perf_counter()
    verdicts = judge(relation, labelled.cases)
    seconds = time.perf_counter() - started
    published = published_figures(data).get("word_closure", {})
    rows: list[list[Cell]] = []
    sweep: list[list[Cell]] = []
    for direction in sorted({str(c.direction) for c in labelled.cases}):
        chosen = labelled.positions(direction=direction)
        by_distance = {d: _counts(labelled, verdicts, chosen, d) for d in _DISTANCES}
        sweep += [[direction, d, c.precision, c.recall, c.f1] for d, c in by_distance.items()]
        best = max(by_distance, key=lambda d: by_distance[d].f1)
        at_best = by_distance[best]
        interval = _interval(labelled, verdicts, chosen, best)
        held_out = _cross_validated(labelled, verdicts, chosen)
        rows.append(
            [
                direction,
                len(chosen),
                best,
                at_best.precision,
                at_best.recall,
                at_best.f1,
                interval,
                held_out.f1,
                _published(published, direction),
            ]
        )
    columns = ["direction", "rows", "best d", "P", "R", "F1", "95 %", "F1, d from other folds", "published baseline F1"]
    note = "Published: pooled from the printed counts over all three systems, dev and held-out rows together, d picked on those rows."
    tables = [Table("Purity, pooled over systems", columns, rows, note), Table("By distance", ["direction", "d", "P", "R", "F1"], sweep)]
    return Result("purity", tables, {"relation": str(relation.signature())}, data.name, len(labelled), seconds)


def calibrate(data: Path, resources: Resources, configuration: Configuration) -> Learnt:
    """The d with the best F1, for each direction."""
    result = benchmark(data, resources, configuration)
    best = {str(row[0]): row[2] for row in result.tables[0].rows}
    provenance = {"data": result.data, "rows": result.cases, "criterion": "F1, pooled over systems"}
    return Learnt({"bag-of-words": Weights("bag-of-words", {"d": best}, provenance)}, result)


def distance(verdict: Verdict) -> int:
    """The distance behind a score; -1 where the relation does not apply."""
    return int(verdict.extra.get("distance", -1))


def _counts(labelled: LabelledCases, verdicts: Sequence[Verdict], positions: Sequence[int], d: int) -> Counts:
    return count([labelled.labels[i] for i in positions], [distance(verdicts[i]) > d for i in positions])


def _interval(labelled: LabelledCases, verdicts: Sequence[Verdict], positions: Sequence[int], d: int) -> str:
    groups = [labelled.groups[i] for i in positions]
    return str(bootstrap(groups, lambda drawn: _counts(labelled, verdicts, [positions[i] for i in drawn], d).f1))


def _cross_validated(labelled: LabelledCases, verdicts: Sequence[Verdict], positions: Sequence[int]) -> Counts:
    gold: list[bool] = []
    predicted: list[bool] = []
    for fold in folds([labelled.groups[i] for i in positions]):
        train = [positions[i] for i in fold.train]
        d = max(_DISTANCES, key=lambda d: _counts(labelled, verdicts, train, d).f1)
        gold += [labelled.labels[positions[i]] for i in fold.test]
        predicted += [distance(verdicts[positions[i]]) > d for i in fold.test]
    return count(gold, predicted)


def _published(tables: Mapping[str, Any], direction: str) -> float | None:
    for name in ("table_6", "table_7"):
        table = tables.get(name)
        if table and table["direction"] == direction:
            cells = [system["Purity"]["baseline"] for system in table["cells"].values() if "Purity" in system]
            pooled = Counts(*(sum(cell[key] for cell in cells) for key in ("tp", "fp", "fn", "tn")))
            return pooled.f1
    return None
