"""Amazon Translate, signed by ourselves (Signature Version 4), so that no SDK is needed. Throttling is a 400 here."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from metaphrase.core.errors import SystemFailedError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.values import Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import Codes
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, Refused, no_argument, texts_of

__all__ = ["Amazon", "open_amazon", "sign"]

SERVICE = "translate"
SESSION = "AWS_SESSION_TOKEN"
TARGET = "AWSShineFrontendService_20170701.TranslateText"
CONTENT_TYPE = "application/x-amz-json-1.1"

_SHARED = """
af am ar az bg bn bs ca cs cy da de el en es et fa fi fr fr-ca ga gu ha he hi hr ht hu hy id is it ja ka kk kn ko lt lv mk ml mn mr ms mt
nl no pa pl ps pt pt-pt ro ru si sk sl so sq sr sv sw ta te th tl tr uk ur uz vi zh zh-tw
"""

THROTTLED = ("ThrottlingException", "TooManyRequestsException", "LimitExceededException", "RequestThrottledException")
NOT_LET_IN = (
    "AccessDeniedException",
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "IncompleteSignatureException",
    "ExpiredTokenException",
    "MissingAuthenticationTokenException",
    "SubscriptionRequiredException",
)
UNSUITABLE = ("TextSizeLimitExceededException", "InvalidRequestException", "DetectedLanguageLowConfidenceException", "ValidationException")


class AmazonOptions(HttpOptions):
    region: str | None = None
    formality: Literal["FORMAL", "INFORMAL"] | None = None
    terminology: list[str] = []


class Amazon:
    """One text a request, up to 10,000 bytes."""

    kind = "amazon"
    url = "https://translate.us-east-1.amazonaws.com"
    keys: KeyNames = (("AWS_ACCESS_KEY_ID",), ("AWS_SECRET_ACCESS_KEY",))
    limits = Limits(items=1, characters=10_000, concurrent=True, bytes=10_000)
    codes = Codes(
        "Amazon Translate", _SHARED, own={"zh-cn": "zh", "nb": "no", "fr-ca": "fr-CA", "pt-br": "pt", "pt-pt": "pt-PT", "es-mx": "es-MX"}
    )

    def __init__(self, options: AmazonOptions, region: str) -> None:
        self._options = options
        self.region = region
        self.url = f"https://translate.{region}.amazonaws.com"

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        (text,) = texts
        request: dict[str, Any] = {"Text": text, "SourceLanguageCode": pair[0], "TargetLanguageCode": pair[1]}
        if self._options.formality:
            request["Settings"] = {"Formality": self._options.formality}
        if self._options.terminology:
            request["TerminologyNames"] = self._options.terminology
        body = json.dumps(request).encode("ascii")
        headers = sign(url, body, keys, self.region, datetime.now(UTC))
        return Call(f"{url}/", headers=headers, body=body)

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        return texts_of([data["TranslatedText"]], texts)

    def complain(self, answer: Answer) -> None:
        if answer.status < 400:
            return
        error = str(answer.data["__type"]).rpartition("#")[2]
        message = f"{error}: {answer.data.get('message') or answer.data.get('Message') or ''}"
        if error in THROTTLED:
            raise Again(message)
        if error in NOT_LET_IN:
            raise SystemFailedError(f"does not accept the key: {message}")
        if error == "UnsupportedLanguagePairException":
            raise SystemFailedError(message)
        if error in UNSUITABLE:
            raise Refused(message)


def sign(url: str, body: bytes, keys: Sequence[Secret], region: str, when: datetime) -> dict[str, str]:
    """The headers of a POST to the root of `url`, with the signature that proves we hold the secret key.

    A third key is the token of a session.
    """
    access, secret, *session = keys
    stamp = when.strftime("%Y%m%dT%H%M%SZ")
    headers = {
        "content-type": CONTENT_TYPE,
        "host": urlsplit(url).netloc,
        "x-amz-date": stamp,
        "x-amz-target": TARGET,
        **({"x-amz-security-token": session[0].reveal()} if session else {}),
    }
    names = ";".join(sorted(headers))
    canonical = "\n".join(
        ["POST", "/", "", *(f"{name}:{headers[name].strip()}" for name in sorted(headers)), "", names, hashlib.sha256(body).hexdigest()]
    )
    scope = f"{stamp[:8]}/{region}/{SERVICE}/aws4_request"
    to_sign = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret.reveal()}".encode()
    for part in (stamp[:8], region, SERVICE, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    credential = f"Credential={access.reveal()}/{scope}"
    return {**headers, "Authorization": f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={names}, Signature={signature}"}


@configured_by(AmazonOptions)
@configured_by(AmazonOptions)
def open_amazon(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(AmazonOptions, options, f"[system.{name}]")
    region = settings.region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    wire = Amazon(settings, region)
    if os.environ.get(SESSION) and not settings.key_env:
        wire.keys = (*wire.keys, (SESSION,))
    return HttpSystem(name, wire, settings)
