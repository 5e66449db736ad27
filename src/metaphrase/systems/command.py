"""Any program as a system: texts on standard input, translations on standard output.

`stream`: one process serves many batches; it must answer each line before it reads the next ones, and flush.
`batch`: a process a batch; it may answer when its input ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from metaphrase.core.errors import ConfigurationError, SystemFailedError
from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, Translation
from metaphrase.systems.base import Limits
from metaphrase.systems.spool import Session, collect, spool_folder

__all__ = ["CommandOptions", "CommandSystem", "open_command"]


class CommandOptions(Options):
    """`program` may hold {source} and {target}, which become language codes.

    `protocol` "lines" sends and expects plain lines, "jsonl" {"text", "source", "target"} and {"translation"}.
    """

    program: str = ""
    protocol: Literal["lines", "jsonl"] = "lines"
    mode: Literal["stream", "batch"] = "stream"
    timeout: float = 60.0
    batch_items: int = 50
    version: str = "1"


@configured_by(CommandOptions)
def open_command(name: str, argument: str, options: Mapping[str, Any]) -> CommandSystem:
    settings = read_options(CommandOptions, {**options, **({"program": argument} if argument else {})}, f"[system.{name}]")
    if not settings.program.strip():
        raise ConfigurationError(f"system '{name}': no program given; write 'command:PROGRAM ARGS' or set program in [system.{name}]")
    return CommandSystem(name, settings)


_BROKEN_AFTER = 3
# A batch must fit into the pipe: a program that does not read must run into the time limit, not block us.
_PIPE = 1 << 20


class _Died(Exception):
    """The program ended or fell silent before it had answered."""


class _Silent(_Died):
    """It runs, and says nothing."""


class CommandSystem:
    """See the module; `separator` ends each text and each answer."""

    separator = "\n"

    def __init__(self, name: str, options: CommandOptions) -> None:
        self.name = name
        self.options = options
        self.limits = Limits(items=options.batch_items, characters=100_000)
        self._running: dict[str, _Running] = {}
        self._collected: dict[tuple[str, str], str] | None = None
        self._answered = False
        self._failures_in_a_row = 0

    def signature(self) -> Signature:
        parameters = {"program": self.options.program, "protocol": self.options.protocol, "mode": self.options.mode}
        return Signature("command", self.options.version, parameters)

    def argv(self, direction: Direction) -> list[str]:
        parts = [
            part.replace("{source}", direction.source).replace("{target}", direction.target) for part in shlex.split(self.options.program)
        ]
        if shutil.which(parts[0]) is None:
            raise SystemFailedError(f"system '{self.name}': there is no program '{parts[0]}'; install it or give its path")
        return parts

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        spooled = self._spooled()
        answers: dict[str, Translation] = {}
        asked = []
        for text in dict.fromkeys(texts):
            found = spooled.pop((str(direction), text), None)
            if found is None:
                asked.append(text)
            else:
                answers[text] = self.read(found)
        if asked:
            one_batch = self._in_stream if self.options.mode == "stream" else self._in_batches
            answers.update(one_batch(asked, direction))
        if any(a.ok for a in answers.values()):
            self._answered = True
        elif answers and (self._given_up() or not self._answered):
            raise SystemFailedError(f"system '{self.name}' failed: {next(iter(answers.values())).failure}")
        return [answers[text] for text in texts]

    def close(self) -> None:
        for running in self._running.values():
            running.stop()
        self._running.clear()

    def _spooled(self) -> dict[tuple[str, str], str]:
        if self._collected is None:
            found = collect(spool_folder(self.signature().digest), patience=self.options.timeout)
            self._collected = {(direction, text): answer for direction, text, answer in found}
        return self._collected

    def write(self, text: str, direction: Direction) -> str:
        """What is sent for a text, without the separator."""
        plain = " ".join(text.split("\n")).replace("\r", " ")
        if self.options.protocol == "lines":
            return plain
        return json.dumps({"text": plain, "source": direction.source, "target": direction.target}, ensure_ascii=False)

    def read(self, answer: str) -> Translation:
        if self.options.protocol == "lines":
            return Translation(answer.strip())
        try:
            return Translation(str(json.loads(answer)["translation"]).strip())
        except (ValueError, KeyError, TypeError):
            return Translation(None, failure=f"not a JSON object with 'translation': {answer[:80]!r}")

    def _in_stream(self, texts: Sequence[str], direction: Direction) -> dict[str, Translation]:
        """Send all, read all; a program that dies is started again and goes on with the text it died on, once."""
        results: dict[str, Translation] = {}
        remaining = list(texts)
        suspect: str | None = None
        while remaining:
            running = self._running.get(str(direction)) or _Running(self, direction)
            self._running[str(direction)] = running
            try:
                running.send(remaining)
                while remaining:
                    results[remaining[0]] = self._noted(self.read(running.next_answer()))
                    remaining.pop(0)
            except _Died as death:
                running.stop()
                del self._running[str(direction)]
                if isinstance(death, _Silent) and not results and not self._answered:
                    return {text: Translation(None, failure=str(death)) for text in remaining}  # it would be silent again
                if suspect == remaining[0]:
                    results[remaining.pop(0)] = self._noted(Translation(None, failure=str(death)))
                    if self._given_up():
                        return results | {text: Translation(None, failure=str(death)) for text in remaining}
                suspect = remaining[0] if remaining else None
        return results

    def _in_batches(self, texts: Sequence[str], direction: Direction) -> dict[str, Translation]:
        """A batch that fails is halved until the text that spoils it stands alone."""
        try:
            answers = _run_once(self, texts, direction)
        except _Died as death:
            failed = Translation(None, failure=str(death))
            if len(texts) == 1:
                return {texts[0]: self._noted(failed)}
            middle = len(texts) // 2
            first = self._in_batches(texts[:middle], direction)
            if self._given_up():
                return first | dict.fromkeys(texts[middle:], failed)
            return first | self._in_batches(texts[middle:], direction)
        return {text: self._noted(self.read(answer)) for text, answer in zip(texts, answers, strict=True)}

    def _noted(self, answer: Translation) -> Translation:
        self._failures_in_a_row = 0 if answer.ok else self._failures_in_a_row + 1
        return answer

    def _given_up(self) -> bool:
        """A program that fails on one text after the other is broken, not those texts; starting it for each would take for ever."""
        return self._failures_in_a_row >= _BROKEN_AFTER


class _Running:
    """A program in `stream` mode."""

    def __init__(self, system: CommandSystem, direction: Direction) -> None:
        self._system = system
        self._direction = direction
        argv = system.argv(direction)
        self._session = Session(spool_folder(system.signature().digest), str(direction), system.separator)
        lock = self._session.program_lock()
        with self._session.answers.open("ab") as out, self._session.errors.open("ab") as errors:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.PIPE, stdout=out, stderr=errors, pass_fds=[lock], start_new_session=True, bufsize=0, pipesize=_PIPE
            )
        os.close(lock)
        self._reader = self._session.answers.open("rb")
        self._buffer = b""

    def send(self, texts: Sequence[str]) -> None:
        self._session.expect(texts)
        assert self._process.stdin is not None
        for text in texts:
            with contextlib.suppress(BrokenPipeError):  # the death shows when its answer is awaited
                self._process.stdin.write((self._system.write(text, self._direction) + self._system.separator).encode())

    def next_answer(self) -> str:
        end = self._system.separator.encode()
        deadline = time.monotonic() + self._system.options.timeout
        pause = 0.0005
        while end not in self._buffer:
            ended = self._process.poll() is not None
            piece = self._reader.read()
            if piece:
                self._buffer += piece
                continue
            if ended:
                status = self._process.returncode
                raise _Died(f"the program ended (status {status}) without an answer: {self._session.error_tail() or 'it said nothing'}")
            if time.monotonic() > deadline:
                raise _Silent(
                    f"no answer within {self._system.options.timeout:g} s; a program in 'stream' mode must flush after each line "
                    '(else set mode = "batch"), or needs a longer timeout'
                )
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        answer, _, self._buffer = self._buffer.partition(end)
        return answer.decode("utf-8", errors="replace")

    def stop(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        _end(self._process)
        self._reader.close()
        self._session.discard()


def _run_once(system: CommandSystem, texts: Sequence[str], direction: Direction) -> list[str]:
    argv = system.argv(direction)
    session = Session(spool_folder(system.signature().digest), str(direction), system.separator)
    try:
        session.expect(texts)
        (session.folder / "whole").touch()
        given = session.folder / "input"
        given.write_text("".join(system.write(t, direction) + system.separator for t in texts), encoding="utf-8")
        lock = session.program_lock()
        with given.open("rb") as source, session.answers.open("wb") as out, session.errors.open("wb") as errors:
            process = subprocess.Popen(argv, stdin=source, stdout=out, stderr=errors, pass_fds=[lock], start_new_session=True)
        os.close(lock)
        try:
            status = process.wait(timeout=system.options.timeout)
        except subprocess.TimeoutExpired:
            raise _Died(f"no answer within {system.options.timeout:g} s") from None
        finally:
            _end(process)
        answers = session.answers.read_text(encoding="utf-8", errors="replace").split(system.separator)
        if answers and not answers[-1].strip():
            answers.pop()
        if status != 0:
            raise _Died(f"the program ended with status {status}: {session.error_tail() or 'it said nothing'}")
        if len(answers) != len(texts):
            raise _Died(f"{len(texts)} texts went in, {len(answers)} came back")
        return answers
    finally:
        session.discard()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Give a program a moment to end by itself, then end it and its children."""
    try:
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
