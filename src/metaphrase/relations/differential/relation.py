"""The relation `dcs` itself: all engines of a case, all pairs compared, one verdict with its places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field

from metaphrase.core.errors import ConfigurationError, MissingResourceError
from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature, content_hash
from metaphrase.core.values import Case, DifferentialCase, Direction, Severity, Span, Verdict
from metaphrase.core.weights import Weights, read_weights, shipped_weights
from metaphrase.relations.closure.views import Text, words_of
from metaphrase.relations.differential.alone import Answer, Fault, faults_of, untranslated_words
from metaphrase.relations.differential.outlier import ScoredPair, outlier_of
from metaphrase.relations.differential.pairs import EnginePair, Rendered
from metaphrase.relations.differential.parts import Part, parts_of_tree, parts_of_words
from metaphrase.relations.differential.places import Mark, Place, fold_marks, same_slots
from metaphrase.relations.differential.renderer import Renderer
from metaphrase.relations.differential.rules import Breach
from metaphrase.relations.differential.scorers import RULE, RULE_MAJOR, LearnedScorer, PairScore, PaperScorer, Scorer
from metaphrase.relations.verdicts import holds, not_applicable, violated
from metaphrase.resources.profiles import Resources
from metaphrase.text.guess import guess_language
from metaphrase.text.tokens import is_word

__all__ = ["ComparedPair", "Dcs", "DcsOptions", "make", "stated_ways", "weights_for"]


class DcsOptions(Options):
    """`[relation.dcs]`. `similarity` and `bag` are the paper's two thresholds and serve `scorer = "paper"` only.

    `report`: `likely` reports pairs that probably hold an error, `marked` every pair with a word that may be one.
    """

    scorer: Literal["learned", "paper"] = "learned"
    report: Literal["likely", "marked"] = "likely"
    weights: Path | None = None
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)
    similarity: float = Field(default=0.75, ge=0.0, le=1.0)
    bag: float = Field(default=0.45, ge=0.0, le=1.0)
    parts: Literal["words", "tree"] | None = None


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two engines' translations, what rules they break, and their score."""

    engines: tuple[str, str]
    pair: EnginePair
    breaches: tuple[Breach, ...]
    result: PairScore


@configured_by(DcsOptions)
def make(resources: Resources, options: Mapping[str, Any]) -> Dcs:
    return Dcs(resources, read_options(DcsOptions, options, "[relation.dcs]"))


def weights_for(direction: Direction, profile: str, path: Path | None = None) -> Weights:
    """The user's weights, those of the direction, or the general ones."""
    if path is not None:
        return read_weights(path)
    bases = f"{direction.source.split('-')[0]}-{direction.target.split('-')[0]}"
    for name in (f"dcs-{profile}-{bases}", f"dcs-{profile}-general"):
        found = shipped_weights("metaphrase.relations", name)
        if found is not None:
            return found
    raise MissingResourceError(
        f"no weights for the profile '{profile}': learn them with 'metaphrase calibrate dcs' and name the file in [relation.dcs] weights"
    )


def weights_digest(profile: str, path: Path | None = None) -> str:
    """Of all weights that the relation may come to use: a changed number is a different relation."""
    if path is not None:
        return read_weights(path).digest
    found = [shipped_weights("metaphrase.relations", f"dcs-{profile}-{way}") for way in ("en-zh", "general")]
    return content_hash([w.digest for w in found if w is not None])[:8]


class Dcs:
    name = "dcs"

    def __init__(self, resources: Resources, options: DcsOptions) -> None:
        self._resources, self._options = resources, options
        self._made: dict[str, _Comparer] = {}
        self._digest = weights_digest(resources.profile, options.weights)

    def signature(self) -> Signature:
        given = self._options.model_dump(exclude_none=True, exclude={"weights"})
        return Signature(self.name, "1", {"profile": self._resources.profile, **given, "weights": self._digest})

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        by_way: dict[Direction, list[int]] = {}
        for k, case in enumerate(cases):
            if isinstance(case, DifferentialCase):
                by_way.setdefault(case.direction, []).append(k)
        by_way = stated_ways(by_way, cases)
        verdicts: list[Verdict | None] = [None] * len(cases)
        for way, places in by_way.items():
            chosen = [case for k in places if isinstance(case := cases[k], DifferentialCase)]
            for k, verdict in zip(places, self.comparer(way).judge(chosen, self), strict=True):
                verdicts[k] = verdict
        return [
            v or not_applicable(c, self, "needs one source with several engines' translations")
            for v, c in zip(verdicts, cases, strict=True)
        ]

    def comparer(self, way: Direction) -> _Comparer:
        if str(way) not in self._made:
            self._made[str(way)] = _Comparer(way, self._resources, self._options)
        return self._made[str(way)]


def stated_ways(by_way: Mapping[Direction, list[int]], cases: Sequence[Case]) -> dict[Direction, list[int]]:
    """The same with languages that no file stated told from the texts themselves."""
    ways: dict[Direction, list[int]] = {}
    for way, places in by_way.items():
        if _UNKNOWN in (way.source, way.target):
            some = [cases[k] for k in places[:_SAMPLE]]
            source = way.source if way.source != _UNKNOWN else guess_language(case.source for case in some)
            target = way.target if way.target != _UNKNOWN else guess_language(text for case in some for _, text in case.texts())
            if source is None or target is None or source == target:
                raise ConfigurationError(
                    f"the cases do not say their languages, and the texts do not show them: give --from and --to, or 'direction' ({cases[places[0]].id})"
                )
            way = Direction(source, target)
        ways.setdefault(way, []).extend(places)
    return ways


_UNKNOWN = "und"
_SAMPLE = 200


class _Comparer:
    """Compares the cases of one direction."""

    def __init__(self, way: Direction, resources: Resources, options: DcsOptions) -> None:
        self._way, self._resources, self._options = way, resources, options
        self._renderer = Renderer(way, resources)
        self._languages = self._renderer.languages
        self._weights = weights_for(way, resources.profile, options.weights)
        self._scorer: Scorer
        if options.scorer == "paper":
            describer, synonyms = self._renderer.describer, self._renderer.synonyms
            self._scorer = PaperScorer(describer, self._languages[1], synonyms, similarity=options.similarity, bag=options.bag)
        else:
            self._scorer = LearnedScorer(self._weights, threshold=options.threshold, report_marked=options.report == "marked")
        default = "tree" if options.scorer == "paper" and resources.profile == "neural" else "words"
        self._cut = options.parts or default

    def judge(self, cases: Sequence[DifferentialCase], relation: Dcs) -> list[Verdict]:
        answers = [[Answer(engine, text) for engine, text in case.translations.items() if text is not None] for case in cases]
        faults = [faults_of(case.source, some, self._languages) for case, some in zip(cases, answers, strict=True)]
        usable = [[a for a in some if not (a.engine in bad and bad[a.engine].broken)] for some, bad in zip(answers, faults, strict=True)]
        renderings = self._renderer.render([case.source for case in cases], usable)
        parts = self._parts([words_of(case.source, self._way.source) for case in cases])
        return [self._verdict(case, relation, answers[k], faults[k], renderings[k], parts[k]) for k, case in enumerate(cases)]

    def _parts(self, sources: Sequence[Text]) -> list[tuple[Part, ...]]:
        if self._cut == "words":
            return [parts_of_words(source, self._languages[0]) for source in sources]
        trees = self._resources.parser(self._way.source).parse([source.text for source in sources])
        return [parts_of_tree(source, tree, self._languages[0]) for source, tree in zip(sources, trees, strict=True)]

    def compare(self, source: Text, renderings: Mapping[str, Rendered], parts: Sequence[Part]) -> list[ComparedPair]:
        """Every pair of engines."""
        return [
            ComparedPair(d.engines, d.pair, d.breaches, self._scorer.score(d.pair, d.breaches, parts))
            for d in self._renderer.describe(source, renderings)
        ]

    def _verdict(
        self,
        case: DifferentialCase,
        relation: Dcs,
        answers: Sequence[Answer],
        faults: Mapping[str, Fault],
        renderings: Mapping[str, Rendered],
        parts: Sequence[Part],
    ) -> Verdict:
        if len(answers) < 2:
            lacking = ", ".join(engine for engine, text in case.translations.items() if text is None) or "all but one"
            return not_applicable(case, relation, f"nothing to compare: no translation by {lacking}")
        if not is_word(case.source):
            return not_applicable(case, relation, "the source has no words")
        source = words_of(case.source, self._way.source)
        compared = self.compare(source, renderings, parts)
        marks = _marks(compared, renderings) + self._untranslated(source, renderings)
        together = [words for c in compared for words in same_slots(c.engines, c.pair.comparison, marks)]
        places = fold_marks(source, renderings, marks, together, parts, self._languages[0])
        texts = {a.engine: a.text for a in answers}
        places = [*(_fault_place(engine, fault, texts[engine]) for engine, fault in faults.items()), *places]
        return self._summed_up(case, relation, compared, places, faults)

    def _untranslated(self, source: Text, renderings: Mapping[str, Rendered]) -> list[Mark]:
        marks = []
        for engine, rendered in renderings.items():
            for k in untranslated_words(source, rendered.text, self._languages):
                reason = f"{engine} leaves '{rendered.text.tokens[k].text}' untranslated"
                marks.append(Mark(engine, k, 1.0, "untranslated", reason, engine))
        return marks

    def _summed_up(
        self, case: DifferentialCase, relation: Dcs, compared: Sequence[ComparedPair], places: Sequence[Place], faults: Mapping[str, Fault]
    ) -> Verdict:
        certain = any(place.certain for place in places)
        score = max([c.result.score for c in compared] + [1.0 if faults else RULE if certain else 0.0])
        major = max([c.result.major for c in compared] + [1.0 if faults else RULE_MAJOR if certain else 0.0])
        extra: dict[str, Any] = {}
        if len(compared) > 1:
            extra["pairs"] = {" / ".join(c.engines): round(c.result.score, 4) for c in compared}
        missing = [engine for engine, text in case.translations.items() if text is None]
        if missing:
            extra["missing"] = missing
        broken = [part.quote(compared[0].pair.source) for c in compared for part in c.result.parts]
        if broken:
            extra["parts"] = list(dict.fromkeys(broken))
        if not faults and not certain and not any(c.result.violated for c in compared):
            spans = tuple(span for place in places for span in place.spans)
            reason = "the translations agree" if not spans else "the marked words differ, but probably in wording only"
            return replace(holds(case, relation, score, reason, major=major, extra=MappingProxyType(extra)), spans=spans)
        outlier = outlier_of([ScoredPair(c.engines, c.pair, c.result.score) for c in compared], self._weights.values["outlier"])
        blamed = any(place.blamed for place in places)
        if outlier is not None:
            extra["outlier"], extra["outlier-confidence"] = outlier[0], round(outlier[1], 3)
        extra["places"] = [place.plain() for place in places]
        limit = float(self._weights.values["major-threshold"])
        severity = Severity.MAJOR if certain or faults or major >= limit else Severity.MINOR
        reason = "; ".join(place.reason for place in places[:3]) or "the translations differ throughout"
        if outlier is not None and not blamed:
            reason += f" (outlier: {outlier[0]}, {100 * outlier[1]:.0f} % sure if one engine is wrong)"
        spans = tuple(span for place in places for span in place.spans)
        category = places[0].kind if places else "wording"
        return violated(case, relation, score, reason, spans, severity, major=major, category=category, extra=MappingProxyType(extra))


def _fault_place(engine: str, fault: Fault, text: str) -> Place:
    spans = tuple(Span(engine, start, end, text[start:end]) for start, end in fault.places)
    return Place(fault.kind, "", spans, 1.0, fault.reason, "", False, (engine,))


def _marks(compared: Sequence[ComparedPair], renderings: Mapping[str, Rendered]) -> list[Mark]:
    marks = []
    for one in compared:
        marks += [Mark(one.engines[m.side], m.index, m.weight) for m in one.result.marked]
        for breach in one.breaches:
            for side, start, end in breach.places:
                tokens = renderings[one.engines[side]].text.tokens
                marks += [
                    Mark(
                        one.engines[side], k, 1.0, breach.kind, breach.reason, None if breach.blamed is None else one.engines[breach.blamed]
                    )
                    for k, t in enumerate(tokens)
                    if t.start < end and start < t.end
                ]
    return marks
