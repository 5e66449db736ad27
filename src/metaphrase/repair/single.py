"""Repair where one text is all there is: engines that disagree on it, or a round trip that does not come home.

Which of two wordings is right is not in the pair itself. The way back decides (`way_back.py`): a piece of another engine's translation is put in place only if
it brings a word of the source back that was lost, and loses none. Where it does not tell, nothing is changed and the row says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from metaphrase.core.values import DifferentialCase, Direction, Outcome, RoundTripCase, Verdict
from metaphrase.repair.evidence import changed_words
from metaphrase.repair.guards import objection
from metaphrase.repair.options import RepairOptions
from metaphrase.repair.parts import Part, apply, parts, touches
from metaphrase.repair.values import Judged, Repair
from metaphrase.repair.way_back import Comparison, WayBack
from metaphrase.text.languages import language

__all__ = ["Single", "SingleRepairer"]

Single: TypeAlias = DifferentialCase | RoundTripCase

_UNDECIDED = "the way back does not show which wording is better"


@dataclass(frozen=True, slots=True)
class _Change:
    """A new text for one field, what it was made from, and what the way back says about it."""

    text: str
    kind: str
    origin: str
    back: Comparison


@dataclass(slots=True)
class _Refusals:
    reasons: Counter[str] = field(default_factory=Counter)
    tried: str | None = None

    def note(self, reason: str, text: str | None = None) -> None:
        self.reasons[reason] += 1
        self.tried = self.tried or text


class SingleRepairer:
    """Repairs differential and round-trip cases of one direction. `engines` of a round trip: other engines' translations of its source."""

    def __init__(self, direction: Direction, options: RepairOptions, way_back: WayBack) -> None:
        self._languages = (language(direction.source), language(direction.target))
        self._options = options
        self._way_back = way_back

    def foreseen(self, judged: Judged[Single], engines: Mapping[str, str]) -> list[str]:
        """The texts that the way back will be asked about at first, so that a chunk's can be asked together."""
        texts = {}
        for name, own in _fields(judged.case).items():
            pieces = [part.put(own) for _, part in self._pieces(judged, name, engines)]
            if pieces or "engine" in self._options.candidates:
                texts.update(dict.fromkeys([own, *pieces, *_others(judged.case, name, engines).values()]))
        return list(texts)

    def repair(self, judged: Judged[Single], engines: Mapping[str, str], system: str = "") -> list[Repair]:
        """Rows for the fields that were changed, or one row that says why none was."""
        refused = _Refusals()
        reason = self._hopeless(judged)
        if reason is None:
            for changes in self._proposals(judged, engines, refused):
                case = self._changed(judged.case, changes, system)
                verdict = _judge(judged, case) if case is not None else None
                if verdict is not None and verdict.outcome is Outcome.HOLDS and case is not None:
                    return [self._row(judged, case, name, change, verdict) for name, change in changes.items()]
                refused.note("the relation does not hold", next(iter(changes.values())).text)
            reason = refused.reasons.most_common(1)[0][0] if refused.reasons else "there is no other wording that could be put in place"
        name, before = next(iter(_fields(judged.case).items()), ("source", ""))
        evidence: dict[str, Any] = {"reason": reason, "refused": dict(refused.reasons)}
        if refused.tried is not None:
            evidence["tried"] = refused.tried
        return [Repair(judged.case, judged.finding, name, before, before, False, evidence)]

    def _hopeless(self, judged: Judged[Single]) -> str | None:
        if not self._way_back:
            return "no system translates back, and nothing else shows which wording is better"
        trip = judged.verdict.extra.get("trip")
        if isinstance(trip, Mapping) and trip.get("leg") == "backward":
            return "the error is probably on the way back: the translation itself is not to be changed"
        if not _judge(judged, judged.case).violated:
            return "judged alone it is no violation: there is nothing to prove"
        return None

    def _proposals(self, judged: Judged[Single], engines: Mapping[str, str], refused: _Refusals) -> Iterator[dict[str, _Change]]:
        """Sets of changes to try, the smallest intervention first."""
        kinds = self._options.candidates
        if "part" in kinds:
            changes = {}
            for name, own in _fields(judged.case).items():
                change = self._merged(judged, name, own, engines, refused)
                if change is not None:
                    changes[name] = change
            if changes:
                yield changes
            if len(changes) > 1:
                yield from ({name: change} for name, change in changes.items())
        if "engine" in kinds:
            for name, own in _fields(judged.case).items():
                for other, text in _others(judged.case, name, engines).items():
                    change = self._witnessed(judged.case.source, own, text, "engine", other, refused)
                    if change is not None:
                        yield {name: change}

    def _merged(self, judged: Judged[Single], name: str, own: str, engines: Mapping[str, str], refused: _Refusals) -> _Change | None:
        """All pieces that are shown to be better, put in place together; that is asked about again."""
        chosen: list[Part] = []
        origins: dict[str, None] = {}
        for other, part in self._pieces(judged, name, engines):
            if not touches(part.start, part.end, [(p.start, p.end) for p in chosen]):
                change = self._witnessed(judged.case.source, own, part.put(own), "part", other, refused)
                if change is not None:
                    chosen.append(part)
                    origins[other] = None
        if not chosen:
            return None
        return self._witnessed(judged.case.source, own, apply(own, chosen), "part", ", ".join(origins), refused)

    def _witnessed(self, source: str, own: str, text: str, kind: str, origin: str, refused: _Refusals) -> _Change | None:
        found = objection(source, own, text, self._languages, agreement=False)
        if found is not None:
            refused.note(found, text)
            return None
        back = self._way_back.compare(source, own, text)
        if back is None or not (back.gains_everywhere if kind == "engine" else back.gains_words):
            refused.note(_UNDECIDED if back is not None else "it could not be translated back", text)
            return None
        return _Change(text, kind, origin, back)

    def _pieces(self, judged: Judged[Single], name: str, engines: Mapping[str, str]) -> list[tuple[str, Part]]:
        """Pieces of other engines' translations for the places that the verdict blames, in either text."""
        own = _fields(judged.case)[name]
        spans: dict[str, list[tuple[int, int]]] = {}
        for span in judged.verdict.spans:
            spans.setdefault(span.text, []).append((span.start, span.end))
        found = []
        for other, text in _others(judged.case, name, engines).items():
            for part in parts(own, text, self._languages[1]):
                blamed = touches(part.start, part.end, spans.get(name, ())) or touches(
                    part.other_start, part.other_end, spans.get(other, ())
                )
                if blamed and part.fits(own, self._languages[1]):
                    found.append((other, part))
        return found[: self._options.most_tried]

    def _changed(self, case: Single, changes: Mapping[str, _Change], system: str) -> Single | None:
        for name, change in changes.items():
            case = case.answered(name, change.text)
            if isinstance(case, RoundTripCase):
                back = self._way_back.of(change.text, system)
                if back is None:
                    return None
                case = replace(case, back_translation=back)
        return case

    def _row(self, judged: Judged[Single], case: Single, name: str, change: _Change, verdict: Verdict) -> Repair:
        before = _fields(judged.case)[name]
        evidence = {
            "kind": change.kind,
            "from": change.origin,
            "changed": changed_words(before, change.text, self._languages[1]),
            "relation": judged.relation.name,
            "signature": str(judged.relation.signature()),
            "score_before": judged.verdict.score,
            "score_after": verdict.score,
            "way_back": change.back.to_json(),
        }
        return Repair(case, judged.finding, name, before, change.text, True, evidence)


def _fields(case: Single) -> dict[str, str]:
    """The translations that may be changed, by field or engine."""
    if isinstance(case, DifferentialCase):
        return {name: text for name, text in case.translations.items() if text}
    return {"intermediate": case.intermediate} if case.intermediate else {}


def _others(case: Single, name: str, engines: Mapping[str, str]) -> dict[str, str]:
    known = _fields(case) if isinstance(case, DifferentialCase) else engines
    return {other: text for other, text in sorted(known.items()) if other != name}


def _judge(judged: Judged[Single], case: Single) -> Verdict:
    (verdict,) = judged.relation.judge([case])
    return verdict
