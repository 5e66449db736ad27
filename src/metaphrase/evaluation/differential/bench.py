"""`metaphrase bench dcs`, `metaphrase bench injected` and `metaphrase calibrate dcs`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

import numpy as np

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.judging import judge
from metaphrase.campaign.triage import group
from metaphrase.core.values import DifferentialCase, Direction, Report, Segment, Span
from metaphrase.core.weights import Weights
from metaphrase.evaluation.base import Learnt as LearntWeights
from metaphrase.evaluation.differential.data import read_cases_with_labels, read_pairs
from metaphrase.evaluation.differential.injection import KINDS, Injector, style_variants
from metaphrase.evaluation.differential.learning import (
    FOLDS,
    CrossValidated,
    LabelledPairs,
    Learnt,
    compared_triple,
    cross_validated,
    learn,
    wrong_engine,
)
from metaphrase.evaluation.differential.published import published_tables
from metaphrase.evaluation.labelled import published_figures
from metaphrase.evaluation.metrics import Counts, bootstrap, count
from metaphrase.evaluation.tables import Cell, Result, Table
from metaphrase.files.cases import read_cases
from metaphrase.relations.differential.outlier import ranked, standings
from metaphrase.relations.differential.relation import Dcs, DcsOptions, stated_ways
from metaphrase.relations.differential.renderer import Described, Renderer
from metaphrase.relations.differential.scorers import RULE, LearnedScorer
from metaphrase.resources.profiles import Resources

__all__ = ["benchmark", "calibrate", "injected"]

TOP = 200
_NOTE = f"{FOLDS} folds; rows of one sentence, or of near copies of it, are never on both sides."


def benchmark(data: Path, resources: Resources, configuration: Configuration) -> Result:
    """Ours, cross-validated by source sentence, beside the published tables."""
    cases, labels, _ = read_cases_with_labels(data)
    pairs = read_pairs(data, resources)
    found, judges = cross_validated(pairs)
    relation = Dcs(resources, DcsOptions())
    seconds = _seconds(cases, relation)
    figures = published_figures(data).get("dcs", {})
    extras = [case.extra for case in cases]
    violated = [bool(v) for v in found.violated]
    paper = judge(Dcs(resources, DcsOptions(scorer="paper", parts="words")), cases)
    rule = count(labels, [v.violated for v in paper])
    tables = [
        _quality(pairs, found, judges, rule),
        _injected_table(pairs, judges),
        _style_table(cases, labels, relation),
        *published_tables(extras, [tuple(case.translations) for case in cases], labels, violated, figures, _redundancy(cases, relation)),
    ]
    return Result("dcs", tables, {"relation": str(relation.signature())}, data.name, len(cases), seconds)


def _seconds(cases: Sequence[DifferentialCase], relation: Dcs) -> float:
    """Of judging, warm: dictionaries and models are loaded by a first batch."""
    relation.judge(cases[:50])
    started = time.perf_counter()
    relation.judge(cases)
    return time.perf_counter() - started


def _quality(pairs: LabelledPairs, found: CrossValidated, judges: Mapping[int, Learnt], rule: Counts) -> Table:
    labels, groups = list(pairs.labels), list(pairs.groups)
    violated = [bool(v) for v in found.violated]
    overall = count(labels, violated)
    order = np.argsort(-found.scores, kind="stable")[:TOP]
    rows: list[list[Cell]] = [
        ["label", len(labels), overall.precision, overall.recall, overall.f1, _interval(labels, violated, groups)],
        [f"label, {TOP} highest scores", TOP, float(np.mean([labels[k] for k in order])), None, None, ""],
        ["label, the paper's rule on our resources (all rows)", len(labels), rule.precision, rule.recall, rule.f1, ""],
    ]
    if pairs.major:
        chosen = sorted(pairs.major)
        gold, weights = [pairs.major[k][0] for k in chosen], [pairs.major[k][1] for k in chosen]
        said = [bool(found.is_major[k]) for k in chosen]
        counts = count(gold, said, weights)
        interval = _interval(gold, said, [groups[k] for k in chosen], weights)
        rows.append(["major error in either, at the natural mix", len(chosen), counts.precision, counts.recall, counts.f1, interval])
    right = [
        ranked(standings(compared_triple(pairs, t, found.scores)), judges[t[0]].outlier.standing)[0][0] == wrong
        for t in pairs.triples
        if (wrong := wrong_engine(pairs, t)) is not None
    ]
    if right:
        rows.append(["outlier is the one wrong engine of three", len(right), float(np.mean(right)), None, None, ""])
    return Table(
        "Detection, cross-validated",
        ["what", "rows", "P", "R", "F1", "95 % of F1"],
        rows,
        _NOTE + " Rows on which the two readings disagree are left out.",
    )


def _interval(gold: Sequence[bool], said: Sequence[bool], groups: Sequence[int], weights: Sequence[float] | None = None) -> str:
    def f1(drawn: Sequence[int]) -> float:
        return count([gold[k] for k in drawn], [said[k] for k in drawn], [weights[k] for k in drawn] if weights else None).f1

    return str(bootstrap(groups, f1))


def _marks(described: Described, scorer: LearnedScorer) -> tuple[list[Span], bool]:
    """What the relation would mark in a pair, and whether it would report it."""
    result = scorer.score(described.pair, described.breaches, ())
    places = [(m.side, t.start, t.end) for m in result.marked for t in [described.pair.sides[m.side].text.tokens[m.index]]]
    places += [place for breach in described.breaches for place in breach.places]
    return [Span(described.engines[side], start, end, "") for side, start, end in places], result.violated


def _scorer(learnt: Learnt) -> LearnedScorer:
    return LearnedScorer(Weights("cross-validated", learnt.values(), {}))


def _injected_table(pairs: LabelledPairs, judges: Mapping[int, Learnt]) -> Table:
    scorers = {id(learnt): _scorer(learnt) for learnt in judges.values()}
    outcomes: list[tuple[str, bool, bool]] = []
    for position, error, described in pairs.injected:
        spans, violated = _marks(described, scorers[id(judges[position])])
        outcomes.append((error.kind, error.marked_by(spans), violated))
    for position in sorted({position for position, _, _ in pairs.injected}):
        spans, violated = _marks(pairs.described[position], scorers[id(judges[position])])
        outcomes.append((_NOTHING, bool(spans), violated))
    return _injected_rows(outcomes, "Errors injected into pairs labelled fine, cross-validated")


_NOTHING = "nothing injected"


def _injected_rows(outcomes: Sequence[tuple[str, bool, bool]], title: str) -> Table:
    rows: list[list[Cell]] = []
    for kind in (*KINDS, _NOTHING):
        some = [(marked, violated) for name, marked, violated in outcomes if name == kind]
        if some:
            marked = sum(m for m, _ in some) / len(some)
            rows.append([kind, len(some), marked, sum(m and v for m, v in some) / len(some)])
    note = (
        'Marked: the changed words are among the spans of the verdict; with report = "marked" that is reported too. '
        "Marked and reported: the verdict is also 'violated' as it is by default. The last row is what the same pairs say as they are: "
        "they are labelled fine, but the engines do use other words."
    )
    return Table(title, ["kind", "pairs", "marked", "marked and reported"], rows, note)


def _style_table(cases: Sequence[DifferentialCase], labels: Sequence[bool], relation: Dcs) -> Table:
    """A fine translation against itself in another style; texts that are reported as they stand (untranslated words) are left out."""
    from metaphrase.text.languages import language

    variants: list[DifferentialCase] = []
    kinds: list[str] = []
    for text, case in {t: c for c, label in zip(cases, labels, strict=True) if not label for t in c.translations.values() if t}.items():
        for kind, variant in style_variants(text, language(case.direction.target)):
            variants.append(DifferentialCase(f"{case.id}-{kind}", case.direction, case.source, MappingProxyType({"a": text, "b": variant})))
            kinds.append(kind)
    plain = {
        text: replace(v, translations=MappingProxyType({"a": text, "b": text})) for v in variants if (text := v.translations["a"] or "")
    }
    bad = {text for text, verdict in zip(plain, judge(relation, list(plain.values())), strict=True) if verdict.violated}
    kept = [k for k, v in enumerate(variants) if v.translations["a"] not in bad]
    variants, kinds = [variants[k] for k in kept], [kinds[k] for k in kept]
    alarms = [v.violated for v in judge(relation, variants)]
    rows: list[list[Cell]] = [
        [kind, kinds.count(kind), sum(a for a, k in zip(alarms, kinds, strict=True) if k == kind)] for kind in dict.fromkeys(kinds)
    ]
    return Table("Alarms where only the style differs", ["what differs", "pairs", "alarms"], rows)


def _redundancy(cases: Sequence[DifferentialCase], relation: Dcs) -> dict[str, float]:
    """Reported places for each distinct error, by engine: all engines of a sentence in one case."""
    merged: dict[str, DifferentialCase] = {}
    for case in cases:
        before = dict(merged[case.source].translations) if case.source in merged else {}
        translations = MappingProxyType({**before, **case.translations})
        merged[case.source] = DifferentialCase(case.id, case.direction, case.source, translations, MappingProxyType({"segment": case.id}))
    together = list(merged.values())
    verdicts = judge(relation, together)
    reports = [Report(case, verdict, "engines", "dcs") for case, verdict in zip(together, verdicts, strict=True)]
    findings = group(reports, {case.id: Segment(case.id, case.source, case.direction.source) for case in together})
    shares: dict[str, float] = {}
    for engine in sorted({e for case in together for e in case.translations}):
        own = [f for f in findings if any(s.text == engine for s in f.spans)]
        shares[engine] = sum(len(f.reports) for f in own) / len(own) if own else 1.0
    shares["average"] = sum(len(f.reports) for f in findings) / len(findings) if findings else 1.0
    return shares


def injected(data: Path, resources: Resources, configuration: Configuration) -> Result:
    """Errors put into any pairs of translations: a file of differential cases, or a folder of labelled ones (those labelled fine serve)."""
    if data.is_dir():
        labelled, labels, _ = read_cases_with_labels(data)
        cases = [case for case, label in zip(labelled, labels, strict=True) if not label]
    else:
        cases = [c for c in read_cases(data) if isinstance(c, DifferentialCase) and c.extra.get("label") is not True]
        positions: dict[Direction, list[int]] = {}
        for k, case in enumerate(cases):
            positions.setdefault(case.direction, []).append(k)
        ways = {k: way for way, places in stated_ways(positions, cases).items() for k in places}
        cases = [DifferentialCase(c.id, ways[k], c.source, _first_two(c)) for k, c in enumerate(cases)]
    relation = Dcs(resources, DcsOptions())
    outcomes: list[tuple[str, bool, bool]] = []
    started = time.perf_counter()
    for way in dict.fromkeys(case.direction for case in cases):
        own = [case for case in cases if case.direction == way and all(case.translations.values())]
        renderer = Renderer(way, resources)
        injector = Injector(renderer.languages[1], renderer.synonyms, [t or "" for c in own for t in c.translations.values()])
        errors = [error for case in own for error in injector.errors(case)]
        verdicts = judge(relation, [error.case for error in errors])
        outcomes += [(e.kind, e.marked_by(v.spans), v.violated) for e, v in zip(errors, verdicts, strict=True)]
        outcomes += [(_NOTHING, bool(v.spans), v.violated) for v in judge(relation, own)]
    seconds = time.perf_counter() - started
    tables = [_injected_rows(outcomes, "Injected errors"), _style_table(cases, [False] * len(cases), relation)]
    return Result("injected", tables, {"relation": str(relation.signature())}, data.name, len(outcomes), seconds)


def _first_two(case: DifferentialCase) -> MappingProxyType[str, str | None]:
    return MappingProxyType(dict(list(case.translations.items())[:2]))


def calibrate(data: Path, resources: Resources, configuration: Configuration) -> LearntWeights:
    """Weights for the data's direction, and general ones that know neither language."""
    weights: dict[str, Weights] = {}
    tables: list[Table] = []
    cases = 0
    started = time.perf_counter()
    way = read_cases_with_labels(data)[0][0].direction
    for name, general in ((f"dcs-{resources.profile}-{way}", False), (f"dcs-{resources.profile}-general", True)):
        pairs = read_pairs(data, resources, general=general)
        found, judges = cross_validated(pairs)
        quality = _quality(pairs, found, judges, Counts(0, 0, 0, 0))
        title = name.removeprefix("dcs-")
        tables.append(
            Table(f"{title}: {quality.title}", quality.columns, [r for r in quality.rows if "paper's rule" not in str(r[0])], quality.note)
        )
        errors = _injected_table(pairs, judges)
        tables.append(Table(f"{title}: {errors.title}", errors.columns, errors.rows, errors.note))
        provenance = {
            "data": f"{data.name}/dcs pairs with labels, readings of them, and errors injected into those labelled fine",
            "rows": len(pairs.labels),
            "readings": len(pairs.major),
            "injected": len(pairs.injected),
            "direction": str(way),
            "general": general,
            "cross-validated F1": round(count(list(pairs.labels), [bool(v) for v in found.violated]).f1, 3),
            "rule score": RULE,
            "made": datetime.now(UTC).date().isoformat(),
        }
        weights[name] = Weights(name, learn(pairs).values(), provenance)
        cases += len(pairs.labels)
    signatures = {"aligner": str(Renderer(way, resources).aligner.signature())}
    return LearntWeights(weights, Result("dcs", tables, signatures, data.name, cases, time.perf_counter() - started))
