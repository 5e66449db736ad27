"""What an adapter is made of: the request it builds, the answer it reads, and what it may find wrong with it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlencode

from metaphrase.core.errors import ConfigurationError
from metaphrase.core.values import Translation
from metaphrase.systems.base import Billed, Limits
from metaphrase.systems.codes import Codes
from metaphrase.systems.keys import Secret

__all__ = ["Again", "Answer", "Call", "KeyNames", "Refused", "Wire", "by_echo", "expect", "no_argument", "texts_of"]


class Again(Exception):
    """The request may pass later; `after` seconds if the provider said when."""

    def __init__(self, reason: str, after: float | None = None, *, billed: Billed = Billed.NO) -> None:
        super().__init__(reason)
        self.after = after
        self.billed = billed


class Refused(Exception):
    """The request will not pass as it is."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request. Its printed form shows neither headers nor body, which may hold keys."""

    url: str
    method: str = "POST"
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: Any = field(default=None, repr=False)
    form: Sequence[tuple[str, str]] | None = field(default=None, repr=False)
    body: bytes | None = field(default=None, repr=False)

    def content(self) -> tuple[bytes, str]:
        """The body and its type."""
        if self.body is not None:
            return self.body, "application/octet-stream"
        if self.form is not None:
            return urlencode(list(self.form)).encode("ascii"), "application/x-www-form-urlencoded; charset=utf-8"
        if self.json is not None:
            return json.dumps(self.json, ensure_ascii=False).encode("utf-8", "replace"), "application/json; charset=utf-8"
        return b"", ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server sent: `data` is the JSON in it, or None where there is none."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    text: str = field(repr=False)
    data: Any = field(repr=False, default=None)


# The keys that a provider needs; each with the environment variables that may hold it.
KeyNames: TypeAlias = Sequence[Sequence[str]]


class Wire(Protocol):
    """A provider's format: facts, and three methods."""

    kind: str
    url: str
    keys: KeyNames
    limits: Limits
    codes: Codes

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        """The request. It is built anew for each attempt, because signatures carry the time."""

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        """The translations in a good answer, None for a text that it lacks; KeyError and the like if it has another shape."""

    def complain(self, answer: Answer) -> None:
        """Raise what the provider's own errors mean; return to leave it to the status."""


def expect(condition: bool, reason: str) -> None:
    """Raise Again if an answer is not what was asked for; it may have been paid for."""
    if not condition:
        raise Again(reason, billed=Billed.MAYBE)


def texts_of(found: Sequence[Any], texts: Sequence[str]) -> list[Translation]:
    """Translations of a provider that answers by position: there must be as many as texts, all of them strings."""
    expect(len(found) == len(texts), f"the answer has {len(found)} translations for {len(texts)} texts")
    expect(all(isinstance(text, str) for text in found), "the answer holds something else than text")
    return [Translation(text) for text in found]


def by_echo(found: Sequence[tuple[str, str]], texts: Sequence[str]) -> list[str | None]:
    """Translations of a provider that repeats each text beside its translation, in whatever order.

    A text that it repeats with other spaces or character widths still matches; one that it changed more is taken by
    position, and only if neither it nor the text it stands for matched anything else.
    """
    waiting: dict[str, list[int]] = {}
    for i, (source, _) in enumerate(found):
        waiting.setdefault(_folded(source), []).append(i)
    result: list[str | None] = []
    used = set()
    for text in texts:
        places = waiting.get(_folded(text))
        if places:
            used.add(places[0])
            result.append(found[places.pop(0)][1])
        else:
            result.append(None)
    if len(found) == len(texts):
        return [found[i][1] if text is None and i not in used else text for i, text in enumerate(result)]
    return result


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def no_argument(name: str, argument: str) -> None:
    if argument:
        raise ConfigurationError(f"the system '{name}' takes nothing after the colon: write its options into [system.{name.split(':')[0]}]")
