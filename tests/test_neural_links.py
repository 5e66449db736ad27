"""The link scorer that sees the encoder, and the contextual features of left-over words, on the tiny model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tiny_bert as tiny
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.values import Direction, MetamorphicCase, Outcome
from metaphrase.core.weights import Weights
from metaphrase.evaluation.alignment import GoldAlignment, GoldSet, error_rate, fit_aligner
from metaphrase.relations.closure.comparison import compare
from metaphrase.relations.closure.context import context_features
from metaphrase.relations.closure.views import view_pair
from metaphrase.relations.closure.word_features import LeftOver
from metaphrase.relations.word_closure import word_closure_relation
from metaphrase.resources.neural import link_scorer
from metaphrase.resources.neural.aligner import SoftmaxAligner
from metaphrase.resources.neural.encoder import Encoder
from metaphrase.resources.neural.factories import aligner, evidence_for
from metaphrase.resources.neural.link_scorer import ContextualAligner
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Aligner, TokenPair
from metaphrase.text.languages import language

PAIRS = [
    ("猫 在 房子 上", "the cat on the house", "0-1 1-2 2-4"),
    ("狗 不 在 城 下", "the dog not under the town", "0-1 1-2 2-3 3-5 4-3"),
    ("红 房子", "the red house", "0-1 1-2"),
    ("绿 河", "a green river", "0-1 1-2"),
    ("猫 坐", "the cat sat", "0-1 1-2"),
]

FEATURES = dict.fromkeys(("stop", "rarity", "shared", "edited", "lost"), 0.5) | {"stop": 0.0}


def gold() -> list[GoldAlignment]:
    rows = []
    for number, (source, target, links) in enumerate(PAIRS):
        found = frozenset((int(a), int(b)) for a, b in (link.split("-") for link in links.split()))
        rows.append(GoldAlignment(str(number), TokenPair(tuple(source.split()), tuple(target.split())), found, found))
    return rows


@pytest.fixture(scope="module")
def weights(encoder: Encoder) -> Weights:
    return fit_aligner("links-zh-en", [GoldSet(Direction("zh", "en"), evidence_for(language("zh"), language("en")), gold(), encoder)], {})


def test_the_scorer_learns_from_gold_and_sees_the_encoder(encoder: Encoder, weights: Weights) -> None:
    assert any(name.startswith("layer-2-") for name in weights.values["rounds"][0]["weights"])
    aligner = ContextualAligner(Direction("zh", "en"), evidence_for(language("zh"), language("en")), weights, encoder)
    figures = error_rate(gold(), aligner.align([row.pair for row in gold()]))
    assert figures.error_rate < 0.2


def test_links_are_scored_with_what_the_encoder_sees(encoder: Encoder, weights: Weights) -> None:
    made = ContextualAligner(Direction("zh", "en"), evidence_for(language("zh"), language("en")), weights, encoder)
    pairs = [row.pair for row in gold()]
    prepared = made.prepare(pairs)
    assert all(any(name.startswith("layer-2-") for name in item.features) for item in prepared)
    for item, probabilities in zip(prepared, made.probabilities(pairs), strict=True):
        np.testing.assert_allclose(made.score(item), probabilities)


def test_the_other_direction_gives_the_same_links_the_other_way_round(encoder: Encoder, weights: Weights) -> None:
    evidence = evidence_for(language("zh"), language("en"))
    there = ContextualAligner(Direction("zh", "en"), evidence, weights, encoder)
    back = ContextualAligner(Direction("en", "zh"), evidence, weights, encoder, transposed=True)
    pairs = [row.pair for row in gold()]
    one = [{(link.source, link.target) for link in a.links} for a in there.align(pairs)]
    other = [{(link.target, link.source) for link in a.links} for a in back.align([TokenPair(p.target, p.source) for p in pairs])]
    assert one == other


def test_empty_sides_have_no_links(encoder: Encoder, weights: Weights) -> None:
    made = ContextualAligner(Direction("zh", "en"), evidence_for(language("zh"), language("en")), weights, encoder)
    assert [a.links for a in made.align([TokenPair((), ("a",)), TokenPair(("猫",), ())])] == [(), ()]


def test_features_of_words_are_the_best_of_their_pieces(encoder: Encoder) -> None:
    pair = TokenPair(("the", "cats"), ("猫", "狗", "子"))
    pieces = encoder.pieces.words(pair.source), encoder.pieces.words(pair.target)
    source, target = (encoder.states([side.ids], [2])[0][2] for side in pieces)
    found = link_scorer.context_features(pieces, source, target)
    raw = np.exp(source.astype(np.float64) @ target.T.astype(np.float64))
    forward = raw / raw.sum(axis=1, keepdims=True)
    expected = np.stack([forward[0], forward[1:3].max(axis=0)])
    np.testing.assert_allclose(found["forward"], expected, rtol=1e-3, atol=1e-6)
    assert {value.shape for value in found.values()} == {(2, 3)}


def test_the_factory_takes_shipped_weights_where_there_are_some_and_the_softmax_rule_elsewhere(
    tiny_folder: Path, tmp_path: Path, weights: Weights
) -> None:
    options = {"model": str(tiny_folder), "layer": 2}
    assert isinstance(aligner(Direction("fi", "sv"), options), SoftmaxAligner)
    assert isinstance(aligner(Direction("zh", "en"), {**options, "scorer": "softmax"}), SoftmaxAligner)
    with pytest.raises(ConfigurationError, match="no learned link scorer for fi-sv"):
        aligner(Direction("fi", "sv"), {**options, "scorer": "learned"})
    path = tmp_path / "links.json"
    path.write_text(json.dumps({"values": weights.values, "provenance": {"pair": "zh-en"}}), encoding="utf-8")
    for direction in (Direction("zh", "en"), Direction("en", "zh")):
        assert isinstance(aligner(direction, {**options, "weights": str(path)}), ContextualAligner)


def test_a_left_over_word_is_most_alike_to_its_counterpart() -> None:
    """Vectors made by hand: the two left-over words point the same way, everything else is orthogonal."""
    case = MetamorphicCase("1", Direction("zh", "en"), "cat", "猫睡了", "狗睡了", "the small cat slept well", "the little cat slept well")
    view = view_pair(case)
    comparison = compare(view.outputs[0], view.outputs[1], view.target)
    places = [comparison.left_over(side) for side in (0, 1)]
    assert [[view.outputs[side].words[k] for k in places[side]] for side in (0, 1)] in ([["small"], ["little"]], [["little"], ["small"]])
    left = [LeftOver(side, places[side][0], FEATURES, None, (), comparison.slot(side, places[side][0])) for side in (0, 1)]
    vectors = np.eye(5, tiny.WIDTH, dtype=np.float32)
    alike = context_features(comparison, left, (vectors, vectors))
    other = vectors.copy()
    other[places[1][0]] = np.eye(1, tiny.WIDTH, 100, dtype=np.float32)
    apart = context_features(comparison, left, (vectors, other))
    assert all(features["context-left"] == pytest.approx(1.0, abs=1e-5) for features in alike)
    assert all(features["context-mutual"] == pytest.approx(1.0, abs=1e-5) for features in alike)
    assert all(features["context-left"] < 0.2 for features in apart)
    assert all(0 <= value <= 1 + 1e-6 for features in [*alike, *apart] for value in features.values())


class Asked(Exception):
    pass


class Watched(Resources):
    def aligner(self, direction: Direction) -> Aligner:
        raise Asked


def test_models_are_asked_only_about_pairs_that_the_lite_profile_leaves_in_doubt() -> None:
    def case(translation: str) -> MetamorphicCase:
        inputs = "She sold the old car.", "She sold the new car."
        return MetamorphicCase("one", Direction("en", "zh"), "swap", *inputs, "她卖掉了旧车。", translation)

    relation = word_closure_relation(Watched("neural"), {})
    verdict = relation.judge([case("她卖掉了新车。")])[0]
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.signature == str(relation.signature())
    with pytest.raises(Asked):
        relation.judge([case("他昨天买了三栋新房子。")])
    with pytest.raises(Asked):
        word_closure_relation(Watched("neural"), {"doubt": 0}).judge([case("她卖掉了新车。")])
