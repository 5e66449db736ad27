"""Opening a system against the test server, with time that passes when told to."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Mapping
from typing import Any

import httpx2

from metaphrase.systems import open_system
from metaphrase.systems.http import HttpSystem
from metaphrase.systems.rates import Clock
from mt_server.server import STALLED, Server

__all__ = ["VirtualTime", "connect"]


# Loading the certificates takes longer than a schedule, and the test server has none to check.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class VirtualTime:
    """Nobody sleeps; the clock jumps."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._lock = threading.Lock()
        self.clock = Clock(self.now, self.sleep)

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self._now += seconds


class AnnouncedStalls(httpx2.HTTPTransport):
    """A real connection on which a stall that the server announces is a time-out at once."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        if STALLED in response.headers:
            response.close()
            raise httpx2.ReadTimeout("stalled", request=request)
        return response


def connect(server: Server, options: Mapping[str, Any] | None = None, *, virtual: bool = True) -> HttpSystem:
    """The adapter for the server's dialect. The caller sets the environment."""
    dialect = server.dialect
    table = {"url": server.url, **dialect.options, **(options or {})}
    system = open_system(dialect.kind + dialect.spec, {dialect.kind: table})
    assert isinstance(system, HttpSystem)
    if virtual:
        system.clock = VirtualTime().clock
        system.transport = AnnouncedStalls(verify=_NO_TLS)
    return system
