"""How alike two token sequences are, 0..1: the four metrics of TransRepair and CAT.

Two empty sequences are equal (1). Each function is symmetric.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq, Levenshtein

__all__ = ["bleu", "edit_similarity", "lcs_similarity", "tf_idf_similarity"]

_ORDER = 4


def lcs_similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """Length of the longest common subsequence over the longer length."""
    longest = max(len(a), len(b))
    return LCSseq.similarity(a, b) / longest if longest else 1.0


def edit_similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """1 - Levenshtein distance over the longer length."""
    longest = max(len(a), len(b))
    return 1.0 - Levenshtein.distance(a, b) / longest if longest else 1.0


def tf_idf_similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """Cosine of TF-IDF vectors over the two sequences as documents, smoothed: idf = ln(3 / (1 + df)) + 1.

    TransRepair takes document frequencies from a corpus; the pair alone keeps a verdict independent of what else is judged.
    """
    if not a and not b:
        return 1.0
    left, right = Counter(a), Counter(b)
    one = math.log(3 / 2) + 1  # in one of the two; a token of both has weight 1
    product = sum(left[w] * right[w] for w in left.keys() & right.keys())
    lengths = math.sqrt(_length(left, right, one) * _length(right, left, one))
    return min(1.0, product / lengths) if lengths else 0.0


def _length(own: Counter[str], other: Counter[str], one: float) -> float:
    return sum((n * (1.0 if w in other else one)) ** 2 for w, n in own.items())


def bleu(a: Sequence[str], b: Sequence[str]) -> float:
    """Sentence BLEU, the better of the two directions."""
    return max(_sentence_bleu(a, b), _sentence_bleu(b, a))


def _sentence_bleu(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """BLEU-4 with exponential smoothing and effective order, as sacreBLEU's sentence_bleu computes it."""
    if not hypothesis or not reference:
        return float(not hypothesis and not reference)
    logarithms = []
    smooth = 1.0
    for n in range(1, min(_ORDER, len(hypothesis)) + 1):
        ours = Counter(zip(*(hypothesis[i:] for i in range(n)), strict=False))
        theirs = Counter(zip(*(reference[i:] for i in range(n)), strict=False))
        correct = sum((ours & theirs).values())
        total = len(hypothesis) - n + 1
        if n == 1 and not correct:
            return 0.0
        if not correct:
            smooth *= 2
            logarithms.append(math.log(1 / (smooth * total)))
        else:
            logarithms.append(math.log(correct / total))
    brevity = min(0.0, 1 - len(reference) / len(hypothesis))
    return math.exp(brevity + sum(logarithms) / len(logarithms))
