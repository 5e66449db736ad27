"""The server itself: raw HTTP/1.1 on a thread of its own, because the faults are below what a library lets one do."""

from __future__ import annotations

import asyncio
import json
import random
import struct
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

if TYPE_CHECKING:
    from mt_server.dialects import Dialect

__all__ = ["Denied", "Fault", "Received", "Reply", "Schedule", "Server", "expected"]

STALLED = "x-test-stalled"


def expected(text: str) -> str:
    """What the server makes of a text: no two texts share it, so that an answer to another text shows."""
    return f"«{text[::-1]}»"


class Fault(StrEnum):
    NONE = "none"
    TOO_MANY = "429"
    TOO_MANY_WAIT = "429 with Retry-After"
    DISGUISED = "the provider's own rate limit"
    SERVER_ERROR = "500"
    GATEWAY = "502 in HTML"
    QUOTING = "500 that quotes the request, key and all"
    STALL = "time-out"
    RESET = "connection reset"
    HALF = "half a body"
    WRONG_TYPE = "wrong content type"
    HTML = "HTML instead of JSON"
    ODD_JSON = "JSON of another shape"
    REORDERED = "results in another order"
    SHORT = "one result short"
    ANSWERED_TWICE = "the answer comes twice"
    DUPLICATED = "the request arrives twice"
    QUOTA = "the provider's quota"
    QUOTA_456 = "456"
    FORBIDDEN = "403"


FINAL = (Fault.QUOTA, Fault.QUOTA_456, Fault.FORBIDDEN)
PASSING = tuple(f for f in Fault if f not in FINAL and f is not Fault.NONE)


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def form(self) -> list[tuple[str, str]]:
        return parse_qsl(self.body.decode(), keep_blank_values=True, strict_parsing=True)


@dataclass(frozen=True)
class Reply:
    status: int
    data: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class Denied(Exception):
    """The request is not what the provider documents; the test that made it must fail."""


@dataclass
class Schedule:
    """Which fault meets which request, and which texts are poison: all from one seed."""

    faults: list[Fault] = field(default_factory=list)
    refused: frozenset[str] = frozenset()
    crashing: frozenset[str] = frozenset()

    @classmethod
    def random(cls, seed: int, texts: list[str], dialect: Dialect) -> Schedule:
        chance = random.Random(seed)
        kinds = [f for f in PASSING if f is not Fault.REORDERED or dialect.shows_order]
        rate = chance.choice([0.1, 0.3, 0.5])
        faults = [chance.choice(kinds) if chance.random() < rate else Fault.NONE for _ in range(200)]
        if chance.random() < 0.25:
            faults[chance.randrange(1, 12)] = chance.choice(FINAL)
        poison = chance.sample(texts, k=chance.choice([0, 0, 1, 2]))
        return cls(faults, frozenset(poison[:1]), frozenset(poison[1:]))

    def fault(self, number: int) -> Fault:
        return self.faults[number] if number < len(self.faults) else Fault.NONE


@dataclass
class Count:
    """What the server saw. `answered` counts answers that a client could read."""

    requests: int = 0
    sent: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    sent_after_answered: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    calls: list[tuple[str, ...]] = field(default_factory=list)
    characters: int = 0
    in_flight: int = 0
    most_in_flight: int = 0


class Server:
    """Serve one dialect. With `virtual_stalls` a time-out is announced instead of waited for (see `clients.py`)."""

    def __init__(self, dialect: Dialect, schedule: Schedule | None = None, *, delay: float = 0.0, virtual_stalls: bool = False) -> None:
        self.dialect = dialect
        self.schedule = schedule or Schedule()
        self.delay = delay
        self.virtual_stalls = virtual_stalls
        self.count = Count()
        self.on_answer: Callable[[list[str]], None] | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        assert self._ready.wait(10), "the test server does not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.dialect.base}"

    def reset(self, dialect: Dialect, schedule: Schedule) -> None:
        """Begin a new schedule on the same port, which saves starting a server for each."""
        self.dialect, self.schedule, self.count = dialect, schedule, Count()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, limit=1 << 20, backlog=256)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (received := await self._read(reader)) is not None:
                if not await self._answer(received, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Received | None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.strip().split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        parts = urlsplit(target)
        return Received(method, parts.path, parse_qs(parts.query, keep_blank_values=True), headers, body)

    async def _answer(self, received: Received, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection stays open."""
        free = self.dialect.free_reply(received)
        if free is not None:
            return await _write(writer, _http(free))
        count = self.count
        fault = self.schedule.fault(count.requests)
        count.requests += 1
        try:
            texts = self.dialect.texts(received)
        except Exception as problem:
            count.problems.append(f"{type(problem).__name__}: {problem}")
            return await _write(writer, _http(Reply(418, {"error": "not what the documentation says"})))
        self._note(texts, 2 if fault is Fault.DUPLICATED else 1)
        count.in_flight += 1
        count.most_in_flight = max(count.most_in_flight, count.in_flight)
        try:
            if self.delay:
                await asyncio.sleep(self.delay)
            return await self._reply(fault, received, texts, writer)
        finally:
            count.in_flight -= 1

    def _note(self, texts: list[str], times: int) -> None:
        count = self.count
        count.calls.append(tuple(texts))
        for text in texts:
            if count.answered[text]:
                count.sent_after_answered.append(text)
            count.sent[text] += times
            count.characters += len(text)

    async def _reply(self, fault: Fault, received: Received, texts: list[str], writer: asyncio.StreamWriter) -> bool:
        if not self.schedule.refused.isdisjoint(texts):
            return await _write(writer, _http(self.dialect.refusal()))
        if not self.schedule.crashing.isdisjoint(texts):
            return await _write(writer, _http(Reply(500, {"oops": 1})))
        early = _quoting(received) if fault is Fault.QUOTING else self._error(fault)
        if early is not None:
            return await _write(writer, _http(early))
        if fault is Fault.STALL:
            if self.virtual_stalls:
                await _write(writer, _http(Reply(200, {}, {STALLED: "1"})))
            else:
                await self._stop.wait()
            return False
        if fault is Fault.RESET:
            _reset(writer)
            return False
        return await self._good(fault, received, texts, writer)

    def _error(self, fault: Fault) -> Reply | None:
        dialect = self.dialect
        page = "<html><body>Bad gateway, try later</body></html>"
        replies: dict[Fault, Callable[[], Reply]] = {
            Fault.TOO_MANY: lambda: Reply(429, {"message": "slow down"}),
            Fault.TOO_MANY_WAIT: lambda: Reply(429, {"message": "slow down"}, {"Retry-After": "1"}),
            Fault.DISGUISED: dialect.rate_limit,
            Fault.SERVER_ERROR: lambda: Reply(500, {"message": "internal"}),
            Fault.GATEWAY: lambda: Reply(502, page, {"Content-Type": "text/html"}),
            Fault.HTML: lambda: Reply(200, page, {"Content-Type": "text/html"}),
            Fault.ODD_JSON: lambda: Reply(200, {"unexpected": ["shape"]}),
            Fault.QUOTA: dialect.quota,
            Fault.QUOTA_456: lambda: Reply(456, {"message": "Quota Exceeded"}),
            Fault.FORBIDDEN: lambda: Reply(403, {"message": "Forbidden"}),
        }
        return replies[fault]() if fault in replies else None

    async def _good(self, fault: Fault, received: Received, texts: list[str], writer: asyncio.StreamWriter) -> bool:
        pairs = [(text, expected(text)) for text in texts]
        if fault is Fault.REORDERED:
            pairs.reverse()
        readable = texts
        if fault is Fault.SHORT:
            lost = pairs.pop(len(pairs) // 2)
            # Where answers repeat their texts, those that came can be told apart; elsewhere nobody knows whose is missing.
            readable = [text for text in texts if text != lost[0]] if self.dialect.shows_order else []
        raw = _http(Reply(200, self.dialect.good(pairs, received), {"Content-Type": "text/plain"} if fault is Fault.WRONG_TYPE else {}))
        if fault is Fault.HALF:
            await _write(writer, raw[: len(raw) - max(2, len(raw) // 8)])
            return False
        # Counted before it is written: from here on the client may have it.
        self.count.answered.update(readable)
        if self.on_answer is not None:
            self.on_answer(readable)
        return await _write(writer, raw * 2 if fault is Fault.ANSWERED_TWICE else raw)


_COMMON = "host accept accept-encoding connection user-agent content-type content-length".split()


def _quoting(received: Received) -> Reply:
    """An error page that repeats what it was sent, keys first, since messages are cut."""
    special = [value for name, value in sorted(received.headers.items(), reverse=True) if name not in _COMMON]
    tail = received.body.decode("utf-8", "replace")[-60:]
    return Reply(500, {"error": {"message": f"failed on {tail} {' '.join(special)}", "code": "x"}})


def _http(reply: Reply) -> bytes:
    body = reply.data.encode() if isinstance(reply.data, str) else json.dumps(reply.data, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json; charset=utf-8", **reply.headers, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {reply.status} Test\r\n{head}\r\n".encode() + body


async def _write(writer: asyncio.StreamWriter, raw: bytes) -> bool:
    writer.write(raw)
    await writer.drain()
    return True


def _reset(writer: asyncio.StreamWriter) -> None:
    import socket

    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
