"""A translation server for tests: it speaks each provider's format over real HTTP, makes faults on schedule, and counts."""

from __future__ import annotations

from mt_server.dialects import DIALECTS, Dialect
from mt_server.server import Fault, Schedule, Server, expected

__all__ = ["DIALECTS", "Dialect", "Fault", "Schedule", "Server", "expected"]
