"""Judging a batch of cases: what every relation would otherwise have to check itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metaphrase.core.values import Case, DifferentialCase, MetamorphicCase, Severity, Verdict
from metaphrase.relations.base import Relation
from metaphrase.relations.verdicts import not_applicable, violated
from metaphrase.text.tokens import is_word

__all__ = ["judge"]


def judge(relation: Relation, cases: Sequence[Case]) -> list[Verdict]:
    """One verdict a case, in order. Untranslated cases are not applicable; an empty translation is an error by itself."""
    verdicts: list[Verdict | None] = [_before(relation, case) for case in cases]
    rest = [i for i, verdict in enumerate(verdicts) if verdict is None]
    for i, verdict in zip(rest, relation.judge([cases[i] for i in rest]), strict=True):
        verdicts[i] = replace(verdict, id=cases[i].id, score=_rounded(verdict.score), major=_rounded(verdict.major))
    return [v for v in verdicts if v is not None]


def _rounded(value: float | None) -> float | None:
    """As files hold it: a verdict must rank alike whether it was just made or read back by a resumed run."""
    return None if value is None else round(value, 6)


def _before(relation: Relation, case: Case) -> Verdict | None:
    waiting = sum(1 for _ in case.requests())
    if isinstance(case, DifferentialCase) and len(case.translations) - waiting > 1:
        return None  # two engines can be compared without the third
    if waiting:
        return not_applicable(case, relation, "not translated")
    if isinstance(case, MetamorphicCase):
        for text, translation in ((case.source, case.source_translation), (case.followup, case.followup_translation)):
            if is_word(text) and not is_word(translation or ""):
                return violated(
                    case, relation, 1.0, f"the translation of '{text[:80]}' is empty", (), Severity.MAJOR, category="under-translation"
                )
    return None
