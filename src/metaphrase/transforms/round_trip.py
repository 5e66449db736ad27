"""Round trips: a sentence there and back; and, if asked for, reworded forms of it that mean the same (section 3 of SemMT)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import Field

from metaphrase.core.options import Options, read_options
from metaphrase.core.signature import Signature, content_hash
from metaphrase.core.values import Case, Direction, RoundTripCase, Segment
from metaphrase.resources.profiles import Resources
from metaphrase.text.meaning import lexicon as lexicons
from metaphrase.text.meaning.rewording import Rewording, rewordings

__all__ = ["RoundTripOptions", "RoundTrips", "make"]


class RoundTripOptions(Options):
    """`mutants`: how many reworded forms of each sentence are also sent; 0 sends the sentence alone. `seed` picks among them."""

    mutants: int = Field(default=0, ge=0, le=100)
    seed: int = 0


class RoundTrips:
    """One case a sentence, and one a reworded form."""

    name = "semmt"

    def __init__(self, options: RoundTripOptions) -> None:
        self._options = options

    def signature(self) -> Signature:
        return Signature(
            "round-trip", "1", {"mutants": self._options.mutants, "seed": self._options.seed if self._options.mutants else None}
        )

    def propose(self, segments: Sequence[Segment], direction: Direction) -> Iterator[Case]:
        for segment in segments:
            origin = {"segment": segment.id}
            yield RoundTripCase(segment.id, direction, segment.text, extra=MappingProxyType(origin))
            for number, mutant in enumerate(self._mutants(segment, direction), start=1):
                told = {**origin, "mutant_of": segment.text, "before": mutant.before, "after": mutant.after}
                yield RoundTripCase(f"{segment.id}~{number}", direction, mutant.text, extra=MappingProxyType(told))

    def _mutants(self, segment: Segment, direction: Direction) -> list[Rewording]:
        known = lexicons.load(direction.source) if self._options.mutants else None
        if known is None:
            return []
        found = rewordings(segment.text, known)
        # The pick depends on the sentence only, so that a resumed run proposes the same.
        generator = random.Random(content_hash(self._options.seed, segment.text))
        return generator.sample(found, min(self._options.mutants, len(found)))


def make(resources: Resources, options: Mapping[str, Any]) -> RoundTrips:
    return RoundTrips(read_options(RoundTripOptions, options, "[method.semmt]"))
