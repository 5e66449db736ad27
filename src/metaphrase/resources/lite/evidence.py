"""What speaks for a link between two words before anything is counted: dictionary, numbers, names, marks.

Evidence is a dict of matrices, source words by target words, with the names in `EVIDENCE`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from metaphrase.core.errors import InputError
from metaphrase.resources.lite.cedict import cedict
from metaphrase.resources.lite.names import bare_letters, likeness
from metaphrase.text.languages import Language, language
from metaphrase.text.normalise import fold
from metaphrase.text.tokens import is_word

__all__ = [
    "EVIDENCE",
    "ChineseEnglishEvidence",
    "EvidenceSource",
    "GeneralEvidence",
    "GlossaryEvidence",
    "Matrix",
    "read_glossary",
    "strength",
]

Matrix = NDArray[np.float64]
EVIDENCE = ("exact", "stem", "piece", "piece-stem", "number", "mark", "same", "sound", "phrase", "profile", "profile-best")

_MARKS = {
    "，": ",",
    "。": ".",
    "、": ",",
    "；": ";",
    "：": ":",
    "？": "?",
    "！": "!",
    "（": "(",
    "）": ")",
    "《": '"',
    "》": '"',
    "``": '"',
}
_MARKS |= {"''": '"', "--": "-", "¿": "?", "¡": "!"}
# A name is looked for only where the dictionary says less than this.
_KNOWN = 0.5
_ALIKE = 0.45


class EvidenceSource(Protocol):
    def matrices(self, source: Sequence[str], target: Sequence[str]) -> dict[str, Matrix]: ...


def strength(evidence: Mapping[str, Matrix]) -> Matrix:
    """One number for all evidence of a pair of words: how surely one is a listed translation of the other."""
    combined: Matrix = np.maximum.reduce(
        [
            evidence["exact"],
            0.8 * evidence["stem"],
            evidence["piece"],
            0.6 * evidence["piece-stem"],
            evidence["number"],
            evidence["mark"],
            evidence["same"],
            0.75 * evidence["sound"],
            0.75 * evidence["profile"],
        ]
    )
    return combined


def _mark(word: str) -> str:
    return _MARKS.get(word, fold(word))


def _shared_by_all(evidence: dict[str, Matrix], source: Sequence[str], target: Sequence[str], languages: tuple[Language, Language]) -> None:
    """Marks, equal strings and equal numbers: the same for every pair of languages."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    numbers: defaultdict[object, list[int]] = defaultdict(list)
    for j, word in enumerate(target):
        places[_mark(word)].append(j)
        value = languages[1].number_of(word) if is_word(word) else None
        if value is not None:
            numbers[value].append(j)
    for i, word in enumerate(source):
        kind = "same" if is_word(word) else "mark"
        evidence[kind][i, places.get(_mark(word), [])] = 1.0
        value = languages[0].number_of(word) if kind == "same" else None
        if value is not None:
            evidence["number"][i, numbers.get(value, [])] = 1.0


class ChineseEnglishEvidence:
    """CC-CEDICT both ways; the source is Chinese."""

    def __init__(self) -> None:
        self._chinese, self._english = language("zh"), language("en")
        self._dictionary = cedict()

    def matrices(self, source: Sequence[str], target: Sequence[str]) -> dict[str, Matrix]:
        evidence = {name: np.zeros((len(source), len(target))) for name in EVIDENCE}
        _shared_by_all(evidence, source, target, (self._chinese, self._english))
        lemmas = [self._english.lemma(w) if is_word(w) else "" for w in target]
        self._look_up(evidence, source, lemmas)
        self._characters(evidence, source, target, lemmas)
        self._names(evidence, source, target)
        return evidence

    def _look_up(self, evidence: dict[str, Matrix], source: Sequence[str], lemmas: Sequence[str]) -> None:
        places: defaultdict[str, list[int]] = defaultdict(list)
        for j, lemma in enumerate(lemmas):
            if lemma:
                places[self._english.stem(lemma)].append(j)
        present = set(lemmas)
        for i, word in enumerate(source):
            if not is_word(word):
                continue
            whole, parts = self._dictionary.renderings(word), self._dictionary.renderings_of_pieces(word)
            phrases = {lemma for gloss in whole.whole if present.issuperset(gloss) for lemma in gloss}
            for stem in places.keys() & whole.by_stem.keys():
                for j in places[stem]:
                    evidence["stem"][i, j] = whole.by_stem[stem]
                    evidence["exact"][i, j] = whole.by_lemma.get(lemmas[j], 0.0)
                    if lemmas[j] in phrases:
                        evidence["phrase"][i, j] = 1.0
            for stem in places.keys() & parts.by_stem.keys():
                for j in places[stem]:
                    evidence["piece-stem"][i, j] = parts.by_stem[stem]
                    evidence["piece"][i, j] = parts.by_lemma.get(lemmas[j], 0.0)

    def _characters(self, evidence: dict[str, Matrix], source: Sequence[str], target: Sequence[str], lemmas: Sequence[str]) -> None:
        """How many of a word's characters stand in other Chinese renderings of the English word."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for i, word in enumerate(source):
            if is_word(word):
                for character in word:
                    places[character].append(i)
        lengths = np.array([max(1, len(w)) for w in source], float)
        mean, best = evidence["profile"], evidence["profile-best"]
        for j, lemma in enumerate(lemmas):
            if not lemma or self._english.is_stop(target[j]):
                continue
            profile = self._dictionary.character_profile(lemma)
            for character in places.keys() & profile.keys():
                share = profile[character]
                for i in places[character]:
                    mean[i, j] += share / lengths[i]
                    best[i, j] = max(best[i, j], share)

    def _names(self, evidence: dict[str, Matrix], source: Sequence[str], target: Sequence[str]) -> None:
        known = np.maximum.reduce([evidence[k] for k in ("exact", "stem", "piece", "piece-stem", "number")])
        rows = [i for i, w in enumerate(source) if self._chinese.is_content(w) and known[i].max(initial=0.0) < _KNOWN]
        columns = [
            j
            for j, w in enumerate(target)
            if len(w) > 1 and w[0].isalpha() and known[:, j].max(initial=0.0) < _KNOWN and self._english.is_content(w)
        ]
        for i in rows:
            sound = self._dictionary.pinyin(source[i])
            for j in columns:
                alike = likeness(sound, fold(target[j]))
                if alike > _ALIKE:
                    evidence["sound"][i, j] = alike


class GeneralEvidence:
    """Any two languages: equal strings, numbers, words that are spelled or sound alike."""

    def __init__(self, source: Language, target: Language) -> None:
        self._languages = (source, target)

    def matrices(self, source: Sequence[str], target: Sequence[str]) -> dict[str, Matrix]:
        evidence = {name: np.zeros((len(source), len(target))) for name in EVIDENCE}
        _shared_by_all(evidence, source, target, self._languages)
        lemmas = [[self._languages[s].lemma(w) for w in words] for s, words in enumerate((source, target))]
        content = [
            [j for j, w in enumerate(words) if len(w) > 2 and self._languages[s].is_content(w)] for s, words in enumerate((source, target))
        ]
        for i in content[0]:
            for j in content[1]:
                alike = cognate(lemmas[0][i], lemmas[1][j])
                evidence["stem"][i, j] = alike
                if alike == 0.0 and source[i][0].isupper() and target[j][0].isupper():
                    sounds = likeness(source[i], target[j])
                    evidence["sound"][i, j] = sounds if sounds > 0.6 else 0.0
        return evidence


class GlossaryEvidence:
    """A user's glossary on top of other evidence."""

    def __init__(self, base: EvidenceSource, glossary: Mapping[str, Mapping[str, float]], source: Language, target: Language) -> None:
        self._base = base
        self._glossary = glossary
        self._languages = (source, target)

    def matrices(self, source: Sequence[str], target: Sequence[str]) -> dict[str, Matrix]:
        evidence = self._base.matrices(source, target)
        lemmas = [self._languages[1].lemma(w) for w in target]
        for i, word in enumerate(source):
            listed = self._glossary.get(self._languages[0].lemma(word))
            if listed:
                evidence["exact"][i] = np.maximum(evidence["exact"][i], [listed.get(lemma, 0.0) for lemma in lemmas])
                evidence["stem"][i] = np.maximum(evidence["stem"][i], evidence["exact"][i])
        return evidence


def cognate(a: str, b: str) -> float:
    """How much of two spellings agrees; short agreements are chance."""
    left, right = bare_letters(a), bare_letters(b)
    if left[:1] != right[:1] and left[1:3] != right[1:3]:
        return 0.0
    alike = Levenshtein.normalized_similarity(left, right)
    prefix = next((k for k, (x, y) in enumerate(zip(left, right, strict=False)) if x != y), min(len(left), len(right)))
    alike = max(alike, 0.55 + 0.08 * (prefix - 4) if prefix >= 4 else 0.0)
    return min(1.0, alike) if alike >= 0.55 else 0.0


def read_glossary(path: Path, source: Language, target: Language, *, swapped: bool = False) -> dict[str, dict[str, float]]:
    """A tab-separated file: source term, target term; further columns are ignored. Terms of n words give their words 1/n.

    `swapped`: the file's columns are the other way round than `source` and `target`.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot read the glossary: {error}") from error
    glossary: dict[str, dict[str, float]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) < 2 or not cells[0].strip() or not cells[1].strip():
            raise InputError(f"{path}:{number}: a glossary line is 'source term<TAB>target term'")
        terms = (cells[1], cells[0]) if swapped else (cells[0], cells[1])
        left = [source.lemma(t.text) for t in source.tokens(terms[0]) if is_word(t.text)]
        right = [target.lemma(t.text) for t in target.tokens(terms[1]) if is_word(t.text)]
        for a in left:
            for b in right:
                listed = glossary.setdefault(a, {})
                listed[b] = max(listed.get(b, 0.0), 1 / max(len(left), len(right)))
    return glossary
