"""A repair run: variants, other engines and ways back asked for through the translate stage, and the rows that come of it.

Source texts are worked through in chunks. What a chunk may ask for at most is known, and said, before anything is sent.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.events import Summary
from metaphrase.campaign.plan import load_method, why_not
from metaphrase.campaign.repair_work import SingleText, SourceText, Work
from metaphrase.campaign.store import Store
from metaphrase.campaign.translate import Sending, TranslateStage
from metaphrase.core import registry
from metaphrase.core.errors import ConfigurationError, QuotaError, SystemFailedError
from metaphrase.core.values import Case, Direction, Expectation, MetamorphicCase, Segment
from metaphrase.repair.options import RepairOptions
from metaphrase.repair.repairer import MOST_CUTS, Repairer
from metaphrase.repair.single import SingleRepairer, places_of
from metaphrase.repair.values import Repair, Subject, Translate, Variant
from metaphrase.repair.variants import Wanted, select
from metaphrase.repair.way_back import Related, Standing, WayBack
from metaphrase.resources.profiles import Resources
from metaphrase.systems.base import Guarded, System
from metaphrase.text.languages import language

__all__ = ["RepairSummary", "Repairs"]

CHUNK = 50
# Mutants of one word that may be asked for; more would only repeat what the first ones say.
PER_WORD = 4


@dataclass(slots=True)
class RepairSummary:
    """The numbers of a repair run; `planned` is what was said before sending.

    `by_method`: violations and repaired ones of every method. `seconds`: our own processor time for every text; those that come first also load
    dictionaries. `planning`: the same for choosing variants. `no_way_back`, `unanswered`: why a system did not translate back,
    or had no answer for variants, by system.
    """

    violations: int = 0
    unsuited: int = 0
    repaired: int = 0
    accepted: int = 0
    planned_texts: int = 0
    planned_characters: int = 0
    known_texts: int = 0
    planning: float = 0.0
    seconds: list[float] = field(default_factory=list)
    by_method: dict[str, tuple[int, int]] = field(default_factory=dict)
    no_way_back: dict[str, str] = field(default_factory=dict)
    unanswered: dict[str, str] = field(default_factory=dict)
    sent: Summary = field(default_factory=Summary)

    @property
    def share(self) -> float | None:
        return self.repaired / self.violations if self.violations else None

    def count(self, method: str, violations: int, repaired: int) -> None:
        known, before = self.by_method.get(method, (0, 0))
        self.by_method[method] = (known + violations, before + repaired)
        self.repaired += repaired


class Repairs:
    """A repair run: `plan` says what will be asked for, `run` asks and yields a row for every violated case."""

    def __init__(
        self,
        work: Work,
        systems: Mapping[str, System],
        resources: Resources,
        configuration: Configuration,
        store: Store,
        sending: Sending | None = None,
        back: System | None = None,
    ) -> None:
        self._work = work
        self._systems = systems
        self._resources = resources
        self._configuration = configuration
        self._store = store
        self._back = back
        self.options: RepairOptions = configuration.repair
        self.summary = RepairSummary(unsuited=work.unsuited)
        self._stage = TranslateStage(store, self.summary.sent, sending)
        self._wanted: list[list[Wanted]] | None = None
        self._repairers: dict[tuple[str, Direction], Repairer] = {}
        self._single_repairers: dict[tuple[str, Direction], SingleRepairer] = {}
        self._ways: dict[tuple[str, Direction], WayBack] = {}
        self._standing = Standing()
        self._returned: set[str] = set()  # systems that translated something back

    def plan(self) -> RepairSummary:
        """Choose the variants of all texts, and count those that would have to be sent. Sends nothing."""
        started = time.thread_time()
        texts = self._work.texts
        proposed = self._propose()
        self._wanted = []
        for text in texts:
            known = [judged.case for judged in text.cases if judged.case.expectation is Expectation.SAME]
            mutants = proposed.get((text.text, text.direction), ())
            self._wanted.append(select(text.text, known, mutants, language(text.direction.source), self.options.variants))
        missing: dict[tuple[str, str, str], None] = {}
        for text, wanted in zip(texts, self._wanted, strict=True):
            asked = self._missing(text.system, text.direction, [w.text for w in wanted if w.origin == "mutant"])
            missing.update({(text.system, str(text.direction), m): None for m in asked})
            self.summary.known_texts += len(wanted) - len(asked)
        for direction, source, system in self._sources():
            for name in self._systems:
                if name != system and self._foreign:
                    missing.update({(name, str(direction), m): None for m in self._missing(name, direction, [source])})
        missing.update(dict.fromkeys(self._foreseen_back()))
        texts_unknown, characters_unknown = self._most_sent_back()
        self.summary.violations = sum(j.verdict.violated for text in texts for j in text.cases) + sum(
            places_of(single.judged.verdict) for single in self._work.singles
        )
        self.summary.planned_texts = len(missing) + texts_unknown
        self.summary.planned_characters = sum(len(text) for _, _, text in missing) + characters_unknown
        self.summary.planning += time.thread_time() - started
        return self.summary

    def run(self) -> Iterator[Repair]:
        if self._wanted is None:
            self.plan()
        assert self._wanted is not None
        work = iter(list(zip(self._work.texts, self._wanted, strict=True)))
        while chunk := list(islice(work, CHUNK)):
            self._ask(chunk)
            for text, wanted in chunk:
                started = time.thread_time()
                rows = self._repairer(text).repair(self._subject(text, wanted))
                methods = {judged.case.id: judged.case.transformation for judged in text.cases if judged.verdict.violated}
                self.summary.seconds.append(time.thread_time() - started)
                yield from (replace(row, system=text.system) for row in self._counted(rows, methods))
        singles = iter(self._work.singles)
        while some := list(islice(singles, CHUNK)):
            yield from self._repair_singles(some)

    def _counted(self, rows: list[Repair], methods: Mapping[str, str]) -> Iterator[Repair]:
        """`methods`: by id, of the violated cases that the rows are about."""
        done = {row.case.id for row in rows if row.accepted}
        done |= {also for row in rows if row.accepted for also in row.evidence.get("also_repairs", ())}
        for id, method in methods.items():
            self.summary.count(method, 1, id in done)
        self.summary.accepted += sum(row.accepted for row in rows)
        yield from rows

    def _repair_singles(self, some: Sequence[SingleText]) -> Iterator[Repair]:
        known = self._other_engines([(s.judged.case.direction, s.judged.case.source, s.system) for s in some if s.system])
        engines = {id(s): known.get((s.judged.case.direction, s.judged.case.source), {}) for s in some}
        ahead: dict[tuple[str, Direction], list[str]] = {}
        for single in some:
            texts = self._single_repairer(single).look_at(single.judged, engines[id(single)], single.system)
            ahead.setdefault((single.system, single.judged.case.direction), []).extend(texts)
        for (system, direction), texts in ahead.items():
            self._way_back(system, direction).ask(texts)
        for single in some:
            self._single_repairer(single).weigh(single.judged, engines[id(single)], single.system)
        for single in some:
            started = time.thread_time()
            worker = self._single_repairer(single)
            rows = worker.repair(single.judged, engines[id(single)], single.system, self._name_of_way(single.system))
            self.summary.seconds.append(time.thread_time() - started)
            settled = [row.evidence["settled"] for row in rows if row.accepted]
            count = places_of(single.judged.verdict)
            self.summary.count(single.judged.verdict.relation, count, min(count, sum(settled)))
            yield from (replace(row, system=single.system or row.text) for row in self._counted(rows, {}))

    def _propose(self) -> dict[tuple[str, Direction], list[MetamorphicCase]]:
        """Mutants of every text by all replacing methods, best first."""
        found: dict[tuple[str, Direction], list[MetamorphicCase]] = {}
        texts = self._work.texts
        for direction in dict.fromkeys(text.direction for text in texts):
            distinct = dict.fromkeys(text.text for text in texts if text.direction == direction)
            segments = [Segment(str(i), text, direction.source) for i, text in enumerate(distinct)]
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

    @property
    def _foreign(self) -> bool:
        """Whether other engines' translations may be candidates."""
        return bool({"part", "engine"} & set(self.options.candidates))

    def _sources(self) -> Iterator[tuple[Direction, str, str]]:
        """Every text that other engines' translations may help with: direction, text, and the system that is repaired."""
        yield from ((text.direction, text.text, text.system) for text in self._work.texts)
        for single in self._work.singles:
            if single.system:
                yield single.judged.case.direction, single.judged.case.source, single.system

    def _missing(self, name: str, direction: Direction, texts: Sequence[str]) -> list[str]:
        system = self._systems.get(name)
        stored = self._store.translations(system.signature().digest, direction, texts) if system is not None else {}
        return [t for t in texts if t not in stored or not stored[t].ok]

    def _foreseen_back(self) -> Iterator[tuple[str, str, str]]:
        """What is known to be sent back already: system, direction, text."""
        for single in self._work.singles:
            case = single.judged.case
            back = case.direction.reversed
            engines = self._known_engines(case.direction, case.source, single.system) if single.system else {}
            asked = self._single_repairer(single).look_at(single.judged, engines, single.system)
            for name in self._ways_of(single.system, case.direction):
                yield from ((name, str(back), text) for text in self._missing(name, back, asked))

    def _most_sent_back(self) -> tuple[int, int]:
        """How many texts, and characters, may be sent back at most besides: candidates are not known before their variants are translated."""
        texts = characters = 0
        for text in self._work.texts:
            ways = len(self._ways_of(text.system, text.direction))
            for judged in text.cases:
                if judged.verdict.violated:
                    for _, translation in judged.case.texts():
                        # A translation, its cuts where a phrase is concerned, and the candidates that a relation is asked about.
                        number = ways * (1 + self.options.most_tried + (MOST_CUTS if judged.relation.name == "bag-of-words" else 0))
                        texts, characters = texts + number, characters + number * len(translation)
        for single in self._work.singles:
            case = single.judged.case
            ways = len(self._ways_of(single.system, case.direction))
            owned = [text for name, text in case.texts() if name != "back_translation"]
            known = len(self._known_engines(case.direction, case.source, single.system)) if single.system else len(owned) - 1
            others = (len(self._systems) if single.system else len(owned)) - 1
            # All pieces put in place together; of an engine that has not been asked yet, its whole text and the pieces.
            number = ways * (1 + (max(0, others - known) * (1 + self.options.most_tried) if self._foreign else 0))
            texts, characters = texts + number * len(owned), characters + number * sum(map(len, owned))
        return texts, characters

    def _ask(self, chunk: Sequence[tuple[SourceText, list[Wanted]]]) -> None:
        """Mutants of all texts of a chunk, and other engines' translations of the texts themselves; every answer lands in the store."""
        for name, system in self._systems.items():
            mutants = [(text, w.text) for text, wanted in chunk if text.system == name for w in wanted if w.origin == "mutant"]
            self._fill(system, [MetamorphicCase("", text.direction, "", text.text, m, source_translation="") for text, m in mutants])
        self._other_engines([(text.direction, text.text, text.system) for text, _ in chunk])

    def _other_engines(self, sources: Sequence[tuple[Direction, str, str]]) -> dict[tuple[Direction, str], dict[str, str]]:
        """Every engine's translations of some texts, each with the one system that need not be asked."""
        found: dict[tuple[Direction, str], dict[str, str]] = {}
        if not self._foreign:
            return found
        for name, system in self._systems.items():
            wanted = [(direction, text) for direction, text, own in sources if own != name]
            self._fill(system, [MetamorphicCase("", direction, "", "", text, source_translation="") for direction, text in wanted])
            for direction in dict.fromkeys(direction for direction, _ in wanted):
                texts = [text for way, text in wanted if way == direction]
                for text, answer in self._store.translations(system.signature().digest, direction, texts).items():
                    if answer.text:
                        found.setdefault((direction, text), {})[name] = answer.text
        return found

    def _fill(self, system: System, cases: Sequence[Case]) -> None:
        """Translations that help but need not be: a recording may lack them, which is said in the summary."""
        try:
            for _ in self._stage.fill(list(cases), lambda request: system):
                pass
        except QuotaError:
            raise
        except SystemFailedError as error:
            self.summary.unanswered[system.name] = str(error)

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
        engines = self._known_engines(text.direction, text.text, text.system)
        translation = text.cases[0].case.source_translation or ""
        return Subject(text.direction, text.text, translation, text.cases, tuple(variants), engines)

    def _known_engines(self, direction: Direction, text: str, own: str) -> dict[str, str]:
        """Other engines' translations of a text, as far as the store has them."""
        engines = {}
        for name, other in self._systems.items():
            if name != own and self._foreign:
                found = self._store.translations(other.signature().digest, direction, [text]).get(text)
                if found is not None and found.text:
                    engines[name] = found.text
        return engines

    def _repairer(self, text: SourceText) -> Repairer:
        key = (text.system, text.direction)
        if key not in self._repairers:
            self._repairers[key] = Repairer(
                text.direction,
                self._resources.aligner(text.direction),
                self.options,
                way_back=self._way_back(*key),
                related=self._related(text.direction),
            )
        return self._repairers[key]

    def _single_repairer(self, single: SingleText) -> SingleRepairer:
        key = (single.system, single.judged.case.direction)
        if key not in self._single_repairers:
            self._single_repairers[key] = SingleRepairer(key[1], self.options, self._way_back(*key), self._standing)
        return self._single_repairers[key]

    def _related(self, direction: Direction) -> Related | None:
        return self._resources.synonyms(direction.source).related if self._resources.has("synonyms") else None

    def _name_of_way(self, system: str) -> str:
        """The system that translates back what another translated."""
        return self._back.name if self._back is not None else system

    def _ways_of(self, name: str, direction: Direction) -> dict[str, System]:
        """The systems that are asked to translate back: the run's own, then the others that can."""
        if not self.options.back_translation:
            return {}
        first = [self._back] if self._back is not None else []
        systems = [*first, *(s for n, s in self._systems.items() if n == name), *self._systems.values()]
        able = {}
        for system in systems:
            if system.name in able or system.name in self.summary.no_way_back:
                continue
            try:
                if isinstance(system, Guarded):
                    system.check(direction.reversed)
            except ConfigurationError as error:
                self.summary.no_way_back[system.name] = str(error)
            else:
                able[system.name] = system
        return able

    def _way_back(self, system: str, direction: Direction) -> WayBack:
        key = (system, direction)
        if key not in self._ways:
            languages = (language(direction.source), language(direction.target))
            ways = {name: self._returning(one) for name, one in self._ways_of(system, direction).items()}
            self._ways[key] = WayBack(direction, languages, ways, self._related(direction))
        return self._ways[key]

    def _returning(self, system: System) -> Translate:
        def back(texts: Sequence[str], direction: Direction) -> list[str | None]:
            if system.name in self.summary.no_way_back:
                return [None] * len(texts)
            cases: list[Case] = [MetamorphicCase("", direction, "", "", text, source_translation="") for text in texts]
            try:
                for _ in self._stage.fill(cases, lambda request: system):
                    pass
            except QuotaError:
                raise
            except (ConfigurationError, SystemFailedError) as error:
                # A system need not have the way back; one that never gave an answer is not asked again, and the summary says so.
                if system.name not in self._returned:
                    self.summary.no_way_back[system.name] = str(error)
            answers = [case.followup_translation if isinstance(case, MetamorphicCase) else None for case in cases]
            if any(answers):
                self._returned.add(system.name)
            return answers

        return back
