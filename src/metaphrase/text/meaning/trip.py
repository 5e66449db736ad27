"""Which leg of a round trip made a change: the way there or the way back.

Two ways of telling. Where there is a lexicon of the intermediate language, its text is read: what is already gone there was lost on the
way there. Where other systems translated both legs too, section 5.4 of the paper compares how far each leg falls below the agreement
that correct translations have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from metaphrase.text.meaning.compare import Difference
from metaphrase.text.meaning.lexicon import Mark

__all__ = ["Agreement", "Trip", "locate", "locate_by_agreement", "weigh_legs"]

Leg = Literal["forward", "backward"]
_EVIDENT: Final = 0.85
_LIKELY: Final = 0.7
"""Share of forward errors among the labelled round trips: what is said without evidence."""


@dataclass(frozen=True, slots=True)
class Trip:
    """The leg that is to blame, how surely, and why."""

    leg: Leg
    confidence: float
    why: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Mean similarity of a leg's output to other systems' outputs for the same input."""

    forward: float
    backward: float


def locate_by_agreement(observed: Agreement, usual: Agreement) -> Trip:
    """Section 5.4: the leg whose agreement falls further below what correct translations have; a tie is forward."""
    forward, backward = usual.forward - observed.forward, usual.backward - observed.backward
    leg: Leg = "forward" if forward >= backward else "backward"
    gap = abs(forward - backward)
    return Trip(leg, min(0.95, 0.5 + gap), f"other systems agree {forward:+.2f} less there, {backward:+.2f} less back, than usual")


def locate(source: Sequence[Mark], intermediate: Sequence[Mark], back: Sequence[Mark], differences: Sequence[Difference]) -> Trip | None:
    """The leg by what the intermediate text still says; None when there is no change of meaning to place."""
    changes = [difference for difference in differences if difference.kind == "meaning"]
    if not changes:
        return None
    votes: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for change in changes:
        found = _leg(change, source, intermediate, back)
        if found is not None:
            leg, why = found
            votes[leg] += 1
            reasons.setdefault(leg, why)
    return weigh_legs(votes, reasons) or Trip("forward", _LIKELY, "nothing in the intermediate text decides; most errors are made there")


def weigh_legs(votes: Mapping[str, int], reasons: Mapping[str, str]) -> Trip | None:
    """An error of the first leg also explains what follows from it, so one piece of evidence for it is enough."""
    if not votes:
        return None
    leg: Leg = "forward" if votes.get("forward") else "backward"
    return Trip(leg, _EVIDENT if len(votes) == 1 else _LIKELY, reasons[leg])


def _leg(change: Difference, source: Sequence[Mark], middle: Sequence[Mark], back: Sequence[Mark]) -> tuple[Leg, str] | None:
    match change.rule:
        case "thing-lost" | "thing-changed":
            names = _names(source) - _names(back)
            gone = [name for name in names if _names(middle)[name] < _names(source)[name]]
            return _gone(bool(gone), "it")
        case "negation-lost":
            return _gone(not _has(middle, "not", "instead"), "the negation")
        case "negation-added":
            return _new(_has(middle, "not", "instead"), "the negation")
        case "count-lost" | "count-changed" | "count-added":
            if _counts(middle) == _counts(source):
                return "backward", "the intermediate text still has the quantity"
            return "forward", "the intermediate text has another quantity"
        case "named-otherwise":
            return _new(any(mark.noun == "words" for mark in middle), "the wrong name")
        case "words-lost":
            return _gone(not _has(middle, "words"), "the word")
        case "edge-lost":
            return _gone(not _has(middle, "start", "end"), "the place")
        case "edge-added":
            return _new(_has(middle, "start", "end"), "the place")
        case "order-lost" | "order-changed":
            whole = _names(middle) == _names(source) and _orders(middle) >= _orders(source)
            return (
                ("backward", "the intermediate text has all parts and words of order")
                if whole
                else ("forward", "the intermediate text lacks a part")
            )
        case "kind-of-line" | "count-of-lines":
            return _new(_counts_lines(middle), "the count of lines")
    return None


def _gone(gone: bool, what: str) -> tuple[Leg, str]:
    return (
        ("forward", f"{what} is already gone in the intermediate text") if gone else ("backward", f"the intermediate text still has {what}")
    )


def _new(present: bool, what: str) -> tuple[Leg, str]:
    return (
        ("forward", f"the intermediate text already has {what}") if present else ("backward", f"the intermediate text does not have {what}")
    )


def _names(marks: Sequence[Mark]) -> Counter[str]:
    return Counter(mark.name for mark in marks if mark.kind == "thing")


def _has(marks: Sequence[Mark], *kinds: str) -> bool:
    return any(mark.kind in kinds for mark in marks)


def _orders(marks: Sequence[Mark]) -> int:
    return sum(mark.kind in ("before", "after", "follow") for mark in marks)


def _counts(marks: Sequence[Mark]) -> Counter[tuple[int, int | None]]:
    return Counter((mark.count.least, mark.count.most) for mark in marks if mark.count is not None)


def _counts_lines(marks: Sequence[Mark]) -> bool:
    """A line stands right after a thing or a count, or is itself counted."""
    for before, mark in zip([None, *marks], marks, strict=False):
        if mark.kind == "head" and mark.count is not None:
            return True
        if mark.kind == "head" and before is not None and before.kind in ("thing", "count") and mark.start - before.end <= 1:
            return True
    return False
