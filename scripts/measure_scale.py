"""How memory and time grow: generated sentences through `transform`, `translate` with a recording, and `test`.

    python scripts/measure_scale.py FOLDER [SIZE ...]

Writes the inputs into FOLDER and prints one row a command and size, as Markdown.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

_WHO = "The old city bus driver|My neighbour's small black dog|The young project manager|A tall red garden gate|The last train to the coast".split(
    "|"
)
_DOES = "waits behind|needs|stands near|looks like|belongs to".split("|")
_WHAT = "the narrow stone bridge|a long row of parked cars|the new town hall building|the quiet end of the street|a box of old family letters".split(
    "|"
)


def sentences() -> Iterator[str]:
    for number, who, does, what in product(range(10**6), _WHO, _DOES, _WHAT):
        yield f"{who} {does} {what} number {number}."


def run(*arguments: str) -> tuple[float, float]:
    """Seconds, and peak memory in megabytes, of one command."""
    started = time.monotonic()
    argv = [sys.executable, "-c", "from metaphrase.cli.main import run; run()", *arguments]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), f"{' '.join(arguments)} ended with {process.returncode}"
    return time.monotonic() - started, usage.ru_maxrss / (1 if sys.platform == "darwin" else 1024) / (
        1024 if sys.platform == "darwin" else 1
    )


def measure(folder: Path, size: int) -> None:
    source, cases, translated, recording = (
        folder / f"{name}-{size}" for name in ("in.txt", "cases.jsonl", "translated.jsonl", "recording.jsonl")
    )
    source.write_text("".join(s + "\n" for s in islice(sentences(), size)), encoding="utf-8")
    for store in folder.glob("*.db*"):
        store.unlink()
    rows = [("transform", run("transform", str(source), "-o", str(cases)))]
    record(cases, recording)
    system = ["--system", f"recorded:{recording}", "--to", "es"]
    rows.append(("translate", run("translate", str(cases), *system, "--store", str(folder / "translate.db"), "-o", str(translated))))
    rows.append(("judge", run("judge", str(translated), "--to", "es", "-o", str(folder / "verdicts.jsonl"))))
    rows.append(
        (
            "test",
            run(
                "test",
                str(source),
                *system,
                "--store",
                str(folder / "test.db"),
                "-q",
                "--fail-on",
                "never",
                "-o",
                str(folder / "out.jsonl"),
            ),
        )
    )
    for command, (seconds, megabytes) in rows:
        print(f"| {command} | {size:,} | {seconds:.1f} | {size / seconds:,.0f} | {megabytes:.0f} |", flush=True)


def record(cases: Path, recording: Path) -> None:
    """A recording of every text, upper-cased; one in a hundred loses its second word."""
    seen: set[int] = set()
    with cases.open(encoding="utf-8") as rows, recording.open("w", encoding="utf-8") as out:
        for line in rows:
            case = json.loads(line)
            for text in (case["source"], case["followup"]):
                if hash(text) in seen:
                    continue
                seen.add(hash(text))
                words = text.upper().split()
                if len(seen) % 100 == 0:
                    del words[1]
                out.write(json.dumps({"text": text, "translation": " ".join(words)}) + "\n")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("| command | sentences | seconds | sentences a second | peak MB |\n|---|---|---|---|---|")
    for size in [int(a) for a in sys.argv[2:]] or [10_000, 100_000]:
        measure(folder, size)


if __name__ == "__main__":
    main()
