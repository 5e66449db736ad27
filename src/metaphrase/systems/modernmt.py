"""ModernMT. A translation is a GET by its rules; POST with an override header takes long texts too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaphrase.core.errors import QuotaError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.values import Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import Codes
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.wire import Answer, Call, KeyNames, no_argument, texts_of

__all__ = ["ModernMT", "open_modernmt"]

_SHARED = """
af am ar as az be bg bn bs ca ceb cs cy da de el en en-gb en-us eo es es-419 es-es et eu fa fi fr fr-ca ga gd gl gu ha he hi hr ht hu hy id
ig is it ja jv ka kk km kn ko ky lb ln lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn ny om or pa pl ps pt pt-br pt-pt ro ru sd si sk sl sm
sn so sq sr st su sv sw ta te tg th ti tk tl tn tr ts tt ug uk ur uz vi xh yi yo zu zh zh-cn zh-hk zh-tw
"""


class ModernMTOptions(HttpOptions):
    hints: str | None = None
    context_vector: str | None = None


class ModernMT:
    """Texts by position."""

    kind = "modernmt"
    url = "https://api.modernmt.com"
    keys: KeyNames = (("MODERNMT_API_KEY", "MMT_API_KEY"),)
    limits = Limits(items=128, characters=10_000, concurrent=True)
    codes = Codes(
        "ModernMT",
        _SHARED,
        own={
            "en-gb": "en-GB",
            "en-us": "en-US",
            "es-es": "es-ES",
            "fr-ca": "fr-CA",
            "pt-br": "pt-BR",
            "pt-pt": "pt-PT",
            "zh-cn": "zh-CN",
            "zh-hk": "zh-HK",
            "zh-tw": "zh-TW",
            "no": "nb",
            "sr": "sr-Cyrl",
            "sr-latn": "sr-Latn",
        },
        targets={"zh": "zh-CN"},
    )

    def __init__(self, options: ModernMTOptions) -> None:
        self._options = options

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        body: dict[str, Any] = {"source": pair[0], "target": pair[1], "q": list(texts), "format": "text/plain"}
        if self._options.hints:
            body["hints"] = self._options.hints
        if self._options.context_vector:
            body["context_vector"] = self._options.context_vector
        headers = {"MMT-ApiKey": keys[0].reveal(), "X-HTTP-Method-Override": "GET"}
        return Call(f"{url}/translate", headers=headers, json=body)

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        found = data["data"]
        return texts_of([entry["translation"] for entry in (found if isinstance(found, list) else [found])], texts)

    def complain(self, answer: Answer) -> None:
        if answer.status in (402, 403):
            error = answer.data["error"]
            said = f"{error.get('type', '')} {error.get('message', '')}".strip()
            if answer.status == 402 or any(word in said.lower() for word in ("quota", "limit", "billing", "plan")):
                raise QuotaError(f"the plan is used up ({answer.status}): {said}")


@configured_by(ModernMTOptions)
@configured_by(ModernMTOptions)
def open_modernmt(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(ModernMTOptions, options, f"[system.{name}]")
    return HttpSystem(name, ModernMT(settings), settings)
