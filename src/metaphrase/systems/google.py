"""Google Cloud Translation, Basic (v2). The quota is a 403 here, and a rate limit may be one too."""

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
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, no_argument, texts_of

__all__ = ["GOOGLE_LANGUAGES", "GoogleBasic", "open_google"]

GOOGLE_LANGUAGES = """
af ak am ar as ay az be bg bho bm bn bs ca ceb ckb co cs cy da de doi dv ee el en eo es et eu fa fi fil fr fy ga gd gl gn gom gu ha haw
hi hmn hr ht hu hy id ig ilo is it ja ka kk km kn ko kri ku ky la lb lg ln lo lt lus lv mai mg mi mk ml mn mr ms mt my ne nl no nso ny om
or pa pl ps pt qu ro ru rw sa sd si sk sl sm sn so sq sr st su sv sw ta te tg th ti tk tr ts tt ug uk ur uz vi xh yi yo zu yue
"""
GOOGLE_OWN = {
    "zh": "zh-CN",
    "zh-cn": "zh-CN",
    "zh-tw": "zh-TW",
    "he": "iw",
    "jv": "jw",
    "tl": "fil",
    "nb": "no",
    "pt-br": "pt",
    "pt-pt": "pt-PT",
    "fr-ca": "fr-CA",
    "mni": "mni-Mtei",
}

PER_TIME = ("rateLimitExceeded", "userRateLimitExceeded")
USED_UP = ("dailyLimitExceeded", "quotaExceeded", "billingNotEnabled")


class GoogleBasic:
    """Texts by position, as plain text: the default would be HTML and would escape what it sends back."""

    kind = "google"
    url = "https://translation.googleapis.com"
    keys: KeyNames = (("GOOGLE_API_KEY",),)
    # 128 strings a request; 5,000 characters is what the documentation recommends.
    limits = Limits(items=128, characters=5_000, concurrent=True)
    codes = Codes("Google Translate", GOOGLE_LANGUAGES, own=GOOGLE_OWN)

    def __init__(self, options: HttpOptions) -> None:
        self._options = options

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        body = {"q": list(texts), "source": pair[0], "target": pair[1], "format": "text"}
        # The key may be given in the query, but queries end up in logs.
        return Call(f"{url}/language/translate/v2", headers={"X-Goog-Api-Key": keys[0].reveal()}, json=body)

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        return texts_of([entry["translatedText"] for entry in data["data"]["translations"]], texts)

    def complain(self, answer: Answer) -> None:
        if answer.status != 403:
            return
        error = answer.data["error"]
        reasons = {entry.get("reason") for entry in error.get("errors", [])}
        if reasons & set(PER_TIME):
            raise Again(f"rate limit (403): {error['message']}")
        if reasons & set(USED_UP):
            raise QuotaError(f"the quota is used up (403): {error['message']}")


@configured_by(HttpOptions)
@configured_by(HttpOptions)
def open_google(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(HttpOptions, options, f"[system.{name}]")
    return HttpSystem(name, GoogleBasic(settings), settings)
