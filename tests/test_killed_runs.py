"""A run that is killed at any moment goes on, translates nothing twice and ends like an undisturbed one."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from engines import counting_apertium, program

KILLS = 10
_COUNTING = """
import sys, time
log = open({log!r}, "a", buffering=1)
for line in sys.stdin:
    text = line.rstrip("\\n")
    log.write(text + "\\n")
    time.sleep(0.004)
    print(text.upper()[: max(3, len(text) - len(text) % 7)], flush=True)
"""
_SUBJECTS = ("The small red boat", "My uncle's old bicycle", "The new garden gate", "A tall glass door", "The quiet village school")
_OBJECTS = ("the wet wooden bridge", "a long row of white houses", "the narrow stone path", "the last empty market stall")


def _sentences(path: Path) -> Path:
    lines = [f"{s} stands behind {o} number {n}." for n in range(12) for s in _SUBJECTS for o in _OBJECTS]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class _Campaign:
    """One command, started again and again on the same store."""

    def __init__(self, folder: Path, sentences: Path, system: str, environment: dict[str, str]) -> None:
        self.output = folder / "findings.jsonl"
        self._environment = environment
        self._argv = [
            sys.executable, "-c", "from metaphrase.cli.main import run; run()", "test", str(sentences), "--system", system,
            "--from", "en", "--to", "es", "--store", str(folder / "store.db"), "-o", str(self.output), "--fail-on", "never", "-q",
        ]  # fmt: skip

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._argv, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self) -> bytes:
        process = self.start()
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors.decode()
        return self.output.read_bytes()

    def kill_after(self, seconds: float) -> bool:
        """Whether the run was still going when it was killed."""
        process = self.start()
        time.sleep(seconds)
        alive = process.poll() is None
        process.kill()
        process.communicate()
        return alive


def _kill_often(disturbed: _Campaign, quiet_duration: float, *, share: float = 0.6) -> None:
    """Kill within this share of an undisturbed run: what a killed run has done is kept, so later runs are shorter."""
    moments = random.Random(20)
    interrupted = sum(disturbed.kill_after(moments.uniform(0.05, share * quiet_duration)) for _ in range(KILLS))
    assert interrupted >= KILLS // 2, "the run was too short to be killed in its middle"


def _nothing_twice(log: Path) -> Counter[str]:
    counted = Counter(log.read_text(encoding="utf-8").splitlines())
    twice = [text for text, times in counted.items() if times > 1]
    assert not twice, f"{len(twice)} of {len(counted)} texts were translated more than once, for instance {twice[:3]}"
    return counted


def test_a_killed_run_resumes_without_translating_twice_and_gives_the_same_bytes(tmp_path: Path) -> None:
    sentences = _sentences(tmp_path / "sentences.txt")
    outputs = []
    counts = []
    duration = 0.0
    for name in ("undisturbed", "disturbed"):
        folder = tmp_path / name
        folder.mkdir()
        system = program(folder, _COUNTING.format(log=str(folder / "log")))
        campaign = _Campaign(folder, sentences, system, {**os.environ, "METAPHRASE_CACHE": str(folder / "cache")})
        started = time.monotonic()
        if name == "disturbed":
            _kill_often(campaign, duration)
        outputs.append(campaign.finish())
        duration = time.monotonic() - started
        counts.append(_nothing_twice(folder / "log"))
    assert counts[0] == counts[1]
    # The program's path is part of its name, which reports show.
    assert outputs[1].replace(b"/disturbed/", b"/undisturbed/") == outputs[0]
    assert outputs[0].count(b"\n") > 5


@pytest.mark.apertium
def test_a_killed_run_against_apertium_resumes_without_translating_twice(tmp_path: Path) -> None:
    sentences = Path(__file__).parent / "data" / "ordinary-sentences.txt"
    outputs = []
    counts = []
    duration = 0.0
    for name in ("undisturbed", "disturbed"):
        folder = tmp_path / name
        folder.mkdir()
        wrapper = counting_apertium(folder / "bin", folder / "log")
        path = f"{wrapper}:{os.environ['PATH']}"
        environment = {**os.environ, "METAPHRASE_CACHE": str(folder / "cache"), "PATH": path}
        campaign = _Campaign(folder, sentences, "apertium:eng-spa", environment)
        started = time.monotonic()
        if name == "disturbed":
            _kill_often(campaign, duration, share=0.3)
        outputs.append(campaign.finish())
        duration = time.monotonic() - started
        counts.append(_nothing_twice(folder / "log"))
    assert outputs[0] == outputs[1]
    assert counts[0] == counts[1]
    assert outputs[0]
