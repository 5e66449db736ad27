"""The paper's own rule: compare closures by similarity, then match what is left over, best first.

As faithful as a profile allows: the paper asks a synonym database and the last layer of a BERT of the language. The neural profile has a
multilingual BERT for all languages, the lite profile only the lexical similarity of its synonyms (see `similarity.py`). The paper's
thresholds belong to its own vectors; they are in `weights/word-closure-paper.json`, with those that suit either similarity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from metaphrase.core.values import Direction, Expectation, Outcome, Severity, Span, Verdict
from metaphrase.core.weights import shipped_weights
from metaphrase.relations.closure.closures import Kind, closures, refine
from metaphrase.relations.closure.describe import Described
from metaphrase.relations.closure.similarity import Similarity, with_similarity
from metaphrase.resources.profiles import Resources
from metaphrase.text.trees import Tree

__all__ = ["PaperScorer"]


class PaperScorer:
    """`similarity` names what fragments are compared by: `contextual` where the profile has an embedder, else `lexical`."""

    def __init__(self, resources: Resources, threshold: float | None = None) -> None:
        self._resources = resources
        self._threshold = threshold
        self.similarity = "contextual" if resources.has("embedder") else "lexical"
        weights = shipped_weights("metaphrase.relations", "word-closure-paper")
        assert weights is not None, "weights/word-closure-paper.json is part of the package"
        self._values = weights.values

    def threshold(self, direction: Direction) -> float:
        if self._threshold is not None:
            return self._threshold
        bases = "-".join(code.split("-")[0] for code in (direction.source, direction.target))
        suited = self._values["thresholds"][self.similarity]
        return float(suited.get(bases, suited["any"]))

    def compared(self, pairs: Iterable[Described]) -> Iterator[tuple[Described, Similarity]]:
        """The pairs in order, each with what its fragments are to be compared by."""
        return with_similarity(pairs, self._resources, same=float(self._values["synonyms"]))

    def verdict(
        self, identifier: str, name: str, pair: Described, similarity: Similarity, signature: str, trees: tuple[Tree, Tree] | None = None
    ) -> Verdict:
        threshold = self.threshold(pair.view.direction)
        lowest, words, reason = self.lowest(pair, similarity, threshold, trees)
        if lowest >= threshold:
            return Verdict(identifier, name, Outcome.HOLDS, 1 - lowest, "every closure is translated alike", signature)
        spans = tuple(
            Span(pair.view.fields[s], t.start, t.end, t.text)
            for s in sorted((0, 1), key=lambda s: pair.view.fields[s] != "source_translation")
            for t in (pair.view.outputs[s].tokens[k] for k in sorted(words[s]))
        )
        return Verdict(identifier, name, Outcome.VIOLATED, 1 - lowest, reason, signature, spans=spans, severity=Severity.MINOR)

    def violated(self, pair: Described, similarity: Similarity) -> bool:
        threshold = self.threshold(pair.view.direction)
        return self.lowest(pair, similarity, threshold)[0] < threshold

    def lowest(
        self, pair: Described, similarity: Similarity, threshold: float, trees: tuple[Tree, Tree] | None = None
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
            if similarity.compares_stop_words and any(sides):
                sides = [side or sorted(closure.outputs[s]) for s, side in enumerate(sides)]
            value = similarity.of(*sides)
            if value < threshold:
                for s in (0, 1):
                    blamed[s].update(sides[s])
            if value < lowest:
                quotes = [view.outputs[s].quote(sides[s]) for s in (0, 1)]
                lowest, reason = value, f"'{quotes[0]}' and '{quotes[1]}' translate the same words"
        changed = self._changed_alike(pair, similarity)
        if changed is not None and changed < lowest:
            lowest, reason = changed, "the changed words are translated alike"
        rest = [[k for k in sorted(content[s] - inside[s]) if not self._repeated(pair, s, k)] for s in (0, 1)]
        for s, k, value in self._unmatched(rest, similarity, threshold):
            blamed[s].add(k)
            if value < lowest:
                lowest, reason = value, f"'{view.outputs[s].tokens[k].text}' has no counterpart in the other translation"
        return lowest, blamed, reason

    def _changed_alike(self, pair: Described, similarity: Similarity) -> float | None:
        """Only where the changed words must differ in meaning: 0 if their translations are the same."""
        if pair.view.expectation is not Expectation.DIFFERENT:
            return None
        places = [sorted({k for c in pair.view.changed(s) for k, _ in pair.links[s].of_source(c)}) for s in (0, 1)]
        words = [{pair.view.outputs[s].words[k] for k in places[s]} for s in (0, 1)]
        if not words[0] or not words[1] or words[0] < words[1] or words[1] < words[0]:
            return None
        return 0.0 if similarity.of(*places) > float(self._values["changed-alike"]) else None

    def _repeated(self, pair: Described, side: int, index: int) -> bool:
        """Words that stand twice in their own translation, or somewhere in the other one, are not left over."""
        words = pair.view.outputs[side].words
        joiner = "" if pair.view.target.compares_by_character else " "
        return words.count(words[index]) > 1 or words[index] in joiner.join(pair.view.outputs[1 - side].words)

    def _unmatched(self, rest: Sequence[Sequence[int]], similarity: Similarity, threshold: float) -> list[tuple[int, int, float]]:
        """Greedy, best first."""
        scored = sorted(((similarity.of([i], [j]), i, j) for i in rest[0] for j in rest[1]), reverse=True)
        taken: tuple[set[int], set[int]] = (set(), set())
        best: dict[tuple[int, int], float] = {(s, k): 0.0 for s in (0, 1) for k in rest[s]}
        for value, i, j in scored:
            best[0, i], best[1, j] = max(best[0, i], value), max(best[1, j], value)
            if value >= threshold and i not in taken[0] and j not in taken[1]:
                taken[0].add(i)
                taken[1].add(j)
        return [(s, k, min(value, threshold - 1e-6)) for (s, k), value in best.items() if k not in taken[s]]
