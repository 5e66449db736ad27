"""SemMT: a round trip must keep what a sentence says about quantities and logic.

Cao, Li, Li, Wen, Cheung, Chen: SemMT: A Semantic-based Testing Approach for Machine Translation Systems. ACM TOSEM 2022.

- The paper turns both texts into regular expressions with a neural model and compares those; `metric = "regex"`, `"automaton"` or
  `"hybrid"` of `[relation.semmt]` does that with our grammar, at the thresholds of the paper's Table 3 (.62, .42, .32).
- The default is ours: rules with names over what both texts say. On the paper's round trips the similarities find half of the bugs, because
  half of them are plural for singular; that is a finding of its own kind here (`number`), minor, and can be switched off.
- Free text that seems unchanged can also be compared with its back-translation as two renderings of the intermediate text (`paraphrase =
  "word-closure"` of `[relation.semmt]`). Of 59 findings that this added
  on 200 sentences 22 were errors of the way there ("teacher", "profesor", "professor" is none), so it is off.
- Mutants by synonyms: `[method.semmt] mutants = 3`. The paper checked its mutants by hand; ours come from the lexicon's own entries.
- The paper's released similarities follow other conventions than its text; `metaphrase bench semmt --compat` repeats those.
"""

from __future__ import annotations

from metaphrase.methods.base import Method
from metaphrase.transforms.round_trip import make

__all__ = ["SEMMT"]

SEMMT = Method(
    name="semmt",
    title="round trips compared by meaning",
    citation="Cao, Li, Li, Wen, Cheung, Chen: SemMT: A Semantic-based Testing Approach for Machine Translation Systems. TOSEM 2022",
    kind="round-trip",
    transformation=make,
    relation="semmt",
)
