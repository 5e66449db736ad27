"""What a translation costs: a table that ships with its dates (`prices.toml`), and what a configuration says instead."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["Price", "listed_price"]

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """For a million characters, or for a million tokens in and out; `date` is when it was looked up."""

    currency: str
    date: str
    characters: float | None = None
    tokens_in: float | None = None
    tokens_out: float | None = None
    note: str = ""

    def of_characters(self, count: int) -> float:
        return (self.characters or 0.0) * count / MILLION

    def of_tokens(self, tokens_in: float, tokens_out: float) -> float:
        return ((self.tokens_in or 0.0) * tokens_in + (self.tokens_out or 0.0) * tokens_out) / MILLION

    @property
    def free(self) -> bool:
        return not any((self.characters, self.tokens_in, self.tokens_out))

    def __str__(self) -> str:
        if self.characters is not None:
            what = f"{self.characters:g} {self.currency} a million characters"
        else:
            what = f"{self.tokens_in:g} in, {self.tokens_out:g} out {self.currency} a million tokens"
        return f"{what} ({self.date})"


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("prices.toml").read_text("utf-8"))


def listed_price(kind: str, model: str = "") -> Price | None:
    """The shipped price of a provider, or of one of its models."""
    entry = _table().get(kind)
    if entry is not None and model:
        entry = entry.get(model)
    if entry is None or "currency" not in entry:
        return None
    return Price(
        currency=entry["currency"],
        date=entry["date"],
        characters=entry.get("price"),
        tokens_in=entry.get("price-input"),
        tokens_out=entry.get("price-output"),
        note=entry.get("note", ""),
    )
