"""What relations over one translated metamorphic pair share: which cases they can judge, and how thresholds reach them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metaphrase.core.signature import Signature
from metaphrase.core.values import NOTHING, Case, MetamorphicCase, Outcome, Span, Verdict
from metaphrase.core.weights import shipped_weights

__all__ = ["Judgement", "Pair", "judge_pairs", "shipped_threshold"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A metamorphic case with both translations."""

    case: MetamorphicCase
    source_translation: str
    followup_translation: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict without the parts that are the same for all of a relation's verdicts."""

    violated: bool
    score: float
    reason: str
    spans: tuple[Span, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


def judge_pairs(
    name: str, signature: Signature, cases: Sequence[Case], judge: Callable[[Sequence[Pair]], list[Judgement | str]]
) -> list[Verdict]:
    """One verdict a case, in order. `judge` sees the translated pairs only; a string it returns says why it does not apply."""
    pairs: list[Pair] = []
    answers: list[Judgement | str | None] = []
    for case in cases:
        if not isinstance(case, MetamorphicCase):
            answers.append(f"{name} compares a metamorphic pair; this is a {case.kind} case")
        elif case.source_translation is None or case.followup_translation is None:
            answers.append("a translation is missing")
        else:
            pairs.append(Pair(case, case.source_translation, case.followup_translation))
            answers.append(None)
    judged = iter(judge(pairs) if pairs else [])
    plain = str(signature)
    return [_verdict(case.id, name, plain, next(judged) if answer is None else answer) for case, answer in zip(cases, answers, strict=True)]


def _verdict(identifier: str, name: str, signature: str, answer: Judgement | str) -> Verdict:
    if isinstance(answer, str):
        return Verdict(identifier, name, Outcome.NOT_APPLICABLE, None, answer, signature)
    outcome = Outcome.VIOLATED if answer.violated else Outcome.HOLDS
    return Verdict(identifier, name, outcome, answer.score, answer.reason, signature, spans=answer.spans, extra=answer.extra)


def shipped_threshold(name: str) -> float:
    """A paper's threshold, from `weights/NAME.json`; `metaphrase calibrate` writes such a file from labelled cases."""
    weights = shipped_weights("metaphrase.relations", name)
    assert weights is not None, f"weights/{name}.json is part of the package"
    return float(weights.values["threshold"])
