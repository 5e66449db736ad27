"""Purity's relation: the words of a phrase's translation must be among those of its container's.

Distance = |bag(T(phrase)) minus bag(T(container))|, a multiset difference; a violation is a distance above `d`.
The same holds the other way round for cases whose source is the phrase (adjunct insertion).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from metaphrase.core.options import Options, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, MetamorphicCase, Severity, Span, Verdict
from metaphrase.relations.verdicts import holds, not_applicable, violated
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import Language, language
from metaphrase.text.tokens import Token, is_word

__all__ = ["BagOfWords", "BagOfWordsOptions", "make"]

_LATIN_WORD = re.compile(r"[a-z]{2,}")
_UNIT = re.compile(r"[A-Za-z]+|\d+(?:[.,]\d+)*|\S")


class BagOfWordsOptions(Options):
    """`d`: the distance that is still fine. `major_distance`: from here on the finding counts as major.

    `skip_latin` passes over translations that keep Latin words where the language is compared by character, as the
    paper's released code does; by default such a word is one unit.
    """

    d: int = 1
    major_distance: int = 2
    skip_latin: bool = False


def make(resources: Resources, options: Mapping[str, Any]) -> BagOfWords:
    return BagOfWords(read_options(BagOfWordsOptions, options, "[relation.bag-of-words]"))


class BagOfWords:
    name = "bag-of-words"

    def __init__(self, options: BagOfWordsOptions) -> None:
        self._options = options

    def signature(self) -> Signature:
        return Signature(self.name, "1", self._options.model_dump())

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        return [self._judge(case) for case in cases]

    def _judge(self, case: Case) -> Verdict:
        if not isinstance(case, MetamorphicCase) or case.source_translation is None or case.followup_translation is None:
            return not_applicable(case, self, "needs a metamorphic case with both translations")
        target = language(case.direction.target)
        fields = [("source_translation", case.source_translation), ("followup_translation", case.followup_translation)]
        if len(case.followup) < len(case.source):
            fields.reverse()  # the shorter text is the phrase
        (inner_field, inner), (_, outer) = fields
        if self._options.skip_latin and target.compares_by_character and (_LATIN_WORD.search(inner) or _LATIN_WORD.search(outer)):
            return not_applicable(case, self, "a translation keeps Latin letters, which a bag of characters cannot compare")
        extra = _surplus(units(inner, target), units(outer, target), target)
        distance = len(extra)
        score = distance / (distance + 2)  # order only: 0 at no distance, towards 1
        spans = tuple(Span(inner_field, t.start, t.end, inner[t.start : t.end]) for t in _joined(extra, inner))
        if distance <= self._options.d:
            return holds(case, self, score, f"distance {distance} is within {self._options.d}", extra={"distance": distance})
        quoted = ", ".join(f"'{s.quote}'" for s in spans)
        reason = f"{quoted} in the translation of '{_shorter(case)}' is missing from the translation of the text around it"
        severity = Severity.MAJOR if distance >= self._options.major_distance else Severity.MINOR
        return violated(case, self, score, reason, spans, severity, extra={"distance": distance})


def _surplus(inner: list[Token], outer: list[Token], target: Language) -> list[Token]:
    """What of the inner bag the outer one does not hold; words count by their lemma."""
    left = Counter(target.lemma(t.text) for t in outer)
    surplus = []
    for token in inner:
        key = target.lemma(token.text)
        if left[key] > 0:
            left[key] -= 1
        else:
            surplus.append(token)
    return surplus


def units(text: str, target: Language) -> list[Token]:
    """What the bag holds: words, or characters where the language is compared so."""
    if target.compares_by_character:
        pieces = (Token(m.group(), m.start(), m.end()) for m in _UNIT.finditer(text))
        return [t for t in pieces if is_word(t.text) and t.text not in target.light_characters]
    return [t for t in target.tokens(text) if is_word(t.text)]


def _joined(tokens: list[Token], text: str) -> list[Token]:
    """Neighbours as one piece."""
    result: list[Token] = []
    for token in tokens:
        if result and not text[result[-1].end : token.start].strip():
            last = result.pop()
            token = Token(text[last.start : token.end], last.start, token.end)
        result.append(token)
    return result


def _shorter(case: MetamorphicCase) -> str:
    return min(case.source, case.followup, key=len)
