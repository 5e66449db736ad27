"""No transformation at all: every sentence is one case for all engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, DifferentialCase, Direction, Segment
from metaphrase.resources.profiles import Resources

__all__ = ["SameSentence", "make"]


@configured_by(Options)
def make(resources: Resources, options: Mapping[str, Any]) -> SameSentence:
    read_options(Options, options, "[method.dcs]")
    return SameSentence()


class SameSentence:
    name = "dcs"

    def signature(self) -> Signature:
        return Signature("same-sentence", "1")

    def propose(self, segments: Sequence[Segment], direction: Direction) -> Iterator[Case]:
        for segment in segments:
            yield DifferentialCase(f"{segment.id}-dcs", direction, segment.text, extra=MappingProxyType({"segment": segment.id}))
