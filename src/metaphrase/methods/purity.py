"""Purity: noun phrases translate alike wherever they stand.

He, Meister, Su: Testing Machine Translation via Referential Transparency. ICSE 2021.

- At most 10 words a phrase: the paper's text; its released code keeps phrases below 10. `max-words` is an option.
- At least 3 words that are not stop words; phrases of a single word are never used.
- d: the paper reports 0 to 5 and recommends none. Ours is 1: one word of difference is mostly wording, two seldom are.
"""

from __future__ import annotations

from metaphrase.methods.base import Method
from metaphrase.transforms.noun_phrases import make

__all__ = ["PURITY"]

PURITY = Method(
    name="purity",
    title="noun phrases against the texts around them",
    citation="He, Meister, Su: Testing Machine Translation via Referential Transparency. ICSE 2021",
    kind="metamorphic",
    transformation=make,
    relation="bag-of-words",
    relation_options={"bag-of-words": {"d": 1}},
    needs=("parser",),
)
