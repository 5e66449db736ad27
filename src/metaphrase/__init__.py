"""Metaphrase finds and locates errors of machine-translation systems without reference translations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metaphrase.api import Findings, check
    from metaphrase.core.values import Finding

__version__ = "0.1.0"

__all__ = ["Finding", "Findings", "__version__", "check"]

_HOMES = {"Finding": "metaphrase.core.values", "Findings": "metaphrase.api", "check": "metaphrase.api"}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first asked for: `import metaphrase` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'metaphrase' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
