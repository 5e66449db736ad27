"""MT engines under test, opened by name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from metaphrase.core import registry
from metaphrase.core.errors import ConfigurationError, UnknownNameError
from metaphrase.systems.base import Limits, System

__all__ = ["Limits", "System", "open_system"]


def open_system(spec: str, tables: Mapping[str, Mapping[str, Any]] | None = None) -> System:
    """Open `NAME` or `NAME:ARGUMENT`: a `[system.NAME]` table of the configuration, or a registered adapter."""
    name, _, argument = spec.partition(":")
    options = dict((tables or {}).get(name, {}))
    kind = str(options.pop("type", name))
    for key in _EXPANDED & options.keys():
        options[key] = _expanded(name, key, str(options[key]))
    if kind not in registry.systems:
        if name in (tables or {}):
            raise ConfigurationError(f"[system.{name}] type = '{kind}': {UnknownNameError('system', kind, registry.systems.names())}")
        raise UnknownNameError("system", name, [*registry.systems.names(), *(tables or {})])
    system: System = registry.systems.load(kind)(spec, argument, options)
    return system


# Addresses and paths may name environment variables, as ${MT_HOST}; keys of providers have their own options.
_EXPANDED = frozenset({"url", "program", "file", "path"})


def _expanded(name: str, key: str, text: str) -> str:

    def value(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise ConfigurationError(f"[system.{name}] {key} uses ${{{match[1]}}}, but the environment has no {match[1]}: set it")
        return os.environ[match[1]]

    return re.sub(r"\$\{(\w+)\}", value, text)
