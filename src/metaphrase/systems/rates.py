"""Requests and characters a second, and the pause that a provider asked for, shared by all threads of a system."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["REAL_TIME", "Clock", "Pace"]


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that only go up, and a way to let them pass; tests bring their own."""

    now: Callable[[], float]
    sleep: Callable[[float], None]


REAL_TIME = Clock(time.monotonic, time.sleep)

# The bucket counts whole milliseconds; this much of a burst keeps rounding from eating into the rate.
BURST_SECONDS = 0.05


class Pace:
    """Lets calls through at the rates that were set; `hold` stops everybody for a while."""

    def __init__(self, requests: float | None = None, characters: float | None = None, clock: Clock = REAL_TIME) -> None:
        self.clock = clock
        self._lock = threading.Lock()
        self._held_until = 0.0
        self._requests = _Bucket(requests, clock, math.ceil(requests * BURST_SECONDS)) if requests else None
        self._characters = _Bucket(characters, clock, math.ceil(characters)) if characters else None

    def wait(self, characters: int) -> None:
        """Return when a request with so many characters may go out."""
        if self._requests is not None:
            self._requests.take(1)
        if self._characters is not None:
            self._characters.take(characters)
        while (left := self._left()) > 0:
            self.clock.sleep(left)

    def hold(self, seconds: float) -> None:
        with self._lock:
            self._held_until = max(self._held_until, self.clock.now() + seconds)

    def _left(self) -> float:
        with self._lock:
            return self._held_until - self.clock.now()


class _Bucket:
    """pyrate-limiter's token bucket, without its own thread and with our clock."""

    SCALE = 1000  # so that 0.5 a second is a rate too

    def __init__(self, per_second: float, clock: Clock, burst: int) -> None:
        from pyrate_limiter import Decision, Rate, RateItem, StateBucket, TokenBucket

        self.burst = max(1, burst)
        self._item, self._decision = RateItem, Decision
        self._clock = clock
        self._lock = threading.Lock()
        rate = Rate(max(1, round(per_second * self.SCALE)), 1000 * self.SCALE, burst=self.burst)
        self._bucket = StateBucket([rate], TokenBucket())

    def take(self, weight: int) -> None:
        # More than the bucket holds is taken in parts, or it would never fit.
        while weight > 0:
            part = min(weight, self.burst)
            wait = self._try(part)
            if wait > 0:
                self._clock.sleep(wait)
            else:
                weight -= part

    def _try(self, weight: int) -> float:
        with self._lock:
            decision = self._bucket.put_decision(self._item("call", int(self._clock.now() * 1000), weight))
        assert isinstance(decision, self._decision)  # the bucket in memory is not asynchronous
        return 0.0 if decision.allowed else max(1, decision.retry_after_ms or 1) / 1000
