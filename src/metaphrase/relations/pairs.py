"""What relations over one translated metamorphic pair share: which cases they can judge, and how thresholds reach them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metaphrase.core.values import Case, MetamorphicCase, Verdict
from metaphrase.core.weights import shipped_weights
from metaphrase.relations.base import Relation
from metaphrase.relations.verdicts import not_applicable

__all__ = ["Pair", "judge_pairs", "shipped_threshold"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A metamorphic case with both translations."""

    case: MetamorphicCase
    source_translation: str
    followup_translation: str


def judge_pairs(relation: Relation, cases: Sequence[Case], judge: Callable[[Sequence[Pair]], list[Verdict]]) -> list[Verdict]:
    """One verdict a case, in order; `judge` sees the translated pairs only, all at once."""
    pairs: list[Pair] = []
    refused: list[Verdict | None] = []
    for case in cases:
        if not isinstance(case, MetamorphicCase):
            refused.append(not_applicable(case, relation, f"{relation.name} compares a metamorphic pair; this is a {case.kind} case"))
        elif case.source_translation is None or case.followup_translation is None:
            refused.append(not_applicable(case, relation, "a translation is missing"))
        else:
            pairs.append(Pair(case, case.source_translation, case.followup_translation))
            refused.append(None)
    judged = iter(judge(pairs) if pairs else [])
    return [next(judged) if verdict is None else verdict for verdict in refused]


def shipped_threshold(name: str) -> float:
    """A paper's threshold, from `weights/NAME.json`; `metaphrase calibrate` writes such a file from labelled cases."""
    weights = shipped_weights("metaphrase.relations", name)
    assert weights is not None, f"weights/{name}.json is part of the package"
    return float(weights.values["threshold"])
