"""Repair where one text is all there is: engines that disagree on it, or a round trip that does not come home.

Which of two wordings is right is not in the pair itself. The way back decides (`way_back.py`): a piece of another engine's translation is put in place only if
it brings a word of the source back that was lost, and loses none; if that engine does not do better over the whole campaign, every way back must gain by it.
Where that does not tell, nothing is changed and the row says so.
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
from metaphrase.repair.way_back import Comparison, Standing, WayBack
from metaphrase.text.languages import language

__all__ = ["Single", "SingleRepairer", "places_of"]

Single: TypeAlias = DifferentialCase | RoundTripCase

_UNDECIDED = "the way back does not show which wording is better"


@dataclass(frozen=True, slots=True)
class _Owned:
    """A translation that may be changed: its field, and the engine it is by."""

    name: str
    engine: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class _Subject:
    """A case with all translations that may be changed or taken pieces from; `engines`: of a round trip, other engines' translations of its source."""

    judged: Judged[Single]
    engines: Mapping[str, str]
    system: str

    @property
    def owned(self) -> list[_Owned]:
        case = self.judged.case
        if isinstance(case, DifferentialCase):
            return [_Owned(name, name, case.source, text) for name, text in case.translations.items() if text]
        return [_Owned("intermediate", self.system, case.source, case.intermediate)] if case.intermediate else []

    def others(self, own: _Owned) -> dict[str, str]:
        """Other engines' translations, by engine."""
        case = self.judged.case
        known = case.translations if isinstance(case, DifferentialCase) else self.engines
        return {name: text for name, text in sorted(known.items()) if name != own.engine and text}


@dataclass(frozen=True, slots=True)
class _Change:
    """A new text for one field, what it was made from, and what the way back says about it."""

    text: str
    kind: str
    origins: tuple[str, ...]
    back: Comparison
    parts: tuple[Part, ...] = ()  # none: the whole text is another

    @property
    def pieces(self) -> str:
        return " ".join(part.piece for part in self.parts)


@dataclass(slots=True)
class _Refusals:
    reasons: Counter[str] = field(default_factory=Counter)
    tried: str | None = None

    def note(self, reason: str, text: str | None = None) -> None:
        self.reasons[reason] += 1
        self.tried = self.tried or text


class SingleRepairer:
    """Repairs differential and round-trip cases of one direction."""

    def __init__(self, direction: Direction, options: RepairOptions, way_back: WayBack, standing: Standing | None = None) -> None:
        self._languages = (language(direction.source), language(direction.target))
        self._options = options
        self._way_back = way_back
        self._standing = standing or Standing()

    def look_at(self, judged: Judged[Single], engines: Mapping[str, str], system: str = "") -> list[str]:
        """The texts that the way back will be asked about at first, so that a chunk's can be asked together; none if there is no use in it."""
        if _blames_way_back(judged.verdict):
            return []
        subject = _Subject(judged, engines, system)
        texts: dict[str, None] = {}
        for own in subject.owned:
            texts |= dict.fromkeys([own.text, *subject.others(own).values()])
            texts |= dict.fromkeys(part.put(own.text) for _, part in self._pieces(subject, own))
        return list(texts)

    def weigh(self, judged: Judged[Single], engines: Mapping[str, str], system: str = "") -> None:
        """Let a case's translations count for their engines' standing."""
        subject = _Subject(judged, engines, system)
        texts = {own.engine: own.text for own in subject.owned}
        for own in subject.owned:
            texts |= subject.others(own)
        likeness = self._way_back.likeness(judged.case.source, list(texts.values()))
        for engine, text in texts.items():
            self._standing.add(engine, likeness[text])

    def repair(self, judged: Judged[Single], engines: Mapping[str, str], system: str = "", back_system: str = "") -> list[Repair]:
        """Rows for the fields that were changed, or one row that says why none was.

        `engines`: of a round trip, other engines' translations of its source. `system` is the one whose translation it is, `back_system` went the way back.
        """
        subject = _Subject(judged, engines, system)
        refused = _Refusals()
        reason = self._hopeless(judged)
        if reason is None:
            for changes in self._proposals(subject, refused):
                case = self._changed(judged.case, changes, back_system or system)
                verdict = _judge(judged, case) if case is not None else None
                if case is not None and verdict is not None and _settled(judged.verdict, verdict, changes):
                    owned = {own.name: own for own in subject.owned}
                    return [self._row(judged, case, owned[name], change, verdict) for name, change in changes.items()]
                refused.note("the relation does not hold", next(iter(changes.values())).text)
            reason = refused.reasons.most_common(1)[0][0] if refused.reasons else "there is no other wording that could be put in place"
        first = subject.owned[0]
        evidence: dict[str, Any] = {"reason": reason, "refused": dict(refused.reasons)}
        if refused.tried is not None:
            evidence["tried"] = refused.tried
        return [Repair(judged.case, judged.finding, first.name, first.text, first.text, False, evidence)]

    def _hopeless(self, judged: Judged[Single]) -> str | None:
        if not self._way_back:
            return "no system translates back, and nothing else shows which wording is better"
        if _blames_way_back(judged.verdict):
            return "the error is probably on the way back: the translation itself is not to be changed"
        if not _judge(judged, judged.case).violated:
            return "judged alone it is no violation: there is nothing to prove"
        return None

    def _proposals(self, subject: _Subject, refused: _Refusals) -> Iterator[dict[str, _Change]]:
        """Sets of changes to try: all pieces that are shown to be better, in all texts, then those of one text, then every one alone; then whole texts."""
        kinds = self._options.candidates
        if "part" in kinds:
            merged, alone = {}, []
            for own in subject.owned:
                pieces = self._shown(subject, own, refused)
                if pieces:
                    change = self._together(own, pieces, refused)
                    if change is not None:
                        merged[own.name] = change
                    alone += [{own.name: piece} for piece in pieces if len(pieces) > 1]
            if merged:
                yield merged
            if len(merged) > 1:
                yield from ({name: change} for name, change in merged.items())
            yield from alone
        if "engine" in kinds:
            for own in subject.owned:
                for other, text in subject.others(own).items():
                    change = self._witnessed(own, text, "engine", (other,), refused)
                    if change is not None:
                        yield {own.name: change}

    def _shown(self, subject: _Subject, own: _Owned, refused: _Refusals) -> list[_Change]:
        """The pieces that are shown to be better, each alone; no two at the same place."""
        found: list[_Change] = []
        for other, part in self._pieces(subject, own):
            if not touches(part.start, part.end, [(p.start, p.end) for change in found for p in change.parts]):
                change = self._witnessed(own, part.put(own.text), "part", (other,), refused)
                if change is not None:
                    found.append(replace(change, parts=(part,)))
        return found

    def _together(self, own: _Owned, pieces: list[_Change], refused: _Refusals) -> _Change | None:
        """All of them put in place; that is asked about again."""
        if len(pieces) == 1:
            return pieces[0]
        chosen = tuple(part for change in pieces for part in change.parts)
        origins = tuple(dict.fromkeys(origin for change in pieces for origin in change.origins))
        change = self._witnessed(own, apply(own.text, chosen), "part", origins, refused)
        return replace(change, parts=chosen) if change is not None else None

    def _witnessed(self, own: _Owned, text: str, kind: str, origins: tuple[str, ...], refused: _Refusals) -> _Change | None:
        found = objection(own.source, own.text, text, self._languages, agreement=False)
        if found is not None:
            refused.note(found, text)
            return None
        back = self._way_back.compare(own.source, own.text, text)
        if back is None or not self._shows(back, kind, own, origins):
            refused.note(_UNDECIDED if back is not None else "it could not be translated back", text)
            return None
        return _Change(text, kind, origins, back)

    def _shows(self, back: Comparison, kind: str, own: _Owned, origins: tuple[str, ...]) -> bool:
        """Whether the way back shows the other engine's wording to be better than the owner's."""
        if kind == "engine":
            return back.gains_everywhere
        return back.gains_some if all(self._standing.better(one, own.engine) for one in origins) else back.gains_words

    def _pieces(self, subject: _Subject, own: _Owned) -> list[tuple[str, Part]]:
        """Pieces of other engines' translations for the places that the verdict blames, in either text."""
        spans: dict[str, list[tuple[int, int]]] = {}
        for span in subject.judged.verdict.spans:
            spans.setdefault(span.text, []).append((span.start, span.end))
        found = []
        for other, text in subject.others(own).items():
            for part in parts(own.text, text, self._languages[1]):
                here = touches(part.start, part.end, spans.get(own.name, ()))
                there = touches(part.other_start, part.other_end, spans.get(other, ()))
                if (here or there) and part.fits(own.text, self._languages[1]):
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

    def _row(self, judged: Judged[Single], case: Single, own: _Owned, change: _Change, verdict: Verdict) -> Repair:
        evidence: dict[str, Any] = {
            "kind": change.kind,
            "from": ", ".join(change.origins),
            "changed": changed_words(own.text, change.text, self._languages[1]),
            "relation": judged.relation.name,
            "signature": str(judged.relation.signature()),
            "score_before": judged.verdict.score,
            "score_after": verdict.score,
            "settled": _count_settled(judged.verdict, verdict, own.name, change),
            "way_back": change.back.to_json(),
        }
        if verdict.violated:
            evidence["still_blamed"] = verdict.reason
        return Repair(case, judged.finding, own.name, own.text, change.text, True, evidence)


def _blames_way_back(verdict: Verdict) -> bool:
    trip = verdict.extra.get("trip")
    return isinstance(trip, Mapping) and trip.get("leg") == "backward"


def _settled(before: Verdict, after: Verdict, changes: Mapping[str, _Change]) -> bool:
    """Whether the relation has nothing left to say about the changed places, and nothing new about others.

    A relation that reports places reports each as a finding of its own; one is settled though others remain. Without places, the relation must hold.
    """
    if after.outcome is Outcome.HOLDS:
        return True
    if not after.violated or "places" not in after.extra or not all(change.parts for change in changes.values()):
        return False
    known = {(span.text, span.quote) for span in before.spans}
    if any((span.text, span.quote) not in known for span in after.spans):
        return False
    return not any(span.quote in change.pieces for name, change in changes.items() for span in after.spans if span.text == name)


def places_of(verdict: Verdict) -> int:
    """How many findings a verdict stands for."""
    return len(verdict.extra.get("places") or ()) or 1


def _count_settled(before: Verdict, after: Verdict, name: str, change: _Change) -> int:
    """How many of the places that were blamed no longer are, as far as one changed text is concerned."""
    if not after.violated:
        return places_of(before)
    spots = [(part.start, part.end) for part in change.parts]
    other = [(part.other_start, part.other_end) for part in change.parts]
    count = 0
    for place in before.extra.get("places") or ():
        spans = [(s["text"] == name, s["start"], s["end"]) for s in place["spans"]]
        count += any(touches(start, end, spots if own else other) for own, start, end in spans)
    return count


def _judge(judged: Judged[Single], case: Single) -> Verdict:
    (verdict,) = judged.relation.judge([case])
    return verdict
