"""How memory and time grow: generated sentences through `transform`, `translate` with a recording, and `test`.

    python scripts/measure_scale.py FOLDER [SIZE ...]

Writes the inputs into FOLDER and prints one row a command and size, as Markdown. Sizes above 20,000 skip `judge` and `test`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

WHOLE_RUN = 20_000
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


@dataclass(frozen=True)
class Cost:
    """Of one command: processor time, which does not depend on who else uses the machine, and the peak of its memory."""

    seconds: float
    megabytes: float


def run(*arguments: str | Path) -> Cost:
    argv = [sys.executable, "-c", "from metaphrase.cli.main import run; run()", *map(str, arguments)]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{' '.join(argv[3:])} ended with {process.returncode}"
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measure(folder: Path, size: int) -> None:
    source, cases, recording = folder / f"{size}.txt", folder / f"{size}-cases.jsonl", folder / f"{size}-recording.jsonl"
    translated = folder / f"{size}-translated.jsonl"
    source.write_text("".join(s + "\n" for s in islice(sentences(), size)), encoding="utf-8")
    for store in folder.glob("*.db*"):
        store.unlink()
    show("transform", size, run("transform", source, "-o", cases))
    record(cases, recording)
    system = ["--system", f"recorded:{recording}", "--to", "es"]
    show("translate", size, run("translate", cases, *system, "--store", folder / "translate.db", "-o", translated))
    if size <= WHOLE_RUN:
        show("judge", size, run("judge", translated, "--to", "es", "-o", folder / "verdicts.jsonl"))
        output = ["--fail-on", "never", "-q", "-o", folder / "findings.jsonl"]
        show("test", size, run("test", source, *system, "--store", folder / "test.db", *output))


def show(command: str, size: int, cost: Cost) -> None:
    print(f"| {command} | {size:,} | {cost.seconds:.1f} | {size / cost.seconds:,.0f} | {cost.megabytes:.0f} |", flush=True)


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
    print("| command | sentences | processor seconds | sentences a second | peak MB |\n|---|---|---|---|---|")
    for size in [int(a) for a in sys.argv[2:]] or [10_000, 20_000, 100_000]:
        measure(folder, size)


if __name__ == "__main__":
    main()
