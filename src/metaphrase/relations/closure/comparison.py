"""Which words of one translation have a counterpart in the other, by form alone.

Equal words in the same order come first, then equal words elsewhere, then inflections, then (where a language is
written without spaces) equal runs of characters, because a segmenter cuts the same name differently in two sentences.
What is left has to be explained by something else, or is an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from metaphrase.relations.closure.views import Text
from metaphrase.text.diff import matching_blocks
from metaphrase.text.languages import Language
from metaphrase.text.tokens import is_word

__all__ = ["Comparison", "Match", "compare"]


class Match(IntEnum):
    NONE = 0
    IN_PLACE = 1
    MOVED = 2
    INFLECTED = 3
    CHARACTERS = 4
    NUMBER = 5
    ABBREVIATION = 6


@dataclass(frozen=True, slots=True)
class Comparison:
    """For each of two texts: how each word is matched, its partner, and the share of its characters that is matched."""

    texts: tuple[Text, Text]
    matches: tuple[list[Match], list[Match]]
    partners: tuple[dict[int, int], dict[int, int]]
    covered: tuple[list[float], list[float]]

    def left_over(self, side: int) -> list[int]:
        """Words without a counterpart."""
        words = self.texts[side].words
        return [k for k, m in enumerate(self.matches[side]) if m is Match.NONE and is_word(words[k])]

    def slot(self, side: int, index: int) -> range:
        """Where, in the other text, a counterpart would stand: between the partners of the nearest words matched in place."""
        matches, partners = self.matches[side], self.partners[side]
        before = next((k for k in range(index - 1, -1, -1) if matches[k] is Match.IN_PLACE), None)
        after = next((k for k in range(index + 1, len(matches)) if matches[k] is Match.IN_PLACE), None)
        start = 0 if before is None else partners[before] + 1
        end = len(self.texts[1 - side]) if after is None else partners[after]
        return range(start, end)


def compare(left: Text, right: Text, language: Language) -> Comparison:
    matches = ([Match.NONE] * len(left), [Match.NONE] * len(right))
    partners: tuple[dict[int, int], dict[int, int]] = ({}, {})

    def link(i: int, j: int, kind: Match) -> None:
        matches[0][i] = matches[1][j] = kind
        partners[0][i], partners[1][j] = j, i

    for block in matching_blocks(left.words, right.words):
        for k in range(block.size):
            link(block.left + k, block.right + k, Match.IN_PLACE)

    def pair_off(form: Callable[[str], str], kind: Match) -> None:
        places: dict[str, list[int]] = {}
        for j, word in enumerate(right.words):
            if matches[1][j] is Match.NONE:
                places.setdefault(form(word), []).append(j)
        for i, word in enumerate(left.words):
            found = places.get(form(word)) if matches[0][i] is Match.NONE else None
            if found:
                nearest = min(found, key=lambda j: abs(j * len(left) - i * len(right)))
                found.remove(nearest)
                link(i, nearest, kind)

    pair_off(lambda word: word.replace(".", ""), Match.MOVED)
    pair_off(language.lemma, Match.INFLECTED)
    if any(matches[0][i] is Match.NONE and language.number_of(w) is not None for i, w in enumerate(left.words)):
        _match_numbers((left, right), matches, language)
    _match_abbreviations((left, right), matches)
    covered = ([float(m is not Match.NONE) for m in matches[0]], [float(m is not Match.NONE) for m in matches[1]])
    if language.compares_by_character:
        _match_characters((left, right), matches, covered)
    return Comparison((left, right), matches, partners, covered)


def _match_numbers(texts: tuple[Text, Text], matches: tuple[list[Match], list[Match]], language: Language) -> None:
    """Numbers of the same value, however they are written."""
    found = [{(q.value, q.percent): q for q in language.quantities(text.text)} for text in texts]
    for key in found[0].keys() & found[1].keys():
        for side, text in enumerate(texts):
            quantity = found[side][key]
            for k, token in enumerate(text.tokens):
                if matches[side][k] is Match.NONE and quantity.start <= token.start and token.end <= quantity.end:
                    matches[side][k] = Match.NUMBER


def _match_abbreviations(texts: tuple[Text, Text], matches: tuple[list[Match], list[Match]]) -> None:
    """Such as "UN" and "United Nations": capitals that are the initials of as many capitalised words in a row."""
    for side in (0, 1):
        for k, token in enumerate(texts[side].tokens):
            letters = token.text.replace(".", "")
            if matches[side][k] is not Match.NONE or not 2 <= len(letters) <= 6 or not (letters.isascii() and letters.isupper()):
                continue
            others = texts[1 - side].tokens
            for first in range(len(others) - len(letters) + 1):
                row = range(first, first + len(letters))
                free = all(matches[1 - side][j] is Match.NONE for j in row)
                if free and all(others[j].text[:1] == c for j, c in zip(row, letters, strict=True)):
                    matches[side][k] = Match.ABBREVIATION
                    for j in row:
                        matches[1 - side][j] = Match.ABBREVIATION
                    break


def _match_characters(texts: tuple[Text, Text], matches: tuple[list[Match], list[Match]], covered: tuple[list[float], list[float]]) -> None:
    """Runs of left-over characters, longest first; single characters count in order only."""
    runs: list[list[tuple[str, int]]] = []
    for side, text in enumerate(texts):
        run: list[tuple[str, int]] = []
        for k, word in enumerate(text.words):
            free = matches[side][k] is Match.NONE and is_word(word)
            run += [(c, k) for c in word] if free else [(f"\0{side}", k)]
        runs.append(run)
    forms = [[c for c, _ in run] for run in runs]
    hits: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
    for shortest in (1, 2, 2):
        blocks = [b for b in matching_blocks(forms[0], forms[1]) if b.size >= shortest]
        for block in blocks:
            for side, first in ((0, block.left), (1, block.right)):
                for k in range(first, first + block.size):
                    hits[side][runs[side][k][1]] += 1
                    forms[side][k] = f"\1{side}"  # taken
        if not blocks:
            break
    for side, text in enumerate(texts):
        for k, count in hits[side].items():
            covered[side][k] = min(1.0, count / len(text.words[k]))
            if covered[side][k] >= 1:
                matches[side][k] = Match.CHARACTERS
