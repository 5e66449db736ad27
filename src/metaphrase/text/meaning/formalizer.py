"""Sentences to regular expressions, and how well each was read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from metaphrase.text.meaning import automata, grammar, regex
from metaphrase.text.meaning.grammar import Ranking, Statement, Term
from metaphrase.text.meaning.lexicon import LONGEST_SENTENCE, Count, Lexicon, Mark, Reader

How = Literal["whole", "partly", "not"]
_LOGIC: Final = grammar.PREFIX | grammar.INFIX | {"either", "instead", "terminated"}
_VERBS: Final = frozenset({"contain", "only", "start", "end", "have", "not"})
_COMPARED: Final = 8
_UNCERTAIN_BELOW: Final = 0.03
"""Share of the votes under which a reading does not take part in the vote of equal languages."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a sentence was read as."""

    regex: str
    """In the writing of the data set; empty when the sentence was not read."""
    how: How
    why: str
    """What stood in the way, in plain words; empty when the whole sentence was read."""
    term: Term | None = None
    statement: Statement | None = None
    marks: tuple[Mark, ...] = ()
    confidence: float = 0.0
    """Share of the votes for this reading: 0.5 means that two readings are as likely."""


@dataclass(slots=True)
class Formalizer:
    """Reads sentences of one language."""

    lexicon: Lexicon
    ranking: Ranking
    _ranked: dict[tuple[str, ...], dict[Term, float]] = field(default_factory=dict)
    _chosen: dict[tuple[str, ...], tuple[Term, float]] = field(default_factory=dict)

    def read(self, sentence: str) -> Meaning:
        if not sentence.strip():
            return Meaning("", "not", "the text is empty")
        marks = tuple(Reader(self.lexicon).read(sentence))
        if len(sentence.split()) > LONGEST_SENTENCE:
            return Meaning("", "not", f"the text has more than {LONGEST_SENTENCE} words", marks=marks)
        unknown = [mark.name for mark in marks if mark.kind == "unknown"]
        statement = grammar.statement_of(_with_things(marks) if unknown else marks)
        if not statement.things:
            return Meaning("", "not", "no thing that the lexicon knows", marks=marks)
        if unknown and not any(mark.count is not None or mark.kind in _LOGIC for mark in marks):
            return Meaning("", "not", "no quantity and no word of logic", marks=marks)
        choice = self._choose(statement)
        if choice is None:
            return Meaning("", "not", "the words are known but no reading joins them", marks=marks)
        term, confidence = choice
        why = f"not in the lexicon: {', '.join(unknown)}" if unknown else ""
        return Meaning(write(term, statement), "partly" if unknown else "whole", why, term, statement, marks, confidence)

    def _choose(self, statement: Statement) -> tuple[Term, float] | None:
        """The reading whose language has most votes: readings that mean the same with these things vote together."""
        key = (*statement.pattern, *(leaf_text(mark) for mark in statement.things), *(bounds_text(mark.count) for mark in statement.counts))
        if key not in self._chosen:
            ranked = self._ranked.get(statement.pattern)
            if ranked is None:
                ranked = self._ranked[statement.pattern] = self.ranking.rank(statement.pattern)
            if not ranked:
                return None
            if len(self._chosen) > 20_000:
                self._chosen.clear()
            self._chosen[key] = _vote(ranked, statement)
        return self._chosen[key]


def _with_things(marks: Iterable[Mark]) -> list[Mark]:
    """Unknown words that stand together become one abstract thing (section 3.3.1 of the paper)."""
    out: list[Mark] = []
    for mark in marks:
        if mark.kind == "unknown" and mark.name[0].isalpha():
            name = mark.name.lower()
            if out and out[-1].kind == "thing" and out[-1].name.startswith("x:") and mark.start - out[-1].end <= 1:
                previous = out[-1]
                out[-1] = Mark("thing", previous.start, mark.end, f"{previous.name}-{name}", False, "", previous.count)
            else:
                out.append(Mark("thing", mark.start, mark.end, f"x:{name}", count=mark.count))
        else:
            # What contains, starts or ends with something is the whole that the statement is about, not a part of it.
            if mark.kind in _VERBS and len(out) == 1 and out[0].name.startswith("x:") and out[0].count is None:
                out = [Mark("head", out[0].start, out[0].end, out[0].name)]
            out.append(mark)
    return out


def _vote(ranked: dict[Term, float], statement: Statement) -> tuple[Term, float]:
    total = sum(ranked.values())
    candidates = [(term, votes) for term, votes in list(ranked.items())[:_COMPARED] if votes >= _UNCERTAIN_BELOW * total]
    if len(candidates) == 1:
        return candidates[0][0], candidates[0][1] / total
    trees = [regex.parse(write(term, statement)) for term, _ in candidates]
    compiler = automata.Compiler(automata.alphabet_of(trees), automata.Budget.of(automata.Limits(20_000, 0.3)))
    classes: list[tuple[automata.Dfa, list[tuple[Term, float]]]] = []
    try:
        for tree, candidate in zip(trees, candidates, strict=True):
            dfa = compiler.compile(tree)
            for known, members in classes:
                if len(known) == len(dfa) and automata.equivalent(known, dfa):
                    members.append(candidate)
                    break
            else:
                classes.append((dfa, [candidate]))
    except automata.LimitReached:
        # Too large to compare: each reading votes for itself.
        return candidates[0][0], candidates[0][1] / total
    _, best = max(classes, key=lambda item: sum(votes for _, votes in item[1]))
    return best[0][0], sum(votes for _, votes in best) / total


def leaf_text(mark: Mark) -> str:
    """A thing in the writing of the data set: a plural is "one or more"."""
    name = mark.name
    if name.startswith("<M") and name[2:-1] in "0123":
        text = name
    elif name.startswith("x:"):
        text = f"<{name}>"
    elif name == "ANY":
        text = "."
    elif name in regex.CLASS_NAMES:
        text = f"[ <{name}> ]"
    else:
        letters = [letter for letter in name if letter.isascii() and letter.isalnum()]
        text = " ".join(letters) if letters else f"<x:{name or 'thing'}>"
    if mark.count is not None:
        return f"( {text} ) {bounds_text(mark.count)}"
    return f"( {text} ) +" if mark.plural else text


def bounds_text(count: Count | None) -> str:
    if count is None:
        return ""
    if count.most is None:
        return {0: "*", 1: "+"}.get(count.least, f"{{ {count.least} , }}")
    if count.least == count.most:
        return f"{{ {count.least} }}"
    return f"{{ , {count.most} }}" if count.least == 0 else f"{{ {count.least} , {count.most} }}"


def write(term: Term, statement: Statement) -> str:
    """A reading in the writing of the data set, which leaves out brackets around what "containing" and "words" govern."""
    inner = [write(part, statement) for part in term.parts]
    match term.op:
        case "X":
            return leaf_text(statement.things[term.slot])
        case "N":
            return f"( {inner[0]} ) {bounds_text(statement.counts[term.slot].count)}"
        case "contain":
            return f". * {inner[0]} . *"
        case "only":
            return inner[0]
        case "start":
            return f"( {inner[0]} ) ( . * )"
        case "end":
            return f"( . * ) ( {inner[0]} )"
        case "words":
            return f"\\ b {inner[0]} \\ b"
        case "not":
            return f"~ ( {inner[0]} )"
        case "before":
            return f"( {inner[0]} ) . * ( {inner[1]} ) . *"
        case "after":
            return f"( {inner[1]} ) . * ( {inner[0]} ) . *"
        case "follow":
            return f"{inner[0]} . * {inner[1]} . *"
    joint = " | " if term.op.startswith("or") else " & "
    return joint.join(f"( {part} )" for part in inner)
