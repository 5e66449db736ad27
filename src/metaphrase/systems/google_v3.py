"""Google Cloud Translation, Advanced (v3): a project, an access token, and text/html unless told otherwise."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from metaphrase.core.errors import ConfigurationError, QuotaError, SystemFailedError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.values import Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import Codes
from metaphrase.systems.google import GOOGLE_LANGUAGES, GOOGLE_OWN
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, no_argument, texts_of

__all__ = ["GoogleAdvanced", "open_google_v3"]

# The quota of a day is not worth waiting for; those of a minute or 100 seconds are.
A_DAY = re.compile(r"(?i)\bper day\b|\bdaily\b|PerDay")


class GoogleV3Options(HttpOptions):
    project: str | None = None
    location: str = "global"
    model: str | None = None


class GoogleAdvanced:
    """Texts by position, as plain text."""

    kind = "google-v3"
    url = "https://translation.googleapis.com"
    keys: KeyNames = (("GOOGLE_ACCESS_TOKEN",),)
    limits = Limits(items=1024, characters=30_000, concurrent=True)
    codes = Codes("Google Translate", GOOGLE_LANGUAGES, own=GOOGLE_OWN)

    def __init__(self, options: GoogleV3Options, name: str) -> None:
        self._options = options
        self._name = name

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        project = self._options.project or os.environ.get("GOOGLE_CLOUD_PROJECT", "")
        if not project:
            raise ConfigurationError(f'[system.{self._name}] needs project = "...", or the environment variable GOOGLE_CLOUD_PROJECT')
        parent = f"projects/{project}/locations/{self._options.location}"
        body: dict[str, Any] = {
            "contents": list(texts),
            "mimeType": "text/plain",
            "sourceLanguageCode": pair[0],
            "targetLanguageCode": pair[1],
        }
        if self._options.model:
            body["model"] = f"{parent}/models/{self._options.model}"
        headers = {"Authorization": f"Bearer {keys[0].reveal()}", "X-Goog-User-Project": project}
        return Call(f"{url}/v3/{parent}:translateText", headers=headers, json=body)

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        return texts_of([entry["translatedText"] for entry in data["translations"]], texts)

    def complain(self, answer: Answer) -> None:
        if answer.status == 401:
            raise SystemFailedError("the access token is not valid any more: export GOOGLE_ACCESS_TOKEN=$(gcloud auth print-access-token)")
        if answer.status in (403, 429):
            error = answer.data["error"]
            if error.get("status") == "RESOURCE_EXHAUSTED":
                if A_DAY.search(error["message"]):
                    raise QuotaError(f"the quota of the day is used up: {error['message']}")
                raise Again(f"rate limit: {error['message']}")


@configured_by(GoogleV3Options)
@configured_by(GoogleV3Options)
def open_google_v3(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(GoogleV3Options, options, f"[system.{name}]")
    return HttpSystem(name, GoogleAdvanced(settings, name), settings)
