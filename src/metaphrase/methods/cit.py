"""CIT: adding an adjunct must not change the translation of the rest.

Ji, Feng, Liu, Zhao, Yang: Automated Testing for Machine Translation Based on Constituency Invariance. ASE 2021.

- The sentence is compressed to its core (`source`); `followup` is the core with one adjunct, and variants of the adjunct have one word replaced.
- The paper compresses with a neural model. Ours is the documented alternative: constituents outside the verb's frame are taken out, by the
  constituency tree on `neural`, by the sequence of phrases on `lite` (fewer adjuncts, only the safe ones).
- Relation: every constituency path of the core's translation is in the longer one's. On `lite`, which parses no target language to that
  depth, the bag of words judges: every word of the core's translation is in the longer one's.
"""

from __future__ import annotations

from metaphrase.methods.base import WORD_CLOSURE_PAIRS, Method
from metaphrase.transforms.compression import make

__all__ = ["CIT"]

CIT = Method(
    name="cit",
    title="one adjunct added to the core of a sentence",
    citation="Ji et al.: Automated Testing for Machine Translation Based on Constituency Invariance. ASE 2021",
    kind="metamorphic",
    transformation=make,
    relation="constituency-paths",
    better_relations=WORD_CLOSURE_PAIRS,
    profile_relations={"lite": "bag-of-words"},
    needs=("parser",),
    source_languages=("en", "zh"),
    seeded=True,
)
