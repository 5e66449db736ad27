"""Text files line by line: encodings, JSON Lines, standard input and output."""

from __future__ import annotations

import atexit
import codecs
import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from metaphrase.core.errors import InputError

__all__ = ["BadLine", "JsonLine", "TextLine", "open_output", "read_json_lines", "read_lines"]


@dataclass(frozen=True, slots=True)
class TextLine:
    number: int
    text: str
    offset: int = 0  # in bytes


@dataclass(frozen=True, slots=True)
class JsonLine:
    number: int
    value: dict[str, Any]
    offset: int = 0  # in bytes


# Called with an error in place of raising it, where the user asked to skip bad lines.
BadLine = Callable[[InputError], None]


def read_lines(path: Path | str, *, encoding: str = "utf-8", bad_line: BadLine | None = None) -> Iterator[TextLine]:
    """Lines without their ends; a byte-order mark is dropped. `-` is standard input, which can be read more than once."""
    try:
        wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    except LookupError:
        raise InputError(f"there is no encoding '{encoding}'; try utf-8, utf-16, latin-1, gb18030") from None
    with _open_binary(path) as stream:
        lines = _decoded(stream, path, encoding) if wide else enumerate(stream, start=1)
        offset = 0
        for number, raw in lines:
            if isinstance(raw, str):
                yield TextLine(number, raw.rstrip("\r\n"))
                continue
            start, offset = offset, offset + len(raw)
            if number == 1 and raw.startswith(codecs.BOM_UTF8):
                raw, start = raw.removeprefix(codecs.BOM_UTF8), len(codecs.BOM_UTF8)
            try:
                yield TextLine(number, raw.decode(encoding).rstrip("\r\n"), start)
            except UnicodeDecodeError as error:
                problem = InputError(
                    f"{path}:{number}: byte {error.object[error.start]:#04x} is not {encoding}: "
                    "name the encoding with --encoding, or leave such lines out with --skip-bad-lines"
                )
                if bad_line is None:
                    raise problem from None
                bad_line(problem)


def _decoded(stream: IO[bytes], path: Path | str, encoding: str) -> Iterator[tuple[int, str]]:
    """Encodings in which a line's end is more than one byte: decoded as a whole, so that a bad place spoils the rest."""
    text = io.TextIOWrapper(stream, encoding=encoding, newline="\n")
    number = 0
    try:
        for number, line in enumerate(text, start=1):
            yield number, line
    except UnicodeError as error:
        raise InputError(f"{path}:{number + 1}: not {encoding} ({error}); name the encoding with --encoding") from None
    finally:
        text.detach()


def read_json_lines(path: Path | str, *, bad_line: BadLine | None = None) -> Iterator[JsonLine]:
    """Objects, one a line; empty lines are passed over."""
    for line in read_lines(path, bad_line=bad_line):
        if not line.text.strip():
            continue
        problem: InputError | None = None
        try:
            value = json.loads(line.text)
            if isinstance(value, dict):
                yield JsonLine(line.number, value, line.offset)
                continue
            problem = InputError(f"{path}:{line.number}: expected a JSON object, found {type(value).__name__}")
        except (ValueError, RecursionError) as error:
            problem = InputError(f"{path}:{line.number}: not JSON ({error}); correct it, or leave it out with --skip-bad-lines")
        if bad_line is None:
            raise problem
        bad_line(problem)


@contextlib.contextmanager
def _open_binary(path: Path | str) -> Iterator[IO[bytes]]:
    if str(path) == "-":
        yield _standard_input()
        return
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 - closed below; the errors of opening differ
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give a file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot read it: {error.strerror}") from None
    with stream:
        try:
            yield stream
        except OSError as error:
            raise InputError(f"{path}: cannot read it: {error.strerror}") from None


_inputs: dict[int, IO[bytes]] = {}


def _standard_input() -> IO[bytes]:
    """Standard input from its beginning: it is kept, because input is checked as a whole before anything is sent."""
    key = id(sys.stdin)
    if key not in _inputs:
        kept = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        atexit.register(kept.close)
        shutil.copyfileobj(sys.stdin.buffer, kept)
        _inputs.clear()
        _inputs[key] = kept
    _inputs[key].seek(0)
    return _inputs[key]


@contextlib.contextmanager
def open_output(path: Path | str) -> Iterator[IO[str]]:
    """A file that appears under its name only when it is complete; `-` is standard output."""
    if str(path) == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    path = Path(path)
    if path.exists() and not path.is_file():  # a device or a named pipe: nothing to put in its place
        try:
            with path.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
                yield stream
        except OSError as error:
            raise InputError(f"{path}: cannot write it: {error.strerror}; choose another place") from None
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot write it: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
            yield stream
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        raise InputError(f"{path}: cannot write it: {error.strerror}; free space or choose another place") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
