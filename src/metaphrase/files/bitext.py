"""Sentence pairs to align, as JSON Lines, and links as Pharaoh lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metaphrase.core.errors import InputError
from metaphrase.core.values import Direction
from metaphrase.files.lines import BadLine, read_json_lines
from metaphrase.text.languages import Language

__all__ = ["BitextRow", "guess_direction", "pharaoh_line", "read_bitext"]


@dataclass(frozen=True, slots=True)
class BitextRow:
    """`source` and `target` are texts, or words where the row says how it is cut."""

    id: str
    source: str | tuple[str, ...]
    target: str | tuple[str, ...]
    direction: Direction | None

    def source_words(self, language: Language) -> tuple[str, ...]:
        return _words(self.source, language)

    def target_words(self, language: Language) -> tuple[str, ...]:
        return _words(self.target, language)


def _words(text: str | tuple[str, ...], language: Language) -> tuple[str, ...]:
    return tuple(token.text for token in language.tokens(text)) if isinstance(text, str) else text


def read_bitext(path: Path | str, *, bad_line: BadLine | None = None) -> Iterator[BitextRow]:
    for line in read_json_lines(path, bad_line=bad_line):
        try:
            yield _row(line.value, str(line.number))
        except InputError as error:
            problem = InputError(f"{path}:{line.number}: {error}")
            if bad_line is None:
                raise problem from None
            bad_line(problem)


def _row(row: Mapping[str, Any], number: str) -> BitextRow:
    stated = row.get("direction")
    return BitextRow(
        str(row.get("id", number)), _side(row, "source"), _side(row, "target"), Direction.parse(str(stated)) if stated else None
    )


def _side(row: Mapping[str, Any], name: str) -> str | tuple[str, ...]:
    words, text = row.get(f"{name}_tokens"), row.get(name)
    if isinstance(words, list) and all(isinstance(w, str) for w in words):
        return tuple(words)
    if isinstance(text, str):
        return text
    raise InputError(f"a bitext row needs '{name}' (a text) or '{name}_tokens' (a list of words)")


def guess_direction(rows: Sequence[BitextRow]) -> Direction | None:
    """Chinese against Latin letters can be told apart by script (as Chinese-English); nothing else can."""
    shares = []
    for side in ("source", "target"):
        text = "".join(v if isinstance(v, str) else "".join(v) for v in (getattr(row, side) for row in rows))
        letters = [c for c in text if c.isalpha()]
        if any("\u3040" <= c <= "\u30ff" for c in letters):
            return None
        shares.append(sum("\u3400" <= c <= "\u9fff" for c in letters) / max(1, len(letters)))
    if shares[0] > 0.5 > 0.1 > shares[1]:
        return Direction("zh", "en")
    return Direction("en", "zh") if shares[1] > 0.5 > 0.1 > shares[0] else None


def pharaoh_line(links: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{i}-{j}" for i, j in links)
