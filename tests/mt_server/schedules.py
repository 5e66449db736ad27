"""One campaign against one schedule of faults, and the promises it must keep."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import stamina

from metaphrase.campaign.cache import Cache, CacheOptions
from metaphrase.campaign.events import Summary
from metaphrase.campaign.spending import Ledger
from metaphrase.campaign.store import Store
from metaphrase.campaign.translate import Sending, TranslateStage
from metaphrase.core.errors import SystemFailedError
from metaphrase.core.values import Case, Direction, MetamorphicCase
from mt_server.clients import connect
from mt_server.dialects import DIALECTS
from mt_server.server import Schedule, Server, expected

__all__ = ["Bench", "Outcome"]

EN_ZH = Direction("en", "zh")
WORDS = "the old river carries boats past seven quiet towns while nobody counts them and winter comes early this year".split()


@dataclass
class Outcome:
    """What became of a schedule; `broken` lists the promises that were not kept."""

    seed: int
    translated: int = 0
    failed: int = 0
    unsent: int = 0
    requests: int = 0
    stopped: str = ""
    broken: list[str] = field(default_factory=list)


class Bench:
    """A server, a store and a cache that many schedules of one provider use one after the other; nobody really waits."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        self._dialect = DIALECTS[kind]()
        self._server = Server(self._dialect, virtual_stalls=True)
        self._folder = folder

    def __enter__(self) -> Bench:
        os.environ.update(self._dialect.environment)
        stamina.set_testing(True, attempts=4)
        self._server.__enter__()
        self._store = Store(self._folder / f"{self.kind}.db")
        self._cache = Cache(CacheOptions(path=str(self._folder / f"{self.kind}-cache.db")))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._cache.close()
        self._store.close()
        self._server.__exit__()
        stamina.set_testing(False)
        for name in self._dialect.environment:
            os.environ.pop(name, None)

    @property
    def secrets(self) -> list[str]:
        """What must not be seen anywhere. An account's id is no secret, and providers print it."""
        return [self._dialect.environment[name] for name in self._dialect.keys if name not in ("BAIDU_APP_ID", "YOUDAO_APP_KEY")]

    def run(self, seed: int, *, texts: int = 24, jobs: int = 4, schedule: Schedule | None = None) -> Outcome:
        """Translate texts that no other seed has, and compare what we say with what the server counted."""
        wanted = make_texts(self.kind, seed, texts)
        schedule = schedule or Schedule.random(seed, wanted, self._dialect)
        self._server.reset(self._dialect, schedule)
        system = connect(self._server, {"items": 5})
        cases: list[Case] = [
            MetamorphicCase(f"{i}", EN_ZH, "test", one, other) for i, (one, other) in enumerate(zip(wanted[::2], wanted[1::2], strict=True))
        ]
        summary = Summary()
        stage = TranslateStage(self._store, summary, Sending(jobs, self._cache, ledger=Ledger([system])))
        outcome = Outcome(seed)
        try:
            for _ in stage.fill(cases, lambda request: system):
                pass
        except SystemFailedError as error:
            outcome.stopped = str(error)
        system.close()
        outcome.requests = self._server.count.requests
        self._compare(outcome, wanted, schedule, system.signature().digest)
        self._compare_cases(outcome, cases)
        return outcome

    def _compare(self, outcome: Outcome, wanted: list[str], schedule: Schedule, digest: str) -> None:
        count = self._server.count
        stored = self._store.translations(digest, EN_ZH, wanted)
        for text in wanted:
            answer = stored.get(text)
            if answer is not None and answer.ok:
                outcome.translated += 1
                _need(outcome, answer.text == expected(text), f"mixed up: {text!r} became {answer.text!r}")
                _need(outcome, count.answered[text] == 1, f"translated but answered {count.answered[text]} times: {text!r}")
            elif answer is not None:
                outcome.failed += 1
                _need(outcome, bool(answer.failure), f"failed without a reason: {text!r}")
                _need(outcome, count.answered[text] == 0, f"answered but failed ({answer.failure}): {text!r}")
            else:
                outcome.unsent += 1
                _need(outcome, bool(outcome.stopped), f"lost: {text!r}")
                _need(outcome, count.answered[text] == 0, f"answered but lost: {text!r}")
            if text in schedule.refused | schedule.crashing:
                _need(outcome, answer is None or not answer.ok, f"poison was translated: {text!r}")
        _need(outcome, not count.sent_after_answered, f"sent again after it was answered: {count.sent_after_answered[:3]}")
        _need(outcome, not count.problems, f"requests that the provider does not document: {count.problems[:3]}")
        _need(outcome, set(count.sent) <= set(wanted), "the server got a text that nobody asked for")

    def _compare_cases(self, outcome: Outcome, cases: list[Case]) -> None:
        if not outcome.stopped:
            for case in cases:
                assert isinstance(case, MetamorphicCase)
                for text, answer in ((case.source, case.source_translation), (case.followup, case.followup_translation)):
                    _need(outcome, answer in (None, expected(text)), f"a case got another text's translation: {text!r}")


def _need(outcome: Outcome, condition: bool, promise: str) -> None:
    if not condition:
        outcome.broken.append(promise)


def make_texts(kind: str, seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [f"{kind} {seed}.{i} " + " ".join(chance.choices(WORDS, k=chance.randrange(3, 15))) for i in range(count)]
