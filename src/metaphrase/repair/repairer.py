"""The repair of one source text: candidates one after another, until one is proved to be better.

First the source's translation is tried, then the follow-up's given what the source's is by then. A candidate is accepted if nothing objects to it
(`guards.py`), the relation that found the error holds for the repaired case, judged alone, no other known case of that source that held is violated by it,
and there is a witness: more variants show its wording than the old one, or more of the source comes back with it (`way_back.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import Any

from metaphrase.core.values import Direction, Expectation, MetamorphicCase, Outcome, Verdict
from metaphrase.relations.base import Relation
from metaphrase.repair.candidates import Candidate, Candidates, Counterpart, Material
from metaphrase.repair.evidence import changed_words
from metaphrase.repair.guards import left_untranslated, objection
from metaphrase.repair.options import RepairOptions
from metaphrase.repair.parts import carry_over
from metaphrase.repair.phrases import is_part
from metaphrase.repair.values import Judged, Repair, Replaced, Subject, Variant
from metaphrase.repair.variants import among, replacement
from metaphrase.repair.votes import Votes, count_votes
from metaphrase.repair.way_back import Comparison, Related, WayBack
from metaphrase.resources.protocols import Aligner
from metaphrase.text.languages import language
from metaphrase.text.normalise import fold

__all__ = ["MOST_CUTS", "Repairer"]

_FIELDS = ("source_translation", "followup_translation")
# Cuts of one phrase that the way back is asked about.
MOST_CUTS = 24


@dataclass(frozen=True, slots=True)
class _Proof:
    """What was shown about an accepted candidate."""

    verdict: Verdict
    votes: Votes
    voters: int
    back: Comparison | None
    cases: Mapping[int, MetamorphicCase]  # as they are once the candidate is accepted, and whatever it takes with it


@dataclass(slots=True)
class _Attempt:
    """A candidate for one field of one case, and how it went."""

    field: str
    before: str
    candidate: Candidate
    proof: _Proof | None = None
    objection: str = ""
    supporters: tuple[str, ...] = ()
    carried: dict[str, tuple[int, str, str]] = dataclass_field(
        default_factory=dict
    )  # follow-up: its case, its translation before and after


class Repairer:
    """Repairs subjects of one direction. `related` tells synonyms of the source language."""

    def __init__(
        self,
        direction: Direction,
        aligner: Aligner,
        options: RepairOptions,
        *,
        way_back: WayBack | None = None,
        related: Related | None = None,
    ) -> None:
        self._languages = (language(direction.source), language(direction.target))
        self._aligner = aligner
        self.options = options
        self.way_back = way_back
        self._related = related
        self._words: dict[str, list[str]] = {}

    def repair(self, subject: Subject) -> list[Repair]:
        """One row for every violated case: accepted with its proof, or the best that was tried and why it was refused."""
        self._words.clear()
        work = _Work(subject, self)
        for judged in subject.violated:
            work.attend(judged)
        return work.rows()

    def candidates(self, material: Material) -> Candidates:
        return Candidates(material, self._languages, self._aligner, self.options, self._related)

    def judge(self, relation: Relation, case: MetamorphicCase) -> Verdict:
        """Alone, so that the verdict does not depend on what else is judged."""
        (verdict,) = relation.judge([case])
        return verdict

    def tokens(self, text: str) -> list[str]:
        if text not in self._words:
            self._words[text] = [t.text for t in self._languages[1].tokens(text)]
        return self._words[text]

    def source_material(self, subject: Subject, case: MetamorphicCase, verdict: Verdict) -> Material:
        """What the source's translation can be repaired from."""
        translation = case.source_translation or ""
        variants = tuple(self.trusted(subject.variants, subject.source, translation))
        blamed = _blamed(verdict, "source_translation", translation)
        other = self._counterpart(case, verdict, "followup_translation")
        return Material(
            subject.source, translation, variants, subject.engines, blamed=blamed, counterpart=other, must_differ=_must_differ(case)
        )

    def followup_material(self, subject: Subject, case: MetamorphicCase, verdict: Verdict, source: Candidates) -> Material | None:
        """What a follow-up's translation can be repaired from; None if it is neither a variant of the source nor one a part of the other."""
        translation = case.followup_translation or ""
        blamed = _blamed(verdict, "followup_translation", translation)
        found = replacement(case.source, case.followup, self._languages[0])
        if found is None:
            other = self._counterpart(case, verdict, "source_translation")
            return Material(case.followup, translation, (), {}, blamed=blamed, counterpart=other) if other is not None else None
        # What the source's variants say about the word's place in the source's translation holds here too.
        place = source.place(found)
        places = {case.source: place} if isinstance(place, tuple) else {}
        whole = Variant(case.source, case.source_translation or "", _NOWHERE, "follow-up")
        near = self.trusted(among(case.followup, [whole, *subject.variants], self._languages[0]), case.followup, translation)
        chosen = {v.text for v in near} | {case.followup}
        others = [v.translation for v in self.trusted(subject.variants, case.followup, translation) if v.text not in chosen]
        return Material(case.followup, translation, tuple(near), {}, places, tuple(others), blamed, must_differ=_must_differ(case))

    def _counterpart(self, case: MetamorphicCase, verdict: Verdict, field: str) -> Counterpart | None:
        """The other text's translation, where one text is a part of the other."""
        texts = {"source_translation": (case.source, case.followup), "followup_translation": (case.followup, case.source)}
        (other, own), translation = texts[field], getattr(case, field) or ""
        if not translation or not (is_part(other, own, self._languages[0]) or is_part(own, other, self._languages[0])):
            return None
        return Counterpart(translation, len(other) > len(own), _blamed(verdict, field, translation))

    def trusted(self, variants: Sequence[Variant], text: str, translation: str) -> list[Variant]:
        """Without those whose translation leaves a word as it is that this one does not.

        They show what an unknown word does to the rest of a sentence, not how the rest is said.
        """
        allowed = left_untranslated(text, translation, self._languages)
        return [v for v in variants if left_untranslated(v.text, v.translation, self._languages) <= allowed]

    def objection(self, text: str, before: str, candidate: Candidate) -> str | None:
        # What an engine wrote as a whole agrees with itself.
        agreement = not candidate.keeps_untranslated and candidate.kind not in ("synonym", "engine")
        return objection(text, before, candidate.text, self._languages, agreement=agreement)

    def restores_verb(self, before: str, after: str) -> bool:
        finite = self._languages[1].is_finite
        return sum(finite(fold(w)) for w in self.tokens(after)) > sum(finite(fold(w)) for w in self.tokens(before))

    def carry_over(self, text: str, before: str, after: str, other: str) -> str | None:
        """The change made in the translation of another text too, if that can be and nothing speaks against it."""
        new = carry_over(before, after, other, self._languages[1])
        return new if new is not None and objection(text, other, new, self._languages, agreement=False) is None else None

    def changed_words(self, before: str, after: str) -> list[dict[str, Any]]:
        return changed_words(before, after, self._languages[1])


class _Work:
    """The state while one subject is repaired: the cases with the texts that were accepted so far."""

    def __init__(self, subject: Subject, repairer: Repairer) -> None:
        self._subject = subject
        self._repairer = repairer
        self._cases: dict[int, MetamorphicCase] = {i: judged.case for i, judged in enumerate(subject.cases)}
        self._holds = {i: not judged.verdict.violated for i, judged in enumerate(subject.cases)}
        self._attempts: list[tuple[int, _Attempt | None, Counter[str]]] = []
        self._made: dict[tuple[Any, ...], Candidates] = {}
        self._covered: dict[int, list[str]] = {}  # by the accepted repair that made them hold
        self._last = -1

    def attend(self, judged: Judged[MetamorphicCase]) -> None:
        number = next(i for i, one in enumerate(self._subject.cases) if one is judged)
        if self._holds[number]:
            self._covered.setdefault(self._last, []).append(judged.case.id)
            return  # an earlier repair of the same texts covers it
        refused: Counter[str] = Counter()
        best: _Attempt | None = None
        if not self._repairer.judge(judged.relation, self._cases[number]).violated:
            refused["judged alone it is no violation: there is nothing to prove"] += 1
        else:
            for field in _FIELDS:
                attempt = self._try(number, judged, field, refused)
                if attempt is not None and (best is None or attempt.proof):
                    best = attempt
                if attempt is not None and attempt.proof is not None:
                    self._accept(number, attempt, attempt.proof)
                    break
        self._attempts.append((number, best, refused))

    def _try(self, number: int, judged: Judged[MetamorphicCase], field: str, refused: Counter[str]) -> _Attempt | None:
        case = self._cases[number]
        subject, verdict = self._subject, judged.verdict
        own = self._repairer.source_material(subject, case, verdict)
        made = self._candidates(own)
        material: Material | None = own
        if field == "followup_translation":
            material = self._repairer.followup_material(subject, case, verdict, made)
        if material is None or not material.translation:
            return None
        if material is not own:
            made = self._candidates(material)
        voters = self._voters(material)
        best: _Attempt | None = None
        tried = 0
        for candidate in self._ordered(made, material):
            if tried == self._repairer.options.most_tried:
                break
            attempt = _Attempt(field, material.translation, candidate)
            answer = self._prove(number, judged, material, attempt, voters)
            if isinstance(answer, _Proof):
                attempt.proof = answer
                attempt.supporters = tuple(voters[i][0] for i in answer.votes.new)
                return attempt
            attempt.objection, judged_it = answer
            tried += judged_it
            refused[attempt.objection] += 1
            best = best or attempt
        refused.update(made.refused)
        return best

    def _candidates(self, material: Material) -> Candidates:
        key = (material.text, material.translation, material.blamed, material.counterpart, material.must_differ)
        if key not in self._made:
            self._made[key] = self._repairer.candidates(material)
        return self._made[key]

    def _ordered(self, made: Candidates, material: Material) -> Iterable[Candidate]:
        """Cuts of a phrase are guesses: those that come back most alike are tried first."""
        way_back = self._repairer.way_back
        if material.counterpart is None or not way_back:
            return made
        found = list(made)
        cuts = [c for c in found if c.kind == "phrase" and self._repairer.objection(material.text, material.translation, c) is None]
        cuts = cuts[:MOST_CUTS]
        likeness = way_back.likeness(material.text, [c.text for c in cuts])
        best = sorted(cuts, key=lambda c: -likeness[c.text])
        return [*best, *(c for c in found if c.kind != "phrase")]

    def _voters(self, material: Material) -> list[tuple[str, list[str]]]:
        """Everything near that can be trusted: variants of the text, for a follow-up also its source and that one's; other engines."""
        source = Variant(self._subject.source, self._source_translation(), _NOWHERE, "follow-up")
        near = {v.text: v for v in (source, *self._subject.variants, *material.variants) if v.text != material.text}
        trusted = self._repairer.trusted(list(near.values()), material.text, material.translation)
        tokens = self._repairer.tokens
        engines = [(f"engine {name}", tokens(text)) for name, text in material.engines.items()]
        return [*((v.text, tokens(v.translation)) for v in trusted), *engines]

    def _source_translation(self) -> str:
        return next(iter(self._cases.values())).source_translation or ""

    def _prove(
        self, number: int, judged: Judged[MetamorphicCase], material: Material, attempt: _Attempt, voters: Sequence[tuple[str, list[str]]]
    ) -> _Proof | tuple[str, bool]:
        """The proof, or why there is none and whether a relation had to be asked."""
        before, after = attempt.before, attempt.candidate.text
        found = self._repairer.objection(material.text, before, attempt.candidate)
        if found is not None:
            return found, False
        votes, decided = self._count(attempt, material, voters)
        way_back = self._repairer.way_back
        if not decided and not way_back:
            return "too few variants show its wording", False
        changed = _changed(self._cases, material.text, after)
        verdict = self._repairer.judge(judged.relation, changed[number])
        if verdict.outcome is not Outcome.HOLDS:
            return f"the relation does not hold: {verdict.reason}" if verdict.violated else "the relation does not apply", True
        together = self._together(changed, material.text, before, after)
        if together is None:
            return "it would violate another case that holds", True
        back = way_back.compare(material.text, before, after) if way_back else None
        reason = _unproved(attempt.candidate, back, decided=decided, restored=self._repairer.restores_verb(before, after))
        if reason is not None:
            return reason, True
        return _Proof(verdict, votes, len(voters), back, together)

    def _together(self, changed: Mapping[int, MetamorphicCase], text: str, before: str, after: str) -> Mapping[int, MetamorphicCase] | None:
        """The cases with all that must change along with one translation for what held to hold; None if that cannot be.

        A follow-up that has the error of its source too held only because of that: it is repaired in the same way.
        """
        for number in changed:
            case = changed[number]
            if case is self._cases[number] or not self._broken(number, case):
                continue
            if text != self._subject.source:
                return None
            old = case.followup_translation or ""
            new = self._repairer.carry_over(case.followup, before, after, old)
            if new is None:
                return None
            changed = _changed(changed, case.followup, new)
        still = all(case is self._cases[number] or not self._broken(number, case) for number, case in changed.items())
        return changed if still else None

    def _broken(self, number: int, case: MetamorphicCase) -> bool:
        """Whether a case that held does not any more."""
        return self._holds[number] and self._repairer.judge(self._subject.cases[number].relation, case).violated

    def _count(self, attempt: _Attempt, material: Material, voters: Sequence[tuple[str, list[str]]]) -> tuple[Votes, bool]:
        """The variants' votes, and whether they decide for the candidate."""
        candidate, tokens = attempt.candidate, self._repairer.tokens
        heard = [words if name != f"engine {candidate.origin}" else [] for name, words in voters]
        votes = count_votes(tokens(attempt.before), tokens(candidate.text), heard)
        needed = self._repairer.options.min_votes
        if candidate.keeps_untranslated:
            # A word that the engine does not know upsets how it reads the words around: only variants without it can tell.
            able = _replacing_the_same(candidate, material)
            votes = Votes(votes.new, tuple(i for i in votes.old if voters[i][0] in able))
            needed = min(1, needed)
        return votes, len(votes.new) >= needed and len(votes.new) > len(votes.old)

    def _accept(self, number: int, attempt: _Attempt, proof: _Proof) -> None:
        text = self._subject.source if attempt.field == "source_translation" else self._cases[number].followup
        for other, case in proof.cases.items():
            if case is not self._cases[other]:
                verdict = self._repairer.judge(self._subject.cases[other].relation, case)
                self._holds[other] = other == number or not verdict.violated
                old, new = self._cases[other].followup_translation or "", case.followup_translation or ""
                if old != new and case.followup != text:
                    attempt.carried[case.followup] = (other, old, new)
        self._cases = dict(proof.cases)
        self._last = number

    def rows(self) -> list[Repair]:
        rows = []
        for number, attempt, refused in self._attempts:
            judged = self._subject.cases[number]
            case = self._cases[number]
            if attempt is None:
                reason = refused.most_common(1)[0][0] if refused else "there is no variant that a candidate could be made from"
                evidence = {"reason": reason, "refused": dict(refused)}
                before = judged.case.source_translation or ""
                rows.append(Repair(case, judged.finding, "source_translation", before, before, False, evidence))
                continue
            after = attempt.candidate.text
            accepted = attempt.proof is not None
            evidence = self._evidence(number, attempt, refused)
            rows.append(Repair(case, judged.finding, attempt.field, attempt.before, after, accepted, evidence))
            for other, old, new in attempt.carried.values():
                along = {"kind": "carried over", "from": judged.case.id, "changed": self._repairer.changed_words(old, new)}
                along |= {"relation": self._subject.cases[other].relation.name}
                rows.append(Repair(self._cases[other], "", "followup_translation", old, new, True, along))
        return rows

    def _evidence(self, number: int, attempt: _Attempt, refused: Mapping[str, int]) -> dict[str, Any]:
        judged = self._subject.cases[number]
        candidate, proof = attempt.candidate, attempt.proof
        evidence: dict[str, Any] = {
            "kind": candidate.kind,
            "from": candidate.origin,
            "ranked_by": candidate.ranked_by,
            "rank_value": round(candidate.value, 6),
            "changed": self._repairer.changed_words(attempt.before, candidate.text),
            "relation": judged.relation.name,
            "signature": str(judged.relation.signature()),
            "score_before": judged.verdict.score,
        }
        if proof is None:
            return {**evidence, "reason": attempt.objection, "refused": dict(refused)}
        evidence |= {
            "score_after": proof.verdict.score,
            "votes": {"new": len(proof.votes.new), "old": len(proof.votes.old), "voters": proof.voters},
            "supported_by": list(attempt.supporters),
            "cases_checked": len(proof.cases),
        }
        if candidate.mapped is not None:
            evidence["mapped"] = {"word": candidate.mapped.word, "replaces": candidate.mapped.replaces}
        if proof.back is not None:
            evidence["way_back"] = proof.back.to_json()
        also = self._covered.get(number, ())
        return evidence | ({"also_repairs": list(also)} if also else {})


_NOWHERE = Replaced(0, 0, 0, 0)


def _must_differ(case: MetamorphicCase) -> bool:
    return case.expectation is Expectation.DIFFERENT


def _blamed(verdict: Verdict, field: str, text: str) -> tuple[tuple[int, int], ...]:
    """Places of a text that the verdict blames; none once the text is another than the one that was judged."""
    return tuple((s.start, s.end) for s in verdict.spans if s.text == field and text[s.start : s.end] == s.quote)


def _unproved(candidate: Candidate, back: Comparison | None, *, decided: bool, restored: bool) -> str | None:
    """Why the witnesses do not do; None if they do. `decided`: the variants vote for it; `restored`: a verb gets its person back that had none.

    Variants share their engine's habits, so where something can be translated back they alone do not decide. They do on a phrase, which is the same in all of
    them, and beside a word that the engine does not know: such a word comes back whatever is around it, and upsets the order there too.
    """
    if back is None or (candidate.keeps_untranslated and not back.loses_words):
        return None if decided else "too few variants show its wording"
    if back.worse:
        return "translated back it is farther from the source"
    if candidate.kind == "engine":
        shown = back.gains_everywhere
    elif candidate.kind == "part":
        shown = back.gains_words
    else:
        shown = back.gains_words or back.likelier or restored or (decided and candidate.kind == "phrase")
    return None if shown else "no more of the source comes back with it"


def _replacing_the_same(candidate: Candidate, material: Material) -> set[str]:
    """The variants that replace the word that the candidate maps back."""
    if candidate.variant is None:
        return set()
    place = (candidate.variant.replaced.start, candidate.variant.replaced.end)
    return {v.text for v in material.variants if (v.replaced.start, v.replaced.end) == place}


def _changed(cases: Mapping[int, MetamorphicCase], text: str, translation: str) -> dict[int, MetamorphicCase]:
    """The cases with a new translation of one text, wherever it stands."""
    result = {}
    for number, case in cases.items():
        if case.source == text and case.source_translation != translation:
            case = replace(case, source_translation=translation)
        if case.followup == text and case.followup_translation != translation:
            case = replace(case, followup_translation=translation)
        result[number] = case
    return result
