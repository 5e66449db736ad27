"""Conformance checks for plugins: call them in a test of your own; they raise AssertionError with what is wrong.

from metaphrase.testing import check_system

def test_my_engine_is_a_system():
    check_system(open_my_engine("mine", "", {}), Direction("en", "es"))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Direction, MetamorphicCase, Outcome, RoundTripCase, Segment, Translation, Verdict
from metaphrase.files.cases import case_from_json, case_to_json, verdict_from_json, verdict_to_json
from metaphrase.relations.base import Relation
from metaphrase.systems.base import Limits, System
from metaphrase.transforms.base import Transformation

__all__ = ["check_relation", "check_system", "check_transformation"]

_TEXTS = ("The small shop sells fresh bread.", "A dog barks.", "Prices rose by 3.5 % in May.")


def check_system(system: System, direction: Direction, texts: Sequence[str] = _TEXTS) -> None:
    """Order, one answer a text, repeatability, an empty batch, a stable signature, closing twice."""
    _require(isinstance(system, System), "a system has: name, limits, translate, signature, close")
    _require(isinstance(system.limits, Limits) and system.limits.items > 0, "limits must be a Limits that allows at least one text")
    _check_signature(system)
    _require(list(system.translate([], direction)) == [], "an empty batch must give an empty list")
    answers = system.translate(list(texts), direction)
    _require(len(answers) == len(texts), f"{len(texts)} texts went in, {len(answers)} came back")
    for text, answer in zip(texts, answers, strict=True):
        _require(isinstance(answer, Translation), f"the answer to {text!r} is a {type(answer).__name__}, not a Translation")
        _require((answer.text is None) == (answer.failure is not None), f"the answer to {text!r} needs either a text or a failure")
    backwards = system.translate(list(reversed(texts)), direction)
    _require([a.text for a in reversed(backwards)] == [a.text for a in answers], "answers must follow the order of the texts")
    system.close()
    system.close()


def check_relation(relation: Relation, cases: Sequence[Case]) -> None:
    """One verdict a case in order, spans inside their texts, scores in 0..1, nothing learnt from other kinds of cases.

    Give translated cases of which the relation finds at least one violated and one holding.
    """
    _require(isinstance(relation, Relation), "a relation has: name, judge, signature")
    _check_signature(relation)
    _require(list(relation.judge([])) == [], "an empty batch must give an empty list")
    verdicts = relation.judge(list(cases))
    _require(len(verdicts) == len(cases), f"{len(cases)} cases went in, {len(verdicts)} verdicts came back")
    for case, verdict in zip(cases, verdicts, strict=True):
        _check_verdict(relation, case, verdict)
    _require(list(relation.judge(list(cases))) == list(verdicts), "judging the same batch twice must give the same verdicts")
    outcomes = {v.outcome for v in verdicts}
    _require({Outcome.VIOLATED, Outcome.HOLDS} <= outcomes, f"the cases must show both outcomes, not only {', '.join(sorted(outcomes))}")
    untranslated = [_untranslated(case) for case in cases[:1]]
    (open_verdict,) = relation.judge(untranslated)
    _require(open_verdict.outcome is Outcome.NOT_APPLICABLE, "a case without translations must be not-applicable, not an error or a score")


def check_transformation(transformation: Transformation, segments: Sequence[Segment], direction: Direction) -> None:
    """Cases that name their segment, edits that fit, unique ids, the same proposals alone and in a batch."""
    _require(isinstance(transformation, Transformation), "a transformation has: name, propose, signature")
    _check_signature(transformation)
    _require(list(transformation.propose([], direction)) == [], "no segments, no cases")
    cases = list(transformation.propose(list(segments), direction))
    _require(bool(cases), "no case was proposed: give segments for which there are some")
    _require(len({c.id for c in cases}) == len(cases), "the ids of the cases must differ")
    names = {segment.id for segment in segments}
    for case in cases:
        _require(case.extra.get("segment") in names, f"case {case.id}: extra['segment'] must be the id of its segment")
        _require(case.direction == direction, f"case {case.id}: direction {case.direction} where {direction} was asked for")
        _require(case_from_json(case_to_json(case)) == case, f"case {case.id} does not survive being written and read")
        if isinstance(case, MetamorphicCase):
            _check_edits(case)
    alone = [case for segment in segments for case in transformation.propose([segment], direction)]
    _require(alone == cases, "proposals must depend on the segment only, not on the batch around it")


def _check_signature(thing: Any) -> None:
    signature = thing.signature()
    _require(isinstance(signature, Signature), "signature() must give a Signature")
    _require(str(signature) == str(thing.signature()), "signature() must give the same every time")


def _check_verdict(relation: Relation, case: Case, verdict: Verdict) -> None:
    where = f"verdict of case {case.id}"
    _require(verdict.id == case.id, f"{where}: its id is {verdict.id}")
    _require(verdict.relation == relation.name, f"{where}: it names the relation '{verdict.relation}', not '{relation.name}'")
    _require(bool(verdict.reason.strip()), f"{where}: no reason")
    _require(verdict.signature == str(relation.signature()), f"{where}: it does not carry the relation's signature")
    for name, value in (("score", verdict.score), ("major", verdict.major)):
        _require(value is None or 0 <= value <= 1, f"{where}: {name} = {value} is outside 0..1")
    if verdict.outcome is Outcome.NOT_APPLICABLE:
        _require(verdict.score is None, f"{where}: what does not apply has no score")
    texts = dict(case.texts())
    for span in verdict.spans:
        _require(span.text in texts, f"{where}: a span lies in '{span.text}', which is none of {', '.join(texts)}")
        _require(
            texts[span.text][span.start : span.end] == span.quote != "",
            f"{where}: the span {span.start}..{span.end} is not its quote {span.quote!r}",
        )
    read = verdict_from_json(verdict_to_json(verdict))
    _require((read.id, read.outcome, read.spans) == (verdict.id, verdict.outcome, verdict.spans), f"{where} does not survive being written")


def _check_edits(case: MetamorphicCase) -> None:
    for edit in case.edits or ():
        before = case.source[edit.source_start : edit.source_end]
        after = case.followup[edit.followup_start : edit.followup_end]
        _require(
            (before, after) == (edit.before, edit.after), f"case {case.id}: the edit {edit.before!r} -> {edit.after!r} is not at its place"
        )


def _untranslated(case: Case) -> Case:
    if isinstance(case, MetamorphicCase):
        return replace(case, source_translation=None, followup_translation=None)
    if isinstance(case, RoundTripCase):
        return replace(case, intermediate=None, back_translation=None)
    return replace(case, translations=dict.fromkeys(case.translations))


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)
