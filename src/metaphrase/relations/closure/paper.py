"""The paper's own rule: compare closures by similarity, then match what is left over, best first.

As faithful as a profile allows: the paper asks a synonym database and contextual vectors, the lite profile has the lexical
similarity of its synonyms only. Thresholds recommended by the paper belong to its vectors; they are in
`weights/word-closure-paper.json`, with those that suit the lite profile.
"""

from __future__ import annotations

from collections.abc import Sequence

from metaphrase.core.values import Expectation, Outcome, Severity, Span, Verdict
from metaphrase.core.weights import shipped_weights
from metaphrase.relations.closure.closures import Kind, closures, refine
from metaphrase.relations.closure.describe import Described
from metaphrase.resources.protocols import Synonyms
from metaphrase.text.trees import Tree

__all__ = ["PaperScorer"]


class PaperScorer:
    def __init__(self, threshold: float | None = None) -> None:
        self._threshold = threshold
        weights = shipped_weights("metaphrase.relations", "word-closure-paper")
        assert weights is not None, "weights/word-closure-paper.json is part of the package"
        self._values = weights.values

    def threshold(self, direction: str) -> float:
        if self._threshold is not None:
            return self._threshold
        return float(self._values["lite"].get(direction, self._values["lite"]["any"]))

    def verdict(
        self, identifier: str, name: str, pair: Described, synonyms: Synonyms, signature: str, trees: tuple[Tree, Tree] | None = None
    ) -> Verdict:
        similarity, words, reason = self.lowest(pair, synonyms, self.threshold(str(pair.view.direction)), trees)
        if similarity >= self.threshold(str(pair.view.direction)):
            return Verdict(identifier, name, Outcome.HOLDS, 1 - similarity, "every closure is translated alike", signature)
        spans = tuple(
            Span(pair.view.fields[s], t.start, t.end, t.text)
            for s in sorted((0, 1), key=lambda s: pair.view.fields[s] != "source_translation")
            for t in (pair.view.outputs[s].tokens[k] for k in sorted(words[s]))
        )
        return Verdict(identifier, name, Outcome.VIOLATED, 1 - similarity, reason, signature, spans=spans, severity=Severity.MINOR)

    def violated(self, pair: Described, synonyms: Synonyms) -> bool:
        threshold = self.threshold(str(pair.view.direction))
        return self.lowest(pair, synonyms, threshold)[0] < threshold

    def lowest(
        self, pair: Described, synonyms: Synonyms, threshold: float, trees: tuple[Tree, Tree] | None = None
    ) -> tuple[float, tuple[set[int], set[int]], str]:
        """The lowest similarity of any closure or left-over word, all words below the threshold, and what to say."""
        view = pair.view
        language = view.target
        content = [{k for k, w in enumerate(view.outputs[s].words) if language.is_content(w)} for s in (0, 1)]
        found = closures(pair, refine(pair, trees))
        lowest, reason = 1.0, ""
        blamed: tuple[set[int], set[int]] = (set(), set())
        inside: tuple[set[int], set[int]] = (set(), set())
        for closure in found:
            if closure.kind is Kind.UNMATCHED:
                continue
            for s in (0, 1):
                inside[s].update(closure.outputs[s])
            if closure.kind is Kind.CHANGED:
                continue
            sides = [sorted(closure.outputs[s] & content[s]) for s in (0, 1)]
            value = self._similarity([[view.outputs[s].words[k] for k in sides[s]] for s in (0, 1)], synonyms)
            if value < threshold:
                for s in (0, 1):
                    blamed[s].update(sides[s])
            if value < lowest:
                quotes = [view.outputs[s].quote(sides[s]) for s in (0, 1)]
                lowest, reason = value, f"'{quotes[0]}' and '{quotes[1]}' translate the same words"
        changed = self._changed_alike(pair, found, synonyms)
        if changed is not None and changed < lowest:
            lowest, reason = changed, "the changed words are translated alike"
        rest = [[k for k in sorted(content[s] - inside[s]) if not self._repeated(pair, s, k)] for s in (0, 1)]
        for s, k, value in self._unmatched(pair, rest, synonyms, threshold):
            blamed[s].add(k)
            if value < lowest:
                lowest, reason = value, f"'{view.outputs[s].tokens[k].text}' has no counterpart in the other translation"
        return lowest, blamed, reason

    def _similarity(self, words: Sequence[Sequence[str]], synonyms: Synonyms) -> float:
        """Equal sets, or all words of one side found in the other (the paper's check is a subset either way), are 1."""
        left, right = (sorted(set(w)) for w in words)
        if not left and not right:
            return 1.0
        if not left or not right:
            return 0.0
        best = [max(synonyms.related(a, b) for b in right) for a in left]
        back = [max(synonyms.related(a, b) for a in left) for b in right]
        return max(sum(best) / len(best), sum(back) / len(back))

    def _changed_alike(self, pair: Described, found: Sequence[object], synonyms: Synonyms) -> float | None:
        """Only where the changed words must differ in meaning: 0 if their translations are the same."""
        if pair.view.expectation is not Expectation.DIFFERENT:
            return None
        words = []
        for s in (0, 1):
            places = {k for c in pair.view.changed(s) for k, _ in pair.links[s].of_source(c)}
            words.append({pair.view.outputs[s].words[k] for k in places})
        if not words[0] or not words[1] or words[0] < words[1] or words[1] < words[0]:
            return None
        alike = self._similarity([sorted(words[0]), sorted(words[1])], synonyms)
        return 0.0 if alike > float(self._values["changed-alike"]) else None

    def _repeated(self, pair: Described, side: int, index: int) -> bool:
        """Words that stand twice in their own translation, or somewhere in the other one, are not left over."""
        words = pair.view.outputs[side].words
        joiner = "" if pair.view.target.compares_by_character else " "
        return words.count(words[index]) > 1 or words[index] in joiner.join(pair.view.outputs[1 - side].words)

    def _unmatched(
        self, pair: Described, rest: Sequence[Sequence[int]], synonyms: Synonyms, threshold: float
    ) -> list[tuple[int, int, float]]:
        """Greedy, best first."""
        words = [pair.view.outputs[s].words for s in (0, 1)]
        scored = sorted(((synonyms.related(words[0][i], words[1][j]), i, j) for i in rest[0] for j in rest[1]), reverse=True)
        taken: tuple[set[int], set[int]] = (set(), set())
        best: dict[tuple[int, int], float] = {(s, k): 0.0 for s in (0, 1) for k in rest[s]}
        for value, i, j in scored:
            best[0, i], best[1, j] = max(best[0, i], value), max(best[1, j], value)
            if value >= threshold and i not in taken[0] and j not in taken[1]:
                taken[0].add(i)
                taken[1].add(j)
        return [(s, k, min(value, threshold - 1e-6)) for (s, k), value in best.items() if k not in taken[s]]
