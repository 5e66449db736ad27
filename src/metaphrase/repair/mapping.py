"""Mapping a replaced word back: from a variant's translation to a translation of the text itself.

Two places are needed: where the variant's translation speaks of the replacing word, and where the text's own translation
speaks of the word that stands there. What changes between translations of texts that differ in that word only shows it best; a word
alignment is asked where that is not plain. Places that are not contiguous, or on which the two disagree, are given up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metaphrase.repair.guards import left_untranslated
from metaphrase.repair.values import Replaced, Variant
from metaphrase.resources.protocols import Aligner, TokenPair
from metaphrase.text.diff import Change, changes
from metaphrase.text.languages import Language
from metaphrase.text.normalise import fold
from metaphrase.text.tokens import Token, is_word

__all__ = ["Mapped", "Mapper", "Place", "patch"]

# A word's translation that is longer than this is a phrase that something else took part in.
_LONGEST = 3

_DISAGREE = "the alignment and the changed words disagree"

Place = tuple[int, int]  # token positions [start, end)


@dataclass(frozen=True, slots=True)
class Mapped:
    """A candidate text, and the piece that was put back into it."""

    text: str
    word: str
    replaces: str
    untranslated: bool = False


class Mapper:
    """Maps variants of one text back. Alignments are made when they are needed, in one batch with all variants."""

    def __init__(
        self,
        source: Language,
        target: Language,
        aligner: Aligner,
        text: str,
        translation: str,
        variants: Sequence[Variant],
        places: Mapping[str, Place],
    ) -> None:
        self._known_places = places
        self._source = source
        self._target = target
        self._aligner = aligner
        self._text = text
        self._translation = translation
        self._variants = variants
        self._tokens = target.tokens(translation)
        self._words = [t.text for t in self._tokens]
        self._variant_tokens = [target.tokens(v.translation) for v in variants]
        self._changes = [changes(self._words, [t.text for t in tokens]) for tokens in self._variant_tokens]
        self._aligned: list[dict[int, list[int]]] | None = None
        self._places: dict[tuple[int, int], Place | str] = {}

    def words(self, number: int) -> list[str]:
        return [t.text for t in self._variant_tokens[number]]

    def changes(self, number: int) -> list[Change]:
        return self._changes[number]

    def teaches(self, number: int, *, lost_word: bool = False) -> bool:
        """Whether a variant's translation differs in more than the replaced word.

        Where a word was lost (`lost_word`), also if it differs in one place but says more there.
        """
        found = self._changes[number]
        return len(found) > 1 or (lost_word and len(found) == 1 and _size(found[0])[1] > _size(found[0])[0])

    def map_back(self, number: int, *, lost_word: bool = False) -> Mapped | str:
        """The text that a variant supports, or why it cannot be had."""
        variant = self._variants[number]
        if not self.teaches(number, lost_word=lost_word):
            return "its translation differs in the replaced word only"
        here = self.place(variant.replaced)
        if isinstance(here, str):
            return here
        there = self._place_in(number, here)
        if isinstance(there, str):
            return there
        tokens = self._variant_tokens[number]
        start, end = tokens[there[0]].start, tokens[there[1] - 1].end
        own = self._translation[self._tokens[here[0]].start : self._tokens[here[1] - 1].end]
        piece = variant.translation[start:end]
        if here[0] == 0 and there[0] and piece[:1].islower():  # own stood at the start of its sentence
            own = own[:1].lower() + own[1:]
        word = self._text[variant.replaced.start : variant.replaced.end]
        untranslated = fold(own) in left_untranslated(word, self._translation, (self._source, self._target))
        return Mapped(patch(variant.translation, start, end, own), own, piece, untranslated)

    def place(self, replaced: Replaced) -> Place | str:
        """Where the text's translation speaks of the word at these characters."""
        key = (replaced.start, replaced.end)
        if key not in self._places:
            self._places[key] = self._find_place(replaced)
        return self._places[key]

    def _find_place(self, replaced: Replaced) -> Place | str:
        copied = _copied(self._text[replaced.start : replaced.end], self._words)
        if copied is not None:
            return copied
        same = [found for v, found in zip(self._variants, self._changes, strict=True) if _same_word(v.replaced, replaced)]
        by_contrast = Counter((f[0].left_start, f[0].left_end) for f in same if len(f) == 1 and _size(f[0]) != (0, 0))
        if by_contrast:
            best = by_contrast.most_common(2)
            if len(best) == 2 and best[0][1] == best[1][1]:
                return "variants disagree on where the replaced word is translated"
            start, end = best[0][0]
            return (start, end) if 0 < end - start <= _LONGEST else "the replaced word is translated by a phrase"
        only = {self._only_changed(self._words, self.words(i)) for i, v in enumerate(self._variants) if _same_word(v.replaced, replaced)}
        links = self._alignment(None, replaced.start, replaced.end)
        if len(only) == 1 and (place := only.pop()) is not None:
            return place if not links or place[0] in links else _DISAGREE
        changed = {i for f in same for c in f for i in range(c.left_start, c.left_end)}
        return _contiguous([i for i in links if i in changed], self._words, "the replaced word")

    def _place_in(self, number: int, here: Place) -> Place | str:
        """Where a variant's translation speaks of the replacing word."""
        variant, found = self._variants[number], self._changes[number]
        words = self.words(number)
        copied = _copied(variant.text[variant.replaced.other_start : variant.replaced.other_end], words)
        if copied is not None:
            return copied
        if variant.text in self._known_places:
            return self._known_places[variant.text]
        only = self._only_changed(words, self._words)
        if only is not None:
            # Beside an untranslated word every other content word stays: what changed is the word. Else the alignment must not contradict.
            own = _copied(self._text[variant.replaced.start : variant.replaced.end], self._words)
            links = self._alignment(number, variant.replaced.other_start, variant.replaced.other_end) if own is None else []
            return only if not links or only[0] in links else _DISAGREE
        around = next((c for c in found if c.left_start <= here[0] and here[1] <= c.left_end), None)
        if around is None:
            return "the replaced word's translation did not change"
        if (around.left_start, around.left_end) == here and _size(around) == (1, 1):
            return around.right_start, around.right_end
        links = self._alignment(number, variant.replaced.other_start, variant.replaced.other_end)
        inside = [i for i in links if around.right_start <= i < around.right_end]
        if len(inside) < len(links):
            return "the words aligned with the replacing word stand elsewhere"
        return _contiguous(inside, words, "the replacing word")

    def _only_changed(self, words: Sequence[str], others: Sequence[str]) -> Place | None:
        """The one content word that the other translation has nowhere, in no form; None if there are several, or if it stands there twice."""
        there = {form for word in others for form in self._forms(word)}
        found = [i for i, word in enumerate(words) if self._target.is_content(word) and there.isdisjoint(self._forms(word))]
        return (found[0], found[0] + 1) if len(found) == 1 else None

    def _forms(self, word: str) -> set[str]:
        return {fold(word), *self._target.forms(word)}

    def _alignment(self, number: int | None, start: int, end: int) -> list[int]:
        """Target positions linked to the source words at these characters; `number` is a variant, None the text itself."""
        if self._aligned is None:
            texts = [self._text, *(v.text for v in self._variants)]
            targets: list[Sequence[Token]] = [self._tokens, *self._variant_tokens]
            pairs = [TokenPair(tuple(t.text for t in self._source.tokens(a)), tuple(t.text for t in b)) for a, b in zip(texts, targets, strict=True)]  # fmt: skip
            self._aligned = []
            for alignment in self._aligner.align(pairs):
                links: dict[int, list[int]] = {}
                for link in alignment.links:
                    links.setdefault(link.source, []).append(link.target)
                self._aligned.append(links)
        text = self._text if number is None else self._variants[number].text
        links = self._aligned[0 if number is None else number + 1]
        inside = [i for i, t in enumerate(self._source.tokens(text)) if t.start < end and start < t.end]
        return sorted({target for i in inside for target in links.get(i, ())})


def _copied(word: str, words: Sequence[str]) -> Place | None:
    """Where a word stands untranslated, if it does so once."""
    found = [i for i, other in enumerate(words) if fold(other) == fold(word)]
    return (found[0], found[0] + 1) if len(found) == 1 else None


def _size(change: Change) -> tuple[int, int]:
    return change.left_end - change.left_start, change.right_end - change.right_start


def _same_word(a: Replaced, b: Replaced) -> bool:
    return (a.start, a.end) == (b.start, b.end)


def _contiguous(positions: Sequence[int], words: Sequence[str], what: str) -> Place | str:
    if not positions:
        return f"no word of the translation is aligned with {what}"
    first, last = positions[0], positions[-1]
    if last - first + 1 != len(positions):
        return f"the words aligned with {what} are not contiguous"
    if len(positions) > _LONGEST:
        return f"too many words are aligned with {what}"
    place = [w for w in words[first : last + 1] if is_word(w)]
    if not place:
        return f"only punctuation is aligned with {what}"
    if any(tuple(words[i : i + len(positions)]) == tuple(words[first : last + 1]) for i in range(len(words)) if i != first):
        return f"the translation has the words aligned with {what} twice"
    return first, last + 1


def patch(text: str, start: int, end: int, piece: str) -> str:
    """text[start:end] replaced; a capital at the start of the text stays, and no double space is left."""
    if start == 0 and piece and text[:1].isupper():
        piece = piece[:1].upper() + piece[1:]
    if not piece and start and text[start - 1] == " ":
        start -= 1
    elif not piece and text[end : end + 1] == " ":
        end += 1
    return text[:start] + piece + text[end:]
