"""What a user may set about repair: the table `[repair]` of metaphrase.toml."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaphrase.core.options import Options

__all__ = ["Kind", "RepairOptions"]

Kind = Literal["follow-up", "mutant", "synonym", "majority", "phrase", "part", "engine"]


class RepairOptions(Options):
    """`[repair]`.

    `variants`: how many variants of a sentence may be used, as in the papers 16. `rank`: by cross reference, by the system's own score, or by
    the score where every variant has one. `metric`: the similarity of the cross reference. `min_votes`: so many variants must show the new
    wording, and more than show the old one. `back_translation`: ask also what comes back with the repaired text, where a system translates back.
    `candidates`: the kinds that may be tried. `most_tried`: how many of them a relation is asked about, for one translation.
    """

    variants: int = Field(default=16, ge=1, le=64)
    rank: str = Field(default="auto", pattern="^(auto|cross-reference|score)$")
    metric: str = Field(default="lcs", pattern="^(lcs|edit-distance|tf-idf|bleu)$")
    min_votes: int = Field(default=2, ge=0)
    most_tried: int = Field(default=6, ge=1)
    back_translation: bool = True
    candidates: tuple[Kind, ...] = ("follow-up", "mutant", "synonym", "majority", "phrase", "part", "engine")
    methods: tuple[str, ...] = ("cat", "transrepair", "sit")
