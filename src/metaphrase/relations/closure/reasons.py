"""What a verdict says in words: what differs, which input word it translates, and which kind of error that suggests.

Categories are those of the papers; one is suggested only where the words themselves show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaphrase.core.values import Span
from metaphrase.relations.closure.describe import Described
from metaphrase.relations.closure.word_features import LeftOver

__all__ = ["Explanation", "explain"]

UNDER = "under-translation"
OVER = "over-translation"
WRONG_WORD = "word/phrase mistranslation"
WRONG_NAME = "wrong named entity"
WRONG_QUANTITY = "wrong quantity or time"
OPPOSITE = "opposite meaning"

_NAMES = {"source_translation": "the source's translation", "followup_translation": "the follow-up's translation"}


@dataclass(frozen=True, slots=True)
class Explanation:
    reason: str
    spans: tuple[Span, ...]
    category: str | None

    @property
    def quotes(self) -> str:
        return " and ".join(f"'{span.quote}'" for span in self.spans)


def explain(described: Described, words: Sequence[tuple[LeftOver, float]]) -> Explanation:
    """`words` are those to show, with their blame."""
    spans = _spans(described, [word for word, _ in words])
    chief = max(words, key=lambda item: (item[1], -item[0].side, -item[0].index))[0]
    return Explanation(_reason(described, chief, [word for word, _ in words]), spans, _category(described, chief))


def _spans(described: Described, words: Sequence[LeftOver]) -> tuple[Span, ...]:
    """Neighbouring words become one span. Source translation first."""
    spans: list[Span] = []
    for side in sorted((0, 1), key=lambda s: described.view.fields[s] != "source_translation"):
        text = described.view.outputs[side]
        run: list[int] = []
        for index in [*sorted(w.index for w in words if w.side == side), None]:
            if run and (index is None or index != run[-1] + 1):
                start, end = text.tokens[run[0]].start, text.tokens[run[-1]].end
                spans.append(Span(described.view.fields[side], start, end, text.text[start:end]))
                run = []
            if index is not None:
                run.append(index)
    return tuple(spans)


def _phrase(described: Described, chief: LeftOver, words: Sequence[LeftOver]) -> str:
    """The chief word with the shown words beside it."""
    shown = {w.index for w in words if w.side == chief.side}
    first = last = chief.index
    while first - 1 in shown:
        first -= 1
    while last + 1 in shown:
        last += 1
    return described.view.outputs[chief.side].quote(range(first, last + 1))


def _reason(described: Described, chief: LeftOver, words: Sequence[LeftOver]) -> str:
    view = described.view
    other = 1 - chief.side
    phrase = _phrase(described, chief, words)
    here, there = _NAMES[view.fields[chief.side]], _NAMES[view.fields[other]]
    rendered = [k for k in chief.renderings if k < len(view.outputs[other])]
    if chief.input_word is not None and rendered:
        word = view.inputs[chief.side].tokens[chief.input_word].text
        return f"'{phrase}' in {here} stands against '{view.outputs[other].quote(rendered)}' in {there}: both translate '{word}'"
    if chief.input_word is not None:
        word = view.inputs[chief.side].tokens[chief.input_word].text
        return f"'{phrase}' in {here} translates '{word}', which both inputs have; {there} has no counterpart of it"
    across = [w for w in words if w.side == other]
    if across:
        opposite = view.outputs[other].quote([w.index for w in across])
        return f"'{phrase}' in {here} has no counterpart in {there}, which has '{opposite}' instead; the edit explains neither"
    return f"'{phrase}' in {here} has no counterpart in {there}, and the edit does not explain it"


def _category(described: Described, chief: LeftOver) -> str | None:
    features = chief.features
    if features["negation"]:
        return OPPOSITE
    if features["number"]:
        return WRONG_QUANTITY
    if features["name"] and chief.renderings:
        return WRONG_NAME
    if chief.input_word is not None:
        return WRONG_WORD if chief.renderings else UNDER
    return OVER if features["listed"] == 0 and not features["slot-content"] else None
