"""Learns from sentences with regular expressions which reading of an ambiguous pattern is meant.

A labelled sentence only says which expression is right. Every reading that the grammar finds is written out; those written like the label
are right. A log-linear model over operator pairs is fitted to that (AdaGrad, L2), and the memory counts readings of each pattern.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metaphrase.text.meaning import automata, formalizer, grammar, regex
from metaphrase.text.meaning.grammar import Ranking, Statement, Term
from metaphrase.text.meaning.lexicon import Lexicon, Reader

__all__ = ["Labelled", "cross_validate", "learn", "prepare", "same_language", "sentence_groups"]

_ROUNDS = 40
_RATE = 0.3
_SHRINK = 0.1
_SMALLEST = 0.02
_COMPARE = automata.Limits(states=400_000, seconds=20.0)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with its expression, and the readings that are written like it."""

    sentence: str
    regex: str
    statement: Statement
    right: frozenset[Term]


def _plain(text: str) -> str:
    return "".join(text.split())


def prepare(pairs: Iterable[tuple[str, str]], lexicon: Lexicon) -> list[Labelled]:
    """Read labelled sentences; `right` stays empty where no reading is written like the label."""
    reader = Reader(lexicon)
    known: dict[tuple[str, ...], list[Term]] = {}
    rows: list[Labelled] = []
    for sentence, expression in pairs:
        statement = grammar.statement_of(reader.read(sentence))
        if statement.pattern not in known:
            known[statement.pattern] = list(grammar.readings(statement.pattern, {}))
        wanted = _plain(expression)
        right = frozenset(term for term in known[statement.pattern] if _plain(formalizer.write(term, statement)) == wanted)
        rows.append(Labelled(sentence, expression, statement, right))
    return rows


def learn(rows: Sequence[Labelled]) -> Ranking:
    """Weights of operator pairs, and how often each pattern had each reading."""
    targets: dict[tuple[str, ...], Counter[frozenset[Term]]] = defaultdict(Counter)
    for row in rows:
        if row.right:
            targets[row.statement.pattern][row.right] += 1
    weights = _fit(targets)
    memory: dict[str, Counter[str]] = defaultdict(Counter)
    for pattern, readings in targets.items():
        for right, times in readings.items():
            # Of readings that are written alike the weights choose one.
            best = max(right, key=lambda term: (sum(weights.get(name, 0.0) for name in grammar.features(term)), str(term)))
            memory[" ".join(pattern)][str(best)] += times
    return Ranking(weights, {pattern: dict(sorted(counts.items())) for pattern, counts in sorted(memory.items())})


def _fit(targets: dict[tuple[str, ...], Counter[frozenset[Term]]]) -> dict[str, float]:
    weights: dict[str, float] = defaultdict(float)
    squares: dict[str, float] = defaultdict(lambda: 1e-6)
    problems = []
    for pattern, right in targets.items():
        terms = list(grammar.readings(pattern, {}))
        if len(terms) > 1:
            problems.append((terms, [Counter([*grammar.features(term), f"root {term.op}"]) for term in terms], right))
    for _ in range(_ROUNDS):
        for terms, names, right in problems:
            for name, slope in _slopes(terms, names, right, weights).items():
                step = slope - _SHRINK * weights[name]
                squares[name] += step * step
                weights[name] += _RATE * step / math.sqrt(squares[name])
    return {name: round(weight, 3) for name, weight in sorted(weights.items()) if abs(weight) >= _SMALLEST}


def _slopes(terms: list[Term], names: list[Counter[str]], right: Counter[frozenset[Term]], weights: dict[str, float]) -> dict[str, float]:
    scores = [sum(weights[name] * times for name, times in counts.items()) for counts in names]
    top = max(scores)
    masses = [math.exp(score - top) for score in scores]
    total = sum(masses)
    chances = [mass / total for mass in masses]
    wanted = [0.0] * len(terms)
    for group, times in right.items():
        members = [place for place, term in enumerate(terms) if term in group]
        share = sum(chances[place] for place in members)
        for place in members:
            wanted[place] += times * chances[place] / share
    slopes: dict[str, float] = defaultdict(float)
    rows = sum(right.values())
    for place, counts in enumerate(names):
        gap = wanted[place] - rows * chances[place]
        for name, times in counts.items():
            slopes[name] += gap * times
    return slopes


def sentence_groups(pairs: Sequence[tuple[str, str]]) -> list[int]:
    """A number a row; rows with equal sentences or equal expressions share it."""
    parents: dict[str, str] = {}

    def root(key: str) -> str:
        while parents.setdefault(key, key) != key:
            parents[key] = parents[parents[key]]
            key = parents[key]
        return key

    for sentence, expression in pairs:
        parents[root("s" + sentence)] = root("r" + _plain(expression))
    return [int(hashlib.sha256(root("s" + sentence).encode()).hexdigest()[:8], 16) for sentence, _ in pairs]


def same_language(left: str, right: str) -> bool:
    """Whether two expressions describe the same words; an unreadable one is equal to nothing."""
    if _plain(left) == _plain(right):
        return True
    try:
        trees = [regex.parse(left), regex.parse(right)]
        compiler = automata.Compiler(automata.alphabet_of(trees), automata.Budget.of(_COMPARE))
        return automata.equivalent(compiler.compile(trees[0]), compiler.compile(trees[1]))
    except (regex.RegexSyntaxError, automata.LimitReached):
        return False


def cross_validate(pairs: Sequence[tuple[str, str]], lexicon: Lexicon, *, folds: int = 10) -> list[bool]:
    """For each row, whether it is read right by what was learnt from the other folds; groups are never torn apart."""
    rows, groups = prepare(pairs, lexicon), sentence_groups(pairs)
    right = [False] * len(rows)
    compared: dict[tuple[str, str], bool] = {}
    for fold in range(folds):
        ranking = learn([row for row, group in zip(rows, groups, strict=True) if group % folds != fold])
        reader = formalizer.Formalizer(lexicon, ranking)
        for place, (row, group) in enumerate(zip(rows, groups, strict=True)):
            if group % folds == fold:
                found = reader.read(row.sentence).regex
                if (found, row.regex) not in compared:
                    compared[found, row.regex] = bool(found) and same_language(found, row.regex)
                right[place] = compared[found, row.regex]
    return right
