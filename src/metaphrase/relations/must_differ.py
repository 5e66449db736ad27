"""PatInv's relation: sentences of different meaning must not be translated alike.

Gupta, He, Meister, Su: Machine Translation Testing via Pathological Invariance, ESEC/FSE 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Edit, Severity, Span, Verdict
from metaphrase.relations.pairs import Pair, judge_pairs
from metaphrase.relations.verdicts import holds, violated
from metaphrase.resources.profiles import Resources
from metaphrase.text.normalise import bare

__all__ = ["MustDifferRelation", "must_differ_relation"]


class MustDifferOptions(Options):
    """There is nothing to set."""


class MustDifferRelation:
    """Violated where both translations are the same but for spaces, case and punctuation."""

    name = "must-differ"

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        return judge_pairs(self, cases, lambda pairs: [self._judge(pair) for pair in pairs])

    def signature(self) -> Signature:
        return Signature(self.name)

    def _judge(self, pair: Pair) -> Verdict:
        if bare(pair.source_translation) != bare(pair.followup_translation):
            return holds(pair.case, self, 0.0, "the translations differ, as the sentences do")
        sides = (("source_translation", pair.source_translation), ("followup_translation", pair.followup_translation))
        spans = tuple(Span(field, 0, len(text), text) for field, text in sides)
        reason = f"two sentences of different meaning{_describe(pair.case.edits)} have the same translation"
        return violated(pair.case, self, 1.0, reason, spans, Severity.MAJOR)


def _describe(edits: Sequence[Edit] | None) -> str:
    if not edits:
        return ""
    edit = max(edits, key=lambda e: len(e.before) + len(e.after))
    return f" ('{edit.before}' and '{edit.after}')" if edit.after else f" (with and without '{edit.before}')"


@configured_by(MustDifferOptions)
def must_differ_relation(resources: Resources, options: Mapping[str, Any]) -> MustDifferRelation:
    read_options(MustDifferOptions, options, "[relation.must-differ]")
    return MustDifferRelation()
