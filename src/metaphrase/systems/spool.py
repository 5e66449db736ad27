"""Answers of a program survive the death of the process that asked for them.

A program writes its answers to a file, not to a pipe. If Metaphrase is killed, the program still finishes what it was
given; the next run finds the folder, waits for the program to end and collects the answers, so that no text is
translated twice. Who is alive is told by file locks, which the kernel releases on any kind of death:
`owner.lock` is held by Metaphrase, `program.lock` by the program and its children.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import platformdirs

__all__ = ["Session", "collect", "spool_folder"]


def spool_folder(digest: str) -> Path:
    """The folder of a system's sessions; METAPHRASE_CACHE moves it."""
    root = os.environ.get("METAPHRASE_CACHE") or platformdirs.user_cache_dir("metaphrase")
    return Path(root) / "spool" / digest


class Session:
    """One program's life: what was sent to it, and the file its answers go to."""

    def __init__(self, parent: Path, direction: str, separator: str) -> None:
        parent.mkdir(parents=True, exist_ok=True)
        # Not visible to `collect` under this name until its owner holds the lock.
        hidden = Path(tempfile.mkdtemp(prefix=".new-", dir=parent))
        self._owner = os.open(hidden / "owner.lock", os.O_CREAT | os.O_RDWR)
        fcntl.flock(self._owner, fcntl.LOCK_EX)
        (hidden / "session.json").write_text(json.dumps({"direction": direction, "separator": separator}), encoding="utf-8")
        self.folder = hidden.with_name(hidden.name.replace(".new-", "session-"))
        hidden.rename(self.folder)
        self.answers = self.folder / "answers"
        self.errors = self.folder / "errors"
        self.answers.touch()
        self._requests = (self.folder / "requests").open("a", encoding="utf-8")

    def program_lock(self) -> int:
        """A locked descriptor for the program to inherit; close it here once the program runs."""
        descriptor = os.open(self.folder / "program.lock", os.O_CREAT | os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.set_inheritable(descriptor, True)
        return descriptor

    def expect(self, texts: Sequence[str]) -> None:
        """Note what is about to be sent: before it is sent, so that every answer finds its question."""
        self._requests.write("".join(json.dumps(t, ensure_ascii=False) + "\n" for t in texts))
        self._requests.flush()

    def error_tail(self) -> str:
        with contextlib.suppress(OSError):
            return self.errors.read_text(encoding="utf-8", errors="replace").strip()[-400:]
        return ""

    def discard(self) -> None:
        self._requests.close()
        os.close(self._owner)
        shutil.rmtree(self.folder, ignore_errors=True)


def collect(parent: Path, *, patience: float) -> Iterator[tuple[str, str, str]]:
    """(direction, text, answer) of every orphaned session; waits at most `patience` seconds for a program to end."""
    if not parent.is_dir():
        return
    for folder in sorted(parent.glob("session-*")):
        with contextlib.suppress(OSError), _lock(folder / "owner.lock", 0.0) as orphaned:
            if not orphaned:
                continue
            with _lock(folder / "program.lock", patience) as ended:
                if ended:
                    yield from _answers(folder)
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _lock(path: Path, patience: float) -> Iterator[bool]:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
    try:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    yield False
                    return
                time.sleep(0.02)
            else:
                yield True
                return
    finally:
        os.close(descriptor)


def _answers(folder: Path) -> Iterator[tuple[str, str, str]]:
    session = json.loads((folder / "session.json").read_text(encoding="utf-8"))
    lines = (folder / "requests").read_text(encoding="utf-8").split("\n")[:-1]  # the last piece may be cut
    texts = [json.loads(line) for line in lines]
    answers = (folder / "answers").read_text(encoding="utf-8", errors="replace").split(session["separator"])[:-1]
    whole_only = (folder / "whole").exists()
    if whole_only and len(answers) != len(texts):
        return
    # A text longer than a pipe's atomic write may have reached the program cut off; its answer is not trusted if it is the last.
    if answers and not whole_only and len(texts[len(answers) - 1].encode()) >= 4096:
        answers.pop()
    for text, answer in zip(texts, answers, strict=False):
        yield session["direction"], text, answer
