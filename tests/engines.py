"""Small programs that stand in for MT engines in tests of the machinery; what they translate is never judged for quality."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

__all__ = ["counting_apertium", "program", "script"]

_UPPER = """
import sys
for line in sys.stdin:
    print(line.rstrip("\\n").upper(), flush=True)
"""


def script(path: Path, body: str) -> str:
    """A Python program in a file, as a `command:` argument."""
    path.write_text(body, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def program(folder: Path, body: str = _UPPER) -> str:
    """A system that answers each line; by default in capitals."""
    return f"command:{script(folder / 'engine.py', body)}"


def counting_apertium(folder: Path, log: Path) -> Path:
    """A folder with an `apertium` that notes each text it translates before it hands it to the real one."""
    folder.mkdir()
    wrapper = folder / "apertium"
    wrapper.write_text(
        f"""#!/bin/bash
real=$(PATH="${{PATH#*:}}" command -v apertium)
if [ "$1" = "-u" ]; then
    input=$(mktemp)
    cat > "$input"
    "$real" "$@" < "$input"
    status=$?
    grep . "$input" >> {shlex.quote(str(log))}
    rm -f "$input"
    exit $status
fi
exec "$real" "$@"
""",
        encoding="utf-8",
    )
    wrapper.chmod(0o755)
    return folder
