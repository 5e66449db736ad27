"""The translate stage: which distinct texts are missing, and asking for them.

All that costs money is decided here and nowhere else: what is known already (the campaign's store, then the cache that
campaigns share), how texts are cut into calls, how many calls run at once, what the budget allows, and what to do about a
call that fails. Every answer is on disk before it is used, and before its thread asks for more: a killed run pays again for
the requests in flight, one a thread, and for nothing else.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field

from metaphrase.campaign.cache import Cache
from metaphrase.campaign.events import Summary, Translated
from metaphrase.campaign.spending import Ledger
from metaphrase.campaign.store import Store
from metaphrase.core.errors import BatchFailedError, MetaphraseError, SystemFailedError
from metaphrase.core.values import Case, Direction, Request, RoundTripCase, Translation
from metaphrase.systems.base import Billed, Guarded, Limits, Metered, System

__all__ = ["Sending", "TranslateStage", "batches"]

# This many calls in a row that failed as outages, retries and all, and the system has failed.
OUTAGE = 8
# A system that refused this many calls and never answered one will not answer.
NEVER_ANSWERED = 20
FAILURES_SHOWN = 20
# A batch is not made smaller than this to keep all threads busy.
SMALL_BATCH = 10


@dataclass(frozen=True, slots=True)
class Sending:
    """How to send: calls at once for each system, the shared cache, and whether to ask again for what is known."""

    jobs: int = 1
    cache: Cache | None = None
    refresh: bool = False
    ledger: Ledger = field(default_factory=Ledger)


class TranslateStage:
    """Fills the open translations of cases, from the store, the cache or the systems."""

    def __init__(self, store: Store, summary: Summary, sending: Sending | None = None) -> None:
        self._store = store
        self._summary = summary
        self._sending = sending or Sending()
        self._summary.bills = self._sending.ledger.bills
        self._lock = threading.Lock()
        self._asked: set[tuple[str, Direction, str]] = set()

    @property
    def refreshes(self) -> bool:
        return self._sending.refresh

    def check(self, systems: Iterable[System], direction: Direction) -> None:
        """Raise ConfigurationError for a pair that a system does not have, before anything is sent."""
        for system in systems:
            self._sending.ledger.admit(system)
            if isinstance(system, Guarded):
                system.check(direction)

    def fill(self, cases: list[Case], system_for: Callable[[Request], System]) -> Iterator[Translated]:
        """Answer all requests of the cases, in place; a case whose text failed stays open."""
        failed: set[tuple[str, Direction, str]] = set()
        while groups := _wanted(cases, system_for, failed):
            answers: dict[tuple[str, Direction, str], str] = {}
            for group in groups:
                self._recall(group)
            _before_sending([group for group in groups if group.missing()], _ways_back(cases, system_for))
            yield from self._send(groups)
            for group in groups:
                for text, translation in group.known.items():
                    if translation.text is None:
                        failed.add((group.system.name, group.direction, text))
                    else:
                        answers[group.system.name, group.direction, text] = translation.text
            for i, case in enumerate(cases):
                for request in case.requests():
                    answer = answers.get((system_for(request).name, request.direction, request.text))
                    if answer is not None:
                        case = case.answered(request.field, answer)
                cases[i] = case

    def estimate(self, cases: Sequence[Case], system_for: Callable[[Request], System]) -> None:
        """As `plan`, for all that cases still wait for."""
        for group in _wanted(cases, system_for, set()):
            self.plan(group.system, group.direction, list(group.texts))

    def plan(self, system: System, direction: Direction, texts: Sequence[str]) -> None:
        """Count into the summary what would be sent and what it would cost; sends nothing, and needs no key."""
        group = _Group(system, direction, dict.fromkeys(t for t in texts if (system.name, direction, t) not in self._asked))
        self._recall(group)
        missing = group.missing()
        self._asked.update((system.name, direction, t) for t in missing)
        bill = self._sending.ledger.admit(system)
        self._summary.sent_texts += len(missing)
        self._summary.sent_characters += sum(map(len, missing))
        bill.characters += sum(map(len, missing))
        bill.requests += sum(1 for _ in batches(missing, system.limits, self._workers(system)))
        if isinstance(system, Metered):
            bill.spent += system.estimate(missing) or 0.0

    def _recall(self, group: _Group) -> None:
        """What need not be sent: blank texts, what this campaign has, what another campaign has."""
        sending, name = self._sending, group.system.name
        sending.ledger.admit(group.system)
        group.known.update({text: Translation(text) for text in group.texts if not text.strip()})
        fresh = [t for t in group.missing() if not sending.refresh or (name, group.direction, t) in self._asked]
        with self._lock:
            stored = self._store.translations(group.digest, group.direction, fresh)
        found = {text: answer for text, answer in stored.items() if answer.ok}
        if sending.cache is not None and group.paid and not sending.refresh:
            shared = sending.cache.get(group.signature, group.direction, [t for t in fresh if t not in found])
            if shared:
                with self._lock:
                    self._store.add_translations(group.digest, group.direction, shared.items())
                found |= shared
        group.known.update(found)
        # A text that several methods need is saved once, not each time it is looked up.
        saved = [t for t in found if (name, group.direction, t) not in self._asked]
        self._asked.update((name, group.direction, t) for t in saved)
        self._summary.reused_texts += len(saved)
        sending.ledger.save(group.system, saved)

    def _workers(self, system: System) -> int:
        return self._sending.jobs if system.limits.concurrent else 1

    def _send(self, groups: Sequence[_Group]) -> Iterator[Translated]:
        """Send what the groups miss. Each system that takes calls at once has its own threads, so that a slow one holds up
        nobody; the others (programs, Python functions) are called in this thread, which they may depend on."""
        done: queue.SimpleQueue[Translated | MetaphraseError | None] = queue.SimpleQueue()
        stop = threading.Event()
        local: deque[tuple[_Desk, list[str]]] = deque()
        waiting = 0
        error: MetaphraseError | None = None
        with ExitStack() as stack:
            pools: dict[str, ThreadPoolExecutor] = {}
            for group in groups:
                yield from self._set_aside(group)
                name, workers, desk = group.system.name, self._workers(group.system), _Desk(self, group, done, stop)
                if group.system.limits.concurrent and name not in pools:
                    pools[name] = ThreadPoolExecutor(workers, thread_name_prefix=f"metaphrase-{name}")
                    stack.callback(pools[name].shutdown, wait=True, cancel_futures=True)
                for batch in batches(group.missing(), group.system.limits, workers):
                    waiting += 1
                    if name in pools:
                        pools[name].submit(desk.work, batch)
                    else:
                        local.append((desk, batch))
            stack.callback(stop.set)  # runs before the pools end: whatever stops us, nothing new is sent
            while waiting:
                if local and done.empty():
                    desk, batch = local.popleft()
                    desk.work(batch)
                event = done.get()
                if isinstance(event, Translated):
                    self._count(event)
                    yield event
                    continue
                waiting -= 1
                error = error or event
        if error is not None:
            raise error

    def _set_aside(self, group: _Group) -> Iterator[Translated]:
        """Texts that a paid system would not take in any call fail here, unsent."""
        if not group.paid:
            return
        reasons = {text: group.system.limits.refuses(text) for text in group.missing()}
        unfit = {text: Translation(None, reason) for text, reason in reasons.items() if reason}
        if unfit:
            self.keep(group, unfit)
            failures = tuple(f"{a.failure}: '{t[:60]}'" for t, a in unfit.items())
            event = Translated(group.system.name, 0, 0, len(unfit), failures)
            self._count(event)
            yield event

    def _count(self, event: Translated) -> None:
        self._summary.sent_texts += event.texts
        self._summary.sent_characters += event.characters
        self._summary.failed_texts += event.failed
        self._summary.failures.extend(event.failures[: max(0, FAILURES_SHOWN - len(self._summary.failures))])

    def call(self, group: _Group, batch: Sequence[str]) -> list[Translation]:
        """One call; systems that do not report their requests themselves are metered here."""
        if group.paid:
            return group.system.translate(batch, group.direction)
        ledger, name, characters = self._sending.ledger, group.system.name, sum(map(len, batch))
        ledger.reserve(name, characters, 0.0)
        billed = Billed.NO
        try:
            answers = group.system.translate(batch, group.direction)
            billed = Billed.YES
        finally:
            ledger.settle(name, characters, 0.0, billed, None)
        return answers

    def keep(self, group: _Group, answers: Mapping[str, Translation]) -> None:
        """On disk, then in use: the shared cache first, because it outlives the campaign."""
        if self._sending.cache is not None and group.paid:
            self._sending.cache.put(group.signature, group.direction, answers.items())
        with self._lock:
            self._store.add_translations(group.digest, group.direction, answers.items())
            self._asked.update((group.system.name, group.direction, text) for text in answers)
            group.known.update(answers)


class _Group:
    """The texts that one system is to translate in one direction."""

    def __init__(self, system: System, direction: Direction, texts: dict[str, None]) -> None:
        self.system = system
        self.direction = direction
        self.texts = texts
        self.signature = system.signature()
        self.digest = self.signature.digest
        self.paid = isinstance(system, Metered)
        self.known: dict[str, Translation] = {}
        # Calls that failed in a row, and whether any ever succeeded.
        self.outages = 0
        self.refusals = 0
        self.answered = False

    def missing(self) -> list[str]:
        return [text for text in self.texts if text not in self.known]


class _Desk:
    """Handles one batch at a time in a pool's thread: asks, keeps, and splits what fails."""

    def __init__(
        self, stage: TranslateStage, group: _Group, done: queue.SimpleQueue[Translated | MetaphraseError | None], stop: threading.Event
    ) -> None:
        self._stage = stage
        self._group = group
        self._done = done
        self._stop = stop
        self._lock = threading.Lock()

    def work(self, batch: Sequence[str]) -> None:
        """Always ends with exactly one None or error on the queue."""
        end: MetaphraseError | None = None
        try:
            self._translate(batch)
        except MetaphraseError as error:
            end = error
        except Exception as error:  # a plugin's bug must not hang the run that waits for this thread
            end = SystemFailedError(f"the system '{self._group.system.name}' broke: {type(error).__name__}: {error}")
            end.__cause__ = error
        if end is not None:
            self._stop.set()  # here, not where it is read: another request would have gone out by then
        self._done.put(end)

    def _translate(self, batch: Sequence[str]) -> None:
        # Breadth first: after a failed half the other half is tried, which tells a bad text from a dead system.
        waiting = deque([list(batch)])
        while waiting and not self._stop.is_set():
            part = waiting.popleft()
            try:
                answers = self._stage.call(self._group, part)
            except BatchFailedError as error:
                answered = {part[i]: answer for i, answer in error.answers.items()}
                rest = [text for text in part if text not in answered]
                if len(rest) == 1:
                    answered[rest[0]] = Translation(None, str(error))
                elif rest:
                    middle = (len(rest) + 1) // 2
                    waiting.extend((rest[:middle], rest[middle:]))
                if answered:
                    self._keep(answered)
                self._note_failure(error)
            except SystemFailedError as error:
                if error.answers:
                    self._keep({part[i]: answer for i, answer in error.answers.items()})
                raise
            else:
                if len(answers) != len(part):
                    raise SystemFailedError(f"system '{self._group.system.name}' got {len(part)} texts and answered {len(answers)}")
                self._keep(dict(zip(part, answers, strict=True)))
                self._note_success()

    def _keep(self, answers: Mapping[str, Translation]) -> None:
        self._stage.keep(self._group, answers)
        failures = tuple(f"{a.failure}: '{t[:60]}'" for t, a in answers.items() if not a.ok)
        self._done.put(Translated(self._group.system.name, len(answers), sum(map(len, answers)), len(failures), failures))

    def _note_success(self) -> None:
        with self._lock:
            self._group.answered = True
            self._group.outages = 0

    def _note_failure(self, error: BatchFailedError) -> None:
        with self._lock:
            group = self._group
            group.outages = group.outages + 1 if error.outage else 0
            group.refusals += 1
            if group.outages >= OUTAGE or (group.refusals >= NEVER_ANSWERED and not group.answered):
                many = group.outages if group.outages >= OUTAGE else group.refusals
                raise SystemFailedError(f"{group.system.name} failed {many} calls in a row, the last one with: {error}")


def _before_sending(groups: Sequence[_Group], ways_back: Iterable[tuple[System, Direction]]) -> None:
    """Raise ConfigurationError if a pair or a key is missing, be it for the second half of a round trip."""
    if not groups:
        return
    for system, direction in [*((group.system, group.direction) for group in groups), *ways_back]:
        if isinstance(system, Guarded):
            system.check(direction)
            system.unlock()


def _ways_back(cases: Sequence[Case], system_for: Callable[[Request], System]) -> list[tuple[System, Direction]]:
    """What the round trips among the cases will need once they are half way."""
    directions = {case.direction.reversed: case.source for case in cases if isinstance(case, RoundTripCase)}
    return [(system_for(Request("back_translation", text, back)), back) for back, text in directions.items()]


def _wanted(cases: Sequence[Case], system_for: Callable[[Request], System], failed: set[tuple[str, Direction, str]]) -> list[_Group]:
    """Open requests by system and direction, without those that failed in this run."""
    groups: dict[tuple[str, Direction], _Group] = {}
    for case in cases:
        for request in case.requests():
            system = system_for(request)
            if (system.name, request.direction, request.text) in failed:
                continue
            key = (system.name, request.direction)
            if key not in groups:
                groups[key] = _Group(system, request.direction, {})
            groups[key].texts[request.text] = None
    return list(groups.values())


def batches(texts: Sequence[str], limits: Limits, workers: int = 1) -> Iterator[list[str]]:
    """Cut texts into calls within the limits, small enough to keep all workers busy."""
    even = max(SMALL_BATCH, -(-len(texts) // workers))
    items = min(limits.items, even)
    batch: list[str] = []
    size = room = 0
    for text in texts:
        # What is between the texts of a call (separators, JSON) takes room too.
        weight = len(text.encode("utf-8", "replace")) + 4
        over = size + len(text) > limits.characters or (limits.bytes is not None and room + weight > limits.bytes)
        if batch and (len(batch) == items or over):
            yield batch
            batch, size, room = [], 0, 0
        batch.append(text)
        size += len(text)
        room += weight
    if batch:
        yield batch
