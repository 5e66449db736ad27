"""Apertium, the rule-based engine: a mode such as eng-spa, or a chain such as eng-cat,cat-spa.

A process a batch, texts apart by an empty line. Apertium's tagger learns ambiguity classes while it runs, so a text's translation may
in rare cases depend on the texts before it in the same process; `batch-items = 1` rules that out, at a process a sentence.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from typing import Any

from metaphrase.core.errors import ConfigurationError, SystemFailedError, nearest
from metaphrase.core.options import configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, Translation
from metaphrase.systems.command import CommandOptions, CommandSystem

__all__ = ["ApertiumSystem", "open_apertium"]

# Apertium names languages by ISO 639-3 codes.
_THREE_LETTERS = {"en": "eng", "es": "spa", "ca": "cat", "fr": "fra", "pt": "por", "it": "ita", "gl": "glg", "eu": "eus", "ro": "ron"}


@configured_by(CommandOptions)
def open_apertium(name: str, argument: str, options: Mapping[str, Any]) -> ApertiumSystem:
    settings = read_options(CommandOptions, {"mode": "batch", "batch-items": 200, **options, "program": "apertium"}, f"[system.{name}]")
    if settings.mode != "batch" or settings.protocol != "lines":
        raise ConfigurationError(f'[system.{name}]: Apertium is run with mode = "batch" and protocol = "lines"')
    return ApertiumSystem(name, argument, settings)


class ApertiumSystem(CommandSystem):
    separator = "\n\n"

    def __init__(self, name: str, modes: str, options: CommandOptions) -> None:
        super().__init__(name, options)
        self._modes = tuple(m.strip() for m in modes.split(",") if m.strip())

    def signature(self) -> Signature:
        return Signature("apertium", _version(), {"modes": "+".join(self._modes) or None})

    def modes(self, direction: Direction) -> tuple[str, ...]:
        """The chain for a direction; a round trip's way back swaps and reverses the given modes."""
        if not self._modes:
            source, target = (_THREE_LETTERS.get(c, c) for c in (direction.source, direction.target))
            return (f"{source}-{target}",)
        first = self._modes[0].split("-")[0]
        if _THREE_LETTERS.get(direction.source, direction.source) == first:
            return self._modes
        return tuple("-".join(reversed(mode.split("-")[:2])) for mode in reversed(self._modes))

    def argv(self, direction: Direction) -> list[str]:
        if shutil.which("apertium") is None:
            raise SystemFailedError("there is no program 'apertium': apt-get install apertium apertium-eng-spa")
        for mode in self.modes(direction):
            if mode not in _installed_modes():
                close = nearest(mode, _installed_modes())
                remedy = f"did you mean '{close}'?" if close else f"apt-get install apertium-{mode}"
                raise ConfigurationError(f"system '{self.name}': Apertium has no mode '{mode}': {remedy}")
        chain = " | ".join(f"apertium -u {mode}" for mode in self.modes(direction))
        return ["bash", "-o", "pipefail", "-c", chain]

    def read(self, answer: str) -> Translation:
        return Translation(" ".join(answer.split()))


@cache
def _installed_modes() -> frozenset[str]:
    listed = subprocess.run(["apertium", "-l"], capture_output=True, text=True, check=False).stdout
    return frozenset(listed.split())


@cache
def _version() -> str:
    if shutil.which("apertium") is None:
        return "none"
    answer = subprocess.run(["apertium", "-V"], capture_output=True, text=True, check=False)
    return (answer.stdout + answer.stderr).strip().split("\n")[0].removeprefix("apertium ").strip() or "unknown"
