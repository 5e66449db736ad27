"""SemMT: a text and its back-translation must mean the same.

Statements about quantities and logic are read by the lexicon and compared by named rules (`text/meaning/compare.py`), or by the paper's
similarities of regular expressions. Free text gets the general check of `text/meaning/facts.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field

from metaphrase.core import registry
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.options import Options, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Direction, MetamorphicCase, Outcome, RoundTripCase, Severity, Span, Verdict
from metaphrase.core.weights import Weights, shipped_weights
from metaphrase.relations.base import Relation
from metaphrase.relations.verdicts import not_applicable
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import TokenPair
from metaphrase.text.languages import language
from metaphrase.text.meaning import lexicon as lexicons
from metaphrase.text.meaning.automata import Limits
from metaphrase.text.meaning.compare import Difference, compare
from metaphrase.text.meaning.facts import compare_facts, load_facts, locate_facts, read_facts
from metaphrase.text.meaning.formalizer import Formalizer
from metaphrase.text.meaning.grammar import load_ranking
from metaphrase.text.meaning.lexicon import Lexicon, LexiconError, Mark, Reader
from metaphrase.text.meaning.similarity import compare_regexes
from metaphrase.text.meaning.trip import Agreement, Trip, locate, locate_by_agreement

__all__ = ["SemMT", "SemMTOptions", "semmt_relation"]

UNDETERMINED = "und"
# A text with more words that the lexicon does not know is free text.
_MOST_UNKNOWN = 0.2
_MOST_REASONS = 3
_MOST_PAIRS = 4_000
_CATEGORIES = {
    "negation": "opposite meaning",
    "count": "wrong quantity or time",
    "number": "wrong quantity or time",
    "date": "wrong quantity or time",
    "comparison": "wrong quantity or time",
    "thing": "word/phrase mistranslation",
    "name": "wrong named entity",
    "order": "unclear logic",
    "logic": "unclear logic",
    "condition": "unclear logic",
    "edge": "incorrect modification",
    "kind": "incorrect modification",
}


class SemMTOptions(Options):
    """`metric`: named rules, or a similarity of the paper (violated at or below `threshold`).

    `number` also reports singular for plural, as a minor finding of its own kind. `free_text` checks sentences that are no statements.
    `expressions = "given"` compares what a file states as `source_regex` and `back_regex` instead of reading the sentences.
    `paraphrase` names a relation over pairs, such as word-closure, that compares free text with its back-translation as two renderings of
    the intermediate text; it is asked where nothing else was found.
    `language` is that of cases that do not name theirs. `seconds` and `states` bound the work for one case. `lexicon` adds words to the
    shipped tables: `[relation.semmt.lexicon.things] NUM = ["figure"]`.
    """

    metric: Literal["rules", "regex", "automaton", "hybrid"] = "rules"
    expressions: Literal["own", "given"] = "own"
    threshold: float | None = Field(default=None, ge=0, le=1)
    number: bool = True
    free_text: bool = True
    paraphrase: str | None = None
    language: str = "en"
    seconds: float = Field(default=1.0, gt=0, le=60)
    states: int = Field(default=30_000, gt=0)
    lexicon: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Judgement:
    """How sure, what was found, how the texts were read."""

    score: float
    found: tuple[Difference, ...]
    read: str
    reason: str = ""
    trip: Trip | None = None
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class _Blamed:
    """Places of a text whose counterparts in the intermediate text are wanted."""

    case: int
    text: str
    intermediate: str
    places: tuple[tuple[int, int], ...]


class SemMT:
    """Judges round trips."""

    name = "semmt"

    def __init__(self, resources: Resources, options: SemMTOptions, weights: Weights) -> None:
        self._resources = resources
        self._options = options
        self._weights = weights
        self._rules: Mapping[str, float] = weights.values["rules"]
        default = weights.values["threshold"] if options.metric == "rules" else weights.values["metrics"][options.metric]
        self._threshold = default if options.threshold is None else options.threshold
        self._lexicon = lru_cache(maxsize=16)(self._load_lexicon)
        self._formalizers: dict[str, Formalizer] = {}
        self._paraphrase: Relation | None = registry.relations.load(options.paraphrase)(resources, {}) if options.paraphrase else None
        self._signature = str(self.signature())
        self._lexicon(options.language)  # a wrong table is reported now, not in the middle of a run

    def signature(self) -> Signature:
        chosen = {
            "metric": self._options.metric,
            "expressions": self._options.expressions if self._options.metric != "rules" else None,
            "threshold": self._threshold,
            "number": self._options.number,
            "free-text": self._options.free_text,
            "weights": self._weights.digest,
            "paraphrase": self._paraphrase.signature() if self._paraphrase is not None else None,
            "lexicon": "own" if self._options.lexicon else None,
        }
        return Signature(self.name, "1", chosen)

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        signature = self._signature
        verdicts = [self._judge(case, signature) for case in cases]
        return self._with_intermediate_spans(cases, self._with_paraphrases(cases, verdicts))

    def _judge(self, case: Case, signature: str) -> Verdict:
        if not isinstance(case, RoundTripCase):
            return not_applicable(case, self, f"semmt compares a round trip; this is a {case.kind} case")
        if case.back_translation is None:
            return not_applicable(case, self, "the back-translation is missing")
        if not case.source.strip():
            return not_applicable(case, self, "the source is empty")
        if not case.back_translation.strip():
            lost = _Judgement(1.0, (Difference("all-lost", "meaning", "the back-translation is empty"),), "not")
            return self._verdict(case, case.back_translation, lost, signature)
        judged = self._compare(case, case.back_translation)
        if isinstance(judged, str):
            return not_applicable(case, self, judged)
        return self._verdict(case, case.back_translation, judged, signature)

    def _compare(self, case: RoundTripCase, back: str) -> _Judgement | str:
        if self._options.expressions == "given" and self._options.metric != "rules":
            return self._by_given(case)
        code = self._options.language if case.direction.source == UNDETERMINED else case.direction.source
        known = self._lexicon(code)
        if known is not None:
            reader = Reader(known)
            ours, theirs = reader.read(case.source), reader.read(back)
            if _is_statement(ours) and _is_readable(theirs) and len(ours) <= lexicons.LONGEST_SENTENCE:
                if self._options.metric == "rules":
                    return self._by_rules(case, ours, theirs)
                return self._by_similarity(code, known, case.source, back)
        if self._options.metric != "rules":
            return "not a statement that can be formalised" if known is not None else f"there is no formaliser for '{code}'"
        if not self._options.free_text:
            return "free text, which the options leave out"
        return self._by_facts(case, back, code)

    def _by_rules(self, case: RoundTripCase, ours: Sequence[Mark], theirs: Sequence[Mark]) -> _Judgement:
        found = [d for d in compare(ours, theirs) if self._options.number or d.kind == "meaning"]
        middle = self._intermediate_marks(case)
        trip = locate(ours, middle, theirs, found) if middle is not None else _by_agreement(case)
        whole = not any(mark.kind == "unknown" for mark in (*ours, *theirs))
        spans = _name_spans(case, found, ours, middle or ())
        return _Judgement(
            _either(self._rules.get(d.rule, 0.5) for d in found), tuple(found), "whole" if whole else "partly", trip=trip, spans=spans
        )

    def _by_similarity(self, code: str, known: Lexicon, source: str, back: str) -> _Judgement | str:
        formalizer = self._formalizers.setdefault(code, Formalizer(known, load_ranking(code)))
        ours, theirs = formalizer.read(source), formalizer.read(back)
        if not (ours.regex and theirs.regex):
            # The paper counts what cannot be read as similarity 0; here the note says so.
            why = ours.why or theirs.why
            return _Judgement(1.0, (), "not", f"similarity 0: not formalised ({why})")
        judged = self._by_expressions(ours.regex, theirs.regex)
        return judged if isinstance(judged, str) else replace(judged, read=ours.how if ours.how == theirs.how else "partly")

    def _by_given(self, case: RoundTripCase) -> _Judgement | str:
        given = [case.extra.get(name) for name in ("source_regex", "back_regex")]
        if not all(isinstance(text, str) for text in given):
            return "the case states no source_regex and back_regex"
        return self._by_expressions(str(given[0]), str(given[1]))

    def _by_expressions(self, ours: str, theirs: str) -> _Judgement | str:
        outcome = compare_regexes(ours, theirs, limits=Limits(self._options.states, self._options.seconds))
        value = {"regex": outcome.tokens, "automaton": outcome.language, "hybrid": outcome.hybrid}[self._options.metric]
        if value is None:
            return f"not decided: {outcome.why}"
        return _Judgement(1.0 - value, (), "given", f"the meanings are {value:.3f} alike by {self._options.metric}: {ours} and {theirs}")

    def _by_facts(self, case: RoundTripCase, back: str, code: str) -> _Judgement:
        table, tongue = load_facts(code), language(code)
        source = read_facts(case.source, tongue, table)
        changes = compare_facts(source, read_facts(back, tongue, table), table.worth if table is not None else {})
        trip = _by_agreement(case)
        if changes and trip is None and case.intermediate and case.direction.target != UNDETERMINED:
            middle = load_facts(case.direction.target)
            trip = locate_facts(changes, source, read_facts(case.intermediate, language(case.direction.target), middle), middle)
        read = "free text" if table is not None else "free text: numbers and names only"
        return _Judgement(_either(change.worth for change in changes), tuple(change.difference for change in changes), read, trip=trip)

    def _verdict(self, case: RoundTripCase, back: str, judged: _Judgement, signature: str) -> Verdict:
        limit = self._threshold if self._options.metric == "rules" else 1.0 - self._threshold
        violated = judged.score >= limit and (bool(judged.found) or self._options.metric != "rules")
        meant = any(difference.kind == "meaning" for difference in judged.found) or (violated and not judged.found)
        extra: dict[str, Any] = {"read": judged.read}
        if judged.found:
            extra["differences"] = [_told(difference) for difference in judged.found]
        if violated and judged.trip is not None:
            extra["trip"] = {"leg": judged.trip.leg, "confidence": round(judged.trip.confidence, 2), "why": judged.trip.why}
        quotes = [_says(difference, case.source, back) for difference in judged.found]
        told = "; ".join(quotes[:_MOST_REASONS]) + (f"; and {len(quotes) - _MOST_REASONS} more" if len(quotes) > _MOST_REASONS else "")
        if violated and told and judged.trip is not None:
            told += f"; probably on the way {'there' if judged.trip.leg == 'forward' else 'back'}"
        reason = judged.reason or told or f"nothing changed ({judged.read})"
        return Verdict(
            case.id, self.name, Outcome.VIOLATED if violated else Outcome.HOLDS, judged.score, reason, signature,
            spans=(*_back_spans(judged.found, back), *judged.spans) if violated else (),
            severity=(Severity.MAJOR if meant else Severity.MINOR) if violated else None,
            major=judged.score if meant else 0.1 * judged.score,
            category=_category(judged.found) if violated else None,
            extra=extra,
        )  # fmt: skip

    def _intermediate_marks(self, case: RoundTripCase) -> list[Mark] | None:
        """The intermediate text read by its language's lexicon, if there is one."""
        if not case.intermediate:
            return None
        codes = [case.direction.target] if case.direction.target != UNDETERMINED else lexicons.languages()
        for code in codes:
            known = self._lexicon(code) if code != self._options.language else None
            marks = Reader(known).read(case.intermediate) if known is not None else []
            if _is_statement(marks):
                return marks
        return None

    def _with_intermediate_spans(self, cases: Sequence[Case], verdicts: list[Verdict]) -> list[Verdict]:
        """Through word alignment, where in the intermediate text the blamed words of both other texts stand."""
        wanted: dict[Direction, list[_Blamed]] = {}
        for place, (case, verdict) in enumerate(zip(cases, verdicts, strict=True)):
            if not (isinstance(case, RoundTripCase) and case.intermediate and verdict.violated) or UNDETERMINED in str(case.direction):
                continue
            if any(span.text == "intermediate" for span in verdict.spans):
                continue
            back = [(span.start, span.end) for span in verdict.spans]
            # What is lost has no place in the back-translation; the source says where to look for it.
            lost = [tuple(d["source"]) for d in verdict.extra.get("differences", ()) if "source" in d and "back" not in d]
            for text, places in ((case.back_translation or "", back), (case.source, lost)):
                if places:
                    wanted.setdefault(case.direction, []).append(_Blamed(place, text, case.intermediate, tuple(places)))
        for direction, blamed in wanted.items() if self._resources.has("aligner") else ():
            for place, spans in self._align(direction, blamed):
                verdicts[place] = replace(verdicts[place], spans=(*verdicts[place].spans, *spans))
        return verdicts

    def _with_paraphrases(self, cases: Sequence[Case], verdicts: list[Verdict]) -> list[Verdict]:
        """Where free text seems unchanged: source and back-translation as two renderings of the intermediate text."""
        if self._paraphrase is None:
            return verdicts
        asked: list[tuple[int, MetamorphicCase]] = []
        for place, (case, verdict) in enumerate(zip(cases, verdicts, strict=True)):
            free = verdict.outcome is Outcome.HOLDS and str(verdict.extra.get("read")).startswith("free text")
            if free and isinstance(case, RoundTripCase) and case.intermediate:
                middle = case.intermediate
                pair = MetamorphicCase(case.id, case.direction.reversed, "", middle, middle, case.source, case.back_translation, edits=())
                asked.append((place, pair))
        for (place, _), found in zip(asked, self._paraphrase.judge([pair for _, pair in asked]), strict=True):
            if found.violated:
                verdicts[place] = _as_paraphrase(verdicts[place], found)
        return verdicts

    def _align(self, direction: Direction, blamed: Sequence[_Blamed]) -> Iterator[tuple[int, tuple[Span, ...]]]:
        source, target = language(direction.source), language(direction.target)
        sides = [(one, source.tokens(one.text), target.tokens(one.intermediate)) for one in blamed]
        # Alignment costs the product of the lengths; a text beyond this is too long to wait for a nicer place.
        short = [(one, left, right) for one, left, right in sides if len(left) * len(right) <= _MOST_PAIRS]
        pairs = [TokenPair(tuple(t.text for t in left), tuple(t.text for t in right)) for _, left, right in short]
        links = self._resources.aligner(direction).align(pairs) if pairs else []
        for (one, left, right), found in zip(short, links, strict=True):
            words = {i for i, t in enumerate(left) if any(start < t.end and t.start < end for start, end in one.places)}
            hits = sorted({link.target for link in found.links if link.source in words})
            yield one.case, _joined([(right[i].start, right[i].end) for i in hits], one.intermediate)

    def _load_lexicon(self, code: str) -> Lexicon | None:
        base = code.split("-")[0]
        if not self._options.lexicon or base != self._options.language:
            return lexicons.load(base)
        try:
            return lexicons.extended(base, self._options.lexicon)
        except LexiconError as error:
            raise ConfigurationError(f"[relation.semmt.lexicon]: {error}") from None


def _as_paraphrase(verdict: Verdict, found: Verdict) -> Verdict:
    """The verdict of the relation over pairs, told about the round trip."""
    spans = tuple(replace(span, text="back_translation") for span in found.spans if span.text == "followup_translation")
    return replace(
        verdict, outcome=Outcome.VIOLATED, score=found.score, reason=f"not a paraphrase of the source: {found.reason}", spans=spans,
        severity=found.severity or Severity.MINOR, major=found.major, category=found.category,
        extra={**verdict.extra, "paraphrase": found.signature},
    )  # fmt: skip


def _is_readable(marks: Sequence[Mark]) -> bool:
    """Whether the lexicon knows nearly all words."""
    return bool(marks) and sum(mark.kind == "unknown" for mark in marks) <= _MOST_UNKNOWN * len(marks)


def _is_statement(marks: Sequence[Mark]) -> bool:
    """Whether, besides, it speaks about at least one thing."""
    return _is_readable(marks) and any(mark.kind == "thing" for mark in marks)


def _either(chances: Any) -> float:
    rest = 1.0
    for chance in chances:
        rest *= 1.0 - chance
    return 1.0 - rest


def _says(difference: Difference, source: str, back: str) -> str:
    ours = f"'{source[slice(*difference.source)]}'" if difference.source else "it"
    theirs = f"'{back[slice(*difference.back)]}'" if difference.back else "nothing"
    return f"{difference.says.format(source=ours, back=theirs)} ({difference.rule})"


def _back_spans(found: Sequence[Difference], back: str) -> tuple[Span, ...]:
    places = sorted({difference.back for difference in found if difference.back})
    return tuple(Span("back_translation", start, end, back[start:end]) for start, end in places)


def _told(difference: Difference) -> dict[str, Any]:
    """A difference for machines; places are characters of `source` and `back_translation`."""
    places = {"source": difference.source, "back": difference.back}
    return {"rule": difference.rule, "kind": difference.kind, **{name: list(place) for name, place in places.items() if place is not None}}


def _joined(places: Sequence[tuple[int, int]], text: str) -> tuple[Span, ...]:
    """Spans of places in order; words with nothing but blanks between them are one span."""
    merged: list[tuple[int, int]] = []
    for start, end in places:
        if merged and not text[merged[-1][1] : start].strip():
            start = merged.pop()[0]
        merged.append((start, end))
    return tuple(Span("intermediate", start, end, text[start:end]) for start, end in merged)


def _name_spans(case: RoundTripCase, found: Sequence[Difference], ours: Sequence[Mark], middle: Sequence[Mark]) -> tuple[Span, ...]:
    """Where the intermediate text speaks of the things that changed, by its own lexicon."""
    text = case.intermediate or ""
    places: set[tuple[int, int]] = set()
    for difference in found:
        names = {
            mark.name
            for mark in ours
            if difference.source and mark.kind == "thing" and mark.start < difference.source[1] and difference.source[0] < mark.end
        }
        counted = difference.rule.startswith("count")
        places |= {(m.start, m.end) for m in middle if (m.kind == "thing" and m.name in names) or (counted and m.count is not None)}
    return tuple(Span("intermediate", start, end, text[start:end]) for start, end in sorted(places))


def _category(found: Sequence[Difference]) -> str | None:
    for difference in found:
        name, _, _ = difference.rule.partition("-")
        if difference.rule in ("thing-lost", "words-lost", "all-lost"):
            return "under-translation"
        if difference.rule == "thing-added":
            return "over-translation"
        if difference.kind == "meaning" and name in _CATEGORIES:
            return _CATEGORIES[name]
    return None


def _by_agreement(case: RoundTripCase) -> Trip | None:
    """Section 5.4, where a case carries how much other systems agree with each leg: `agreement`, `usual_agreement`."""
    observed, usual = case.extra.get("agreement"), case.extra.get("usual_agreement")
    if not (isinstance(observed, Mapping) and isinstance(usual, Mapping)):
        return None
    try:
        return locate_by_agreement(
            Agreement(float(observed["forward"]), float(observed["backward"])), Agreement(float(usual["forward"]), float(usual["backward"]))
        )
    except (KeyError, TypeError, ValueError):
        return None


def semmt_relation(resources: Resources, options: Mapping[str, Any]) -> SemMT:
    weights = shipped_weights("metaphrase.relations", "semmt")
    assert weights is not None, "weights/semmt.json is part of the package"
    return SemMT(resources, read_options(SemMTOptions, options, "[relation.semmt]"), weights)
