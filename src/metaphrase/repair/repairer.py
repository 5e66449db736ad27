"""The repair of one source text: candidates one after another, until one is proved to be better.

First the source's translation is tried, then the follow-up's given what the source's is by then. A candidate is accepted if nothing objects to it
(`guards.py`), more variants show its wording than the old one, the relation that found the error holds for the repaired case, judged alone,
and no other known case of that source that held is violated by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metaphrase.core.values import Direction, MetamorphicCase, Outcome, Verdict
from metaphrase.relations.base import Relation
from metaphrase.repair.candidates import Candidate, Candidates, Material
from metaphrase.repair.guards import left_untranslated, objection
from metaphrase.repair.options import RepairOptions
from metaphrase.repair.ranking import METRICS
from metaphrase.repair.values import Judged, Repair, Replaced, Subject, Translate, Variant
from metaphrase.repair.variants import among, replacement
from metaphrase.repair.votes import Votes, count_votes
from metaphrase.resources.protocols import Aligner
from metaphrase.text.diff import changes
from metaphrase.text.languages import language
from metaphrase.text.normalise import fold

__all__ = ["Repairer"]

_FIELDS = ("source_translation", "followup_translation")


@dataclass(frozen=True, slots=True)
class _Proof:
    """What was shown about an accepted candidate."""

    verdict: Verdict
    votes: Votes
    voters: int
    checked: int
    back: tuple[float, float] | None


@dataclass(slots=True)
class _Attempt:
    """A candidate for one field of one case, and how it went."""

    field: str
    before: str
    candidate: Candidate
    proof: _Proof | None = None
    objection: str = ""
    supporters: tuple[str, ...] = ()


class Repairer:
    """Repairs subjects of one direction. `back` translates towards the source language, if back translation is asked for."""

    def __init__(self, direction: Direction, aligner: Aligner, options: RepairOptions, *, back: Translate | None = None) -> None:
        self._direction = direction
        self._languages = (language(direction.source), language(direction.target))
        self._aligner = aligner
        self._options = options
        self._back = back
        self._words: dict[str, list[str]] = {}

    def repair(self, subject: Subject) -> list[Repair]:
        """One row for every violated case: accepted with its proof, or the best that was tried and why it was refused."""
        self._words.clear()
        work = _Work(subject, self)
        for judged in subject.violated:
            work.attend(judged)
        return work.rows()

    def candidates(self, material: Material) -> Candidates:
        return Candidates(material, self._languages, self._aligner, self._options)

    def judge(self, relation: Relation, case: MetamorphicCase) -> Verdict:
        """Alone, so that the verdict does not depend on what else is judged."""
        (verdict,) = relation.judge([case])
        return verdict

    def tokens(self, text: str) -> list[str]:
        if text not in self._words:
            self._words[text] = [t.text for t in self._languages[1].tokens(text)]
        return self._words[text]

    def source_material(self, subject: Subject, case: MetamorphicCase) -> Material:
        """What the source's translation can be repaired from."""
        translation = case.source_translation or ""
        return Material(subject.source, translation, tuple(self.trusted(subject.variants, subject.source, translation)), subject.engines)

    def followup_material(self, subject: Subject, case: MetamorphicCase, source: Candidates) -> Material | None:
        """What a follow-up's translation can be repaired from; None if the follow-up is no variant of the source but a part of it."""
        found = replacement(case.source, case.followup, self._languages[0])
        if found is None:
            return None
        # What the source's variants say about the word's place in the source's translation holds here too.
        place = source.place(found)
        places = {case.source: place} if isinstance(place, tuple) else {}
        whole = Variant(case.source, case.source_translation or "", _NOWHERE, "follow-up")
        translation = case.followup_translation or ""
        near = self.trusted(among(case.followup, [whole, *subject.variants], self._languages[0]), case.followup, translation)
        chosen = {v.text for v in near} | {case.followup}
        others = [v for v in self.trusted(subject.variants, case.followup, translation) if v.text not in chosen]
        return Material(case.followup, translation, tuple(near), {}, places, tuple(v.translation for v in others))

    def trusted(self, variants: Sequence[Variant], text: str, translation: str) -> list[Variant]:
        """Without those whose translation leaves a word as it is that this one does not.

        They show what an unknown word does to the rest of a sentence, not how the rest is said.
        """
        allowed = left_untranslated(text, translation, self._languages)
        return [v for v in variants if left_untranslated(v.text, v.translation, self._languages) <= allowed]

    def objection(self, text: str, before: str, candidate: Candidate) -> str | None:
        return objection(text, before, candidate.text, self._languages, agreement=not candidate.keeps_untranslated)

    def back_translation(self, text: str, before: str, after: str) -> tuple[float, float] | None:
        """How near the old and the new translation come to the source when translated back; None if that cannot be had."""
        if self._back is None or not self._options.back_translation:
            return None
        old, new = self._back([before, after], self._direction.reversed)
        if old is None or new is None:
            return None
        tokens = self._languages[0].tokens
        wanted = [fold(t.text) for t in tokens(text)]
        measure = METRICS[self._options.metric]
        return measure([fold(t.text) for t in tokens(old)], wanted), measure([fold(t.text) for t in tokens(new)], wanted)

    def changed_words(self, before: str, after: str) -> list[dict[str, Any]]:
        """The changed words of both texts, in characters."""
        old, new = self._languages[1].tokens(before), self._languages[1].tokens(after)
        rows = []
        for change in changes([t.text for t in old], [t.text for t in new]):
            row: dict[str, Any] = {}
            for name, text, tokens, start, end in (
                ("before", before, old, change.left_start, change.left_end),
                ("after", after, new, change.right_start, change.right_end),
            ):
                a = tokens[start].start if start < len(tokens) else len(text)
                b = tokens[end - 1].end if start < end else a
                row[name] = {"start": a, "end": b, "quote": text[a:b]}
            rows.append(row)
        return rows

    @property
    def options(self) -> RepairOptions:
        return self._options


class _Work:
    """The state while one subject is repaired: the cases with the texts that were accepted so far."""

    def __init__(self, subject: Subject, repairer: Repairer) -> None:
        self._subject = subject
        self._repairer = repairer
        self._cases: dict[int, MetamorphicCase] = {i: judged.case for i, judged in enumerate(subject.cases)}
        self._holds = {i: not judged.verdict.violated for i, judged in enumerate(subject.cases)}
        self._attempts: list[tuple[int, _Attempt | None, Counter[str]]] = []
        self._made: dict[tuple[str, str], Candidates] = {}

    def attend(self, judged: Judged) -> None:
        number = next(i for i, one in enumerate(self._subject.cases) if one is judged)
        if self._holds[number]:
            return  # an earlier repair of the same source covers it
        refused: Counter[str] = Counter()
        best: _Attempt | None = None
        for field in _FIELDS:
            attempt = self._try(number, judged, field, refused)
            if attempt is not None and (best is None or attempt.proof):
                best = attempt
            if attempt is not None and attempt.proof is not None:
                self._accept(number, attempt)
                break
        self._attempts.append((number, best, refused))

    def _try(self, number: int, judged: Judged, field: str, refused: Counter[str]) -> _Attempt | None:
        case = self._cases[number]
        subject = self._subject
        own = self._repairer.source_material(subject, case)
        made = self._candidates(own)
        material: Material | None = own
        if field == "followup_translation":
            material = self._repairer.followup_material(subject, case, made)
        if material is None or not material.translation:
            return None
        if material is not own:
            made = self._candidates(material)
        voters = self._voters(material)
        best: _Attempt | None = None
        tried = 0
        for candidate in made:
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
        key = (material.text, material.translation)
        if key not in self._made:
            self._made[key] = self._repairer.candidates(material)
        return self._made[key]

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
        self, number: int, judged: Judged, material: Material, attempt: _Attempt, voters: Sequence[tuple[str, list[str]]]
    ) -> _Proof | tuple[str, bool]:
        """The proof, or why there is none and whether a relation had to be asked."""
        before, after = attempt.before, attempt.candidate.text
        found = self._repairer.objection(material.text, before, attempt.candidate)
        if found is not None:
            return found, False
        tokens = self._repairer.tokens
        votes = count_votes(tokens(before), tokens(after), [words for _, words in voters])
        needed = self._repairer.options.min_votes
        if attempt.candidate.keeps_untranslated:
            # A word that the engine does not know upsets how it reads the words around: only variants without it can tell.
            able = _replacing_the_same(attempt.candidate, material)
            votes = Votes(votes.new, tuple(i for i in votes.old if voters[i][0] in able))
            needed = min(1, needed)
        if len(votes.new) < needed or len(votes.new) <= len(votes.old):
            return "too few variants show its wording", False
        changed = _changed(self._cases, material.text, after)
        verdict = self._repairer.judge(judged.relation, changed[number])
        if verdict.outcome is not Outcome.HOLDS:
            return f"the relation does not hold: {verdict.reason}" if verdict.violated else "the relation does not apply", True
        for other, case in changed.items():
            if other != number and self._holds[other] and case is not self._cases[other]:
                again = self._repairer.judge(self._subject.cases[other].relation, case)
                if again.violated:
                    return "it would violate another case that holds", True
        back = self._repairer.back_translation(material.text, before, after)
        if back is not None and back[1] < back[0]:
            return "translated back it is farther from the source", True
        return _Proof(verdict, votes, len(voters), len(changed), back)

    def _accept(self, number: int, attempt: _Attempt) -> None:
        text = self._subject.source if attempt.field == "source_translation" else self._cases[number].followup
        changed = _changed(self._cases, text, attempt.candidate.text)
        for other, case in changed.items():
            if case is not self._cases[other]:
                verdict = self._repairer.judge(self._subject.cases[other].relation, case)
                self._holds[other] = other == number or not verdict.violated
        self._cases = changed

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
            "cases_checked": proof.checked,
        }
        if candidate.mapped is not None:
            evidence["mapped"] = {"word": candidate.mapped.word, "replaces": candidate.mapped.replaces}
        if proof.back is not None:
            evidence["back_translation"] = {"before": round(proof.back[0], 6), "after": round(proof.back[1], 6)}
        also = [self._subject.cases[i].case.id for i in self._covered(number)]
        return evidence | ({"also_repairs": also} if also else {})

    def _covered(self, number: int) -> list[int]:
        """Violated cases that no attempt was made for because this repair made them hold."""
        attended = {n for n, _, _ in self._attempts}
        first = next((n for n, a, _ in self._attempts if a is not None and a.proof is not None and a.field == "source_translation"), None)
        if first != number:
            return []
        return [i for i, judged in enumerate(self._subject.cases) if judged.verdict.violated and i not in attended and self._holds[i]]


_NOWHERE = Replaced(0, 0, 0, 0)


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
