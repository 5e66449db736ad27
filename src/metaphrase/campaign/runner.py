"""A run: segments -> cases -> translations -> verdicts -> findings, chunk by chunk.

A chunk of segments is the unit of work: memory stays flat, what is done is stored, and relations that learn from
a batch (alignment statistics) see the same batch whenever the run is repeated or resumed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType

from metaphrase import __version__
from metaphrase.campaign.events import ChunkDone, Event, Finished, Proposed, Summary
from metaphrase.campaign.judging import judge
from metaphrase.campaign.store import Store
from metaphrase.campaign.translate import Sending, TranslateStage
from metaphrase.campaign.triage import group
from metaphrase.core.errors import InputError, SystemFailedError
from metaphrase.core.signature import content_hash
from metaphrase.core.values import Case, DifferentialCase, Direction, Outcome, Report, Request, RoundTripCase, Segment, Severity, Verdict
from metaphrase.methods.base import Method
from metaphrase.relations.base import Relation
from metaphrase.systems.base import System
from metaphrase.transforms.base import Transformation

__all__ = ["Plan", "PlannedMethod", "Runner", "there_and_back"]

CHUNK = 200


@dataclass(frozen=True, slots=True)
class PlannedMethod:
    """A method made ready for this run."""

    method: Method
    transformation: Transformation
    relation: Relation


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run needs to know."""

    segments: Iterable[Segment]
    direction: Direction
    methods: tuple[PlannedMethod, ...]
    systems: tuple[System, ...]
    baseline: frozenset[str] = field(default_factory=frozenset)
    resources: str = ""  # fingerprint: other resources make other cases and verdicts
    back: System | None = None  # the way back of round trips, where it is not the system under test

    def signatures(self) -> dict[str, str]:
        result = {"metaphrase": __version__}
        result |= {f"system {s.name}": str(s.signature()) for s in self.systems}
        result |= {"back system": str(self.back.signature())} if self.back is not None else {}
        for planned in self.methods:
            result[f"method {planned.method.name}"] = str(planned.transformation.signature())
            result[f"relation {planned.relation.name}"] = str(planned.relation.signature())
        return result


class Runner:
    """Runs a plan on a store and yields events; `summary` is complete after the last one."""

    def __init__(self, plan: Plan, store: Store, sending: Sending | None = None) -> None:
        self._plan = plan
        self._store = store
        self.summary = Summary(signatures=plan.signatures())
        self._stage = TranslateStage(store, self.summary, sending)

    def run(self) -> Iterator[Event]:
        self._stage.check(self._plan.systems, self._plan.direction)
        self._store.clear_findings()
        self._store.set_fact("run", {"direction": str(self._plan.direction), "finished": False, "signatures": self.summary.signatures})
        position = 0
        for chunk in _chunks(self._plan.segments):
            yield from self._chunk(chunk, position)
            position += len(chunk)
        if not position:
            raise InputError("there is no sentence in the input; give a file with one sentence a line")
        self._store.set_fact("run", {"direction": str(self._plan.direction), "finished": True, "signatures": self.summary.signatures})
        yield Finished(self.summary)

    def dry_run(self) -> Iterator[Event]:
        """Propose only: count the cases and the distinct texts that would be sent. Needs no key."""
        with contextlib.suppress(SystemFailedError):  # a server that must be asked for its languages and is not up
            self._stage.check(self._plan.systems, self._plan.direction)
        for chunk in _chunks(self._plan.segments):
            cases = [case for planned in self._plan.methods for case in self._propose(planned, chunk)]
            self.summary.segments += len(chunk)
            self.summary.cases += len(cases)
            self._count_missing(cases)
        yield Finished(self.summary)

    def _count_missing(self, cases: Sequence[Case]) -> None:
        for system in self._plan.systems:
            wanted: dict[Direction, dict[str, None]] = {}
            for case in self._for_systems(cases):
                for request in case.requests():
                    if request.engine in ("", system.name):
                        wanted.setdefault(request.direction, {})[request.text] = None
                if isinstance(case, RoundTripCase) and case.intermediate is None:
                    # What comes back is not known yet: taken to be as long as what goes out.
                    wanted.setdefault(case.direction.reversed, {})[case.source] = None
            for direction, texts in wanted.items():
                returning = self._plan.back is not None and direction == self._plan.direction.reversed
                self._stage.plan(self._plan.back if returning and self._plan.back else system, direction, list(texts))

    def _passes(self, method: Method, cases: Sequence[Case]) -> Iterator[_Pass]:
        """A differential method sees all systems at once; every other one tests each system by itself."""
        if method.kind == "differential":
            engines = {system.name: system for system in self._plan.systems}
            label = " / ".join(engines)
            yield _Pass(label, self._for_systems(cases), lambda request: engines[request.engine])
        elif method.kind == "round-trip" and self._plan.back is not None:
            for system in self._plan.systems:
                yield _Pass(f"{system.name} / {self._plan.back.name}", list(cases), there_and_back(system, self._plan.back))
        else:
            for system in self._plan.systems:
                yield _Pass(system.name, list(cases), _always(system))

    def _for_systems(self, cases: Sequence[Case]) -> list[Case]:
        engines = MappingProxyType({system.name: None for system in self._plan.systems})
        return [replace(case, translations=engines) if isinstance(case, DifferentialCase) else case for case in cases]

    def _chunk(self, chunk: list[Segment], position: int) -> Iterator[Event]:
        systems = (*self._plan.systems, *((self._plan.back,) if self._plan.back is not None else ()))
        key = self._key("judged", chunk, *(str(s.signature()) for s in systems), *self._signatures())
        reports = None if self._stage.refreshes else self._store.judged(key)
        if reports is None:
            reports = []
            known: dict[str, Verdict] = {}
            for planned in self._plan.methods:
                cases = self._propose(planned, chunk)
                yield Proposed(len(cases), len({r.text for c in cases for r in c.requests()}), sum(len(c.source) for c in cases))
                for step in self._passes(planned.method, cases):
                    yield from self._stage.fill(step.cases, step.system_for)
                    reports.extend(self._judged_once(planned, step, known))
            if not any(next(iter(r.case.requests()), None) is not None for r in reports):
                self._store.add_judged(key, reports)  # else the next run tries the failed texts again
        findings = group(reports, {s.id: s for s in chunk}, self._plan.baseline)
        self._store.add_findings(findings, {s.id: position + i for i, s in enumerate(chunk)})
        violated = sum(r.verdict.violated for r in reports)
        self.summary.segments += len(chunk)
        self.summary.cases += len({r.case.id for r in reports})
        self.summary.verdicts += len(reports)
        self.summary.violated += violated
        self.summary.not_applicable += sum(r.verdict.outcome is Outcome.NOT_APPLICABLE for r in reports)
        self.summary.findings += len(findings)
        self.summary.reported += sum(len(f.reports) for f in findings)
        self.summary.known += sum(f.known for f in findings)
        self.summary.major += sum(f.severity is Severity.MAJOR and not f.known for f in findings)
        yield ChunkDone(len(chunk), len(reports), violated, len(findings))

    def _judged_once(self, planned: PlannedMethod, step: _Pass, known: dict[str, Verdict]) -> list[Report]:
        """A pair that several methods made is judged once by each relation; `known` holds the verdicts of this chunk."""

        def key(case: Case) -> str:
            pair = getattr(case, "followup", "")
            return content_hash(step.label, str(planned.relation.signature()), str(case.direction), case.kind, case.source, pair)

        new: dict[str, Case] = {}
        for case in step.cases:
            if key(case) not in known:
                new.setdefault(key(case), case)
        known.update(zip(new, judge(planned.relation, list(new.values())), strict=True))
        return [Report(case, replace(known[key(case)], id=case.id), step.label, planned.method.name) for case in step.cases]

    def _propose(self, planned: PlannedMethod, chunk: Sequence[Segment]) -> list[Case]:
        key = self._key("proposed", chunk, str(planned.transformation.signature()))
        cases = self._store.proposal(key)
        if cases is None:
            cases = list(planned.transformation.propose(chunk, self._plan.direction))
            self._store.add_proposal(key, cases)
        return cases

    def _signatures(self) -> list[str]:
        return [f"{p.transformation.signature()} {p.relation.signature()}" for p in self._plan.methods]

    def _key(self, kind: str, chunk: Sequence[Segment], *signatures: str) -> str:
        context = (__version__, self._plan.resources, str(self._plan.direction))
        return content_hash(kind, context, [(s.id, s.text) for s in chunk], signatures)


@dataclass(frozen=True, slots=True)
class _Pass:
    """Cases to translate and judge together, and who translates them."""

    label: str
    cases: list[Case]
    system_for: Callable[[Request], System]


def there_and_back(system: System, back: System) -> Callable[[Request], System]:
    """The way there by one system, the way back by another."""
    return lambda request: back if request.field == "back_translation" else system


def _always(system: System) -> Callable[[Request], System]:
    return lambda request: system


def _chunks(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    iterator = iter(segments)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
