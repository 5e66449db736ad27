"""What a run may send and what it has: the ledger of all systems, asked before every request."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from metaphrase.core.errors import ConfigurationError, QuotaError
from metaphrase.systems.base import Billed, Metered, System

__all__ = ["Bill", "Ledger"]


@dataclass(slots=True)
class Bill:
    """One system's part of a run. `unsure` is the cost of requests that were cut off and may have been charged."""

    requests: int = 0
    characters: int = 0
    spent: float = 0.0
    unsure: float = 0.0
    saved_texts: int = 0
    saved_characters: int = 0
    saved: float = 0.0
    currency: str = ""
    price: str = ""


class Ledger:
    """Counts requests before they go out, so that no number of threads or retries passes a limit."""

    def __init__(self, systems: Iterable[System] = (), *, budget: float | None = None, max_characters: int | None = None) -> None:
        self._budget = budget
        self._max_characters = max_characters
        self._lock = threading.Lock()
        self._characters = 0
        self._cost = 0.0
        self.bills: dict[str, Bill] = {}
        for system in systems:
            self.admit(system)

    def admit(self, system: System) -> Bill:
        """Open a bill for a system, and become its meter."""
        if system.name not in self.bills:
            price = system.price if isinstance(system, Metered) else None
            if isinstance(system, Metered):
                if self._budget is not None and price is None:
                    raise ConfigurationError(
                        f"no price is known for '{system.name}', so --budget cannot hold: set price (or price-input and price-output) in "
                        f"[system.{system.name.split(':')[0]}], or use --max-characters"
                    )
                system.meter = _Meter(self, system.name)
            bill = Bill(currency=price.currency if price else "", price=str(price) if price else "")
            currencies = {b.currency for b in self.bills.values() if b.currency} | ({bill.currency} if bill.currency else set())
            if self._budget is not None and len(currencies) > 1:
                raise ConfigurationError(
                    f"--budget cannot add up {' and '.join(sorted(currencies))}: set price and currency in the [system] tables alike"
                )
            self.bills[system.name] = bill
        return self.bills[system.name]

    def reserve(self, name: str, characters: int, cost: float) -> None:
        """Set a request's cost aside, or raise QuotaError if it would pass a limit."""
        with self._lock:
            if self._max_characters is not None and self._characters + characters > self._max_characters:
                raise QuotaError(
                    f"stopped before --max-characters {self._max_characters:,}: {self._characters:,} are sent, "
                    f"the next request to '{name}' has {characters:,}"
                )
            if self._budget is not None and self._cost + cost > self._budget:
                currency = self.bills[name].currency
                raise QuotaError(
                    f"stopped before the budget of {self._budget:.2f} {currency}: {self._cost:.4f} is spent, "
                    f"the next request to '{name}' costs about {cost:.4f}"
                )
            self._characters += characters
            self._cost += cost

    def settle(self, name: str, characters: int, cost: float, billed: Billed, actual: float | None) -> None:
        """A reserved request is over."""
        with self._lock:
            bill = self.bills[name]
            bill.requests += 1
            if billed is Billed.NO:
                self._characters -= characters
                self._cost -= cost
                return
            real = cost if actual is None else actual
            self._cost += real - cost
            bill.characters += characters
            bill.spent += real
            if billed is Billed.MAYBE:
                bill.unsure += real

    def save(self, system: System, texts: list[str]) -> None:
        """Texts that did not have to be sent."""
        cost = system.estimate(texts) if isinstance(system, Metered) and texts else None
        with self._lock:
            bill = self.bills[system.name]
            bill.saved_texts += len(texts)
            bill.saved_characters += sum(map(len, texts))
            bill.saved += cost or 0.0


@dataclass(frozen=True, slots=True)
class _Meter:
    ledger: Ledger
    name: str

    def reserve(self, characters: int, cost: float) -> None:
        self.ledger.reserve(self.name, characters, cost)

    def settle(self, characters: int, cost: float, billed: Billed, actual: float | None = None) -> None:
        self.ledger.settle(self.name, characters, cost, billed, actual)
