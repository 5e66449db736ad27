"""PatInv: sentences of different meaning must not be translated alike.

Gupta, He, Meister, Su: Machine Translation Testing via Pathological Invariance. ESEC/FSE 2020.

- Replacement: nouns, verbs, adjectives, adverbs, pronouns that are not stop words; the masked LM's top 50; same tag class; tree distance
  of at most 1; another lemma and stem; no synonym. The paper then asks a sentence encoder that the pair be far apart; we take the mean of the
  encoder's word vectors (`max-cosine`).
- Removal: a phrase or an adjective, at least `min-removed` characters.
- On `lite`: antonyms, and common words of the same kind whose vectors are far apart in both models of the similar-words table.
- Relation: the translations must differ in more than spaces and punctuation.
"""

from __future__ import annotations

from metaphrase.core.values import Expectation
from metaphrase.methods.base import WORD_CLOSURE_PAIRS, Method
from metaphrase.transforms.pathological import make

__all__ = ["PATINV"]

PATINV = Method(
    name="patinv",
    title="a word replaced by one of another meaning, or removed",
    citation="Gupta et al.: Machine Translation Testing via Pathological Invariance. ESEC/FSE 2020",
    kind="metamorphic",
    transformation=make,
    relation="must-differ",
    better_relations=WORD_CLOSURE_PAIRS,
    expectation=Expectation.DIFFERENT,
    options={"replacements": 3, "removals": 2, "top": 50, "max-tree-distance": 1, "max-cosine": 0.98, "min-removed": 4},
    needs=("parser", "similar-words"),
    source_languages=("en", "zh"),
    seeded=True,
)
