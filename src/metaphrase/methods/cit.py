"""CIT: adding an adjunct must not change the translation of the rest.

Ji, Feng, Liu, Zhao, Yang: Automated Testing for Machine Translation Based on Constituency Invariance. ASE 2021.

- The sentence is compressed to its core (`source`); `followup` is the core with one adjunct, and variants of the adjunct have one word replaced.
- The paper compresses with a neural model. Ours is the documented alternative: constituents outside the verb's frame are taken out, by the
  constituency tree on `neural`, by the sequence of phrases on `lite` (fewer adjuncts, only the safe ones).
- Relation: every constituency path of the core's translation is in the longer one's. It needs a parser of the target language; where the
  profile has none, --relation bag-of-words compares the words instead.
"""

from __future__ import annotations

from metaphrase.methods.base import Method
from metaphrase.transforms.compression import make

__all__ = ["CIT"]

CIT = Method(
    name="cit",
    title="one adjunct added to the core of a sentence",
    citation="Ji et al.: Automated Testing for Machine Translation Based on Constituency Invariance. ASE 2021",
    kind="metamorphic",
    transformation=make,
    relation="constituency-paths",
    needs=("parser",),
    source_languages=("en", "zh"),
    seeded=True,
)
