"""Translations that were made before: a JSON Lines file of {"text", "translation"} rows, optionally with "direction"."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from metaphrase.core.errors import ConfigurationError, InputError, SystemFailedError
from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, Translation
from metaphrase.files.lines import read_json_lines
from metaphrase.systems.base import Limits

__all__ = ["RecordedSystem", "open_recorded"]


class RecordedOptions(Options):
    file: str = ""


@configured_by(RecordedOptions)
def open_recorded(name: str, argument: str, options: Mapping[str, Any]) -> RecordedSystem:
    settings = read_options(RecordedOptions, {**options, **({"file": argument} if argument else {})}, f"[system.{name}]")
    if not settings.file:
        raise ConfigurationError(f"system '{name}': no file given; write 'recorded:FILE' or set file in [system.{name}]")
    return RecordedSystem(name, Path(settings.file))


class RecordedSystem:
    """Answers from a file. A text that is not in it is a failure that says how many are missing and which."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.limits = Limits(items=5_000, characters=10**9)
        # Where each row begins, by the hash of its direction and text: a recording may be larger than memory.
        self._places: dict[int, int] = {}
        digest = hashlib.sha256()
        for line in read_json_lines(path):
            row = line.value
            if not isinstance(row.get("text"), str) or not isinstance(row.get("translation"), str):
                raise InputError(f"{path}:{line.number}: a recorded row needs the strings 'text' and 'translation'")
            direction = str(row.get("direction", ""))
            self._places[hash((direction, row["text"]))] = line.offset
            digest.update(f"{direction}\0{row['text']}\0{row['translation']}\0".encode("utf-8", "surrogatepass"))
        self._digest = digest.hexdigest()[:12]

    def signature(self) -> Signature:
        return Signature("recorded", "1", {"file": self.path.name, "content": self._digest})

    def _look_up(self, texts: Sequence[str], direction: Direction) -> list[Translation | None]:
        with self.path.open("rb") as stream:
            return [_answer(stream, self._places, text, str(direction)) or _answer(stream, self._places, text, "") for text in texts]

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        found = self._look_up(texts, direction)
        missing = [text for text, answer in zip(texts, found, strict=True) if answer is None]
        if missing and len(missing) == len(texts):
            shown = "; ".join(f"'{text[:60]}'" for text in missing[:3])
            raise SystemFailedError(
                f"{self.path}: none of the {len(missing)} texts asked for ({direction}) is recorded: {shown}"
                f"{' ...' if len(missing) > 3 else ''}; record them first, or check --from and --to"
            )
        failure = f"not recorded in {self.path.name}"
        return [answer or Translation(None, failure=failure) for answer in found]

    def close(self) -> None:
        """Nothing is open."""


def _answer(stream: IO[bytes], places: Mapping[int, int], text: str, direction: str) -> Translation | None:
    place = places.get(hash((direction, text)))
    if place is None:
        return None
    stream.seek(place)
    row = json.loads(stream.readline())
    if (str(row.get("direction", "")), row["text"]) != (direction, text):
        return None  # another text with the same hash
    score = row.get("score")
    return Translation(row["translation"], score=float(score) if score is not None else None)
