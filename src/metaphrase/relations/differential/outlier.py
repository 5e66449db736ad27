"""Which of three or more engines stands apart from the others: never called wrong, because two may share a mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log1p
from typing import Any

from metaphrase.core.logistic import Logistic
from metaphrase.relations.differential.pairs import EnginePair
from metaphrase.relations.differential.scorers import logit

__all__ = ["STANDING_FEATURES", "ScoredPair", "outlier_of", "ranked", "standings"]

# `distance`: mean of the log-odds of its pairs; `alone`: unexplained words that no other engine has.
STANDING_FEATURES = ("distance", "alone")


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """Two engines' translations, in the pair's order, and the probability that one of them has an error."""

    engines: tuple[str, str]
    pair: EnginePair
    score: float


def standings(compared: Sequence[ScoredPair]) -> dict[str, dict[str, float]]:
    """What speaks against each engine."""
    engines = list(dict.fromkeys(engine for one in compared for engine in one.engines))
    found = {}
    for engine in engines:
        own = [one for one in compared if engine in one.engines]
        unexplained = [_unexplained(one.pair, one.engines.index(engine)) for one in own]
        alone = set(unexplained[0]).intersection(*unexplained)
        found[engine] = {
            "distance": sum(logit(one.score) for one in own) / len(own),
            "alone": log1p(sum(min(words[k] for words in unexplained) for k in alone)),
        }
    return found


def _unexplained(pair: EnginePair, side: int) -> dict[int, float]:
    """Content words that the other translation lacks; a name left as it was may stand."""
    words = [w for w in pair.left_over if w.side == side and not w.features["function-word"] and not w.features["kept"]]
    return {w.index: w.unexplained for w in words}


def ranked(found: Mapping[str, Mapping[str, float]], standing: Logistic) -> list[tuple[str, float]]:
    """Engines with what speaks against them, the most first."""
    totals = {e: sum(weight * features[name] for name, weight in standing.weights.items()) for e, features in found.items()}
    return sorted(totals.items(), key=lambda item: -item[1])


def outlier_of(compared: Sequence[ScoredPair], values: Mapping[str, Any]) -> tuple[str, float] | None:
    """The engine farthest from the others, where there are three or more, and how sure that is if exactly one is wrong."""
    found = standings(compared)
    if len(found) < 3:
        return None
    (first, most), (_, next_most), *_ = ranked(found, Logistic.read(values["standing"]))
    total = float(values["bias"]) + float(values["margin"]) * (most - next_most)
    return first, 1 / (1 + exp(-total))
