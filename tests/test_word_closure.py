"""The relation word-closure: what holds, what is violated, where and why."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaphrase.core.errors import ConfigurationError
from metaphrase.core.rules import Rules
from metaphrase.core.values import Direction, Edit, Expectation, MetamorphicCase, Outcome, RoundTripCase, Severity
from metaphrase.core.weights import Weights
from metaphrase.relations.closure.closures import Kind, closures, refine
from metaphrase.relations.closure.comparison import Match, compare
from metaphrase.relations.closure.describe import Described, describe_pairs
from metaphrase.relations.closure.learned import LearnedScorer, located
from metaphrase.relations.closure.links import Links
from metaphrase.relations.closure.sightings import Sightings
from metaphrase.relations.closure.views import view_pair, words_of
from metaphrase.relations.closure.word_features import LeftOver
from metaphrase.relations.word_closure import WordClosure, word_closure_relation
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Link
from metaphrase.text.languages import language
from metaphrase.text.trees import read_tree

RESOURCES = Resources("lite")


def case(direction: str, source: str, followup: str, first: str, second: str, **more: object) -> MetamorphicCase:
    return MetamorphicCase("1", Direction.parse(direction), "cat", source, followup, first, second, **more)  # type: ignore[arg-type]


def relation(**options: object) -> WordClosure:
    return word_closure_relation(RESOURCES, options)


LOST = case(
    "zh-en",
    "昨天三名法国医生参观了这家医院。",
    "今天三名法国医生参观了这家医院。",
    "Yesterday three French doctors visited the hospital.",
    "Today three doctors visited the hospital.",
)
FINE = case(
    "zh-en",
    "昨天三名法国医生参观了这家医院。",
    "今天三名法国医生参观了这家医院。",
    "Yesterday three French doctors visited the hospital.",
    "Three French doctors visited the hospital today.",
)


def test_a_difference_that_the_edit_explains_holds() -> None:
    [verdict] = relation().judge([FINE])
    assert verdict.outcome is Outcome.HOLDS


def test_a_lost_word_is_found_located_and_explained() -> None:
    [verdict] = relation().judge([LOST])
    assert verdict.outcome is Outcome.VIOLATED
    assert [s.quote for s in verdict.spans] == ["French"]
    assert verdict.spans[0].text == "source_translation"
    assert "法国" in verdict.reason
    assert "French" in verdict.reason
    assert verdict.category == "under-translation"


def test_a_lost_content_word_matters_more_than_a_different_wording() -> None:
    reworded = case(
        "zh-en",
        "昨天三名法国医生参观了这家医院。",
        "今天三名法国医生参观了这家医院。",
        "Yesterday three French doctors visited the hospital.",
        "Today three French physicians toured the hospital.",
    )
    lost, other = relation().judge([LOST, reworded])
    assert lost.major is not None
    assert other.major is not None
    assert lost.major > other.major


def test_scores_are_probabilities_and_severity_comes_with_a_violation_only() -> None:
    for verdict in relation().judge([LOST, FINE]):
        assert verdict.score is not None
        assert verdict.major is not None
        assert 0 <= verdict.score <= 1
        assert 0 <= verdict.major <= 1
        assert (verdict.severity is not None) is verdict.violated


TEXTS = st.text(max_size=60)


@settings(max_examples=25)
@given(first=TEXTS, second=TEXTS, text=TEXTS, direction=st.sampled_from(["en-zh", "zh-en", "en-es", "ar-en"]))
def test_identical_translations_always_hold(first: str, second: str, text: str, direction: str) -> None:
    [verdict] = relation().judge([case(direction, first, second, text, text)])
    assert verdict.outcome is Outcome.HOLDS


@settings(max_examples=25)
@given(a=TEXTS, b=TEXTS, x=TEXTS, y=TEXTS, direction=st.sampled_from(["en-zh", "zh-en", "en-es"]))
def test_exchanging_source_and_followup_never_changes_the_outcome(a: str, b: str, x: str, y: str, direction: str) -> None:
    [forth] = relation().judge([case(direction, a, b, x, y)])
    [back] = relation().judge([case(direction, b, a, y, x)])
    assert (forth.outcome, forth.score, forth.major) == (back.outcome, back.score, back.major)


def test_exchanging_a_real_pair_exchanges_its_spans() -> None:
    swapped = case("zh-en", LOST.followup, LOST.source, LOST.followup_translation or "", LOST.source_translation or "")
    [forth], [back] = relation().judge([LOST]), relation().judge([swapped])
    assert forth.score == back.score
    assert [s.quote for s in forth.spans] == [s.quote for s in back.spans]
    assert [s.text for s in back.spans] == ["followup_translation"]


@pytest.mark.parametrize(
    ("source", "first", "second"),
    [
        ("Great 👍🏽 job 🎉", "干得好 👍🏽 🎉", "干得 👍 真好"),
        ("مرحبا hello 你好", "你好 hello مرحبا", "hello مرحبا"),
        ("!!! ... ???", "！！！……？？？", "…"),
        ("", "", "。"),
        (" ".join(["word"] * 400), "词" * 400, "词" * 399 + "句"),
        ("𠮷野家 is open", "𠮷野家开门了", "吉野家关门了"),
    ],
)
def test_odd_texts_are_judged(source: str, first: str, second: str) -> None:
    for direction in ("en-zh", "zh-en", "en-es", "ar-he"):
        [verdict] = relation().judge([case(direction, source, source + " x", first, second)])
        assert verdict.outcome in (Outcome.HOLDS, Outcome.VIOLATED)
        for span in verdict.spans:
            text = first if span.text == "source_translation" else second
            assert text[span.start : span.end] == span.quote


def test_sentences_that_differ_in_meaning_may_not_share_a_translation() -> None:
    pair = case("en-zh", "She likes cats.", "She hates cats.", "她喜欢猫。", "她喜欢猫。", expectation=Expectation.DIFFERENT)
    [verdict] = relation().judge([pair])
    assert verdict.outcome is Outcome.VIOLATED
    assert verdict.severity is Severity.MAJOR
    assert "'likes' and 'hates'" in verdict.reason or "'hates' and 'likes'" in verdict.reason


def test_a_case_of_another_kind_is_not_applicable() -> None:
    [verdict] = relation().judge([RoundTripCase("1", Direction("en", "zh"), "a")])
    assert verdict.outcome is Outcome.NOT_APPLICABLE


def test_the_paper_scorer_blames_what_has_no_counterpart() -> None:
    [verdict] = relation(scorer="paper").judge([LOST])
    assert verdict.outcome is Outcome.VIOLATED
    assert "French" in [s.quote for s in verdict.spans]


def test_both_scorers_are_named_in_the_signature() -> None:
    assert "scorer:paper" in str(relation(scorer="paper").signature())
    assert "scorer:learned" in str(relation().signature())


def test_edits_of_the_transformation_decide_what_is_shared() -> None:
    # Without the record, the longest block would match the second "very".
    edits = (Edit(2, 7, 2, 2, "very ", ""),)
    view = view_pair(case("en-es", "a very very big dog", "a very big dog", "x", "y", edits=edits))
    changed = [view.changed(0), view.changed(1)]
    longer = max((0, 1), key=lambda s: len(view.inputs[s]))
    assert changed[longer] == [1]
    assert changed[1 - longer] == []


def test_words_are_matched_in_place_moved_inflected_and_by_characters() -> None:
    english = compare(words_of("he buys old books", "en"), words_of("old book he bought", "en"), language("en"))
    assert Match.INFLECTED in english.matches[0]
    assert english.left_over(0) == []
    chinese = compare(words_of("当成龙决定唱歌", "zh"), words_of("当成龙开始唱歌", "zh"), language("zh"))
    assert all("龙" not in chinese.texts[0].words[k] for k in chinese.left_over(0))


def test_numbers_of_the_same_value_are_no_difference() -> None:
    found = compare(words_of("it cost 3.5 million", "en"), words_of("it cost 3,500,000", "en"), language("en"))
    assert found.left_over(0) == []
    assert found.left_over(1) == []


def test_an_abbreviation_matches_its_words() -> None:
    found = compare(words_of("the UN said so", "en"), words_of("the United Nations said so", "en"), language("en"))
    assert found.left_over(0) == found.left_over(1) == []


def described(source: str, followup: str, first: str, second: str, links: tuple[list[Link], list[Link]]) -> Described:
    view = view_pair(case("xx-yy", source, followup, first, second))
    comparison = compare(view.outputs[0], view.outputs[1], view.target)
    return Described(view, comparison, (Links(links[0]), Links(links[1])), ())


def test_closures_are_the_components_of_the_papers_worked_example() -> None:
    # The paper's C8: one translation renders "maintenance costs" by two words, the other by one; all fall into one closure.
    pair = described(
        "maintenance costs rise",
        "maintenance costs rise",
        "weihu chengben",
        "weihufeiyong",
        ([Link(0, 0), Link(1, 1)], [Link(0, 0), Link(1, 0)]),
    )
    found = closures(pair, pair.links)
    joint = next(c for c in found if c.kind is Kind.COMPARABLE)
    assert joint.inputs == (frozenset({0, 1}), frozenset({0, 1}))
    assert joint.outputs == (frozenset({0, 1}), frozenset({0}))
    assert [c.kind for c in found].count(Kind.UNMATCHED) == 1


def test_refinement_two_gives_a_shared_unique_word_the_same_links() -> None:
    # The paper's Fig. 5: a word linked on one side only becomes linked on the other.
    pair = described("easier", "easier", "geng rongyi", "geng rongyi", ([Link(0, 0)], [Link(0, 1)]))
    refined = refine(pair)
    assert {(k.source, k.target) for k in refined[0].all} == {(0, 0), (0, 1)}
    assert {(k.source, k.target) for k in refined[1].all} == {(0, 0), (0, 1)}


def test_refinement_one_links_an_unlinked_word_by_its_smallest_phrase() -> None:
    # "the" stands right beside "sold", but in one noun phrase with "car".
    text = "She sold the old car"
    pair = described("a b c", "a b c", text, text, ([Link(0, 0), Link(1, 1), Link(2, 4)], []))
    tree = read_tree("(S (NP (PRP She)) (VP (VBD sold) (NP (DT the) (JJ old) (NN car))))", language("en").tokens(text))
    added = {(k.source, k.target) for k in refine(pair, (tree, tree))[0].all} - {(0, 0), (1, 1), (2, 4)}
    assert added == {(2, 2), (2, 3)}


def test_the_paper_scorer_takes_phrases_from_the_profiles_parser() -> None:
    [verdict] = relation(scorer="paper", refinement="phrases").judge([LOST])
    assert verdict.outcome is Outcome.VIOLATED
    assert "refinement:phrases" in verdict.signature


@pytest.mark.parametrize("direction", ["zh-en", "en-zh", "en-es"])
def test_the_shipped_weights_name_features_that_are_computed(direction: str) -> None:
    [pair] = describe_pairs([LOST], RESOURCES)
    scorer: LearnedScorer = relation().scorer(Direction.parse(direction))
    assert set(Rules.read(scorer.weights.values["word"]).names) <= pair.left[0].features.keys()


def test_weights_that_ask_for_an_unknown_feature_are_refused() -> None:
    weights = relation().scorer(LOST.direction).weights
    word = {"bias": 0.0, "rules": ["colour < 0.5 ? (stop < 0.5 ? 0 : 1) : (stop < 0.5 ? 0 : 1)"]}
    old = Weights("mine", {**weights.values, "word": word}, {})
    [pair] = describe_pairs([LOST], RESOURCES)
    with pytest.raises(ConfigurationError, match=r"another version.*'colour'"):
        LearnedScorer(old).score(pair.left)


def test_weights_of_the_time_before_rules_are_refused() -> None:
    weights = relation().scorer(LOST.direction).weights
    old = Weights("mine", {**weights.values, "word": {"bias": 0.0, "weights": {"stop": 1.0}}}, {})
    with pytest.raises(ConfigurationError, match="another version"):
        LearnedScorer(old)


def test_words_that_render_one_input_word_in_other_sentences_stand_for_each_other() -> None:
    seen = Sightings([("疫情", "epidemic", 1), ("疫情", "outbreak", 2), ("疫情", "epidemic", 3), ("银行", "bank", 1)])
    assert seen.reworded("epidemic", "outbreak", 9) > 0.4
    assert seen.reworded("epidemic", "bank", 9) == 0


def test_near_copies_of_a_sentence_are_no_evidence_about_it() -> None:
    seen = Sightings([("疫情", "epidemic", 1), ("疫情", "outbreak", 1)])
    assert seen.reworded("epidemic", "outbreak", 1) == 0
    assert (seen.times("疫情", "epidemic", 1), seen.times("疫情", "epidemic", 2)) == (0, 1)


def test_a_pair_that_holds_names_the_words_that_differ_most() -> None:
    pair = case(
        "zh-en",
        FINE.source,
        FINE.followup,
        "Yesterday three French doctors visited the hospital.",
        "Today three French doctors visited the clinic.",
    )
    [verdict] = relation(threshold=1.0, major_threshold=1.0).judge([pair])
    assert verdict.outcome is Outcome.HOLDS
    assert {"hospital", "clinic"} <= {s.quote for s in verdict.spans}
    assert "hospital" in verdict.reason
    assert verdict.severity is None


SHOWN = {"word": 0.2, "word-share": 0.4, "in-its-place": 0.05, "beside": 0.15}


def left_over(side: int, index: int, *, stop: bool = False, renderings: tuple[int, ...] = (), slot: range = range(0)) -> LeftOver:
    return LeftOver(side, index, {"stop": float(stop)}, None, renderings, slot)


def places(*blamed: tuple[LeftOver, float]) -> list[tuple[int, int]]:
    return [(word.side, word.index) for word, _ in located([word for word, _ in blamed], [p for _, p in blamed], SHOWN)]


def test_function_words_are_shown_with_the_phrase_that_they_belong_to() -> None:
    # "as long as": the content word is blamed, its neighbours a little; one further away, and one that nobody blames, are not shown.
    long, before, after = left_over(0, 5), left_over(0, 4, stop=True), left_over(0, 6, stop=True)
    apart, innocent = left_over(0, 9, stop=True), left_over(0, 3, stop=True)
    assert places((long, 0.8), (before, 0.2), (after, 0.2), (apart, 0.6), (innocent, 0.1)) == [(0, 4), (0, 5), (0, 6)]


def test_what_stands_in_the_place_of_a_shown_word_is_shown_if_it_is_suspicious() -> None:
    word = left_over(0, 3, slot=range(2, 5))
    suspicious, innocent, elsewhere = left_over(1, 2), left_over(1, 3), left_over(1, 7)
    assert places((word, 0.8), (suspicious, 0.06), (innocent, 0.01), (elsewhere, 0.06)) == [(0, 3), (1, 2)]


def test_the_rendering_of_the_same_input_word_is_shown_whatever_it_is_blamed() -> None:
    assert places((left_over(0, 3, renderings=(4, 8)), 0.8), (left_over(1, 4), 0.0)) == [(0, 3), (1, 4)]


def test_function_words_are_shown_where_nothing_else_is_blamed() -> None:
    assert places((left_over(0, 1, stop=True), 0.5), (left_over(0, 4), 0.01)) == [(0, 1)]
