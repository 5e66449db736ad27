"""SIT: similar sentences have similar structures.

He, Meister, Su: Structure-Invariant Testing for Machine Translation. ICSE 2020.

- Nouns (NN*) and adjectives (JJ*), never the first or the last word; the masked LM's top 10; candidates of one character or with
  punctuation are dropped; the first two letters of the tag must stay.
- Relation: dependency distance, threshold exclusive; the paper reports the three farthest follow-ups a source (`max-cases` 3).
- On `lite` there is no masked LM and no dependency parser: the similar-words table proposes, and LCS over variants judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from metaphrase.core.options import configured_by, read_options
from metaphrase.methods.base import WORD_CLOSURE_PAIRS, Method
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import Language
from metaphrase.transforms.candidates import CandidateSource, MaskedWords, SimilarTable
from metaphrase.transforms.replacement import ReplacementOptions, WordReplacement
from metaphrase.transforms.sentences import Sentence

__all__ = ["SIT"]


class SitOptions(ReplacementOptions):
    max_cases: int = Field(default=3, ge=1)
    per_word: int = Field(default=1, ge=1)
    top: int = Field(default=10, ge=1)


@configured_by(SitOptions)
def make(resources: Resources, options: Mapping[str, Any]) -> WordReplacement:
    read = read_options(SitOptions, options, "[method.sit]")
    source: CandidateSource
    if resources.has("masked-lm"):
        source = MaskedWords(resources, _accepts, top=read.top, min_length=2)
    else:
        source = SimilarTable(resources, _accepts)
    return WordReplacement("sit", resources, [source], read)


def _accepts(sentence: Sentence, index: int, language: Language) -> bool:
    inner = not sentence.starts_sentence(index) and not sentence.ends_sentence(index)
    return inner and sentence.words[index].tag.startswith(("NN", "JJ"))


SIT = Method(
    name="sit",
    title="a noun or adjective replaced, the structure must stay",
    citation="He, Meister, Su: Structure-Invariant Testing for Machine Translation. ICSE 2020",
    kind="metamorphic",
    transformation=make,
    relation="dependency-distance",
    better_relations=WORD_CLOSURE_PAIRS,
    profile_relations={"lite": "lcs"},
    needs=("parser",),
    source_languages=("en", "zh"),
    seeded=True,
)
