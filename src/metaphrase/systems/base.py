"""The system under test: batch in, batch out.

A system translates one batch, in one go, and says what it knows of its limits; cutting texts into batches,
concurrency, caching, budget and resuming are the translate stage's business (`campaign/translate.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, Translation
from metaphrase.systems.prices import Price

__all__ = ["Billed", "Guarded", "Limits", "Meter", "Metered", "System", "SystemFactory"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may hold (bytes as UTF-8), and whether calls may overlap."""

    items: int = 50
    characters: int = 50_000
    concurrent: bool = False
    bytes: int | None = None

    def refuses(self, text: str) -> str | None:
        """Why a text does not even fit into a call of its own."""
        if len(text) > self.characters:
            return f"the text has {len(text):,} characters, a call takes {self.characters:,}: cut it into sentences"
        size = len(text.encode("utf-8", "replace"))
        if self.bytes is not None and size > self.bytes:
            return f"the text has {size:,} bytes, a call takes {self.bytes:,}: cut it into sentences"
        return None


@runtime_checkable
class System(Protocol):
    """An MT engine. `translate` answers in order, one Translation a text.

    A text that cannot be translated gets a Translation with a failure; a call that failed as a whole raises
    BatchFailedError; an engine that cannot go on at all raises SystemFailedError, and what earlier calls returned
    stays valid. A system that has more to say implements `Metered` or `Guarded` too.
    """

    name: str
    limits: Limits

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]: ...
    def signature(self) -> Signature: ...
    def close(self) -> None: ...


@runtime_checkable
class Guarded(Protocol):
    """A system that can tell before anything is sent whether it could serve at all."""

    def check(self, direction: Direction) -> None:
        """Raise ConfigurationError if the engine does not translate in this direction; needs no key."""

    def unlock(self) -> None:
        """Raise ConfigurationError if a key is missing."""


class Meter(Protocol):
    """Counts what is sent, call by call; `reserve` raises QuotaError where a limit would be passed."""

    def reserve(self, characters: int, cost: float) -> None: ...
    def settle(self, characters: int, cost: float, billed: Billed, actual: float | None = None) -> None: ...


class Billed(StrEnum):
    """Whether a call was paid for. A call that was cut off may have been: it counts against a budget."""

    YES = "yes"
    NO = "no"
    MAYBE = "maybe"


@runtime_checkable
class Metered(Protocol):
    """A system that is paid for. It reports each request to `meter`, retries included, if one is set."""

    meter: Meter | None
    price: Price | None

    def estimate(self, texts: Sequence[str]) -> float | None:
        """What translating the texts will cost, in the price's currency; None if no price is known."""


class SystemFactory(Protocol):
    """What an entry point of the group `metaphrase.systems` names.

    `argument` is what follows the colon of `NAME:ARGUMENT`, `options` the `[system.NAME]` table.
    """

    def __call__(self, name: str, argument: str, options: Mapping[str, Any]) -> System: ...
