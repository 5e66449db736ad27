"""Any JSON-over-HTTP engine, described in `metaphrase.toml`:

    [system.mine]
    type = "http"
    url = "https://mt.example.org/v1/translate"
    headers = { Authorization = "Bearer ${MY_ENGINE_KEY}" }
    body = { texts = "${texts}", from = "${source}", to = "${target}" }
    answer = "result.items[*].text"

`${texts}` is the batch as a list, `${text}` the one text of a request (then a request holds one), `${source}` and
`${target}` the language codes; any other `${NAME}` is an environment variable, and is treated as a key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from metaphrase.core.errors import ConfigurationError, QuotaError
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.signature import Signature, content_hash
from metaphrase.core.values import Direction, Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.codes import Codes, plain_code
from metaphrase.systems.http import HttpOptions, HttpSystem
from metaphrase.systems.keys import Secret
from metaphrase.systems.wire import Again, Answer, Call, KeyNames, Refused, no_argument, texts_of

__all__ = ["Described", "follow", "open_http"]

_PLACE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_OURS = frozenset({"texts", "text", "source", "target"})
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\*|\d+)\]")


class DescribedOptions(HttpOptions):
    method: Literal["POST", "PUT", "GET"] = "POST"
    headers: dict[str, str] = Field(default_factory=dict)
    query: dict[str, str] = Field(default_factory=dict)
    body: dict[str, Any] | list[Any] | str | None = None
    answer: str = ""
    quota_status: list[int] = Field(default_factory=list)
    retry_status: list[int] = Field(default_factory=list)


class Described:
    """A format made of templates and a path."""

    kind = "http"
    url = ""

    def __init__(self, options: DescribedOptions, where: str) -> None:
        self._options = options
        used = _names([options.headers, options.query, options.body])
        if not used & {"texts", "text"}:
            raise ConfigurationError(f"{where} body or query must hold ${{texts}} or ${{text}}")
        _path(options.answer, where)
        self.batched = "texts" in used
        self.secret_names = sorted(used - _OURS)
        self.keys: KeyNames = [[variable] for variable in self.secret_names]
        self.limits = Limits(items=(options.items or 20) if self.batched else 1, characters=options.characters or 5_000, concurrent=True)
        self.codes = Codes("this engine", "")

    def call(self, url: str, texts: Sequence[str], pair: tuple[str, str], keys: Sequence[Secret]) -> Call:
        values: dict[str, Any] = {"texts": list(texts), "text": texts[0], "source": pair[0], "target": pair[1]}
        values |= {name: key.reveal() for name, key in zip(self.secret_names, keys, strict=True)}
        options = self._options
        return Call(
            url,
            method=options.method,
            headers=_fill(options.headers, values),
            query={key: str(value) for key, value in _fill(options.query, values).items()},
            json=None if options.body is None else _fill(options.body, values),
        )

    def read(self, data: Any, texts: Sequence[str]) -> Sequence[Translation | None]:
        found = follow(data, self._options.answer)
        return texts_of(found if isinstance(found, list) else [found], texts)

    def complain(self, answer: Answer) -> None:
        if answer.status in self._options.quota_status:
            raise QuotaError(f"the quota is used up ({answer.status})")
        if answer.status in self._options.retry_status:
            raise Again(f"status {answer.status}")
        if 200 < answer.status < 300:
            raise Refused(f"status {answer.status}")


class DescribedSystem(HttpSystem):
    """Sends our own language codes unless `languages` says otherwise; then only those."""

    options: DescribedOptions

    def check(self, direction: Direction) -> None:
        if not self.options.languages:
            own = {plain_code(code): code for code in (direction.source, direction.target)}
            self.codes = Codes("this engine", "", own={**self.codes.own, **own})
        super().check(direction)

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        self.check(direction)
        return super().translate(texts, direction)

    def signature(self) -> Signature:
        options = self.options
        shape = content_hash(options.method, options.headers, options.query, options.body, options.answer, options.languages)
        return Signature("http", options.version, {"url": self.url, "shape": shape})


def follow(data: Any, path: str) -> Any:
    """What lies at a path such as `data[*].text`; KeyError, IndexError or TypeError if nothing does."""
    for i, (name, index) in enumerate(steps := _STEP.findall(path)):
        if index == "*":
            rest = "".join(f".{n}" if n else f"[{k}]" for n, k in steps[i + 1 :])
            if not isinstance(data, list):
                raise TypeError(path)
            return [follow(entry, rest) for entry in data]
        data = data[int(index)] if index else data[name]
    return data


def _path(path: str, where: str) -> None:
    if not path or "".join(m.group() for m in _STEP.finditer(path)) != path:
        raise ConfigurationError(f"{where} answer = '{path}' is no path: write one such as 'data.translations[*].text'")


def _names(value: Any) -> set[str]:
    if isinstance(value, str):
        return set(_PLACE.findall(value))
    if isinstance(value, Mapping):
        return set().union(*(_names(v) for v in value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*(_names(v) for v in value)) if value else set()
    return set()


def _fill(template: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        if whole:
            return values[whole[1]]
        return _PLACE.sub(lambda m: str(values[m[1]]), template)
    if isinstance(template, Mapping):
        return {key: _fill(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [_fill(value, values) for value in template]
    return template


@configured_by(DescribedOptions)
@configured_by(DescribedOptions)
def open_http(name: str, argument: str, options: Mapping[str, Any]) -> HttpSystem:
    no_argument(name, argument)
    where = f"[system.{name}]"
    settings = read_options(DescribedOptions, options, where)
    if not settings.url:
        raise ConfigurationError(f"{where} needs url, body and answer: it describes an engine, there is none to begin with")
    wire = Described(settings, where)
    return DescribedSystem(name, wire, settings)
