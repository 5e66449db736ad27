"""Youdao text translation, batch interface (v2). Errors are an errorCode in a 200; a request with an old salt is refused."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

from metaphrase.core.errors import QuotaError, SystemFailedError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.values import Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import Codes
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, Refused, by_echo, no_argument

__all__ = ["Youdao", "open_youdao", "shortened"]

LATER = {"207": "replayed request", "303": "server error", "304": "idle", "411": "too many requests", "412": "long texts too often"}
UNSUITABLE = {"103": "too long", "113": "empty", "301": "dictionary error", "302": "translation error"}
NOT_LET_IN = {"108": "unknown app key", "110": "no such service", "111": "unknown account", "202": "wrong signature: check the secret"}

_SHARED = """
ar de en es fr hi id it ja ko nl pt ru th vi af am az be bg bn bs ca cs cy da el et eu fa fi ga gl gu ha hr hu hy is kn ky lt lv mg mk ml
mr ms mt ne no pa pl ro sk sl so sq sv sw ta te tl tr uk ur uz yo zu yue
"""


class Youdao:
    """Texts with their translations beside them, matched by what they answer."""

    kind = "youdao"
    url = "https://openapi.youdao.com"
    keys: KeyNames = (("YOUDAO_APP_KEY",), ("YOUDAO_APP_SECRET",))
    limits = Limits(items=50, characters=5_000, concurrent=True)
    codes = Codes("Youdao", _SHARED, own={"zh": "zh-CHS", "zh-cn": "zh-CHS", "zh-tw": "zh-CHT", "he": "he", "nb": "no"})

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        app, secret = (k.reveal() for k in keys)
        salt, now = secrets.token_hex(16), str(int(time.time()))
        proof = hashlib.sha256(f"{app}{shortened(''.join(texts))}{salt}{now}{secret}".encode("utf-8", "replace")).hexdigest()
        form = [*(("q", text) for text in texts), ("from", pair[0]), ("to", pair[1]), ("appKey", app)]
        return Call(f"{url}/v2/api", form=[*form, ("salt", salt), ("curtime", now), ("signType", "v3"), ("sign", proof)])

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        found = [(entry["query"], entry["translation"]) for entry in data["translateResults"]]
        return [None if text is None else Translation(text) for text in by_echo(found, texts)]

    def complain(self, answer: Answer) -> None:
        code = str(answer.data["errorCode"])
        if code == "0":
            return
        if code in LATER:
            raise Again(f"{LATER[code]} (errorCode {code})")
        if code == "401":
            raise QuotaError("the account has no balance left (errorCode 401)")
        if code in UNSUITABLE:
            raise Refused(f"{UNSUITABLE[code]} (errorCode {code})")
        raise SystemFailedError(f"refuses: {NOT_LET_IN.get(code, 'error')} (errorCode {code})")


def shortened(query: str) -> str:
    """What is signed of a text: more than 20 characters become the first ten, the length and the last ten."""
    return query if len(query) <= 20 else f"{query[:10]}{len(query)}{query[-10:]}"


@configured_by(HttpOptions)
@configured_by(HttpOptions)
def open_youdao(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(HttpOptions, options, f"[system.{name}]")
    return HttpSystem(name, Youdao(), settings)
