"""What a transformation is: it proposes cases from segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Direction, Segment
from metaphrase.resources.profiles import Resources

__all__ = ["Transformation", "TransformationFactory"]


@runtime_checkable
class Transformation(Protocol):
    """Proposes cases for a batch of segments, in the segments' order, the most promising of a segment first.

    Proposals depend on the segment, the options and the seed only, never on the batch around it.
    A case's `extra["segment"]` is the id of the segment that it came from.
    """

    name: str

    def propose(self, segments: Sequence[Segment], direction: Direction) -> Iterator[Case]: ...
    def signature(self) -> Signature: ...


class TransformationFactory(Protocol):
    def __call__(self, resources: Resources, options: Mapping[str, Any]) -> Transformation: ...
