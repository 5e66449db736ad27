"""Word closure on labelled pairs: Tables 6 to 10 of the paper, major errors against readings, and the weights themselves.

Figures are cross-validated by source sentence: the scorer is learnt anew for each fold.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from metaphrase.campaign.config import Configuration
from metaphrase.core.values import MetamorphicCase
from metaphrase.core.weights import Weights
from metaphrase.evaluation.base import Learnt
from metaphrase.evaluation.closure_learning import Example, Reading, learn_scorers
from metaphrase.evaluation.closure_tables import Judged, across_systems, paper_table, system_of, tables
from metaphrase.evaluation.groups import folds
from metaphrase.evaluation.labelled import LabelledCases, find_files, published_figures, read_labelled
from metaphrase.evaluation.tables import Result
from metaphrase.files.lines import read_json_lines
from metaphrase.relations.closure.describe import Described, describe_pairs, link_pairs
from metaphrase.relations.closure.learned import LearnedScorer
from metaphrase.relations.closure.paper import PaperScorer
from metaphrase.relations.word_closure import WordClosure, WordClosureOptions
from metaphrase.resources.profiles import Resources

__all__ = ["benchmark", "by_the_papers_rule", "calibrate", "read_examples"]

PAIR_FILES = "*-*-*-*.jsonl"


def benchmark(data: Path, resources: Resources, configuration: Configuration) -> Result:
    """Learn and judge fold by fold."""
    return _measure(data, resources)[0]


def _measure(data: Path, resources: Resources) -> tuple[Result, list[Example]]:
    labelled = read_labelled(_pair_files(data))
    relation = WordClosure(resources, WordClosureOptions())
    settled = _settled(labelled, data, relation)
    started = time.perf_counter()
    examples = read_examples(labelled, data, resources, settled)
    seconds = time.perf_counter() - started
    judged = [settled.get(k, found) for k, found in sorted(_cross_validated(labelled, examples).items())]
    others = [settled.get(k, found) for s in _systems(judged) for k, found in _cross_validated(labelled, examples, without=s).items()]
    fine = {row["id"]: row for row in _rows(data, "word_closure/fine/*.jsonl", "fine/*.jsonl")}
    published = published_figures(data).get("word_closure", {})
    paper = PaperScorer(resources)
    by_paper = by_the_papers_rule(paper, labelled, examples, settled, resources)
    found = [
        *tables(judged, published, fine),
        *([across_systems(others)] if others else []),
        paper_table(judged, by_paper, paper.similarity, published),
    ]
    used = {"relation": str(relation.signature())}
    used |= {f"aligner {d}": str(resources.aligner(d).signature()) for d in sorted({e.described.view.direction for e in examples})}
    notes = [
        "Five folds by source sentence; every figure of the learned scorer is on sentences it was not learnt from.",
        "Published figures are over development and held-out rows together, with thresholds picked on those rows.",
        "The time is that of tokens, alignment and features, without learning.",
    ]
    if relation.first_look is not None:
        share = sum(k not in settled for k in range(len(labelled))) / max(1, len(labelled))
        notes.append(f"Models were asked about {share:.0%} of the rows; the lite profile, learnt fold by fold too, had settled the others.")
    return Result("word-closure", found, used, data.name, len(labelled), seconds, notes), examples


def _systems(judged: Sequence[Judged]) -> list[str]:
    """Those without whose rows there is still enough to learn from: rows of the same directions, and readings."""
    found = []
    for system in sorted({j.system for j in judged}):
        own, rest = ([j for j in judged if (j.system == system) is here] for here in (True, False))
        directions = [{j.case.direction for j in rows if not j.example.clean} for rows in (own, rest)]
        if directions[0] <= directions[1] and any(j.example.reading is not None and not j.example.clean for j in rest):
            found.append(system)
    return found


def by_the_papers_rule(
    paper: PaperScorer, labelled: LabelledCases, examples: Sequence[Example], settled: Mapping[int, Judged], resources: Resources
) -> list[bool]:
    """A pair without left-over words holds by any rule. This rule takes no first look, so that settled rows are aligned for it."""
    violated = dict.fromkeys(range(len(examples)), False)
    rows = [k for k, e in enumerate(examples) if not e.clean]
    for k, (pair, similarity) in zip(rows, paper.compared(examples[k].described for k in rows), strict=True):
        violated[k] = paper.violated(pair, similarity)
    rows = sorted(settled)
    cases = [c for k in rows if isinstance(c := labelled.cases[k], MetamorphicCase)]
    for k, (pair, similarity) in zip(rows, paper.compared(link_pairs(cases, resources)), strict=True):
        clean = not pair.comparison.left_over(0) and not pair.comparison.left_over(1)
        violated[k] = not clean and paper.violated(pair, similarity)
    return [violated[k] for k in range(len(examples))]


def _settled(labelled: LabelledCases, data: Path, relation: WordClosure) -> dict[int, Judged]:
    """Rows that the relation would not ask its models about."""
    if relation.first_look is None:
        return {}
    judged = _cross_validated(labelled, read_examples(labelled, data, relation.first_look.resources))
    return {k: j for k, j in judged.items() if not j.scored.violated and relation.is_settled(j.scored.score)}


def _without_words(example: Example) -> Example:
    """As a row that nothing is to be learnt from."""
    reading = example.reading and replace(example.reading, words=())
    return replace(example, described=replace(example.described, left=()), blamed=(), reading=reading)


def calibrate(data: Path, resources: Resources, configuration: Configuration) -> Learnt:
    """Weights from all rows: one file a direction, with the cross-validated figures beside."""
    result, examples = _measure(data, resources)
    weights: dict[str, Weights] = {}
    for direction, values in learn_scorers(examples).items():
        name = f"word-closure-{resources.profile}-{direction}"
        weights[name] = Weights(
            name, values, _provenance(data, resources.profile, [e for e in examples if e.described.view.direction == direction])
        )
    return Learnt(weights, result)


def _pair_files(data: Path) -> list[Path]:
    """The published files in the folder or its subfolder `word_closure`; else whatever labelled cases the folder holds."""
    found = sorted(data.glob(PAIR_FILES)) or sorted((data / "word_closure").glob(PAIR_FILES))
    return found or find_files(data, "*.jsonl", "word_closure")


def _provenance(data: Path, profile: str, examples: Sequence[Example]) -> dict[str, Any]:
    return {
        "data": data.name,
        "rows": len(examples),
        "violations": sum(e.violation for e in examples),
        "readings": sum(e.reading is not None for e in examples),
        "learnt with": f"metaphrase calibrate word-closure --profile {profile}",
    }


def read_examples(labelled: LabelledCases, data: Path, resources: Resources, settled: Mapping[int, Judged] | None = None) -> list[Example]:
    """Labelled cases, described as a campaign describes them: all cases of a direction together, because alignment learns from its batch.

    Those that are settled are not described again, and nothing is learnt from them.
    """
    settled = settled or {}
    readings = {row["id"]: row for row in _rows(data, "readings/word_closure*.jsonl", "../readings/word_closure*.jsonl")}
    described: dict[int, Described] = {}
    batches: dict[str, list[int]] = {}
    for k, case in enumerate(labelled.cases):
        if k not in settled:
            batches.setdefault(str(case.direction), []).append(k)
    for positions in batches.values():
        cases = [c for k in positions if isinstance(c := labelled.cases[k], MetamorphicCase)]
        described.update(zip(positions, describe_pairs(cases, resources), strict=True))
    examples = []
    for k, case in enumerate(labelled.cases):
        if k in settled:
            examples.append(_without_words(settled[k].example))
            continue
        pair = described[k]
        blamed = _marked(pair, case.extra.get("violating_source_tokens", ()), case.extra.get("violating_followup_tokens", ()))
        reading = _reading(pair, readings[case.id]) if case.id in readings else None
        examples.append(Example(case.id, labelled.groups[k], pair, labelled.labels[k], blamed, reading))
    return examples


def _rows(data: Path, *patterns: str) -> Iterable[Mapping[str, Any]]:
    for pattern in patterns:
        base, rest = (data.parent, pattern.removeprefix("../")) if pattern.startswith("../") else (data, pattern)
        paths = sorted(base.glob(rest))
        if paths:
            for path in paths:
                for line in read_json_lines(path):
                    yield line.value
            return


def _marked(pair: Described, source: Sequence[str], followup: Sequence[str]) -> tuple[bool, ...]:
    """Which left-over words lie in the pieces that annotators blamed; of several places, the one with most left-over words."""
    pieces = {"source_translation": source, "followup_translation": followup}
    hit: set[tuple[int, int]] = set()
    left = {(w.side, w.index) for w in pair.left}
    for side, text in enumerate(pair.view.outputs):
        lower = text.text.lower()
        for piece in pieces[pair.view.fields[side]]:
            wanted = piece.strip().lower()
            best: list[tuple[int, int]] = []
            at = lower.find(wanted) if wanted else -1
            while at >= 0:
                covered = [(side, k) for k, t in enumerate(text.tokens) if t.start < at + len(wanted) and at < t.end]
                covered = [place for place in covered if place in left]
                best = max(best, covered, key=len)
                at = lower.find(wanted, at + 1)
            hit.update(best)
    return tuple((w.side, w.index) in hit for w in pair.left)


def _reading(pair: Described, row: Mapping[str, Any]) -> Reading:
    readings = row["readings"]
    share = sum(r["severity"] == "major" for r in readings) / len(readings)
    named = _named(pair, [r for r in readings if r["severity"] != "none"])
    worst = _named(pair, [r for r in readings if r["severity"] == "major" and share > 0.5])
    words = tuple((a + b) / 2 for a, b in zip(named, worst, strict=True))
    return Reading(share, words, float(row["weight"]), len(readings))


def _named(pair: Described, readings: Sequence[Mapping[str, Any]]) -> tuple[bool, ...]:
    return _marked(pair, [w for r in readings for w in r["source_words"]], [w for r in readings for w in r["followup_words"]])


def _cross_validated(labelled: LabelledCases, examples: Sequence[Example], *, without: str | None = None) -> dict[int, Judged]:
    """Each direction has its own scorer. `without` a system: learnt from the others' rows, and only its rows are judged."""
    systems = [system_of(case) for case in labelled.cases]
    judged: dict[int, Judged] = {}
    for fold in folds(labelled.groups):
        learnt = learn_scorers([examples[k] for k in fold.train if systems[k] != without])
        scorers = {d: LearnedScorer(Weights("fold", values, {})) for d, values in learnt.items()}
        for k in fold.test:
            if without not in (None, systems[k]):
                continue
            case = labelled.cases[k]
            assert isinstance(case, MetamorphicCase)
            scorer = scorers[case.direction]
            scored = scorer.score(examples[k].described.left)
            shown = scorer.located(examples[k].described.left, scored) if examples[k].described.left else []
            judged[k] = Judged(case, examples[k], scored, tuple(word for word, _ in shown))
    return judged
