"""Purity: noun phrases translate alike wherever they stand.

He, Meister, Su: Testing Machine Translation via Referential Transparency. ICSE 2021.

- At most 10 words a phrase: the paper's text; its released code keeps phrases below 10. `max-words` is an option.
- At least 3 words that are not stop words; phrases of a single word are never used.
- What is compared: characters for Chinese, as in the paper, and words for English, by lemma. For languages whose words agree with each other
  it is content words whatever their inflection: an article or an ending that follows the context is no error.
  `[relation.bag-of-words] units = "words"` gives the paper's bags for these too.
- d: the paper reports 0 to 5 and recommends none. Ours is in `relations/bag_of_words.py`, by what is compared.
"""

from __future__ import annotations

from metaphrase.methods.base import WORD_CLOSURE_PAIRS, Method
from metaphrase.transforms.noun_phrases import make

__all__ = ["PURITY"]

PURITY = Method(
    name="purity",
    title="noun phrases against the texts around them",
    citation="He, Meister, Su: Testing Machine Translation via Referential Transparency. ICSE 2021",
    kind="metamorphic",
    transformation=make,
    relation="bag-of-words",
    better_relations=WORD_CLOSURE_PAIRS,
    needs=("parser",),
)
