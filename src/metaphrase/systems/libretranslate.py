"""LibreTranslate, your own server or a hosted one. It is asked once which languages it has; a batch costs one of its
requests for each text."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaphrase.core.errors import ConfigurationError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.values import Direction, Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import Codes, plain_code
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, no_argument, texts_of

__all__ = ["LibreTranslate", "open_libretranslate"]

VARIABLE = "LIBRETRANSLATE_API_KEY"


class LibreTranslate:
    """Texts by position."""

    kind = "libretranslate"
    url = "http://localhost:5000"
    keys: KeyNames = ()
    limits = Limits(items=20, characters=5_000, concurrent=True)
    # What it has depends on the server: `LibreTranslateSystem.check` asks it. These are the spellings.
    codes = Codes("LibreTranslate", "", own={})

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        body: dict[str, Any] = {"q": list(texts), "source": pair[0], "target": pair[1], "format": "text"}
        if keys:
            body["api_key"] = keys[0].reveal()
        return Call(f"{url}/translate", json=body)

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        found = data["translatedText"]
        return texts_of(found if isinstance(found, list) else [found], texts)

    def complain(self, answer: Answer) -> None:
        if answer.status in (403, 429) and "slowdown" in str(answer.data["error"]).lower():
            # Its page for those who went on after a 429: it counts on.
            raise Again(str(answer.data["error"]), 60.0)


class LibreTranslateSystem(HttpSystem):
    """Knows its languages only after it asked the server."""

    _asked = False

    def check(self, direction: Direction) -> None:
        self._learn()
        super().check(direction)

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        self._learn()
        return super().translate(texts, direction)

    def _learn(self) -> None:
        if self._asked:
            return
        found = self.fetch(Call(f"{self.url}/languages", method="GET"))
        if not isinstance(found, list) or not all(isinstance(entry, dict) and "code" in entry for entry in found):
            raise ConfigurationError(f"[system.{self.name}] url = '{self.url}' is no LibreTranslate server: it lists no languages")
        spelt = {plain_code(entry["code"]): entry["code"] for entry in found}
        if "zh" in spelt:
            spelt.setdefault("zh-cn", spelt["zh"])
        elif "zh-cn" in spelt:
            spelt["zh"] = spelt["zh-cn"]
        self.codes = Codes("this LibreTranslate server", "", own=spelt).extended(self.options.languages)
        self._asked = True


@configured_by(HttpOptions)
@configured_by(HttpOptions)
def open_libretranslate(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(HttpOptions, options, f"[system.{name}]")
    # Most servers need no key; one that is set is sent.
    wire = LibreTranslate()
    # A server's own limit is what its owner set.
    wire.limits = replace(wire.limits, items=settings.items or wire.limits.items)
    if settings.key_env or settings.key_ring or os.environ.get(VARIABLE):
        wire.keys = ((VARIABLE,),)
    return LibreTranslateSystem(name, wire, settings)
