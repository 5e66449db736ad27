"""Labelled pairs of engines, described and with errors injected into those labelled fine."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

from metaphrase.core.errors import InputError
from metaphrase.core.values import DifferentialCase, Direction
from metaphrase.core.weights import shipped_weights
from metaphrase.evaluation.differential.injection import Injector
from metaphrase.evaluation.differential.learning import LabelledPairs, triples_of
from metaphrase.evaluation.labelled import find_files, read_labelled
from metaphrase.relations.differential.alone import Answer
from metaphrase.relations.differential.pairs import PairDescriber
from metaphrase.relations.differential.relation import stated_ways
from metaphrase.relations.differential.renderer import Described, Renderer
from metaphrase.resources.lite.aligner import LexicalAligner
from metaphrase.resources.lite.evidence import GeneralEvidence
from metaphrase.resources.lite.lexicon import LiteLexicon, LiteSynonyms
from metaphrase.resources.profiles import Resources

__all__ = ["describe_cases", "read_cases_with_labels", "read_pairs"]

# Into how many of the pairs labelled fine errors are put; every one of them is aligned (and embedded) anew.
INJECTED = {"lite": 800, "neural": 250}


def read_cases_with_labels(data: Path) -> tuple[list[DifferentialCase], list[bool], list[int]]:
    """Pairs of two translations with `label`; groups hold near copies of one sentence."""
    labelled = read_labelled(find_files(data, "pairs-*.jsonl", "dcs"), "label")
    cases = [case for case in labelled.cases if isinstance(case, DifferentialCase)]
    if len(cases) != len(labelled.cases):
        raise InputError(f"{data}: the pairs-*.jsonl files must hold differential cases only")
    positions: dict[Direction, list[int]] = {}
    for k, case in enumerate(cases):
        positions.setdefault(case.direction, []).append(k)
    for way, places in stated_ways(positions, cases).items():
        for k in places:
            cases[k] = replace(cases[k], direction=way)
    return cases, list(labelled.labels), list(labelled.groups)


def describe_cases(cases: Sequence[DifferentialCase], renderer: Renderer) -> list[Described]:
    """The one pair of each case; an empty translation is described as an empty text."""
    answers = [[Answer(engine, text or "") for engine, text in case.translations.items()] for case in cases]
    renderings = renderer.render([case.source for case in cases], answers)
    return [renderer.describe(renderer.source(case.source), some)[0] for case, some in zip(cases, renderings, strict=True)]


def read_pairs(data: Path, resources: Resources, *, general: bool = False) -> LabelledPairs:
    """Everything that learning needs: pairs, readings, triples of engines, injected errors.

    `general`: as if nothing were known about the two languages but how they are cut into words.
    """
    cases, labels, groups = read_cases_with_labels(data)
    ways = {case.direction for case in cases}
    if len(ways) != 1:
        raise InputError(f"{data}: the pairs must have one direction, these have {', '.join(sorted(map(str, ways)))}")
    renderer = GeneralRenderer(next(iter(ways)), resources) if general else Renderer(next(iter(ways)), resources)
    described = describe_cases(cases, renderer)
    texts = [text or "" for case in cases for text in case.translations.values()]
    injector = Injector(renderer.languages[1], renderer.synonyms, texts)
    fine = [k for k, label in enumerate(labels) if not label]
    chosen = random.Random(0).sample(fine, min(len(fine), INJECTED[resources.profile]))
    errors = [(k, error) for k in sorted(chosen) for error in injector.errors(cases[k])]
    with_errors = describe_cases([error.case for _, error in errors], renderer)
    return LabelledPairs(
        [case.id for case in cases],
        described,
        labels,
        groups,
        read_readings(data, [case.id for case in cases]),
        triples_of([case.source for case in cases], described),
        [(k, error, one) for (k, error), one in zip(errors, with_errors, strict=True)],
        general,
    )


class GeneralRenderer(Renderer):
    """Words are compared as words, no dictionary is asked, and alignment knows spelling, numbers and the batch only."""

    def __init__(self, way: Direction, resources: Resources) -> None:
        super().__init__(way, resources)
        self.aligner = resources.aligner(way)
        target = copy(self.languages[1])
        target.compares_by_character = False
        self.languages = self.languages[0], target
        self.synonyms = LiteSynonyms("und")
        self.describer = PairDescriber(*self.languages, LiteLexicon(Direction("und", "und")), self.synonyms)
        if isinstance(self.aligner, LexicalAligner):
            weights = shipped_weights("metaphrase.resources.lite", "aligner-general")
            assert weights is not None
            self.aligner = LexicalAligner(way, GeneralEvidence(*self.languages), weights)


def read_readings(data: Path, ids: Sequence[str]) -> dict[int, tuple[bool, float]]:
    """Rows on which both readings agree whether one translation has a major error; the others are left out."""
    place = {identity: k for k, identity in enumerate(ids)}
    found: dict[int, tuple[bool, float]] = {}
    for path in (data / "readings" / "dcs.jsonl", data.parent / "readings" / "dcs.jsonl", data / "dcs-readings.jsonl"):
        if not path.is_file():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            votes = {"major" in (reading["a"], reading["b"]) for reading in row["readings"]}
            if len(votes) == 1 and row["id"] in place:
                found[place[row["id"]]] = (votes.pop(), float(row.get("weight", 1.0)))
        break
    return found
