"""What a relation is: it judges translated cases in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Verdict
from metaphrase.resources.profiles import Resources

__all__ = ["Relation", "RelationFactory"]


@runtime_checkable
class Relation(Protocol):
    """Judges cases: one verdict a case, in order. A case of the wrong kind is not applicable, not an error."""

    name: str

    def judge(self, cases: Sequence[Case]) -> list[Verdict]: ...
    def signature(self) -> Signature: ...


class RelationFactory(Protocol):
    """What an entry point of the group `metaphrase.relations` names.

    `options` comes from `[relation.NAME]` of the configuration and the method's defaults; the factory
    validates it (see `core/options.py`).
    """

    def __call__(self, resources: Resources, options: Mapping[str, Any]) -> Relation: ...
