"""Apertium behind its HTTP server (apertium-apy). One text a request; input is HTML unless it is told that it is text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaphrase.core.errors import ConfigurationError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.values import Direction, Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import Codes, alpha3
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, Refused, expect, no_argument, texts_of

__all__ = ["Apy", "open_apy"]


class ApyOptions(HttpOptions):
    mark_unknown: bool = False


class Apy:
    """A text, a translation."""

    kind = "apy"
    url = "http://localhost:2737"
    keys: KeyNames = ()
    limits = Limits(items=1, characters=20_000, concurrent=True)
    codes = Codes("Apertium", "")

    def __init__(self, options: ApyOptions) -> None:
        self._options = options

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        (text,) = texts
        form = [("langpair", "|".join(pair)), ("q", text), ("format", "txt")]
        return Call(f"{url}/translate", form=[*form, ("markUnknown", "yes" if self._options.mark_unknown else "no")])

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        expect(data["responseStatus"] == 200, f"the answer's status is {data['responseStatus']}")
        # The text format ends what it writes with a line break of its own.
        translated = data["responseData"]["translatedText"]
        return texts_of([translated if texts[0].endswith("\n") else translated.rstrip("\n")], texts)

    def complain(self, answer: Answer) -> None:
        if answer.status >= 400 and "explanation" in answer.data:
            reason = f"{answer.data.get('message', answer.status)}: {answer.data['explanation']}"
            raise Refused(reason) if answer.status in (400, 413, 414) else Again(reason)


class ApySystem(HttpSystem):
    """Knows its pairs only after it asked the server."""

    _pairs: frozenset[tuple[str, str]] | None = None

    def check(self, direction: Direction) -> None:
        pair = alpha3(direction.source), alpha3(direction.target)
        pairs = self._learn()
        if pair not in pairs:
            has = ", ".join(sorted("|".join(p) for p in pairs))
            raise ConfigurationError(f"this Apertium server does not translate {'|'.join(pair)}; it has {has or 'no pair at all'}")
        self.codes = Codes("this Apertium server", "", own={**self.codes.own, direction.source: pair[0], direction.target: pair[1]})

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        self.check(direction)
        return super().translate(texts, direction)

    def _learn(self) -> frozenset[tuple[str, str]]:
        if self._pairs is None:
            found = self.fetch(Call(f"{self.url}/listPairs", method="GET"))
            try:
                self._pairs = frozenset((p["sourceLanguage"], p["targetLanguage"]) for p in found["responseData"])
            except (KeyError, TypeError):
                raise ConfigurationError(f"[system.{self.name}] url = '{self.url}' is no Apertium server: it lists no pairs") from None
        return self._pairs


@configured_by(ApyOptions)
@configured_by(ApyOptions)
def open_apy(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(ApyOptions, options, f"[system.{name}]")
    return ApySystem(name, Apy(settings), settings)
