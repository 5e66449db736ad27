"""What all HTTP systems share: one call with its retries, time limits, pace, keys and errors.

An adapter brings a `Wire` (its provider's format) and nothing else; `HttpSystem` does the rest. What comes back is one of
- an answer for every text;
- `Again`: worth another attempt (time-out, 429 in any disguise, 5xx, reset, a garbled answer);
- `Refused`: this request is not (400, too large), though a smaller one may be;
- `QuotaError` or `SystemFailedError`: nothing will be, stop.
"""

from __future__ import annotations

import email.utils
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn
from urllib.parse import urlsplit, urlunsplit

from pydantic import Field

from metaphrase.core.errors import BatchFailedError, ConfigurationError, MetaphraseError, QuotaError, SystemFailedError
from metaphrase.core.options import Options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, Translation
from metaphrase.systems.base import Billed, Limits, Meter
from metaphrase.systems.keys import KeepSecrets, Secret, find_secret, redact
from metaphrase.systems.prices import Price, listed_price
from metaphrase.systems.rates import REAL_TIME, Clock, Pace
from metaphrase.systems.wire import Again, Answer, Call, Refused, Wire, expect

if TYPE_CHECKING:
    import httpx2

__all__ = ["HttpOptions", "HttpSystem"]

log = logging.getLogger("metaphrase.systems")

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
LARGEST_ANSWER = 32 * 1024 * 1024
QUOTE_LENGTH = 200


class HttpOptions(Options):
    """Keys of `[system.NAME]` that every HTTP adapter takes."""

    url: str | None = None
    key_env: str | None = Field(None, description="environment variable that holds the key; with commas for several")
    key_ring: str | None = Field(None, description="entry of the key ring, as service/user; with commas for several")
    version: str = Field("1", description="change it when the engine behind the address changed: the cache starts anew")
    items: int | None = Field(None, ge=1, description="texts in one request")
    characters: int | None = Field(None, ge=1, description="characters in one request")
    requests_per_second: float | None = Field(None, gt=0)
    characters_per_second: float | None = Field(None, gt=0)
    connect_timeout: float = Field(10.0, gt=0)
    read_timeout: float = Field(60.0, gt=0)
    attempts: int = Field(8, ge=1, description="with growing waits: eight last a minute, as rate limits do")
    first_wait: float = Field(0.5, ge=0)
    longest_wait: float = Field(120.0, ge=0, description="a provider that asks for more patience than this has failed")
    languages: dict[str, str] = Field(default_factory=dict)
    price: float | None = Field(None, ge=0)
    price_input: float | None = Field(None, ge=0)
    price_output: float | None = Field(None, ge=0)
    currency: str = "USD"
    allow_plain_http: bool = False

    # What does not change a translation, and so is no part of the signature.
    UNSIGNED: ClassVar[frozenset[str]] = frozenset(
        "url key_env key_ring version items characters requests_per_second characters_per_second connect_timeout read_timeout attempts"
        " first_wait longest_wait languages price price_input price_output currency allow_plain_http".split()
    )


class HttpSystem:
    """A system behind HTTP. Calls may overlap; all share the pace and the connections."""

    def __init__(self, name: str, wire: Wire, options: HttpOptions) -> None:
        self.name = name
        self.wire = wire
        self.options = options
        self.url = _checked_url(name, options.url or wire.url)
        self.limits = Limits(
            items=min(options.items or wire.limits.items, wire.limits.items),
            characters=options.characters or wire.limits.characters,
            concurrent=True,
            bytes=wire.limits.bytes,
        )
        self.codes = wire.codes.extended(options.languages)
        self.price = _price(wire, options)
        self.meter: Meter | None = None
        self.clock: Clock = REAL_TIME
        self.transport: httpx2.BaseTransport | None = None
        self._keys: list[Secret] | None = None
        self._watch = KeepSecrets()
        self._pace: Pace | None = None
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()

    # What a system must do

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        """One call, repeated while that may help; texts that were answered are not sent again."""
        import stamina

        pair = self.codes.pair(direction)
        self.unlock()
        answers: dict[int, Translation] = {}
        options = self.options
        try:
            for attempt in stamina.retry_context(
                on=self._worth_waiting,
                attempts=options.attempts,
                timeout=None,
                wait_initial=options.first_wait,
                wait_max=options.longest_wait,
                wait_jitter=options.first_wait,
            ):
                with attempt:
                    left = [i for i in range(len(texts)) if i not in answers]
                    for i, translation in zip(left, self._ask([texts[i] for i in left], pair), strict=True):
                        if translation is not None:
                            answers[i] = translation
                    expect(len(answers) == len(texts), f"the answer lacks {len(texts) - len(answers)} of {len(texts)} texts")
        except Again as problem:
            if problem.after is not None and problem.after > options.longest_wait:
                stop = SystemFailedError(
                    f"{self.name} asks to wait {problem.after:.0f} s ({problem}), longer than longest-wait = {options.longest_wait:.0f}:"
                    " run the same command later, it goes on where it stopped"
                )
                stop.answers = answers
                raise stop from None
            raise BatchFailedError(f"{problem} (asked {options.attempts} times)", answers=answers, outage=True) from None
        except Refused as problem:
            raise BatchFailedError(str(problem), answers=answers) from None
        except SystemFailedError as problem:
            problem.answers = answers  # an earlier attempt may have brought some, and they are paid for
            raise
        return [answers[i] for i in range(len(texts))]

    def signature(self) -> Signature:
        """Everything that shapes a translation; never a key, nor how often or how fast we ask."""
        own = self.options.model_dump(exclude=set(self.options.UNSIGNED), exclude_none=True)
        parameters: dict[str, Any] = {key: value for key, value in own.items() if value is not False and value not in ("", [], {})}
        if self.options.url:
            parameters["url"] = self.url
        if self.options.languages:
            parameters["languages"] = json.dumps(self.options.languages, sort_keys=True)
        return Signature(self.wire.kind, self.options.version, parameters)

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None
            self._watch.release()

    # What the translate stage may ask before it sends

    def check(self, direction: Direction) -> None:
        self.codes.pair(direction)

    def unlock(self) -> None:
        with self._lock:
            if self._keys is None:
                entries = self._each("key-ring", self.options.key_ring)
                named = self._each("key-env", self.options.key_env)
                keys = [
                    find_secret(self.name, [own] if own else variables, entry)
                    for variables, own, entry in zip(self.wire.keys, named, entries, strict=True)
                ]
                host = urlsplit(self.url)
                if keys and host.scheme == "http" and host.hostname not in LOCAL_HOSTS and not self.options.allow_plain_http:
                    raise ConfigurationError(
                        f"[system.{self.name}] url = '{self.url}' would send the key unencrypted: use https, or set allow-plain-http = true"
                    )
                self._watch.watch(keys)
                self._keys = keys

    def _each(self, option: str, value: str | None) -> list[str | None]:
        """An option that names one thing for each key, with commas between."""
        if value is None:
            return [None] * len(self.wire.keys)
        parts: list[str | None] = [part.strip() for part in value.split(",")]
        if len(parts) != len(self.wire.keys):
            wanted = ", ".join(names[0] for names in self.wire.keys) or "no key"
            raise ConfigurationError(f"[system.{self.name}] {option} = '{value}': it must name one thing for each of {wanted}")
        return parts

    def estimate(self, texts: Sequence[str]) -> float | None:
        return None if self.price is None else self.price.of_characters(sum(map(len, texts)))

    def fetch(self, call: Call) -> Any:
        """A call that translates nothing (a list of languages, a usage report): its JSON."""
        self.unlock()
        try:
            answer = self._send(call)
            if answer.status != 200:
                self._complain(answer)
            expect(answer.data is not None, "the answer is not JSON")
        except (Again, Refused) as problem:
            raise SystemFailedError(f"{self.name}: {problem}") from None
        return answer.data

    # One attempt

    def _ask(self, texts: Sequence[str], pair: tuple[str, str]) -> Sequence[Translation | None]:
        characters = sum(map(len, texts))
        self._paced().wait(characters)
        cost = self.estimate(texts) or 0.0
        if self.meter is not None:
            self.meter.reserve(characters, cost)
        billed, actual = Billed.MAYBE, None
        try:
            answer = self._send(self.wire.call(self.url, texts, pair, self._keys or ()))
            self._complain(answer)
            if answer.status != 200 or answer.data is None:
                raise Again(f"the answer is not JSON but {self._quote(answer)}", billed=Billed.MAYBE)
            try:
                result = self.wire.read(answer.data, texts)
            except (KeyError, IndexError, TypeError, ValueError, AttributeError):
                raise Again(f"the answer has another shape than documented: {self._quote(answer)}", billed=Billed.MAYBE) from None
            billed, actual = Billed.YES, self.actual_cost(answer.data)
            return result
        except Again as problem:
            billed = problem.billed
            log.debug("%s: attempt failed: %s", self.name, problem)
            if problem.after is not None and problem.after <= self.options.longest_wait:
                self._paced().hold(problem.after)
            raise
        except (Refused, MetaphraseError):
            billed = Billed.NO
            raise
        finally:
            if self.meter is not None:
                self.meter.settle(characters, cost, billed, actual)

    def actual_cost(self, data: Any) -> float | None:
        """What an answer says it cost, where it does."""
        return None

    def _send(self, call: Call) -> Answer:
        import httpx2

        client = self._connected()
        body, kind = call.content()
        headers = {"Accept": "application/json", **({"Content-Type": kind} if kind else {}), **call.headers}
        try:
            request = client.build_request(call.method, call.url, params=dict(call.query) or None, headers=headers, content=body or None)
            return self._receive(client, request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                self._stop(f"shows a certificate that is not valid for {urlsplit(call.url).hostname}: {error}")
            raise Again(f"no connection to {urlsplit(call.url).hostname}: {self._clean(str(error))}") from None
        except httpx2.TimeoutException:
            raise Again(f"no answer within {self.options.read_timeout:g} s", billed=Billed.MAYBE) from None
        except (httpx2.TransportError, httpx2.DecodingError, httpx2.StreamError) as error:
            raise Again(f"the connection broke: {self._clean(str(error)) or type(error).__name__}", billed=Billed.MAYBE) from None
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise ConfigurationError(f"[system.{self.name}] url = '{self.url}': {self._clean(str(error))}") from None

    def _receive(self, client: httpx2.Client, request: httpx2.Request) -> Answer:
        # A read time-out starts anew with each byte; the deadline keeps a dripping server from holding a run for ever.
        deadline = time.monotonic() + 2 * self.options.read_timeout
        response = client.send(request, stream=True)
        response.stream = _one_answer()(response.stream)
        try:
            parts, size = [], 0
            for part in response.iter_bytes():
                parts.append(part)
                size += len(part)
                if size > LARGEST_ANSWER or time.monotonic() > deadline:
                    raise Again("the answer does not end", billed=Billed.MAYBE)
        finally:
            response.close()
        text = b"".join(parts).decode("utf-8", "replace")
        try:
            # A wrong content type is no reason to pay again: what reads as JSON is judged by its shape.
            data = json.loads(text)
        except ValueError:
            data = None
        return Answer(response.status_code, response.headers, text, data)

    def _complain(self, answer: Answer) -> None:
        """Raise if the answer is an error, the provider's reading first."""
        try:
            self.wire.complain(answer)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            pass  # an error page of somebody in between, not of the provider: the status decides
        except (Again, Refused) as problem:
            after = problem.after if isinstance(problem, Again) else None
            if isinstance(problem, Again):
                raise Again(self._clean(str(problem)), after if after is not None else _retry_after(answer)) from None
            raise Refused(self._clean(str(problem))) from None
        except MetaphraseError as problem:
            raise type(problem)(f"{self.name}: {self._clean(str(problem))}") from None
        self._judge_status(answer)

    def _judge_status(self, answer: Answer) -> None:
        status = answer.status
        if status == 200:
            return
        quoted = self._quote(answer)
        if status in (402, 456):
            raise QuotaError(f"{self.name}: the quota is used up ({status}): {quoted}")
        if status in (408, 425, 429, 529) or status >= 500:
            raise Again(f"status {status}: {quoted}", _retry_after(answer), billed=Billed.NO if status in (429, 529, 503) else Billed.MAYBE)
        if 300 <= status < 400:
            self._stop(f"redirects to {self._clean(answer.headers.get('location', 'nowhere'))}; redirects are not followed: set url")
        if status in (401, 403, 407):
            self._stop(f"does not accept the key ({status}): {quoted}")
        if status in (404, 405):
            self._stop(f"has nothing at this address ({status}), check url: {quoted}")
        raise Refused(f"status {status}: {quoted}")

    def _worth_waiting(self, problem: Exception) -> bool | float:
        if not isinstance(problem, Again):
            return False
        if problem.after is None:
            return True
        return problem.after if problem.after <= self.options.longest_wait else False

    def _paced(self) -> Pace:
        with self._lock:
            if self._pace is None:
                self._pace = Pace(self.options.requests_per_second, self.options.characters_per_second, self.clock)
            return self._pace

    def _connected(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                wait, connect = self.options.read_timeout, self.options.connect_timeout
                self._client = httpx2.Client(
                    timeout=httpx2.Timeout(connect=connect, read=wait, write=wait, pool=None),
                    limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=15.0),
                    follow_redirects=False,
                    transport=self.transport,
                )
                # stamina warns of every retry; we say it ourselves, at debug level.
                logging.getLogger("stamina").addHandler(logging.NullHandler())
            return self._client

    def _stop(self, reason: str) -> NoReturn:
        raise SystemFailedError(f"{self.name} {reason}")

    def _clean(self, text: str) -> str:
        return redact(text, self._keys or ())

    def _quote(self, answer: Answer) -> str:
        text = " ".join(self._clean(answer.text).split())
        return f"'{text[:QUOTE_LENGTH]}{'…' if len(text) > QUOTE_LENGTH else ''}'" if text else "an empty body"


def _retry_after(answer: Answer) -> float | None:
    """Seconds from a Retry-After header, which holds seconds or a date."""
    value = answer.headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


@cache
def _one_answer() -> Callable[[Any], Any]:
    """Wraps the body of an answer; when it is closed, so is a connection on which more came than this answer.

    A server (or a proxy) that answers twice would have its second answer read as that of the next request, and texts would
    get each other's translations. The HTTP library notices bytes that arrive on an idle connection, but keeps those that
    came together with the answer, and has no public way to see them. It must be done before the connection is given
    back: a moment later another thread may use it.
    """
    import httpx2

    class OneAnswer(httpx2.SyncByteStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def __iter__(self) -> Iterator[bytes]:
            return iter(self._stream)

        def close(self) -> None:
            holder: Any = self._stream
            for name in ("_stream", "_httpcore_stream", "_stream", "_connection"):
                holder = getattr(holder, name, None)
            state = getattr(holder, "_h11_state", None)
            if state is not None and state.trailing_data[0]:
                state.send_failed()  # a connection in this state is closed, not used again
            self._stream.close()

    return OneAnswer


def _checked_url(name: str, url: str) -> str:
    """The address without a trailing slash; never with a password in it."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(f"[system.{name}] url must start with https:// or http:// and name a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(f"[system.{name}] url must hold no user, password or query: keys come from the environment")
    return urlunsplit(parts).rstrip("/")


def _price(wire: Wire, options: HttpOptions) -> Price | None:
    if options.price is not None:
        return Price(options.currency, "metaphrase.toml", characters=options.price)
    if options.price_input is not None and options.price_output is not None:
        return Price(options.currency, "metaphrase.toml", tokens_in=options.price_input, tokens_out=options.price_output)
    return listed_price(wire.kind, getattr(options, "model", "") if wire.kind == "openai" else "")
