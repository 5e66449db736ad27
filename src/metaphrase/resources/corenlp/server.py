"""A CoreNLP server: one of the user's by URL, or one that we start, watch, restart and stop."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import IO, Any, Protocol

from metaphrase.core.errors import MissingResourceError, ResourceFailedError
from metaphrase.resources.corenlp.install import LANGUAGES, find_corenlp

__all__ = ["ManagedServer", "RemoteServer", "Server"]

_START_SECONDS = 90.0
_HTTP_OK = 200


class Server(Protocol):
    """Something that annotates one text at a time; several threads may ask at once."""

    def annotate(self, text: str, properties: Mapping[str, str]) -> dict[str, Any]: ...
    def close(self) -> None: ...


class RemoteServer:
    """A server that somebody else runs."""

    def __init__(self, url: str, *, timeout: float) -> None:
        self._url = url.rstrip("/")
        self._timeout = timeout

    def annotate(self, text: str, properties: Mapping[str, str]) -> dict[str, Any]:
        try:
            return _post(self._url, text, properties, self._timeout)
        except (_Unreachable, TimeoutError) as error:
            raise ResourceFailedError(
                f"the CoreNLP server at {self._url} does not answer ({error}); check [resource.parser] url"
            ) from error

    def close(self) -> None:
        """Not ours to stop."""


class ManagedServer:
    """A server for one language that is started on first use and lives no longer than this process.

    A server that dies or does not answer in time is replaced, and the text is asked for once more; a text that brings down
    two servers in a row is an error that names it.
    """

    def __init__(
        self,
        language: str,
        *,
        timeout: float,
        first_timeout: float = 300.0,
        heap_gigabytes: int | None = None,
        command: list[str] | None = None,
    ) -> None:
        self._language = language
        self._timeout = timeout
        self._first_timeout = max(first_timeout, timeout)
        self._heap = heap_gigabytes
        self._command = command
        self._lock = threading.Lock()
        self._suspects = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._port = 0
        self._generation = 0
        self._loaded: set[tuple[int, str]] = set()

    def annotate(self, text: str, properties: Mapping[str, str]) -> dict[str, Any]:
        failure: Exception | None = None
        for suspected in (False, True):
            # Texts that were with a server when it died are tried again one by one, so that only the one to blame is blamed.
            with self._suspects if suspected else contextlib.nullcontext():
                url, generation = self._running()
                # The server loads an annotator's models when it is first asked for them.
                loaded = (generation, properties.get("annotators", ""))
                try:
                    answer = _post(url, text, properties, self._timeout if loaded in self._loaded else self._first_timeout)
                    self._loaded.add(loaded)
                    return answer
                except (_Unreachable, TimeoutError) as error:
                    failure = error
                    self._replace(generation)
        raise ResourceFailedError(
            f"CoreNLP died or hung twice on the same sentence ({failure}): {text[:80]!r}; "
            "leave it out, or give it more time or memory: [resource.parser] timeout, heap-gigabytes"
        ) from failure

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _running(self) -> tuple[str, int]:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._stop()
                self._start()
            return f"http://127.0.0.1:{self._port}", self._generation

    def _replace(self, generation: int) -> None:
        """Stop the server that failed, unless another thread has replaced it already."""
        with self._lock:
            if generation == self._generation:
                self._stop()

    def _start(self) -> None:
        command = self._command or _java_command(self._language, self._heap)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _stop
        self._process = subprocess.Popen(
            [sys.executable, "-m", "metaphrase.resources.corenlp.keeper", *command, "-port", str(self._port)],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
        )
        self._generation += 1
        deadline = time.monotonic() + _START_SECONDS
        while not _ready(f"http://127.0.0.1:{self._port}/ready"):
            if self._process.poll() is not None:
                words = self._last_words()
                self._stop()
                raise ResourceFailedError(f"CoreNLP did not start: {words}")
            if time.monotonic() > deadline:
                self._stop()
                raise ResourceFailedError(f"CoreNLP was not ready after {_START_SECONDS:.0f} s")
            time.sleep(0.1)

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()  # the keeper stops the server at the end of its input
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._log is not None:
            self._log.close()
            self._log = None

    def _last_words(self) -> str:
        if self._log is None:
            return "no output"
        self._log.seek(0)
        lines = [line for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return " / ".join(lines[-3:]) or "no output"


class _Unreachable(Exception):
    """The connection was refused, reset or cut."""


def _java_command(language: str, heap_gigabytes: int | None) -> list[str]:
    model = LANGUAGES.get(language)
    installation = find_corenlp(language)
    java = shutil.which("java")
    if java is None or model is None:
        raise MissingResourceError(
            "CoreNLP needs Java (8 or newer), and there is no 'java' on the PATH: install a Java runtime, "
            "or name a running server in metaphrase.toml: [resource.parser] url = 'http://...'"
        )
    command = [java, f"-Xmx{heap_gigabytes or model.heap_gigabytes}g", "-cp", os.pathsep.join(installation.classpath())]
    command += ["edu.stanford.nlp.pipeline.StanfordCoreNLPServer", "-quiet", "true", "-timeout", "600000"]
    return command + (["-serverProperties", model.properties] if model.properties else [])


def _opener() -> urllib.request.OpenerDirector:
    # A proxy of the environment must not stand between us and a local server.
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _ready(url: str) -> bool:
    try:
        with _opener().open(url, timeout=2) as answer:
            return bool(answer.status == _HTTP_OK)
    except OSError:
        return False


def _post(url: str, text: str, properties: Mapping[str, str], timeout: float) -> dict[str, Any]:
    query = urllib.parse.urlencode({"properties": json.dumps(dict(properties))})
    body = text.encode("utf-8", "replace")
    request = urllib.request.Request(f"{url}/?{query}", data=body, headers={"Content-Type": "text/plain; charset=utf-8"})
    try:
        with _opener().open(request, timeout=timeout) as answer:
            content = answer.read()
    except TimeoutError as error:
        raise TimeoutError(f"no answer within {timeout:g} s") from error
    except urllib.error.HTTPError as error:
        detail = error.read().decode("utf-8", "replace").strip()
        raise ResourceFailedError(f"CoreNLP refused a sentence (HTTP {error.code}: {detail[:200]}): {text[:80]!r}") from error
    except OSError as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            raise TimeoutError(f"no answer within {timeout:g} s") from error
        raise _Unreachable(str(reason)) from error
    except Exception as error:  # http.client's errors of a connection cut in mid-answer share no base with OSError
        raise _Unreachable(f"{type(error).__name__}: {error}") from error
    try:
        answered: dict[str, Any] = json.loads(content)
    except ValueError as error:
        raise _Unreachable("the answer was cut short or is not JSON") from error
    return answered
