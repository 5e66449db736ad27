"""The paper's rule of word closure on the neural profile: fragments are compared by vectors of the tiny model's last layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tiny_bert as tiny
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, MetamorphicCase, Outcome
from metaphrase.evaluation.closure_tables import Judged, paper_table
from metaphrase.evaluation.labelled import LabelledCases
from metaphrase.evaluation.word_closure import by_the_papers_rule, read_examples
from metaphrase.relations.closure.describe import link_pairs
from metaphrase.relations.closure.learned import CLEAN
from metaphrase.relations.closure.paper import PaperScorer
from metaphrase.relations.closure.similarity import Contextual, Lexical
from metaphrase.relations.closure.views import view_pair
from metaphrase.relations.word_closure import WordClosure, word_closure_relation
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Aligner, Alignment, Embedder, Link, TokenPair

Vectors = NDArray[np.float32]


class WordForWord:
    """Links the n-th word to the n-th, so that tests know their closures."""

    def align(self, pairs: Sequence[TokenPair]) -> list[Alignment]:
        return [Alignment(tuple(Link(k, k) for k in range(min(len(p.source), len(p.target))))) for p in pairs]

    def signature(self) -> Signature:
        return Signature("word-for-word", "1", {})


class Counted:
    """An embedder that notes how many texts each call was about."""

    def __init__(self, embedder: Embedder, calls: list[int]) -> None:
        self._embedder = embedder
        self._calls = calls

    def embed_words(self, texts: Sequence[Sequence[str]], *, last: bool = False) -> list[Vectors]:
        self._calls.append(len(texts))
        return self._embedder.embed_words(texts, last=last)

    def __getattr__(self, name: str) -> object:
        return getattr(self._embedder, name)


class WordForWordResources(Resources):
    def __init__(self, profile: str, model: Path) -> None:
        super().__init__(profile, choices={"parser": "lite"}, options={"embedder": {"model": str(model), "threads": 1}})
        self.calls: list[int] = []

    def aligner(self, direction: Direction) -> Aligner:
        return WordForWord()

    def embedder(self, language: str) -> Embedder:
        return Counted(super().embedder(language), self.calls)  # type: ignore[return-value]


@pytest.fixture
def resources(tiny_folder: Path) -> WordForWordResources:
    return WordForWordResources("neural", tiny_folder)


def case(first: str, second: str) -> MetamorphicCase:
    """The inputs differ in their last word alone."""
    length = len(first.split()) - 1
    shared = " ".join(f"wort{'abcdefg'[k]}" for k in range(length))
    return MetamorphicCase("1", Direction("de", "en"), "cat", f"{shared} heute", f"{shared} morgen", first, second)


def rule(resources: Resources, **options: object) -> WordClosure:
    return word_closure_relation(resources, {"scorer": "paper", **options})


def state(text: str, word: str, layer: int) -> Vectors:
    """Of a word that is one piece, straight from the formulas."""
    words = text.split()
    ids = [tiny.VOCABULARY.index(piece) for piece in ("[CLS]", *words, "[SEP]")]
    return np.asarray(tiny.hidden_states(tiny.tensors(), ids, layer)[1 + words.index(word)])


def cosine(a: Vectors, b: Vectors) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


TEXTS = "the dog sat on", "the river sat on"


def test_a_closure_is_as_alike_as_the_vectors_of_the_last_layer(resources: Resources) -> None:
    expected, elsewhere = (cosine(state(TEXTS[0], "dog", layer), state(TEXTS[1], "river", layer)) for layer in (tiny.LAYERS, 3))
    assert abs(expected - elsewhere) > 0.01  # else the test would not tell the layers apart
    assert 0.05 < expected < 0.95
    [verdict] = rule(resources, threshold=expected + 0.01).judge([case(*TEXTS)])
    assert verdict.score == pytest.approx(1 - expected, abs=1e-4)
    assert verdict.outcome is Outcome.VIOLATED
    assert [(s.text, s.quote) for s in verdict.spans] == [("source_translation", "dog"), ("followup_translation", "river")]
    [verdict] = rule(resources, threshold=expected - 0.01).judge([case(*TEXTS)])
    assert verdict.score == pytest.approx(1 - expected, abs=1e-4)
    assert verdict.outcome is Outcome.HOLDS


def test_left_over_words_are_matched_by_their_vectors(resources: Resources) -> None:
    # The inputs share nothing, so that no closure can be compared; "dog" and "river" are linked to nothing.
    pair = MetamorphicCase("1", Direction("de", "en"), "cat", "heute", "morgen", "the dog", "the river")
    expected = cosine(state("the dog", "dog", tiny.LAYERS), state("the river", "river", tiny.LAYERS))
    assert expected > 0.05
    [matched] = rule(resources, threshold=expected - 0.01).judge([pair])
    [unmatched] = rule(resources, threshold=expected + 0.01).judge([pair])
    assert matched.outcome is Outcome.HOLDS
    assert unmatched.outcome is Outcome.VIOLATED
    assert unmatched.score == pytest.approx(1 - expected, abs=1e-4)


def test_vectors_go_with_links_by_phrases_too(resources: Resources) -> None:
    # Every word is linked already, so that phrases add no link and the closures stay.
    [verdict] = rule(resources, refinement="phrases", threshold=0.01).judge([case(*TEXTS)])
    expected = cosine(state(TEXTS[0], "dog", tiny.LAYERS), state(TEXTS[1], "river", tiny.LAYERS))
    assert verdict.score == pytest.approx(1 - expected, abs=1e-4)
    assert "refinement:phrases" in verdict.signature


def contextual(first: str, second: str, vectors: tuple[Vectors, Vectors]) -> Contextual:
    view = view_pair(MetamorphicCase("1", Direction("de", "en"), "cat", "eins", "zwei", first, second))
    assert view.outputs[0].text == first
    return Contextual(view, Resources("lite").synonyms("en"), vectors, 0.7)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("dog", "dog"),
        ("old dog", "dog old"),
        ("dog", "old dog"),  # a subset
        ("old dog", "dog"),
        ("dogs", "dog"),
        ("huge dog", "enormous dog"),  # synonyms
    ],
)
def test_the_same_words_a_subset_and_synonyms_are_the_same_whatever_their_vectors(first: str, second: str) -> None:
    words = [first.split(), second.split()]
    apart = np.eye(4, dtype=np.float32)
    similarity = contextual(first, second, (apart[: len(words[0])], apart[2 : 2 + len(words[1])]))
    assert similarity.of(range(len(words[0])), range(len(words[1]))) == 1.0


def test_other_fragments_are_as_alike_as_the_means_of_their_words() -> None:
    left = np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32)
    right = np.array([[1, 0, 0], [0, 0, 1], [-1, -1, 0]], dtype=np.float32)
    similarity = contextual("dog river", "chair mat town", (left, right))
    assert similarity.of([0, 1], [0, 1]) == pytest.approx(0.5)  # (1, 1, 0) and (1, 0, 1), both halved
    assert similarity.of([0], [0]) == pytest.approx(1.0)
    assert similarity.of([0], [2]) == 0.0  # opposite is not less than unlike
    assert similarity.of([], [0]) == 0.0


def test_a_side_of_stop_words_is_compared_by_them_and_two_such_sides_are_the_same(resources: Resources) -> None:
    first, second = "the dog sat on", "the on sat on"
    a = state(first, "dog", tiny.LAYERS)
    expected = cosine(a, state(second, "on", tiny.LAYERS))
    assert expected > 0.05
    one, both = rule(resources, threshold=0.01).judge([case(first, second), case("the on sat on", "the under sat on")])
    assert one.score == pytest.approx(1 - expected, abs=1e-4)
    assert both.score == 0.0


def test_many_pairs_are_embedded_in_batches_and_keep_their_order(resources: WordForWordResources) -> None:
    nouns = "cat dog mat chair house river town".split()
    cases = [case(f"the {a} sat on", f"the {b} sat on") for a in nouns for b in nouns]
    alone = [rule(resources).judge([c])[0].score for c in cases]
    resources.calls.clear()
    together = rule(resources).judge(cases * 3)
    assert [v.score for v in together] == pytest.approx(alone * 3, abs=1e-5)
    assert len({round(v.score or 0, 4) for v in together}) > 10
    assert resources.calls == [128, 128, 38]  # vectors of 64 pairs at once, and no call for the features of left-over words


def test_vectors_are_asked_for_as_pairs_are_compared(resources: WordForWordResources) -> None:
    compared = PaperScorer(resources).compared(link_pairs([case(*TEXTS)] * 200, resources))
    next(compared)
    assert resources.calls == [128]


def test_thresholds_belong_to_what_fragments_are_compared_by(tiny_folder: Path) -> None:
    neural, lite = (PaperScorer(WordForWordResources(profile, tiny_folder)) for profile in ("neural", "lite"))
    assert [lite.threshold(Direction.parse(d)) for d in ("en-zh", "zh-en", "de-en")] == [0.5, 0.5, 0.5]
    assert neural.threshold(Direction("en", "zh")) == neural.threshold(Direction("en", "zh-TW")) != neural.threshold(Direction("zh", "en"))
    assert neural.threshold(Direction("de", "en")) not in (neural.threshold(Direction("en", "zh")), 0.5)


def test_the_lite_profile_asks_no_vectors_and_judges_as_before(tiny_folder: Path) -> None:
    resources = WordForWordResources("lite", tiny_folder)
    related = resources.synonyms("en").related
    assert related("car", "automobile") == pytest.approx(0.718, abs=1e-3)
    assert related("dog", "river") == 0
    alike, apart, stop = rule(resources).judge(
        [case("the car sat on", "the automobile sat on"), case(*TEXTS), case("the dog sat on", "the on sat on")]
    )
    assert alike.score == pytest.approx(1 - related("car", "automobile"))
    assert apart.score == stop.score == 1.0
    assert [v.outcome for v in (alike, apart, stop)] == [Outcome.HOLDS, Outcome.VIOLATED, Outcome.VIOLATED]
    assert resources.calls == []
    view = view_pair(case("the car sat on", "the huge automobile on"))
    a, b = ({w: k for k, w in enumerate(text.words)} for text in view.outputs)
    found = Lexical(view, resources.synonyms("en")).of([a["car"], a["sat"]], [b["huge"], b["automobile"]])
    best = max(related("car", "huge"), related("car", "automobile")), max(related("sat", "huge"), related("sat", "automobile"))
    back = max(related("car", "huge"), related("sat", "huge")), max(related("car", "automobile"), related("sat", "automobile"))
    assert found == pytest.approx(max(sum(best) / 2, sum(back) / 2))


def test_the_benchmark_asks_the_rule_about_rows_that_a_first_look_settled(resources: Resources, tmp_path: Path) -> None:
    cases = [case(*TEXTS), case("the dog sat on", "the dog sat on"), case("the cat sat on", "the town sat on")]
    labelled = LabelledCases(cases, [True, False, True], [0, 1, 2], ["x"] * 3)
    examples = read_examples(labelled, tmp_path, resources)
    settled = {k: Judged(cases[k], examples[k], CLEAN, ()) for k in (0, 1)}
    paper = PaperScorer(resources, threshold=1.0)
    assert by_the_papers_rule(paper, labelled, read_examples(labelled, tmp_path, resources, settled), settled, resources) == [
        True,
        False,
        True,
    ]


def test_the_benchmark_says_what_the_rule_compared_by() -> None:
    notes = [paper_table([], [], similarity, {}).note for similarity in ("lexical", "contextual")]
    assert "instead of the paper's vectors" in notes[0]
    assert "last-layer vectors of this profile" in notes[1]


def test_the_signature_names_what_fragments_are_compared_by(resources: Resources) -> None:
    assert "similarity:contextual" in str(rule(resources).signature())
    assert "similarity:lexical" in str(rule(Resources("lite")).signature())


def test_empty_and_odd_translations_are_judged(resources: Resources) -> None:
    for first, second in (("", ""), ("", "the dog"), ("。", "…"), ("the dog " * 40, "👍 the cat")):
        [verdict] = rule(resources).judge([MetamorphicCase("1", Direction("de", "en"), "cat", "a b", "a c", first, second)])
        assert verdict.outcome in (Outcome.HOLDS, Outcome.VIOLATED, Outcome.NOT_APPLICABLE)
        assert verdict.score is None or 0 <= verdict.score <= 1
