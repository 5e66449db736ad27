"""TransRepair: context-similar words, from a dictionary on which two embedding models agree.

Sun, Zhang, Harman, Papadakis, Zhang: Automatic Testing and Improvement of Machine Translation. ICSE 2020.

- Nouns, adjectives and numbers; the whole sequence of tags must stay; at most 5 mutants a sentence.
- The paper's dictionary: pairs above 0.9 in both GloVe and spaCy vectors. Ours is built by script from two sentence encoders, whose cosines
  run lower, and filtered by WordNet; see the table's provenance. The same on both profiles: the method needs no masked LM.
- Relation: LCS over variants, threshold .963.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from metaphrase.core.options import configured_by, read_options
from metaphrase.methods.base import WORD_CLOSURE_PAIRS, Method
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import Language
from metaphrase.transforms.candidates import CandidateSource, SimilarTable, TypedSwaps
from metaphrase.transforms.replacement import ReplacementOptions, WordReplacement
from metaphrase.transforms.sentences import Sentence

__all__ = ["TRANSREPAIR"]


class TransRepairOptions(ReplacementOptions):
    max_cases: int = Field(default=5, ge=1)
    per_word: int = Field(default=2, ge=1)
    tags: str = Field(default="same-sequence", pattern="^(any|same-class|same-tag|same-sequence)$")


@configured_by(TransRepairOptions)
def make(resources: Resources, options: Mapping[str, Any]) -> WordReplacement:
    read = read_options(TransRepairOptions, options, "[method.transrepair]")
    sources: list[CandidateSource] = [TypedSwaps(read.seed, frozenset({"number", "year"})), SimilarTable(resources, _accepts)]
    return WordReplacement("transrepair", resources, sources, read)


def _accepts(sentence: Sentence, index: int, language: Language) -> bool:
    return sentence.words[index].tag.startswith(("NN", "JJ"))


TRANSREPAIR = Method(
    name="transrepair",
    title="a noun, adjective or number replaced from a dictionary of similar words",
    citation="Sun et al.: Automatic Testing and Improvement of Machine Translation. ICSE 2020",
    kind="metamorphic",
    transformation=make,
    relation="lcs",
    better_relations=WORD_CLOSURE_PAIRS,
    needs=("parser", "similar-words"),
    source_languages=("en", "zh"),
    seeded=True,
)
