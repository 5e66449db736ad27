"""What a repair run has to do: the violated cases of a campaign's store, or of a file, with everything that is known about the same texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.judging import judge
from metaphrase.campaign.plan import make_relation, relation_for
from metaphrase.campaign.store import Store
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.values import Case, DifferentialCase, Direction, MetamorphicCase, Report, RoundTripCase
from metaphrase.files.cases import UNKNOWN
from metaphrase.relations.base import Relation
from metaphrase.repair.single import Single
from metaphrase.repair.values import Judged
from metaphrase.resources.profiles import Resources

__all__ = ["SingleText", "SourceText", "Work", "from_cases", "from_store"]


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text that a system translated, with all its judged cases, some of them violated."""

    system: str
    direction: Direction
    text: str
    cases: tuple[Judged[MetamorphicCase], ...]


@dataclass(frozen=True, slots=True)
class SingleText:
    """A violated case with one text: engines that disagree, or a round trip. `system` is the one whose translation it is, none if several are compared."""

    system: str
    judged: Judged[Single]


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be repaired, and how many violated cases cannot be, because they are not translated or of unknown language."""

    texts: tuple[SourceText, ...]
    singles: tuple[SingleText, ...] = ()
    unsuited: int = 0

    @property
    def systems(self) -> list[str]:
        """The systems whose translations are to be repaired."""
        names = [*(text.system for text in self.texts)]
        for single in self.singles:
            case = single.judged.case
            names += case.translations if isinstance(case, DifferentialCase) else [single.system]
        return list(dict.fromkeys(names))


def from_store(store: Store, resources: Resources, configuration: Configuration) -> Work:
    """The last run's findings, with everything that was judged about the same texts."""
    violated: dict[tuple[str, str], dict[str, str]] = {}
    # What an earlier run judged in another way does not count; what the last one judged and found in order does.
    signatures: set[str] = set((store.fact("run") or {}).get("signatures", {}).values())
    relations = _Relations(resources, configuration)
    blamed: dict[tuple[str, str, str], str] = {}
    unsuited = 0
    for finding in store.findings():
        for report in finding.reports:
            signatures.add(report.verdict.signature)
            case = report.case
            if not suited(case):
                unsuited += 1
            elif isinstance(case, MetamorphicCase):
                violated.setdefault((report.system, case.source), {})[case.id] = finding.id
            else:
                blamed.setdefault((report.system, report.method, case.id), finding.id)
    singles: dict[tuple[str, str, str], SingleText] = {}
    grouped: dict[tuple[str, str], dict[str, Judged[MetamorphicCase]]] = {key: {} for key in violated}
    for report in store.reports():
        key = (report.system, report.method, report.case.id)
        if key in blamed and report.verdict.violated and not isinstance(report.case, MetamorphicCase):
            # A finding is one place; the verdict has them all.
            singles[key] = SingleText(_system_of(report), Judged(report.case, report.verdict, relations.of(report), blamed[key]))
            continue
        place = (report.system, report.case.source)
        if place not in grouped or report.verdict.signature not in signatures or not isinstance(report.case, MetamorphicCase):
            continue
        if suited(report.case):
            # Several methods may have made the same pair; it is one violation. Of one case the latest translation counts.
            pair = f"{report.verdict.signature}\0{report.case.followup}"
            finding_id = violated[place].get(report.case.id, "")
            known = grouped[place].get(pair)
            if known is None or (finding_id and not known.finding) or known.case.id == report.case.id:
                grouped[place][pair] = Judged(report.case, report.verdict, relations.of(report), finding_id)
    texts = [
        SourceText(system, next(iter(cases.values())).case.direction, text, tuple(cases.values()))
        for (system, text), cases in grouped.items()
        if cases
    ]
    return Work(tuple(texts), tuple(singles.values()), unsuited)


def from_cases(cases: Iterable[Case], system: str, resources: Resources, configuration: Configuration) -> Work:
    """The same from translated cases, judged here."""
    relations = _Relations(resources, configuration)
    by_relation: dict[tuple[str, str], list[Case]] = {}
    unsuited = 0
    for case in cases:
        if suited(case):
            by_relation.setdefault((configuration.relation or relation_for(case, resources.profile), case.transformation), []).append(case)
        else:
            unsuited += 1
    grouped: dict[tuple[str, Direction], list[Judged[MetamorphicCase]]] = {}
    singles = []
    for (name, transformation), some in by_relation.items():
        relation = relations.named(name, transformation)
        for case, verdict in zip(some, judge(relation, some), strict=True):
            if isinstance(case, MetamorphicCase):
                grouped.setdefault((case.source, case.direction), []).append(Judged(case, verdict, relation))
            elif verdict.violated:
                singles.append(SingleText(system if isinstance(case, RoundTripCase) else "", Judged(case, verdict, relation)))
    texts = [SourceText(system, direction, text, tuple(found)) for (text, direction), found in grouped.items()]
    return Work(tuple(text for text in texts if any(j.verdict.violated for j in text.cases)), tuple(singles), unsuited)


def suited(case: Case) -> bool:
    """Whether a case can be repaired: it is translated, and its languages are known."""
    return case.direction.target != UNKNOWN and not any(case.requests())


def _system_of(report: Report) -> str:
    """The system under test of a round trip; a differential case has several."""
    return report.system.split(" / ")[0] if isinstance(report.case, RoundTripCase) else ""


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
