"""Reads WordNet's database files, as far as the similar-words table needs them (build time only)."""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

_FOLDER = "net/sf/extjwnl/data/wordnet/wn31/"
_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_SENSE_KINDS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


@dataclass(frozen=True)
class Synset:
    part: str
    offset: str


@dataclass(frozen=True)
class Pointer:
    symbol: str
    target: Synset
    source_word: int  # 0: the whole synset
    target_word: int


@dataclass(frozen=True)
class Entry:
    field: int  # the lexicographer's file: food, animal, person ...
    words: tuple[str, ...]
    pointers: tuple[Pointer, ...]


class WordNet:
    def __init__(self, jar: Path) -> None:
        self.entries: dict[Synset, Entry] = {}
        self.senses: dict[tuple[str, str], list[Synset]] = defaultdict(list)
        self._sense_counts: dict[tuple[str, str, str], int] = {}
        self._counts: dict[tuple[str, str], int] = defaultdict(int)
        with zipfile.ZipFile(jar) as archive:
            for part, name in _FILES.items():
                for line in self._lines(archive, f"data.{name}"):
                    self._read_entry(part, line.split("|")[0].split())
                for line in self._lines(archive, f"index.{name}"):
                    fields = line.split()
                    self.senses[part, fields[0]] = [Synset(part, o) for o in fields[-int(fields[2]) :]]
            for line in self._lines(archive, "index.sense"):
                key, offset, _, count = line.split()
                lemma, _, rest = key.partition("%")
                part = _SENSE_KINDS[rest[0]]
                self._sense_counts[part, lemma, offset] = int(count)
                self._counts[part, lemma] += int(count)

    @staticmethod
    def _lines(archive: zipfile.ZipFile, name: str) -> list[str]:
        return [line for line in archive.read(_FOLDER + name).decode().splitlines() if line and not line.startswith("  ")]

    def _read_entry(self, part: str, fields: list[str]) -> None:
        count = int(fields[3], 16)
        words = tuple(re.sub(r"\(.*\)", "", fields[4 + 2 * i]) for i in range(count))
        base = 4 + 2 * count
        pointers = []
        for i in range(int(fields[base])):
            symbol, offset, kind, ends = fields[base + 1 + 4 * i : base + 5 + 4 * i]
            pointers.append(Pointer(symbol, Synset("a" if kind == "s" else kind, offset), int(ends[:2], 16), int(ends[2:], 16)))
        self.entries[Synset(part, fields[0])] = Entry(int(fields[1]), words, tuple(pointers))

    def share_of_part(self, part: str, lemma: str) -> float:
        """How much of a lemma's use is this part of speech, by WordNet's counts."""
        if (part, lemma) not in self.senses:
            return 0.0
        total = sum(self._counts[p, lemma] + 0.5 for p in _FILES if (p, lemma) in self.senses)
        return (self._counts[part, lemma] + 0.5) / total

    def shares_of_senses(self, part: str, lemma: str) -> dict[Synset, float]:
        weights = {
            sense: self._sense_counts.get((part, lemma, sense.offset), 0) + (1.0 if i == 0 else 0.3)
            for i, sense in enumerate(self.senses.get((part, lemma), []))
        }
        return {sense: weight / sum(weights.values()) for sense, weight in weights.items()}

    def linked(self, sense: Synset, *symbols: str) -> list[Synset]:
        return [p.target for p in self.entries[sense].pointers if p.symbol in symbols]

    def above(self, sense: Synset) -> set[Synset]:
        found: set[Synset] = set()
        waiting = [sense]
        while waiting:
            for higher in self.linked(waiting.pop(), "@", "@i"):
                if higher not in found:
                    found.add(higher)
                    waiting.append(higher)
        return found

    def antonyms(self, sense: Synset, lemma: str) -> list[str]:
        entry = self.entries[sense]
        own = [i + 1 for i, w in enumerate(entry.words) if w.lower() == lemma]
        return [
            self.entries[p.target].words[p.target_word - 1]
            for p in entry.pointers
            if p.symbol == "!" and p.source_word in own and p.target_word
        ]
