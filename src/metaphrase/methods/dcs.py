"""DCS: two or more engines on one sentence, compared part by part.

Liu, Dou, Chen, Zhang, Lu: Differential Testing of Machine Translators Based on Compositional Semantics. IEEE TSE 2023.

- No transformation: it works on any text, and is how engines are chosen. Every pair of engines is compared; what the pairs say about one place of the
  sentence is one finding.
- `scorer = "paper"`: the published rule. A part violates if the cosine of its two translations' vectors is below .75 and the synonym check fails (.45). The
  paper aligns with awesome-align, compresses with SLAHAN, and embeds with SimCSE; we have other models behind the same steps, so its thresholds do not carry
  over: on our vectors they are far from the published figures.
- `scorer = "learned"` (default): comparison through shared source words. Weights and thresholds are in the weights files, with their provenance.
- Numbers and negations are rules: a changed value is reported whatever the score.
- With three or more engines the one farthest from the others is named as the outlier, never as the wrong one: if two make the same mistake, the third is.
"""

from __future__ import annotations

from metaphrase.methods.base import Method
from metaphrase.transforms.differential import make

__all__ = ["DCS"]

DCS = Method(
    name="dcs",
    title="several engines on one sentence",
    citation="Liu et al.: Differential Testing of Machine Translators Based on Compositional Semantics. IEEE TSE 2023",
    kind="differential",
    transformation=make,
    relation="dcs",
    relation_options={"dcs": {"similarity": 0.75, "bag": 0.45}},
    needs=("aligner", "lexicon", "synonyms"),
    systems=2,
)
