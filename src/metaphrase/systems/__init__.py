"""MT engines under test, opened by name."""

from __future__ import annotations

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
    if kind not in registry.systems:
        if name in (tables or {}):
            raise ConfigurationError(f"[system.{name}] type = '{kind}': {UnknownNameError('system', kind, registry.systems.names())}")
        raise UnknownNameError("system", name, [*registry.systems.names(), *(tables or {})])
    system: System = registry.systems.load(kind)(spec, argument, options)
    return system
