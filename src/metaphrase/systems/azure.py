"""Azure Translator, text translation 3.0. Its 429 also means characters a minute; the free plan's end is a 403001."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from metaphrase.core.errors import QuotaError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.values import Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import Codes
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, Refused, expect, no_argument, texts_of

__all__ = ["Azure", "open_azure"]

_SHARED = """
af am ar as az ba be bg bho bn bo brx bs ca cs cy da de doi dsb dv el en es et eu fa fi fil fj fo fr fr-ca ga gl gom gu ha he hi hne hr hsb
ht hu hy id ig ikt is it iu ja ka kk km kmr kn ko ks ku ky lb ln lo lt lug lv lzh mai mg mi mk ml mr ms mt mww my nb ne nl nso nya or otq pa
pl prs ps pt pt-pt ro ru run rw sd si sk sl sm sn so sq st sv sw ta te th ti tk tn to tr tt ty ug uk ur uz vi xh yo yua yue zu
"""


class AzureOptions(HttpOptions):
    region: str | None = None
    category: str | None = None


class Azure:
    """Texts by position, each with the translations of one target."""

    kind = "azure"
    url = "https://api.cognitive.microsofttranslator.com"
    keys: KeyNames = (("AZURE_TRANSLATOR_KEY",),)
    limits = Limits(items=1000, characters=50_000, concurrent=True)
    codes = Codes(
        "Azure Translator",
        _SHARED,
        own={
            "zh": "zh-Hans",
            "zh-cn": "zh-Hans",
            "zh-tw": "zh-Hant",
            "no": "nb",
            "tl": "fil",
            "pt-br": "pt",
            "ny": "nya",
            "sr": "sr-Cyrl",
            "sr-latn": "sr-Latn",
            "mn": "mn-Cyrl",
        },
    )

    def __init__(self, options: AzureOptions) -> None:
        self._options = options

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        headers = {"Ocp-Apim-Subscription-Key": keys[0].reveal()}
        region = self._options.region or os.environ.get("AZURE_TRANSLATOR_REGION", "")
        if region:
            headers["Ocp-Apim-Subscription-Region"] = region
        query = {"api-version": "3.0", "from": pair[0], "to": pair[1], "textType": "plain"}
        if self._options.category:
            query["category"] = self._options.category
        return Call(f"{url}/translate", query=query, headers=headers, json=[{"Text": text} for text in texts])

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        for entry in data:
            expect(len(entry["translations"]) == 1, "the answer has several translations of one text")
        return texts_of([entry["translations"][0]["text"] for entry in data], texts)

    def complain(self, answer: Answer) -> None:
        if answer.status < 400:
            return
        error = answer.data["error"]
        code = int(error["code"])
        if code == 403001:
            raise QuotaError(f"the quota is used up ({code}): {error['message']}")
        if code // 1000 in (408, 429) or answer.status == 429:
            raise Again(f"{code}: {error['message']}")
        if code in (400050, 400077):
            raise Refused(f"too long ({code}): {error['message']}")


@configured_by(AzureOptions)
@configured_by(AzureOptions)
def open_azure(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(AzureOptions, options, f"[system.{name}]")
    wire = Azure(settings)
    if settings.url is None and os.environ.get("AZURE_TRANSLATOR_ENDPOINT"):
        wire.url = os.environ["AZURE_TRANSLATOR_ENDPOINT"]
    return HttpSystem(name, wire, settings)
