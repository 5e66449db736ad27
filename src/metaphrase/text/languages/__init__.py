"""Languages by code; any other code gets the generic one."""

from __future__ import annotations

import re
from functools import cache

from metaphrase.core.errors import ConfigurationError
from metaphrase.core.registry import languages as registered
from metaphrase.text.languages.base import Language, Quantity, WordClass

__all__ = ["Language", "Quantity", "WordClass", "language"]

_CODE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")


@cache
def language(code: str) -> Language:
    """The language for a code such as en, zh, pt-br."""
    code = code.strip().lower().replace("_", "-")
    if not _CODE.fullmatch(code):
        raise ConfigurationError(f"'{code}' is not a language code: use one such as en, zh, es or pt-br")
    for name in (code, code.split("-")[0]):
        if name in registered:
            created = registered.load(name)(code)
            assert isinstance(created, Language)
            return created
    return Language(code)
