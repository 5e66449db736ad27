"""Relations over the structure of two translations: SIT's distances and CIT's paths.

They need a parser of the target language; what a profile parses shows on use, with the remedy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Severity, Span, Verdict
from metaphrase.relations.pairs import Pair, judge_pairs, shipped_threshold
from metaphrase.relations.verdicts import UNCALIBRATED, holds, violated
from metaphrase.resources.profiles import Resources
from metaphrase.text.diff import changes
from metaphrase.text.languages import language
from metaphrase.text.trees import Tree

__all__ = ["ConstituencyPaths", "StructureDistance", "constituency_distance", "constituency_paths", "dependency_distance"]


class DistanceOptions(Options):
    """`d`: the distance that is still fine. From `major_distance` on the finding counts as major."""

    d: int = Field(ge=0)
    major_distance: int = Field(default=12, ge=0)


class PathOptions(Options):
    """`d`: how many paths may be missing (the paper: none). From `major_distance` on the finding counts as major.

    `labels`: how many labels of a path count, from the word upwards; 0 is all of them, up to the root. `missing_words`: a path counts as missing only
    if its word is a content word that the longer translation does not have. With `labels = 0` and `missing_words = false` it is the rule as the paper
    tells it; the words that its authors' tool was released to point at follow the rule with missing words.
    """

    labels: int = Field(default=5, ge=0)
    missing_words: bool = True
    d: int = Field(default=0, ge=0)
    major_distance: int = Field(default=8, ge=0)


class StructureDistance:
    """SIT: the sum over labels of the absolute difference in counts must not exceed `d`."""

    def __init__(self, name: str, resources: Resources, options: DistanceOptions) -> None:
        self.name = name
        self._resources = resources
        self._options = options

    def signature(self) -> Signature:
        return Signature(self.name, "1", {**self._options.model_dump(), "profile": self._resources.profile})

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        return judge_pairs(self, cases, self._judge)

    def _judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        labels = self._labels(pairs)
        return [self._verdict(pair, labels[pair.source_translation], labels[pair.followup_translation]) for pair in pairs]

    def _labels(self, pairs: Sequence[Pair]) -> dict[str, Counter[str]]:
        """The label counts of every distinct translation, parsed once, by target language."""
        found: dict[str, Counter[str]] = {}
        for target, texts in _by_target(pairs).items():
            if self.name == "dependency-distance":
                arcs = self._resources.dependency_parser(target).dependencies(texts)
                found |= {text: Counter(arc.label for arc in some) for text, some in zip(texts, arcs, strict=True)}
            else:
                trees = self._resources.parser(target).parse(texts)
                found |= {
                    text: Counter(node.label for node in tree.subtrees() if not node.is_leaf)
                    for text, tree in zip(texts, trees, strict=True)
                }
        return found

    def _verdict(self, pair: Pair, left: Counter[str], right: Counter[str]) -> Verdict:
        differences = {label: left[label] - right[label] for label in left.keys() | right.keys() if left[label] != right[label]}
        distance = sum(map(abs, differences.values()))
        score = distance / (distance + self._options.d + 1)
        extra = {"distance": distance}
        if distance <= self._options.d:
            return holds(pair.case, self, score, f"the structures differ by {distance}, at most {self._options.d} is fine", extra=extra)
        most = sorted(differences, key=lambda label: (-abs(differences[label]), label))[:3]
        what = ", ".join(f"{abs(differences[m])} {m} {'less' if differences[m] > 0 else 'more'}" for m in most)
        reason = f"the structures differ by {distance} ({what} in the follow-up's translation)"
        severity = Severity.MAJOR if distance >= self._options.major_distance else Severity.MINOR
        return violated(pair.case, self, score, reason, tuple(_changed(pair)), severity, extra={**extra, "severity_basis": UNCALIBRATED})


class ConstituencyPaths:
    """CIT: every path to a word of the core's translation is in the longer one's, or else the word is.

    The core is the shorter of the two inputs: files name either one the source.
    """

    name = "constituency-paths"

    def __init__(self, resources: Resources, options: PathOptions) -> None:
        self._resources = resources
        self._options = options

    def signature(self) -> Signature:
        return Signature(self.name, "2", {**self._options.model_dump(), "profile": self._resources.profile})

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        return judge_pairs(self, cases, self._judge)

    def _judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        trees: dict[str, Tree] = {}
        for target, texts in _by_target(pairs).items():
            trees |= dict(zip(texts, self._resources.parser(target).parse(texts), strict=True))
        return [self._verdict(pair, trees) for pair in pairs]

    def _verdict(self, pair: Pair, trees: Mapping[str, Tree]) -> Verdict:
        sides = [_Side("source_translation", pair.source_translation), _Side("followup_translation", pair.followup_translation)]
        if len(pair.case.followup) < len(pair.case.source):
            sides.reverse()
        core, longer = trees[sides[0].text], trees[sides[1].text]
        left = Counter(path[-self._options.labels :] for path in longer.paths())
        target = language(pair.case.direction.target)
        missing: list[Span] = []
        for path, leaf in zip(core.paths(), core.leaves(), strict=True):
            word = leaf.token
            if left[path[-self._options.labels :]] > 0:
                left[path[-self._options.labels :]] -= 1
            elif word is not None and not (self._options.missing_words and (target.is_stop(word.text) or word.text in sides[1].text)):
                missing.append(Span(sides[0].field, word.start, word.end, word.text))
        score = len(missing) / (len(missing) + self._options.d + 1)
        extra = {"distance": len(missing)}
        if len(missing) <= self._options.d:
            return holds(pair.case, self, score, "the structure of the shorter translation is kept in the longer one", extra=extra)
        words = ", ".join(f"'{s.quote}'" for s in missing[:5])
        reason = f"{len(missing)} words of the shorter translation have no place of the same structure in the longer one: {words}"
        severity = Severity.MAJOR if len(missing) >= self._options.major_distance else Severity.MINOR
        return violated(pair.case, self, score, reason, tuple(missing), severity, extra={**extra, "severity_basis": UNCALIBRATED})


@dataclass(frozen=True, slots=True)
class _Side:
    field: str
    text: str


def _by_target(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for pair in pairs:
        found.setdefault(pair.case.direction.target, {}).update({pair.source_translation: None, pair.followup_translation: None})
    return {target: list(texts) for target, texts in found.items()}


def _changed(pair: Pair) -> Iterable[Span]:
    """Where the translations differ: a distance of labels points at no word by itself."""
    tokens = language(pair.case.direction.target).tokens
    left, right = tokens(pair.source_translation), tokens(pair.followup_translation)
    for change in changes([t.text for t in left], [t.text for t in right]):
        for side, some, start, end in (
            (_Side("source_translation", pair.source_translation), left, change.left_start, change.left_end),
            (_Side("followup_translation", pair.followup_translation), right, change.right_start, change.right_end),
        ):
            if start < end:
                place = some[start].start, some[end - 1].end
                yield Span(side.field, *place, side.text[slice(*place)])


def _distance(name: str, resources: Resources, options: Mapping[str, Any]) -> StructureDistance:
    given = {"d": int(shipped_threshold(name)), **options}
    return StructureDistance(name, resources, read_options(DistanceOptions, given, f"[relation.{name}]"))


@configured_by(DistanceOptions)
def dependency_distance(resources: Resources, options: Mapping[str, Any]) -> StructureDistance:
    return _distance("dependency-distance", resources, options)


@configured_by(DistanceOptions)
def constituency_distance(resources: Resources, options: Mapping[str, Any]) -> StructureDistance:
    return _distance("constituency-distance", resources, options)


@configured_by(PathOptions)
def constituency_paths(resources: Resources, options: Mapping[str, Any]) -> ConstituencyPaths:
    return ConstituencyPaths(resources, read_options(PathOptions, options, "[relation.constituency-paths]"))
