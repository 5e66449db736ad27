"""Repair of a campaign's findings: from the store to subjects, variants asked for through the translate stage, and back.

Source texts are worked through in chunks. What a chunk may ask for at most is known, and said, before anything is sent.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.events import Summary
from metaphrase.campaign.judging import judge
from metaphrase.campaign.plan import load_method, make_relation, relation_for, why_not
from metaphrase.campaign.store import Store
from metaphrase.campaign.translate import Sending, TranslateStage
from metaphrase.core import registry
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.values import Case, Direction, Expectation, MetamorphicCase, Report, RoundTripCase, Segment
from metaphrase.files.cases import UNKNOWN
from metaphrase.relations.base import Relation
from metaphrase.repair.options import RepairOptions
from metaphrase.repair.repairer import Repairer
from metaphrase.repair.values import Judged, Repair, Subject, Variant
from metaphrase.repair.variants import Wanted, select
from metaphrase.resources.profiles import Resources
from metaphrase.systems.base import System
from metaphrase.text.languages import language

__all__ = ["RepairSummary", "Repairs", "SourceText", "from_cases", "from_store"]

CHUNK = 50
# Mutants of one word that may be asked for; more would only repeat what the first ones say.
PER_WORD = 4


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text that a system translated, with all its judged cases, some of them violated."""

    system: str
    direction: Direction
    text: str
    cases: tuple[Judged, ...]


@dataclass(slots=True)
class RepairSummary:
    """The numbers of a repair run; `planned` is what was said before sending, `seconds` our own processor time."""

    violations: int = 0
    unsuited: int = 0
    repaired: int = 0
    accepted: int = 0
    planned_texts: int = 0
    planned_characters: int = 0
    known_texts: int = 0
    seconds: float = 0.0
    sent: Summary = field(default_factory=Summary)

    @property
    def share(self) -> float | None:
        return self.repaired / self.violations if self.violations else None


def from_store(store: Store, resources: Resources, configuration: Configuration) -> tuple[list[SourceText], int]:
    """The source texts of the last run's findings, and how many violated reports repair has no way for."""
    violated: dict[tuple[str, str], dict[str, str]] = {}
    signatures: set[str] = set()
    unsuited = 0
    for finding in store.findings():
        for report in finding.reports:
            signatures.add(report.verdict.signature)
            if suited(report.case):
                violated.setdefault((report.system, report.case.source), {})[report.case.id] = finding.id
            else:
                unsuited += 1
    relations = _Relations(resources, configuration)
    grouped: dict[tuple[str, str], dict[str, Judged]] = {key: {} for key in violated}
    for report in store.reports():
        place = (report.system, report.case.source)
        if place not in grouped or report.verdict.signature not in signatures or not isinstance(report.case, MetamorphicCase):
            continue
        if report.case.expectation is Expectation.SAME and not any(report.case.requests()):
            # Several methods may have made the same pair; it is one violation.
            pair = f"{report.verdict.signature}\0{report.case.followup}"
            finding_id = violated[place].get(report.case.id, "")
            if pair not in grouped[place] or (finding_id and not grouped[place][pair].finding):
                grouped[place][pair] = Judged(report.case, report.verdict, relations.of(report), finding_id)
    texts = [
        SourceText(system, next(iter(cases.values())).case.direction, text, tuple(cases.values()))
        for (system, text), cases in grouped.items()
        if cases
    ]
    return texts, unsuited


def from_cases(cases: Iterable[Case], system: str, resources: Resources, configuration: Configuration) -> tuple[list[SourceText], int]:
    """The same from translated cases, judged here."""
    relations = _Relations(resources, configuration)
    by_relation: dict[tuple[str, str], list[MetamorphicCase]] = {}
    unsuited = 0
    for case in cases:
        if isinstance(case, MetamorphicCase) and suited(case) and not any(case.requests()):
            by_relation.setdefault((configuration.relation or relation_for(case, resources.profile), case.transformation), []).append(case)
        else:
            unsuited += 1
    grouped: dict[tuple[str, Direction], list[Judged]] = {}
    for (name, transformation), some in by_relation.items():
        relation = relations.named(name, transformation)
        for case, verdict in zip(some, judge(relation, some), strict=True):
            grouped.setdefault((case.source, case.direction), []).append(Judged(case, verdict, relation))
    texts = [SourceText(system, direction, text, tuple(found)) for (text, direction), found in grouped.items()]
    return [text for text in texts if any(j.verdict.violated for j in text.cases)], unsuited


def suited(case: Case) -> bool:
    """Whether repair has a way for a case: two translations that must say the same."""
    return isinstance(case, MetamorphicCase) and case.expectation is Expectation.SAME and case.direction.target != UNKNOWN


class _Relations:
    """Relations by name and method, made once."""

    def __init__(self, resources: Resources, configuration: Configuration) -> None:
        self._resources = resources
        self._configuration = configuration
        self._made: dict[tuple[str, str], Relation] = {}

    def named(self, name: str, transformation: str) -> Relation:
        key = (name.casefold(), transformation)
        if key not in self._made:
            self._made[key] = make_relation(name, self._resources, self._configuration, transformation=transformation)
        return self._made[key]

    def of(self, report: Report) -> Relation:
        """The relation that judged a report; a differently configured one could prove nothing."""
        relation = self.named(report.verdict.relation, report.method)
        if str(relation.signature()) != report.verdict.signature:
            raise ConfigurationError(
                f"the store was judged by {report.verdict.signature}, the configuration now makes {relation.signature()}: "
                "give the --profile and --config of that run, or run 'metaphrase test' again"
            )
        return relation


class Repairs:
    """A repair run: `plan` says what will be asked for, `run` asks and yields a row for every violated case."""

    def __init__(
        self,
        texts: Sequence[SourceText],
        systems: Mapping[str, System],
        resources: Resources,
        configuration: Configuration,
        store: Store,
        sending: Sending | None = None,
    ) -> None:
        self._texts = texts
        self._systems = systems
        self._resources = resources
        self._configuration = configuration
        self._store = store
        self.options: RepairOptions = configuration.repair
        self.summary = RepairSummary()
        self._stage = TranslateStage(store, self.summary.sent, sending)
        self._wanted: list[list[Wanted]] = []
        self._repairers: dict[tuple[str, Direction], Repairer] = {}

    def plan(self) -> RepairSummary:
        """Choose the variants of all texts, and count those that would have to be sent. Sends nothing."""
        started = time.thread_time()
        self.summary.violations = sum(judged.verdict.violated for text in self._texts for judged in text.cases)
        proposed = self._propose()
        for text in self._texts:
            known = [judged.case for judged in text.cases]
            source = language(text.direction.source)
            self._wanted.append(select(text.text, known, proposed.get((text.text, text.direction), ()), source, self.options.variants))
        missing: dict[tuple[str, str], None] = {}
        for text, wanted in zip(self._texts, self._wanted, strict=True):
            mutants = [w.text for w in wanted if w.origin == "mutant"]
            system = self._systems.get(text.system)
            stored = self._store.translations(system.signature().digest, text.direction, mutants) if system is not None else {}
            missing.update({(text.system, m): None for m in mutants if m not in stored or not stored[m].ok})
            self.summary.known_texts += len(wanted) - sum(m not in stored or not stored[m].ok for m in mutants)
        self.summary.planned_texts = len(missing)
        self.summary.planned_characters = sum(len(text) for _, text in missing)
        self.summary.seconds += time.thread_time() - started
        return self.summary

    def run(self) -> Iterator[Repair]:
        if not self._wanted:
            self.plan()
        work = iter(list(zip(self._texts, self._wanted, strict=True)))
        while chunk := list(islice(work, CHUNK)):
            self._ask(chunk)
            for text, wanted in chunk:
                started = time.thread_time()
                rows = self._repairer(text).repair(self._subject(text, wanted))
                self.summary.seconds += time.thread_time() - started
                self.summary.accepted += sum(row.accepted for row in rows)
                self.summary.repaired += sum(1 + len(row.evidence.get("also_repairs", ())) for row in rows if row.accepted)
                yield from rows

    def _propose(self) -> dict[tuple[str, Direction], list[MetamorphicCase]]:
        """Mutants of every text by all replacing methods, best first."""
        found: dict[tuple[str, Direction], list[MetamorphicCase]] = {}
        for direction in dict.fromkeys(text.direction for text in self._texts):
            segments = [Segment(str(i), text.text, direction.source) for i, text in enumerate(self._texts) if text.direction == direction]
            for name in self.options.methods:
                if name not in registry.methods or why_not(load_method(name), self._resources, direction) is not None:
                    continue
                method = load_method(name)
                limits = {"max-cases": self.options.variants, "per-word": PER_WORD}
                seed = {"seed": self._configuration.seed} if method.seeded else {}
                options = {**method.options, **seed, **self._configuration.method.get(name, {}), **limits}
                for case in method.transformation(self._resources, options).propose(segments, direction):
                    if isinstance(case, MetamorphicCase):
                        found.setdefault((case.source, direction), []).append(case)
        return found

    def _ask(self, chunk: Sequence[tuple[SourceText, list[Wanted]]]) -> None:
        """Mutants of all texts of a chunk, and other engines' translations of the texts themselves; every answer lands in the store."""
        for name, system in self._systems.items():
            cases: list[Case] = []
            for text, wanted in chunk:
                if text.system == name:
                    mutants = [w.text for w in wanted if w.origin == "mutant"]
                elif "engine" in self.options.candidates:
                    mutants = [text.text]
                else:
                    continue
                cases += [MetamorphicCase("", text.direction, "", text.text, m, source_translation="") for m in mutants]
            for _ in self._stage.fill(cases, lambda request, system=system: system):  # type: ignore[misc]
                pass

    def _subject(self, text: SourceText, wanted: Sequence[Wanted]) -> Subject:
        known = {judged.case.followup: judged.case.followup_translation for judged in text.cases}
        system = self._systems.get(text.system)
        asked = [w.text for w in wanted]
        stored = self._store.translations(system.signature().digest, text.direction, asked) if system is not None else {}
        variants = []
        for one in wanted:
            answer = stored.get(one.text)
            translation = known.get(one.text) or (answer.text if answer is not None else None)
            if translation:
                variants.append(Variant(one.text, translation, one.replaced, one.origin, answer.score if answer is not None else None))
        engines = {}
        for name, other in self._systems.items():
            if name != text.system:
                found = self._store.translations(other.signature().digest, text.direction, [text.text]).get(text.text)
                if found is not None and found.text:
                    engines[name] = found.text
        translation = text.cases[0].case.source_translation or ""
        return Subject(text.direction, text.text, translation, text.cases, tuple(variants), engines)

    def _repairer(self, text: SourceText) -> Repairer:
        key = (text.system, text.direction)
        if key not in self._repairers:
            system = self._systems.get(text.system)

            def back(texts: Sequence[str], direction: Direction) -> list[str | None]:
                cases: list[Case] = [RoundTripCase("", direction.reversed, "", one) for one in texts]
                assert system is not None
                for _ in self._stage.fill(cases, lambda request: system):
                    pass
                return [case.back_translation if isinstance(case, RoundTripCase) else None for case in cases]

            aligner = self._resources.aligner(text.direction)
            self._repairers[key] = Repairer(text.direction, aligner, self.options, back=back if system is not None else None)
        return self._repairers[key]
