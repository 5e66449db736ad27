"""What a method is: a transformation, a relation, and defaults, under the name a paper gave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from metaphrase.core.values import Expectation
from metaphrase.transforms.base import TransformationFactory

__all__ = ["WORD_CLOSURE_PAIRS", "Method"]

# Where word closure was measured to do better than every method's own relation (docs/word-closure.md).
WORD_CLOSURE_PAIRS = MappingProxyType({"en-zh": "word-closure", "zh-en": "word-closure"})


@dataclass(frozen=True, slots=True)
class Method:
    """An entry point of the group `metaphrase.methods` names one of these.

    `relation` judges the cases unless the user asks for another; `better_relations` names, for a direction such as
    "en-zh", the one that was measured to do better. `profile_relations` names what judges on a profile that lacks what
    `relation` needs; `metaphrase methods` and every run's signatures say so. `relation_options` are the paper's thresholds, by relation.
    `seeded`: the transformation takes the campaign's seed as option `seed`.
    `needs` lists the resource roles without which the method cannot run on a profile.
    """

    name: str
    title: str
    citation: str
    kind: str  # metamorphic, differential or round-trip
    transformation: TransformationFactory
    relation: str
    better_relations: Mapping[str, str] = field(default_factory=dict)
    expectation: Expectation = Expectation.SAME
    options: Mapping[str, Any] = field(default_factory=dict)
    profile_relations: Mapping[str, str] = field(default_factory=dict)
    relation_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    source_languages: tuple[str, ...] = ()  # empty: any
    systems: int = 1  # how many systems it needs at least
    seeded: bool = False

    def default_relation(self, direction: str, profile: str = "") -> str:
        return self.better_relations.get(direction) or self.profile_relations.get(profile, self.relation)
