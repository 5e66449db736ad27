"""How long `metaphrase --help` takes to start, beside Python itself and typer: the least processor time of several runs."""

from __future__ import annotations

import os
import subprocess
import sys

RUNS = 15


def least(code: str) -> float:
    return min(_once(code) for _ in range(RUNS))


def _once(code: str) -> float:
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    nothing, typer = least("pass"), least("import typer")
    ours = least("import sys; sys.argv = ['metaphrase', '--help']; from metaphrase.cli.main import run; run()")
    print(f"python -c pass: {nothing * 1000:.0f} ms; with typer imported: {typer * 1000:.0f} ms; metaphrase --help: {ours * 1000:.0f} ms")
    print(f"metaphrase --help is {ours / typer:.1f} times Python with typer; the limit we set ourselves is 5")


if __name__ == "__main__":
    main()
