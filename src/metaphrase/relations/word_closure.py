"""Word closure: the words that two inputs share must be translated alike, and every difference must be explained.

Xie, Jin, Chen, Cheung: Word Closure-Based Metamorphic Testing for Machine Translation. See `closure/` for the parts, and
`docs/word-closure.md` for how well it does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from metaphrase.core.errors import ConfigurationError
from metaphrase.core.options import Options, read_options
from metaphrase.core.signature import Signature, content_hash
from metaphrase.core.values import Case, Direction, Expectation, MetamorphicCase, Outcome, Severity, Verdict
from metaphrase.core.weights import Weights, read_weights, shipped_weights
from metaphrase.relations.closure.describe import Described, describe_pairs, link_pairs
from metaphrase.relations.closure.learned import SENTENCES, LearnedScorer
from metaphrase.relations.closure.paper import PaperScorer
from metaphrase.relations.closure.reasons import explain
from metaphrase.relations.pairs import Pair, judge_pairs
from metaphrase.resources.profiles import Resources
from metaphrase.text.normalise import bare
from metaphrase.text.trees import Tree

__all__ = ["WordClosure", "WordClosureOptions", "word_closure_relation"]

GENERAL = "general"
DOUBT = 0.05  # what it costs and saves: docs/neural.md


class WordClosureOptions(Options):
    """`[relation.word-closure]`. `threshold` is a probability for the learned scorer, a similarity for the paper's.

    `refinement`, of the paper's scorer: what an unlinked word is linked by, its neighbours or its phrase, as the profile's parser gives it.
    `doubt`: a profile with models asks them only about pairs that the lite profile finds violated with at least this probability.
    """

    scorer: Literal["learned", "paper"] = "learned"
    weights: Path | None = None
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)
    major_threshold: float | None = Field(default=None, ge=0.0, le=1.0)
    doubt: float = Field(default=DOUBT, ge=0.0, le=1.0)
    refinement: Literal["neighbours", "phrases"] = "neighbours"


class WordClosure:
    """Judges metamorphic pairs of any transformation."""

    name = "word-closure"

    def __init__(self, resources: Resources, options: WordClosureOptions) -> None:
        self.resources = resources
        self._options = options
        self._learned: dict[Direction, LearnedScorer] = {}
        self._paper = PaperScorer(resources, options.threshold) if options.scorer == "paper" else None

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        signature = str(self.signature())
        verdicts = {k: replace(verdict, signature=signature) for k, verdict in self._settled(cases).items()}
        open_cases = [k for k in range(len(cases)) if k not in verdicts]
        verdicts.update(zip(open_cases, judge_pairs(self, [cases[k] for k in open_cases], self._judge_pairs), strict=True))
        return [verdicts[k] for k in range(len(cases))]

    def _judge_pairs(self, pairs: Sequence[Pair]) -> list[Verdict]:
        cases = [pair.case for pair in pairs]
        signature = str(self.signature())
        if self._paper is not None:
            return self._by_the_paper(self._paper, cases, signature)
        described = describe_pairs(cases, self.resources, ask_sentences=lambda direction: self.scorer(direction).asks_sentences)
        return [self._judge(case, pair, signature) for case, pair in zip(cases, described, strict=True)]

    def _by_the_paper(self, paper: PaperScorer, cases: Sequence[MetamorphicCase], signature: str) -> list[Verdict]:
        trees = self._trees(cases)
        verdicts = []
        for case, (pair, similarity) in zip(cases, paper.compared(link_pairs(cases, self.resources)), strict=True):
            both = [trees.get(text.text) for text in pair.view.outputs]
            parsed = (both[0], both[1]) if both[0] is not None and both[1] is not None else None
            verdicts.append(
                self._unchanged(case, pair, signature)
                if _wrongly_equal(case, pair)
                else paper.verdict(case.id, self.name, pair, similarity, signature, parsed)
            )
        return verdicts

    def _settled(self, cases: Sequence[Case]) -> dict[int, Verdict]:
        """Pairs that no model need be asked about, because they clearly hold without; only where a first look was learnt for the direction."""
        look = self.first_look
        if look is None:
            return {}
        chosen = [k for k, case in enumerate(cases) if not look.scorer(case.direction).weights.name.endswith(GENERAL)]
        found = zip(chosen, look.judge([cases[k] for k in chosen]), strict=True)
        return {k: verdict for k, verdict in found if verdict.outcome is Outcome.HOLDS and self.is_settled(verdict.score)}

    @cached_property
    def first_look(self) -> WordClosure | None:
        """The same relation on the lite profile, where this one has models to spare."""
        if self.resources.profile == "lite" or self._options.scorer == "paper" or not self._options.doubt:
            return None
        return WordClosure(self.resources.without_models(), WordClosureOptions())

    def is_settled(self, score: float | None) -> bool:
        """Whether a first look that gave this score is enough."""
        limit = self._options.doubt if self._options.threshold is None else min(self._options.doubt, self._options.threshold)
        return score is not None and score < limit

    def _trees(self, cases: Sequence[MetamorphicCase]) -> dict[str, Tree]:
        """Of the translations, where an unlinked word is to be linked by its phrase."""
        trees: dict[str, Tree] = {}
        if self._options.refinement == "phrases":
            for code in sorted({case.direction.target for case in cases}):
                texts = {t: None for c in cases if c.direction.target == code for t in (c.source_translation, c.followup_translation) if t}
                trees.update(zip(texts, self.resources.parser(code).parse(list(texts)), strict=True))
        return trees

    def _judge(self, case: MetamorphicCase, pair: Described, signature: str) -> Verdict:
        if _wrongly_equal(case, pair):
            return self._unchanged(case, pair, signature)
        scorer = self.scorer(case.direction)
        scored = scorer.score(pair.left)
        if not pair.left:
            reason = (
                "both translations are the same"
                if bare(pair.view.outputs[0].text) == bare(pair.view.outputs[1].text)
                else ("the translations differ in order, inflection or spelling only")
            )
            return Verdict(case.id, self.name, Outcome.HOLDS, 0.0, reason, signature, major=0.0)
        told = explain(pair, scorer.located(pair.left, scored))
        if not scored.violated:
            reason = f"what differs (most of all {told.quotes}) is explained by the edit, or says the same in other words"
            return Verdict(case.id, self.name, Outcome.HOLDS, scored.score, reason, signature, told.spans, major=scored.major)
        return Verdict(
            case.id,
            self.name,
            Outcome.VIOLATED,
            scored.score,
            told.reason,
            signature,
            spans=told.spans,
            severity=Severity.MAJOR if scored.is_major else Severity.MINOR,
            major=scored.major,
            category=told.category,
        )

    def _unchanged(self, case: MetamorphicCase, pair: Described, signature: str) -> Verdict:
        """Inputs of different meaning with one translation: the changed words were lost or mistranslated in at least one."""
        changed = " and ".join(f"'{pair.view.inputs[s].quote(k)}'" for s in (0, 1) if (k := pair.view.changed(s)))
        reason = f"the inputs differ in meaning ({changed or 'nothing'}), the translations do not"
        return Verdict(
            case.id,
            self.name,
            Outcome.VIOLATED,
            1.0,
            reason,
            signature,
            severity=Severity.MAJOR,
            major=1.0,
            category="word/phrase mistranslation",
        )

    def scorer(self, direction: Direction) -> LearnedScorer:
        """With the profile's weights for the direction, else the general ones, which are the same for all profiles."""
        if direction not in self._learned:
            weights = read_weights(self._options.weights) if self._options.weights else self._shipped(direction)
            self._learned[direction] = LearnedScorer(_with_thresholds(weights, self._options))
        return self._learned[direction]

    def _shipped(self, direction: Direction) -> Weights:
        bases = "-".join(code.split("-")[0] for code in (direction.source, direction.target))
        for name in (f"{self.resources.profile}-{bases}", GENERAL):
            weights = shipped_weights("metaphrase.relations", f"{self.name}-{name}")
            if weights is not None:
                return weights
        raise ConfigurationError("the package lacks the weights of word-closure; give a file with [relation.word-closure] weights")

    @property
    def _shipped_names(self) -> list[str]:
        names = sorted(f.name.removesuffix(".json") for f in (files("metaphrase.relations") / "weights").iterdir())
        return [name for name in names if name.startswith(f"{self.name}-")]

    @cached_property
    def _weights_digest(self) -> str:
        """Of all weights that a direction may choose from, so that the signature does not change when the first case is judged."""
        if self._options.weights:
            return read_weights(self._options.weights).digest
        shipped = [shipped_weights("metaphrase.relations", name) for name in self._shipped_names]
        return content_hash([weights.digest for weights in shipped if weights is not None])[:8]

    @cached_property
    def _sentence_encoders(self) -> str:
        """Those that judge severities here: of the languages that the profile's weights know them for."""
        names = [name for name in self._shipped_names if name.startswith(f"{self.name}-{self.resources.profile}-")]
        weights = [w for name in names if (w := shipped_weights("metaphrase.relations", name)) is not None and SENTENCES in w.values]
        codes = sorted({w.name.rsplit("-", 1)[-1] for w in weights})
        found = [self.resources.sentence_embedder(code) for code in codes] if self._paper is None else []
        return ",".join(embedder.signature().name for embedder in found if embedder is not None)

    def signature(self) -> Signature:
        parameters = {
            "scorer": self._options.scorer,
            "profile": self.resources.profile,
            "threshold": self._options.threshold,
            "major-threshold": self._options.major_threshold,
            "weights": self._weights_digest,
        }
        if self.first_look is not None:
            parameters["doubt"] = self._options.doubt
        if self._sentence_encoders:
            parameters["sentences"] = self._sentence_encoders
        if self._paper is not None:
            parameters["refinement"] = self._options.refinement
            parameters["similarity"] = self._paper.similarity
        return Signature(self.name, "1", parameters)


def _wrongly_equal(case: MetamorphicCase, pair: Described) -> bool:
    """Whether inputs that differ in meaning have one translation."""
    return case.expectation is Expectation.DIFFERENT and bare(pair.view.outputs[0].text) == bare(pair.view.outputs[1].text)


def _with_thresholds(weights: Weights, options: WordClosureOptions) -> Weights:
    chosen = {"violation": options.threshold, "major": options.major_threshold, f"major-{SENTENCES}": options.major_threshold}
    thresholds = {**weights.values["thresholds"], **{k: v for k, v in chosen.items() if v is not None}}
    return Weights(weights.name, {**weights.values, "thresholds": thresholds}, weights.provenance)


def word_closure_relation(resources: Resources, options: Mapping[str, Any]) -> WordClosure:
    return WordClosure(resources, read_options(WordClosureOptions, options, "[relation.word-closure]"))
