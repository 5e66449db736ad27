"""Keys of providers: read from the environment or a key ring, shown to nobody.

A key lives in a `Secret`, which prints without its value, and is revealed only where a request is signed. What a
provider sends back is cleaned of it before it gets into a message, because error pages like to quote requests.
"""

from __future__ import annotations

import base64
import json
import logging
import os
from collections.abc import Iterable, Sequence
from typing import NoReturn
from urllib.parse import quote, quote_plus

from metaphrase.core.errors import ConfigurationError, MissingResourceError

__all__ = ["KeepSecrets", "Secret", "find_secret", "redact"]

STARS = "***"


class Secret:
    """A value that must not be printed, logged, pickled or compared in the open."""

    __slots__ = ("_value", "where")

    def __init__(self, value: str, where: str) -> None:
        self._value = value
        self.where = where

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return f"<key from {self.where}>"

    __str__ = __repr__

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is never written to disk or sent to another process")


def find_secret(system: str, variables: Sequence[str], key_ring: str | None = None) -> Secret:
    """The first of the environment variables that is set, else the key ring's entry `service/user`."""
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if value:
            _check(system, variable, value)
            return Secret(value, f"the environment variable {variable}")
    if key_ring:
        return _from_key_ring(system, key_ring)
    raise ConfigurationError(
        f"the system '{system}' needs a key: set the environment variable {' or '.join(variables)}"
        f' (or key-ring = "service/user" in [system.{system}]; keys are never read from files)'
    )


def _check(system: str, where: str, value: str) -> None:
    if not value.isascii() or any(c.isspace() or not c.isprintable() for c in value):
        raise ConfigurationError(f"the system '{system}': {where} holds spaces or characters that no key has: set it again")


def _from_key_ring(system: str, entry: str) -> Secret:
    try:
        import keyring
    except ModuleNotFoundError:
        raise MissingResourceError(f"[system.{system}] key-ring needs the package 'keyring': pip install 'metaphrase[keyring]'") from None
    service, _, user = entry.partition("/")
    value = keyring.get_password(service, user)
    if not value:
        raise ConfigurationError(f"[system.{system}] key-ring = '{entry}': the key ring has no such entry: keyring set {service} {user}")
    _check(system, f"the key ring's '{entry}'", value)
    return Secret(value, f"the key ring's '{entry}'")


def redact(text: str, secrets: Iterable[Secret]) -> str:
    """The text without any of the keys, as they are or as URLs, JSON and Basic headers would write them."""
    for secret in secrets:
        plain = secret.reveal()
        forms = {plain, quote(plain, safe=""), quote_plus(plain), json.dumps(plain)[1:-1], base64.b64encode(plain.encode()).decode()}
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, STARS)
    return text


class KeepSecrets(logging.Filter):
    """Cleans the records of the HTTP library's loggers, which show URLs and headers at debug level."""

    LOGGERS = ("httpx2", "httpcore2.connection", "httpcore2.http11", "httpcore2.http2", "httpcore2.proxy", "httpcore2.socks", "stamina")

    def __init__(self) -> None:
        super().__init__()
        self.secrets: list[Secret] = []

    def filter(self, record: logging.LogRecord) -> bool:
        if self.secrets:
            record.msg = redact(record.getMessage(), self.secrets)
            record.args = None
            if record.exc_info:
                record.exc_text = redact(logging.Formatter().formatException(record.exc_info), self.secrets)
                record.exc_info = None
        return True

    def watch(self, secrets: Iterable[Secret]) -> None:
        self.secrets = [*self.secrets, *(s for s in secrets if s not in self.secrets)]
        for name in self.LOGGERS:
            logger = logging.getLogger(name)
            if self not in logger.filters:
                logger.addFilter(self)

    def release(self) -> None:
        for name in self.LOGGERS:
            logging.getLogger(name).removeFilter(self)
        self.secrets = []
