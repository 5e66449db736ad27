"""The translate stage: which distinct texts are missing, and asking for them in batches.

Every batch is stored before it is used, so that what was translated once is never asked for again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from metaphrase.campaign.events import Summary, Translated
from metaphrase.campaign.store import Store
from metaphrase.core.errors import SystemFailedError
from metaphrase.core.values import Case, Direction, Request, Translation
from metaphrase.systems.base import Limits, System

__all__ = ["TranslateStage"]

C = TypeVar("C", bound=Case)


class TranslateStage:
    """Fills the open translations of cases, from the store or from the systems."""

    def __init__(self, store: Store, summary: Summary) -> None:
        self._store = store
        self._summary = summary

    def fill(self, cases: list[Case], system_for: Callable[[Request], System]) -> Iterator[Translated]:
        """Answer all requests of the cases, in place; a case whose text failed stays open."""
        refused: set[tuple[str, Direction, str]] = set()
        while True:
            wanted: dict[tuple[str, Direction], dict[str, None]] = {}
            systems: dict[str, System] = {}
            for case in cases:
                for request in case.requests():
                    system = system_for(request)
                    if (system.name, request.direction, request.text) in refused:
                        continue
                    systems[system.name] = system
                    wanted.setdefault((system.name, request.direction), {})[request.text] = None
            if not wanted:
                return
            answers: dict[tuple[str, Direction, str], str] = {}
            for (name, direction), texts in wanted.items():
                known: dict[str, Translation] = {}
                yield from self._ask(systems[name], direction, list(texts), known)
                for text, translation in known.items():
                    if translation.text is None:
                        refused.add((name, direction, text))
                    else:
                        answers[name, direction, text] = translation.text
            for i, case in enumerate(cases):
                for request in case.requests():
                    answer = answers.get((system_for(request).name, request.direction, request.text))
                    if answer is not None:
                        case = case.answered(request.field, answer)
                cases[i] = case

    def missing(self, system: System, direction: Direction, texts: Sequence[str]) -> list[str]:
        """Texts that would have to be sent."""
        known = self._store.translations(system.signature().digest, direction, texts)
        return [t for t in texts if t not in known or not known[t].ok]

    def _ask(self, system: System, direction: Direction, texts: list[str], known: dict[str, Translation]) -> Iterator[Translated]:
        digest = system.signature().digest
        known.update({t: a for t, a in self._store.translations(digest, direction, texts).items() if a.ok})
        self._summary.reused_texts += len(known)
        for batch in _batches([t for t in texts if t not in known], system.limits):
            answers = system.translate(batch, direction)
            if len(answers) != len(batch):
                raise SystemFailedError(f"system '{system.name}' got {len(batch)} texts and answered {len(answers)}")
            self._store.add_translations(digest, direction, zip(batch, answers, strict=True))
            known.update(zip(batch, answers, strict=True))
            failures = [f"{a.failure}: '{t[:60]}'" for t, a in zip(batch, answers, strict=True) if not a.ok]
            characters = sum(map(len, batch))
            self._summary.sent_texts += len(batch)
            self._summary.sent_characters += characters
            self._summary.failed_texts += len(failures)
            self._summary.failures.extend(failures[: max(0, 20 - len(self._summary.failures))])
            yield Translated(system.name, len(batch), characters, len(failures))


def _batches(texts: Sequence[str], limits: Limits) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == limits.items or size + len(text) > limits.characters):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch
