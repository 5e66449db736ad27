"""Repair on recorded text: the released fixes of CAT and TransRepair, and what we would have done with the same translations.

The data hold one pair a row, before and after the released repair, with the authors' labels (CAT, Table 4). Variants are the recorded
translations of texts that differ from the row's in one word; nothing is translated, so most rows have one variant only.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.plan import make_relation
from metaphrase.core.values import Direction, MetamorphicCase
from metaphrase.evaluation.labelled import find_files, published_figures
from metaphrase.evaluation.metrics import bootstrap
from metaphrase.evaluation.tables import Cell, Result, Table
from metaphrase.files.lines import read_json_lines
from metaphrase.relations.base import Relation
from metaphrase.repair.guards import objection
from metaphrase.repair.repairer import Repairer
from metaphrase.repair.values import Judged, Repair, Subject, Variant
from metaphrase.repair.variants import replacement
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import language
from metaphrase.text.near_copies import source_groups

__all__ = ["benchmark"]

METRICS = {"lcs": "LCS", "edit-distance": "ED", "tf-idf": "TFIDF", "bleu": "BLEU"}
_LABELS = ("improved", "unchanged", "decreased")


@dataclass(frozen=True, slots=True)
class _Row:
    """A released fix: the pair before and after it, and what the authors said about it."""

    approach: str
    before: MetamorphicCase
    after: MetamorphicCase
    consistency: str
    acceptability: tuple[str, str]  # of the original, of the mutant


def benchmark(data: Path, resources: Resources, configuration: Configuration) -> Result:
    rows = [_row(line.value) for path in find_files(data, "repair.jsonl", "cat") for line in read_json_lines(path)]
    recorded = _recorded(data, rows)
    groups = source_groups([row.before.source for row in rows])
    published = published_figures(data).get("cat", {})
    started = time.thread_time()
    shares: list[list[Cell]] = []
    ours: list[list[Repair]] = []
    for name, column in METRICS.items():
        relation = make_relation(name, resources, configuration)
        repairs = [_repair(row, recorded, relation, resources, configuration) for row in rows]
        violated = [i for i, row in enumerate(rows) if relation.judge([row.before])[0].violated]
        released = {i for i in violated if not relation.judge([rows[i].after])[0].violated}
        repaired = {i for i in violated if any(r.accepted for r in repairs[i])}
        interval = bootstrap([groups[i] for i in violated], _share(violated, repaired))
        cells = published.get("table_3", {}).get("cells", {}).get("transformer", {}).get("CAT", {}).get("cross_reference", {})
        theirs = f"{cells[column][1]} %" if column in cells else None
        shares.append([name, len(violated), _ratio(len(released), violated), _ratio(len(repaired), violated), str(interval), theirs])
        if name == "lcs":
            ours = repairs
    seconds = time.thread_time() - started
    tables = [
        Table(
            "Share of violated pairs that pass after repair",
            ["metric", "violated", "released fix", "ours, recorded text only", "95 %", "published for all bugs, 16 mutants"],
            shares,
            "The rows were sampled from successful fixes, so the released share says how many still pass by our metric, not how many could be fixed.",
        ),
        Table(
            "Released fixes by the authors' label, and how our guards see them",
            ["label of the changed text", "fixes", "our guards object"],
            _guarded(rows),
        ),
        Table("Where we accept a repair (lcs)", ["", "repairs"], _agreement(rows, ours)),
    ]
    relation = make_relation("lcs", resources, configuration)
    signatures = {"relation": str(relation.signature()), "aligner": str(resources.aligner(Direction("en", "zh")).signature())}
    return Result("repair", tables, signatures, data.name, len(rows), seconds)


def _row(value: dict[str, Any]) -> _Row:
    direction = Direction.parse(value["direction"])
    before = MetamorphicCase(
        value["id"], direction, value["approach"].casefold(), value["original"], value["mutant"],
        value["original_translation_before"], value["mutant_translation_before"],
    )  # fmt: skip
    after = replace(before, source_translation=value["original_translation_after"], followup_translation=value["mutant_translation_after"])
    return _Row(value["approach"], before, after, value["consistency"], (value["original_acceptability"], value["mutant_acceptability"]))


def _recorded(data: Path, rows: Sequence[_Row]) -> dict[str, str]:
    """Every translation of the same engine that the data hold, by text."""
    found: dict[str, str] = {}
    for row in rows:
        found[row.before.source] = row.before.source_translation or ""
        found[row.before.followup] = row.before.followup_translation or ""
    for path in find_files(data, "bug_detection.jsonl", "cat"):
        for line in read_json_lines(path):
            if line.value["approach"] in ("CAT", "TransRepair"):
                found.setdefault(line.value["source"], line.value["source_translation"])
                found.setdefault(line.value["followup"], line.value["followup_translation"])
    return found


def _repair(row: _Row, recorded: dict[str, str], relation: Relation, resources: Resources, configuration: Configuration) -> list[Repair]:
    case = row.before
    source = language(case.direction.source)
    first = case.source.split()[:1]
    variants = []
    for text, translation in recorded.items():
        # Only texts of about the same length can differ in one word; comparing all with all would be slow.
        near = (
            text != case.source
            and abs(len(text) - len(case.source)) < 40
            and (text.split()[:1] == first or text.endswith(case.source[-30:]))
        )
        found = replacement(case.source, text, source) if near else None
        if found is not None:
            variants.append(Variant(text, translation, found, "follow-up"))
    verdict = relation.judge([case])[0]
    subject = Subject(case.direction, case.source, case.source_translation or "", (Judged(case, verdict, relation),), tuple(variants))
    # One variant is all that most rows have, so one vote must do.
    options = configuration.repair.model_copy(update={"min_votes": min(1, configuration.repair.min_votes)})
    return Repairer(case.direction, resources.aligner(case.direction), options).repair(subject)


def _guarded(rows: Sequence[_Row]) -> list[list[Cell]]:
    """Whether our guards tell the released fixes that the authors found worse from the others."""
    counts: Counter[str] = Counter()
    objected: Counter[str] = Counter()
    for row in rows:
        languages = (language(row.before.direction.source), language(row.before.direction.target))
        texts = (
            (row.before.source, row.before.source_translation or "", row.after.source_translation or ""),
            (row.before.followup, row.before.followup_translation or "", row.after.followup_translation or ""),
        )
        for (text, before, after), label in zip(texts, row.acceptability, strict=True):
            if before != after:
                counts[label] += 1
                objected[label] += objection(text, before, after, languages) is not None
    return [[label, counts[label], objected[label]] for label in _LABELS]


def _agreement(rows: Sequence[_Row], repairs: Sequence[Sequence[Repair]]) -> list[list[Cell]]:
    accepted = [(row, repair) for row, some in zip(rows, repairs, strict=True) for repair in some if repair.accepted]
    same = [_released(row, repair) == repair.after for row, repair in accepted]
    touched = [_released(row, repair) != repair.before for row, repair in accepted]
    labels = Counter(row.acceptability[repair.text == "followup_translation"] for row, repair in accepted)
    cells: list[list[Cell]] = [
        ["accepted", len(accepted)],
        ["the released fix changed the same text", sum(touched)],
        ["to the same wording", sum(same)],
    ]
    return cells + [[f"released fix of that text was labelled {label}", labels[label]] for label in _LABELS]


def _released(row: _Row, repair: Repair) -> str:
    return (row.after.followup_translation if repair.text == "followup_translation" else row.after.source_translation) or ""


def _ratio(part: int, whole: Sequence[int]) -> float | None:
    return part / len(whole) if whole else None


def _share(violated: Sequence[int], repaired: set[int]) -> Callable[[Sequence[int]], float]:
    return lambda drawn: sum(violated[i] in repaired for i in drawn) / len(drawn) if drawn else 0.0
