"""Metaphrase finds and locates errors of machine-translation systems without reference translations."""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = ["__version__"]
