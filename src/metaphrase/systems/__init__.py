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
    if isinstance(options.get("url"), str):
        options["url"] = _expanded(name, options["url"])
    if kind not in registry.systems:
        if name in (tables or {}):
            raise ConfigurationError(f"[system.{name}] type = '{kind}': {UnknownNameError('system', kind, registry.systems.names())}")
        raise UnknownNameError("system", name, [*registry.systems.names(), *(tables or {})])
    system: System = registry.systems.load(kind)(spec, argument, options)
    return system


def _expanded(name: str, url: str) -> str:
    """An address may name environment variables, as ${MT_HOST}; keys have their own options."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise ConfigurationError(f"[system.{name}] url uses ${{{match[1]}}}, but the environment has no {match[1]}: set it")
        return os.environ[match[1]]

    return re.sub(r"\$\{(\w+)\}", value, url)
