"""The system under test: batch in, batch out.

A system translates one batch, in one go, and says what it knows of its limits; cutting texts into batches,
concurrency, caching, budget and resuming are the translate stage's business (`campaign/translate.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, Translation

__all__ = ["Limits", "System", "SystemFactory"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may hold, and whether calls may overlap."""

    items: int = 50
    characters: int = 50_000
    concurrent: bool = False


@runtime_checkable
class System(Protocol):
    """An MT engine. `translate` answers in order, one Translation a text.

    A text that cannot be translated gets a Translation with a failure; an engine that cannot go on at all raises
    SystemFailedError, and what earlier calls returned stays valid.
    """

    name: str
    limits: Limits

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]: ...
    def signature(self) -> Signature: ...
    def close(self) -> None: ...


class SystemFactory(Protocol):
    """What an entry point of the group `metaphrase.systems` names.

    `argument` is what follows the colon of `NAME:ARGUMENT`, `options` the `[system.NAME]` table.
    """

    def __call__(self, name: str, argument: str, options: Mapping[str, Any]) -> System: ...
