"""CAT: isotopic replacement, a word by one that means nearly the same in its context.

Sun, Zhang, Xiong, Harman, Papadakis, Zhang: Improving Machine Translation Systems via Isotopic Replacement. ICSE 2022.

- Every word but punctuation is masked in turn; predictions of probability 0.05 or more that differ; of these, words whose
  contextual vector has a cosine of 0.87 or more with the original word's; at most 5 mutants a sentence, highest cosine first.
- The paper keeps no part of speech. It uses BERT large, we what the profile has, and of what a smaller model lets through more is wrong: so only
  content words, articles and modal verbs that stand free are masked (`transforms/isotopic.py` has the reasons), and the tag must stay, with number and tense.
- The paper's cosine is 0.85, on BERT large. On the 12 layers of ours one in ten mutants between 0.85 and 0.87 was wrong and one in fifty above
  (121 mutants of 40 news sentences). `min-cosine = 0.85` and `tags = "any"` come closer to the paper.
- On `lite` there is no masked LM: the similar-words table and typed swaps propose, and the tag class must stay.
- Relation: LCS over variants, threshold .963 as in TransRepair.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from metaphrase.core.options import configured_by, read_options
from metaphrase.methods.base import WORD_CLOSURE_PAIRS, Method
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import Language
from metaphrase.transforms.candidates import MaskedWords, SimilarTable, TypedSwaps
from metaphrase.transforms.isotopic import keeps_agreement, may_be_replaced
from metaphrase.transforms.replacement import ReplacementOptions, WordReplacement
from metaphrase.transforms.sentences import Sentence

__all__ = ["CAT"]

_ALL = 1_000


class CatOptions(ReplacementOptions):
    max_cases: int = Field(default=5, ge=1)
    per_word: int = Field(default=2, ge=1)
    top: int = Field(default=20, ge=1)
    min_probability: float = Field(default=0.05, ge=0, le=1)
    min_cosine: float = Field(default=0.87, ge=0, le=1)


@configured_by(CatOptions)
def make(resources: Resources, options: Mapping[str, Any]) -> WordReplacement:
    read = read_options(CatOptions, options, "[method.cat]")
    if resources.has("masked-lm"):
        # The paper has no limit a word: the most similar mutants are kept, wherever they stand.
        read = read.model_copy(update={"per_word": options.get("per-word", _ALL), "tags": options.get("tags", "same-tag")})
        words = MaskedWords(resources, may_be_replaced, top=read.top, min_probability=read.min_probability, keeps=keeps_agreement)
        return WordReplacement("cat", resources, [words], read)
    return WordReplacement(
        "cat", resources, [TypedSwaps(read.seed), SimilarTable(resources, _all)], read.model_copy(update={"min_cosine": 0.0})
    )


def _all(sentence: Sentence, index: int, language: Language) -> bool:
    return True


CAT = Method(
    name="cat",
    title="a word replaced by one that means nearly the same here",
    citation="Sun et al.: Improving Machine Translation Systems via Isotopic Replacement. ICSE 2022",
    kind="metamorphic",
    transformation=make,
    relation="lcs",
    better_relations=WORD_CLOSURE_PAIRS,
    needs=("parser",),
    source_languages=("en", "zh"),
    seeded=True,
)
