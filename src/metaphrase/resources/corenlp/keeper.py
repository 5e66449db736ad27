"""Run a program for as long as standard input stays open.

`python -m metaphrase.resources.corenlp.keeper PROGRAM ARGS...` starts the program and stops it when its own input ends, which happens
whenever the process that started it goes away, even if that was killed outright. So no server is ever left behind.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading

__all__ = ["main"]

_GRACE_SECONDS = 5


def main(command: list[str]) -> int:
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def stop_at_end_of_input() -> None:
        while os.read(0, 4_096):  # not sys.stdin, whose lock this thread would still hold when the process ends
            pass
        child.terminate()
        try:
            child.wait(timeout=_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()

    threading.Thread(target=stop_at_end_of_input, daemon=True).start()
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
