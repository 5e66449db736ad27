"""DeepL API v2. A key that ends in ":fx" belongs to the free plan, which has a host of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from metaphrase.core.errors import QuotaError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.values import Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import Codes
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, no_argument, texts_of

__all__ = ["DeepL", "open_deepl"]

PAID = "https://api.deepl.com"
FREE = "https://api-free.deepl.com"

_SHARED = "ar bg cs da de el en es et fi fr hu id it ja ko lt lv nb nl pl pt ro ru sk sl sv tr uk zh he th vi"


class DeepLOptions(HttpOptions):
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] | None = None
    model_type: str | None = None
    glossary_id: str | None = None
    context: str | None = None
    split_sentences: Literal["0", "1", "nonewlines"] | None = None


class DeepL:
    """Texts by position."""

    kind = "deepl"
    url = PAID
    keys: KeyNames = (("DEEPL_AUTH_KEY",),)
    # 50 texts and 128 KiB a request, with room for JSON's escapes.
    limits = Limits(items=50, characters=60_000, concurrent=True, bytes=100_000)
    codes = Codes(
        "DeepL",
        "",
        own={code: code.upper() for code in _SHARED.split()} | {"no": "NB", "zh-cn": "ZH", "zh-tw": "ZH"},
        targets={
            # A bare EN or PT is deprecated as a target: we name the variety.
            "en": "EN-US",
            "en-us": "EN-US",
            "en-gb": "EN-GB",
            "pt": "PT-PT",
            "pt-br": "PT-BR",
            "pt-pt": "PT-PT",
            "es-419": "ES-419",
            "zh": "ZH-HANS",
            "zh-cn": "ZH-HANS",
            "zh-tw": "ZH-HANT",
        },
    )

    def __init__(self, options: DeepLOptions) -> None:
        self._options = options

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        (key,) = keys
        host = FREE if url == PAID and key.reveal().endswith(":fx") else url
        body: dict[str, Any] = {"text": list(texts), "source_lang": pair[0], "target_lang": pair[1]}
        for name in ("formality", "model_type", "glossary_id", "context", "split_sentences"):
            value = getattr(self._options, name)
            if value is not None:
                body[name] = value
        return Call(f"{host}/v2/translate", headers={"Authorization": f"DeepL-Auth-Key {key.reveal()}"}, json=body)

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        return texts_of([entry["text"] for entry in data["translations"]], texts)

    def complain(self, answer: Answer) -> None:
        if answer.status == 456:
            raise QuotaError("the characters of this billing period are used up (456)")
        if answer.status == 529:
            raise Again("too many requests (529)")


@configured_by(DeepLOptions)
@configured_by(DeepLOptions)
def open_deepl(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(DeepLOptions, options, f"[system.{name}]")
    return HttpSystem(name, DeepL(settings), settings)
