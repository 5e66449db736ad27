"""Baidu general translation. It has codes of its own (jp, kor, fra), says "too fast" in the body of a 200 (54003), splits
texts at line breaks and repeats each line beside its translation, so that answers are matched by what they answer."""

from __future__ import annotations

import hashlib
import secrets
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

__all__ = ["Baidu", "open_baidu"]

LATER = {52001: "time-out", 52002: "system error", 54003: "too many requests", 54005: "long texts too often"}
NOT_LET_IN = {52003: "unknown appid", 54001: "wrong signature: check the key", 58000: "this address may not call", 90107: "not verified"}
UNSUITABLE = {54000: "a parameter is empty", 20003: "refused for its content"}


class Baidu:
    """Several texts a request, one a line."""

    kind = "baidu"
    url = "https://fanyi-api.baidu.com"
    keys: KeyNames = (("BAIDU_APP_ID",), ("BAIDU_APP_KEY",))
    limits = Limits(items=50, characters=2_000, concurrent=True, bytes=6_000)
    codes = Codes(
        "Baidu",
        "zh en ru pt de it el nl pl cs hu th yue",
        own={
            "zh-cn": "zh",
            "zh-tw": "cht",
            "ja": "jp",
            "ko": "kor",
            "fr": "fra",
            "es": "spa",
            "ar": "ara",
            "bg": "bul",
            "et": "est",
            "da": "dan",
            "fi": "fin",
            "ro": "rom",
            "sl": "slo",
            "sv": "swe",
            "vi": "vie",
            "lzh": "wyw",
        },
    )

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        app, key = (k.reveal() for k in keys)
        query = "\n".join(line for text in texts for line in _lines(text))
        salt = secrets.token_hex(8)
        proof = hashlib.md5(f"{app}{query}{salt}{key}".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        form = [("q", query), ("from", pair[0]), ("to", pair[1]), ("appid", app), ("salt", salt), ("sign", proof)]
        return Call(f"{url}/api/trans/vip/translate", form=form)

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        found = [(entry["src"], entry["dst"]) for entry in data["trans_result"]]
        lines = iter(by_echo(found, [line for text in texts for line in _lines(text)]))
        result: list[Translation | None] = []
        for text in texts:
            own = [next(lines) for _ in _lines(text)]
            result.append(None if None in own else Translation("\n".join(line for line in own if line is not None)))
        return result

    def complain(self, answer: Answer) -> None:
        if "error_code" not in answer.data:
            return
        code = int(answer.data["error_code"])
        message = f"{code} {answer.data.get('error_msg', '')}".strip()
        if code == 52000:
            return
        if code in LATER:
            raise Again(f"{LATER[code]} ({message})", 3.0 if code == 54005 else None)
        if code == 54004:
            raise QuotaError(f"the account has no balance left ({message})")
        if code in UNSUITABLE:
            raise Refused(f"{UNSUITABLE[code]} ({message})")
        raise SystemFailedError(f"refuses: {NOT_LET_IN.get(code, 'error')} ({message})")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@configured_by(HttpOptions)
@configured_by(HttpOptions)
def open_baidu(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    settings = read_options(HttpOptions, options, f"[system.{name}]")
    return HttpSystem(name, Baidu(), settings)
