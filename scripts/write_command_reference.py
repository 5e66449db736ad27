"""Write docs/commands.md from the commands themselves; a test compares the two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from metaphrase.cli.main import app

TARGET = Path(__file__).parents[1] / "docs" / "commands.md"
HEAD = """\
# Commands

Written by `make docs` from what `metaphrase COMMAND --help` says. `-` as a file means standard input or output. Exit codes: 0 nothing found above the
gate, 1 findings above the gate, 2 usage, input or configuration error, 3 the system under test failed for good: what was done is kept, and
the message says how to go on.
"""


def reference() -> str:
    return "\n".join([HEAD, *_commands(typer.main.get_command(app), "metaphrase")])


def _commands(command: Any, name: str) -> Iterator[str]:
    children = getattr(command, "commands", None)
    if not children:
        yield from _one(command, name)
        return
    for child in children:
        yield from _commands(children[child], f"{name} {child}")


def _one(command: Any, name: str) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join([name, *(_usage(a) for a in arguments)])
    yield f"## `{name}`\n\n{_clean(command.help or '')}\n\n```text\n{usage} [OPTIONS]\n```\n"
    options = [p for p in command.params if p.param_type_name == "option" and "--help" not in p.opts]
    if arguments or options:
        yield "| | |\n|---|---|"
        for parameter in [*arguments, *options]:
            label = (parameter.name or "").upper() if parameter in arguments else ", ".join([*parameter.opts, *parameter.secondary_opts])
            yield f"| `{label}` | {_clean(getattr(parameter, 'help', None) or '')} |"
        yield ""


def _usage(argument: Any) -> str:
    label = (argument.name or "").upper() + ("..." if argument.nargs == -1 else "")
    return label if argument.required else f"[{label}]"


def _clean(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
