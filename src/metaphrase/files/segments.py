"""Segments in: plain text, CSV, TSV, JSON Lines, standard input, localisation files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from metaphrase.core.errors import InputError, nearest
from metaphrase.core.values import Origin, Segment
from metaphrase.files.lines import read_json_lines, read_lines
from metaphrase.files.localisation import FORMATS, read_units
from metaphrase.text.languages import language

__all__ = ["SegmentFormat", "SegmentReader", "Tally"]

_BY_EXTENSION = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".xlf": "xliff", ".xliff": "xliff", ".tmx": "tmx", ".po": "po", ".pot": "po",
}  # fmt: skip
_TEXT_KEYS = ("text", "source", "sentence")


@dataclass(frozen=True, slots=True)
class SegmentFormat:
    """How to read files: `column` names the CSV column or JSON key; `kind` overrides the file extension."""

    column: str | None = None
    encoding: str = "utf-8"
    max_tokens: int = 400
    skip_bad_lines: bool = False
    kind: str | None = None


@dataclass(slots=True)
class Tally:
    """What was read and what was left out, for the summary."""

    read: int = 0
    empty: int = 0
    duplicate: int = 0
    too_long: int = 0
    unreadable: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "read": self.read,
            "empty": self.empty,
            "duplicate": self.duplicate,
            "too_long": self.too_long,
            "unreadable": len(self.unreadable),
        }


class SegmentReader:
    """Reads sources one after the other, in a stream; `tally` counts while it goes."""

    def __init__(self, sources: Sequence[Path | str], code: str, form: SegmentFormat | None = None) -> None:
        self._sources = sources
        self._language = language(code)
        self._form = form or SegmentFormat()
        self.tally = Tally()

    def count(self) -> int:
        """Read everything once: how many segments there are. Raises for what cannot be read, before anything is done with the rest."""
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Segment]:
        self.tally = Tally()
        texts: set[int] = set()
        ids: set[str] = set()
        for source in self._sources:
            name = self._name(source)
            for number, text, extra in self._rows(source):
                text = text.strip()
                if not text:
                    self.tally.empty += 1
                elif hash(text) in texts:
                    self.tally.duplicate += 1
                # Counting tokens costs; a text with fewer characters cannot have more tokens.
                elif len(text) > self._form.max_tokens and len(self._language.tokens(text)) > self._form.max_tokens:
                    self.tally.too_long += 1
                else:
                    texts.add(hash(text))
                    self.tally.read += 1
                    identity = str(extra.get("id", ""))
                    if not identity or identity in ids:
                        identity = f"{name}:{number}"
                    else:
                        ids.add(identity)
                    yield Segment(identity, text, self._language.code, Origin(str(source), number), MappingProxyType(extra))

    def _name(self, source: Path | str) -> str:
        """For ids: the file's name, or its path where two files have the same name."""
        if str(source) == "-":
            return "stdin"
        names = [Path(s).name for s in self._sources]
        return Path(source).name if names.count(Path(source).name) == 1 else str(source)

    def _rows(self, source: Path | str) -> Iterator[tuple[int, str, dict[str, Any]]]:
        kind = self._form.kind or _BY_EXTENSION.get(Path(source).suffix.lower(), "text")
        if kind in ("csv", "tsv"):
            yield from self._from_table(source, "," if kind == "csv" else "\t")
        elif kind == "jsonl":
            yield from self._from_json(source)
        elif kind == "text":
            for line in read_lines(source, encoding=self._form.encoding, bad_line=self._bad_line):
                yield line.number, line.text, {}
        elif kind in FORMATS:
            for unit in read_units(source, kind, self._language.code):
                yield unit.line, unit.text, {"id": unit.id} if unit.id else {}
        else:
            raise InputError(f"there is no input format '{kind}': use text, csv, tsv, jsonl, {', '.join(FORMATS)}")

    def _from_table(self, source: Path | str, delimiter: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
        lines: Iterable[str] = (line.text for line in read_lines(source, encoding=self._form.encoding, bad_line=self._bad_line))
        reader = csv.reader((text + "\n" for text in lines), delimiter=delimiter)
        try:
            header = next(reader, [])
            column = _choose(self._form.column, header, f"{source}:1", "column")
            for row in reader:
                if len(row) == len(header):
                    cells = dict(zip(header, row, strict=True))
                    yield reader.line_num, cells.pop(column), cells
                elif row:
                    self._report(InputError(f"{source}:{reader.line_num}: {len(row)} cells where the header has {len(header)}"))
        except csv.Error as error:
            raise InputError(f"{source}:{reader.line_num}: {error}") from None

    def _from_json(self, source: Path | str) -> Iterator[tuple[int, str, dict[str, Any]]]:
        for line in read_json_lines(source, bad_line=self._bad_line):
            key = _choose(self._form.column, list(line.value), f"{source}:{line.number}", "key")
            value = dict(line.value)
            text = value.pop(key)
            if isinstance(text, str):
                yield line.number, text, value
            else:
                self._report(InputError(f"{source}:{line.number}: '{key}' is not a string"))

    @property
    def _bad_line(self) -> Any:
        return self._report if self._form.skip_bad_lines else None

    def _report(self, problem: InputError) -> None:
        if not self._form.skip_bad_lines:
            raise InputError(f"{problem}; correct it, or leave such lines out with --skip-bad-lines")
        self.tally.unreadable.append(str(problem))


def _choose(wanted: str | None, present: Sequence[str], where: str, noun: str) -> str:
    if wanted is not None:
        if wanted in present:
            return wanted
        close = nearest(wanted, present)
        raise InputError(
            f"{where}: there is no {noun} '{wanted}'" + (f", did you mean '{close}'?" if close else f"; there are: {', '.join(present)}")
        )
    for key in _TEXT_KEYS:
        if key in present:
            return key
    if noun == "column" and len(present) == 1:
        return present[0]
    raise InputError(f"{where}: which {noun} holds the sentences? Name it with --column; there are: {', '.join(present) or 'none'}")
