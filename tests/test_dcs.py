"""Several engines on one sentence: rules, places, outliers, bad answers, the table of engines, and the commands."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaphrase.campaign.judging import judge
from metaphrase.campaign.triage import group
from metaphrase.core.errors import ConfigurationError, InputError
from metaphrase.core.values import DifferentialCase, Direction, MetamorphicCase, Outcome, Report, Segment, Severity, Verdict
from metaphrase.evaluation.differential.injection import Injector, style_variants
from metaphrase.relations.closure.views import words_of
from metaphrase.relations.differential.alone import Answer
from metaphrase.relations.differential.outlier import ScoredPair, standings
from metaphrase.relations.differential.parts import parts_of_tree, parts_of_words
from metaphrase.relations.differential.relation import Dcs, DcsOptions, make
from metaphrase.relations.differential.renderer import Renderer
from metaphrase.reports.engines import engine_table, interval
from metaphrase.resources.profiles import Resources
from metaphrase.text.guess import guess_language
from metaphrase.text.languages import language
from metaphrase.text.trees import read_tree

if TYPE_CHECKING:
    from conftest import CommandLine

SOURCE = "The harbour was closed for three days because of the heavy storm."
FIRST = "由于强烈的风暴，港口关闭了三天。"
SECOND = "因为暴风雨猛烈，港口关闭了三天。"


@pytest.fixture(scope="module")
def relation() -> Dcs:
    return Dcs(Resources("lite"), DcsOptions())


def case(source: str, translations: Mapping[str, str | None], way: str = "en-zh") -> DifferentialCase:
    return DifferentialCase("c", Direction.parse(way), source, MappingProxyType(dict(translations)), MappingProxyType({"segment": "c"}))


def verdict(relation: Dcs, source: str, translations: Mapping[str, str | None], way: str = "en-zh") -> Verdict:
    return judge(relation, [case(source, translations, way)])[0]


def quotes(found: Verdict, engine: str) -> str:
    return " ".join(span.quote for span in found.spans if span.text == engine)


def test_equal_translations_hold_with_a_score_of_zero(relation: Dcs) -> None:
    found = verdict(relation, SOURCE, {"a": FIRST, "b": FIRST})
    assert (found.outcome, found.score, found.spans) == (Outcome.HOLDS, 0.0, ())


@pytest.mark.parametrize(
    "other", [FIRST.replace("，", ","), FIRST.replace("三天", "3天"), " " + FIRST.replace("三天", " 三天"), FIRST.rstrip("。")]
)
def test_punctuation_spacing_and_the_way_digits_are_written_raise_no_alarm(relation: Dcs, other: str) -> None:
    assert verdict(relation, SOURCE, {"a": FIRST, "b": other}).outcome is Outcome.HOLDS


def test_full_width_letters_do_not_hide_a_negation(relation: Dcs) -> None:
    text = "The captain doesn't sail on Fridays."
    for _, variant in style_variants(text, language("en")):
        assert verdict(relation, "船长星期五不出海。", {"a": text, "b": variant}, "zh-en").outcome is Outcome.HOLDS


@given(st.sampled_from([FIRST, SECOND, "公司去年卖出了35000辆汽车，涨幅为12％。", "IBM在2019年雇用了1,200名工程师。"]))
def test_a_style_variant_of_a_text_never_differs_from_it(text: str) -> None:
    relation = Dcs(Resources("lite"), DcsOptions())
    for _, variant in style_variants(text, language("zh")):
        assert verdict(relation, SOURCE, {"a": text, "b": variant}).outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    ("source", "right", "wrong", "changed"),
    [
        ("The factory made 35,000 cars last year.", "工厂去年生产了3.5万辆汽车。", "工厂去年生产了35万辆汽车。", "35万"),
        ("The fund holds 1.2 billion dollars.", "该基金持有12亿美元。", "该基金持有120亿美元。", "120亿"),
        (SOURCE, FIRST, FIRST.replace("三天", "五天"), "五"),
        ("Sales rose by 12 percent in 2019.", "2019年销售额增长了12%。", "2019年销售额增长了百分之二十一。", "百分之二十一"),
    ],
)
def test_a_changed_number_is_always_reported_with_its_place_and_the_engine_to_blame(
    relation: Dcs, source: str, right: str, wrong: str, changed: str
) -> None:
    found = verdict(relation, source, {"a": right, "b": wrong})
    assert found.outcome is Outcome.VIOLATED
    assert found.severity is Severity.MAJOR
    assert changed in quotes(found, "b")
    assert found.category == "number"
    assert found.extra["places"][0]["blamed"] == ["b"]


@pytest.mark.parametrize(
    ("source", "one", "other"),
    [
        ("二十年前他们离开了村子。", "They left the village twenty years ago.", "They left the village two decades ago."),
        ("这条线路长345公里。", "The line is 345 kilometres long.", "It is a 345km line."),
        ("这能拯救百万以上的生命。", "This can save more than a million lives.", "This can save millions of lives, like the one before."),
    ],
)
def test_numbers_said_in_other_english_words_are_no_number_errors(relation: Dcs, source: str, one: str, other: str) -> None:
    assert verdict(relation, source, {"a": one, "b": other}, "zh-en").category != "number"


@pytest.mark.parametrize(
    ("source", "one", "other"),
    [
        ("The factory made 35,000 cars last year.", "工厂去年生产了3.5万辆汽车。", "工厂去年生产了35000辆汽车。"),
        ("He lived there in the 1840s.", "他在19世纪40年代住在那里。", "他在1840年代住在那里。"),
        ("It takes two to three years.", "这需要两到三年。", "这需要两三年。"),
    ],
)
def test_the_same_value_written_otherwise_is_no_number_error(relation: Dcs, source: str, one: str, other: str) -> None:
    assert verdict(relation, source, {"a": one, "b": other}).category != "number"


def test_an_added_negation_is_reported_and_marked(relation: Dcs) -> None:
    found = verdict(
        relation, "The bank will open a branch in our street.", {"a": "银行将在我们的街道开设分行。", "b": "银行将不在我们的街道开设分行。"}
    )
    assert found.outcome is Outcome.VIOLATED
    assert found.category == "negation"
    assert "不" in quotes(found, "b")


def test_a_lost_negation_is_blamed_on_the_engine_that_lost_it(relation: Dcs) -> None:
    found = verdict(relation, "The bank did not open in March.", {"a": "银行三月份没有开门。", "b": "银行三月份开门了。"})
    assert found.category == "negation"
    assert found.extra["places"][0]["blamed"] == ["b"]


def test_a_negation_is_found_beside_source_words_that_may_be_rendered_by_one(relation: Dcs) -> None:
    texts = {"a": "船长不愿意出海，直到风停。", "b": "船长愿意出海，直到风停。"}
    found = verdict(relation, "The captain was unwilling to sail until the wind dropped.", texts)
    assert (found.category, quotes(found, "a")) == ("negation", "不")


@pytest.mark.parametrize(
    ("source", "one", "other"),
    [
        ("这个计划不可行。", "The plan is not workable.", "The plan is unworkable."),
        ("他无法回答。", "He could not answer.", "He was unable to answer."),
        ("他不是坐船，而是坐火车来的。", "He came by train, not by boat.", "He came by train rather than by boat."),
        ("第七号码头", "Pier No. 7", "The seventh pier"),
        ("她从不撒谎，也不会骗人。", "She never lies or cheats.", "She never lies, nor does she cheat."),
    ],
)
def test_a_negation_said_in_other_words_is_no_negation_error(relation: Dcs, source: str, one: str, other: str) -> None:
    assert verdict(relation, source, {"a": one, "b": other}, "zh-en").category != "negation"


def test_a_word_that_only_looks_like_a_negation_is_none() -> None:
    chinese = language("zh")
    assert chinese.negation_spans("他们不得不面对不同的未来，无论如何。") == []
    assert [chinese.negation_spans(t)[0] for t in ("我没有钱", "他不来")] == [(1, 3), (1, 2)]


@pytest.mark.parametrize(
    ("bad", "kind", "words"),
    [
        ("", "empty", "b returned an empty text"),
        ("。", "empty", "empty"),
        (SOURCE, "source-copied", "b returned the source itself"),
        ("Le port a été fermé pendant trois jours à cause de la forte tempête.", "wrong-language", "not in Chinese"),
        (FIRST * 10, "too-long", "10 times as long"),
    ],
)
def test_a_bad_answer_is_reported_by_itself(relation: Dcs, bad: str, kind: str, words: str) -> None:
    found = verdict(relation, SOURCE, {"a": FIRST, "b": bad})
    assert (found.outcome, found.category, found.severity) == (Outcome.VIOLATED, kind, Severity.MAJOR)
    assert words in found.reason
    assert found.extra["places"][0]["blamed"] == ["b"]


def test_a_related_language_is_told_from_the_target(relation: Dcs) -> None:
    texts = {
        "a": "El puerto estuvo cerrado tres días a causa de la fuerte tormenta.",
        "b": "Le port a été fermé pendant trois jours à cause de la forte tempête.",
    }
    assert verdict(relation, SOURCE, texts, "en-es").category == "wrong-language"
    assert verdict(relation, SOURCE, {"a": texts["a"], "b": texts["a"]}, "en-es").outcome is Outcome.HOLDS


def test_a_source_without_words_is_not_applicable(relation: Dcs) -> None:
    assert verdict(relation, "...", {"a": FIRST, "b": ""}).outcome is Outcome.NOT_APPLICABLE


def test_two_engines_are_compared_when_the_third_gave_nothing(relation: Dcs) -> None:
    found = verdict(relation, SOURCE, {"a": FIRST, "b": FIRST, "c": None})
    assert found.outcome is Outcome.HOLDS
    assert found.extra["missing"] == ["c"]


def test_one_answer_alone_is_not_applicable(relation: Dcs) -> None:
    assert verdict(relation, SOURCE, {"a": FIRST, "b": None}).outcome is Outcome.NOT_APPLICABLE
    pair = MetamorphicCase("m", Direction("en", "zh"), "cat", "A cat.", "A dog.", "一只猫。", "一只狗。")
    assert judge(relation, [pair])[0].outcome is Outcome.NOT_APPLICABLE


def test_a_source_word_left_as_it_was_is_blamed_on_its_engine(relation: Dcs) -> None:
    texts = {"direct": "El presidente abrió la reunión.", "pivot": "El chairman abrió la reunión."}
    found = verdict(relation, "The chairman opened the meeting.", texts, "en-es")
    assert found.category == "untranslated"
    assert quotes(found, "pivot") == "chairman"


def test_every_marked_pair_is_reported_on_request() -> None:
    source = "The captain gave the keys of the old lighthouse to the doctor before the ship left the harbour."
    texts = {"a": "船离开港口前，船长把旧灯塔的钥匙交给了医生。", "b": "船离开港口前，船长把旧灯塔的地图交给了医生。"}
    likely, marked = (judge(make(Resources("lite"), {"report": name}), [case(source, texts)])[0] for name in ("likely", "marked"))
    assert "钥匙" in quotes(likely, "a")
    assert (likely.outcome, marked.outcome) == (Outcome.HOLDS, Outcome.VIOLATED)
    assert quotes(marked, "b") == "地图"


def test_spans_point_at_the_words_they_quote(relation: Dcs) -> None:
    texts = {"a": "船长把钥匙交给了医生。", "b": "船长把地图交给了面包师。"}
    found = verdict(relation, "The captain gave the keys to the doctor.", texts)
    assert found.spans
    assert all(texts[s.text][s.start : s.end] == s.quote for s in found.spans)
    assert "钥匙" in quotes(found, "a")
    assert "地图" in quotes(found, "b")


def test_three_engines_name_the_outlier_with_a_confidence(relation: Dcs) -> None:
    texts = {"a": "船长把钥匙交给了医生。", "b": "船长把钥匙给了医生。", "c": "香蕉在冰箱里睡觉，门票已经售罄。"}
    found = verdict(relation, "The captain gave the keys to the doctor.", texts)
    assert found.extra["outlier"] == "c"
    assert 0.5 < found.extra["outlier-confidence"] <= 1
    assert len(found.extra["pairs"]) == 3


def test_words_that_no_other_engine_has_speak_against_an_engine() -> None:
    renderer = Renderer(Direction("en", "zh"), Resources("lite"))
    source = "The captain gave the keys to the doctor."
    texts = {"a": "船长把钥匙交给了医生。", "b": "船长将钥匙给了医生。", "c": "船长把地图交给了面包师。"}
    rendered = renderer.render([source], [[Answer(engine, text) for engine, text in texts.items()]])[0]
    compared = [ScoredPair(d.engines, d.pair, 0.5) for d in renderer.describe(renderer.source(source), rendered)]
    found = standings(compared)
    assert {engine: features["distance"] for engine, features in found.items()} == {"a": 0.0, "b": 0.0, "c": 0.0}
    assert found["c"]["alone"] > max(found["a"]["alone"], found["b"]["alone"])


THESAURUS = "ISO8859-1\nboda|1\n-|casamiento|enlace (formal)\nmuro|2\n-|pared|muralla\n(sust.)|tapia\n"


def test_words_that_a_thesaurus_lists_are_the_same_word(tmp_path: Path) -> None:
    (tmp_path / "th.dat").write_text(THESAURUS, encoding="latin-1")
    resources = Resources("lite", options={"synonyms": {"thesaurus": {"es": str(tmp_path / "th.dat")}}})
    texts = {"a": "Las bodas tienen lugar junto al muro.", "b": "Los casamientos tienen lugar junto a la tapia."}
    found = judge(Dcs(resources, DcsOptions()), [case("The weddings take place by the wall.", texts, "en-es")])[0]
    assert (found.outcome, found.spans) == (Outcome.HOLDS, ())


def test_a_thesaurus_that_cannot_be_read_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "th.dat").write_text("UTF-8\nboda|1\n-|enlace\nmuro\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"th\.dat:4: not an entry"):
        Resources("lite", options={"synonyms": {"thesaurus": {"es": str(tmp_path / "th.dat")}}}).synonyms("es")


def test_words_between_the_same_neighbours_are_one_place(relation: Dcs) -> None:
    texts = {"a": "Las lámparas de la calle salen.", "b": "Las luces de la calle salen."}
    found = judge(make(Resources("lite"), {"report": "marked"}), [case("The street lamps go out.", texts, "en-es")])[0]
    assert [place["kind"] for place in found.extra["places"]] == ["wording"]


def test_two_engines_name_no_outlier(relation: Dcs) -> None:
    found = verdict(relation, "The captain gave the keys to the doctor.", {"a": "船长把钥匙交给了医生。", "b": "香蕉在冰箱里睡觉。"})
    assert found.outcome is Outcome.VIOLATED
    assert "outlier" not in found.extra


def test_the_order_of_engines_does_not_change_the_score(relation: Dcs) -> None:
    one = verdict(relation, SOURCE, {"a": FIRST, "b": SECOND})
    other = verdict(relation, SOURCE, {"b": SECOND, "a": FIRST})
    assert one.score == pytest.approx(other.score)
    assert {s.quote for s in one.spans} == {s.quote for s in other.spans}


def test_a_place_that_all_pairs_see_is_one_finding(relation: Dcs) -> None:
    cases = [
        case(
            "The fund holds 1.2 billion dollars.", {"a": "该基金持有12亿美元。", "b": "该基金持有12亿美元。", "c": "该基金持有120亿美元。"}
        )
    ]
    reports = [Report(c, v, "a / b / c", "dcs") for c, v in zip(cases, judge(relation, cases), strict=True)]
    findings = group(reports, {"c": Segment("c", cases[0].source, "en")})
    assert len(findings) == 1
    assert len(findings[0].reports) == 1
    table = engine_table(findings, 10)
    assert table is not None
    assert [row[:2] for row in table.rows()] == [["a", "0 of 10"], ["b", "0 of 10"], ["c", "1 of 10"]]


def test_the_interval_of_a_share_is_wilsons() -> None:
    # Wilson 1927; 10 of 100 is .0552 to .1744 (Newcombe 1998, method 3).
    assert interval(10, 100) == "6 to 17 %"
    assert interval(0, 0) == "-"


def test_clauses_are_parts_and_one_is_the_main_part() -> None:
    source = words_of("When the tide rises, the old harbour, which nobody repaired, loses another stone.", "en")
    parts = parts_of_words(source, language("en"))
    assert [part.quote(source) for part in parts if part.main] != []
    assert sum(part.main for part in parts) == 1
    assert {k for part in parts for k in part.words} == {k for k, w in enumerate(source.words) if w.isalpha()}


def test_a_tree_is_cut_at_its_clauses() -> None:
    english = language("en")
    source = words_of("The captain laughed because the crew sang badly", "en")
    tree = read_tree(
        "(S (NP (DT The) (NN captain)) (VP (VBD laughed) (SBAR (IN because) (S (NP (DT the) (NN crew)) (VP (VBD sang) (ADVP (RB badly)))))))",
        source.tokens,
    )
    main, clause = parts_of_tree(source, tree, english)
    assert (main.quote(source), main.main) == ("The captain laughed", True)
    assert clause.quote(source) == "because the crew sang badly"


def test_a_chinese_tree_is_cut_at_clauses_that_stand_beside_others() -> None:
    source = words_of("因为船员唱歌难听，船长笑了，尽管没有人给他们钱。", "zh")
    tree = read_tree(
        "(ROOT (IP (IP (PP (P 因为) (IP (NP (NN 船员)) (VP (VV 唱歌) (VA 难听)))) (PU ，) (NP (NN 船长)) (VP (VV 笑) (AS 了))) (PU ，)"
        " (IP (CP (ADVP (CS 尽管)) (IP (VP (VE 没有) (IP (NP (NN 人)) (VP (VV 给) (NP (PN 他们)) (NP (NN 钱)))))))) (PU 。)))",
        source.tokens,
    )
    parts = {part.quote(source): part.main for part in parts_of_tree(source, tree, language("zh"))}
    assert parts == {"船长笑了": True, "因为船员唱歌难听": False, "尽管没有人给他们钱": False}


@pytest.mark.skipif(not os.environ.get("METAPHRASE_REAL_MODELS"), reason="opt-in: METAPHRASE_REAL_MODELS=1 with fetched models")
@pytest.mark.parametrize(
    ("code", "text", "main"),
    [
        ("en", "The captain laughed because the crew sang badly, although nobody had paid them.", "The captain laughed"),
        ("zh", "因为船员唱得不好，船长笑了，尽管没有人给他们钱。", "船长笑了"),
    ],
)
def test_a_real_parser_cuts_the_main_part_out(code: str, text: str, main: str) -> None:
    source = words_of(text, code)
    with Resources("neural") as resources:
        (tree,) = resources.parser(code).parse([text])
    parts = parts_of_tree(source, tree, language(code))
    assert len(parts) == 3
    assert [part.quote(source) for part in parts if part.main] == [main]


def test_the_papers_rule_reports_the_part_that_differs() -> None:
    relation = make(Resources("lite"), {"scorer": "paper"})
    source = "The captain laughed, and the baker burned the bread."
    found = judge(relation, [case(source, {"a": "船长笑了，面包师烧焦了面包。", "b": "船长笑了，渔夫修补了渔网。"})])[0]
    assert found.outcome is Outcome.VIOLATED
    assert any("baker" in part for part in found.extra["parts"])
    assert (
        judge(relation, [case(source, {"a": "船长笑了，面包师烧焦了面包。", "b": "船长笑了，面包师烧焦了面包。"})])[0].outcome
        is Outcome.HOLDS
    )


def test_languages_that_a_file_does_not_state_are_told_from_the_texts(relation: Dcs) -> None:
    assert guess_language(["The harbour was closed for three days."]) == "en"
    assert guess_language([FIRST]) == "zh"
    found = judge(relation, [case(SOURCE, {"a": FIRST, "b": FIRST}, "und-und")])[0]
    assert found.outcome is Outcome.HOLDS
    with pytest.raises(ConfigurationError, match="give --from and --to"):
        judge(relation, [case("Xyz", {"a": "Xyz", "b": "Xyz"}, "und-und")])


def test_an_injected_error_knows_where_it_is() -> None:
    resources = Resources("lite")
    injector = Injector(language("zh"), resources.synonyms("zh"), ["渔夫修补渔网", "面包师烧焦面包", "香蕉冰箱门票售罄"])
    pair = case("The fund held 35 houses and was not sold.", {"a": "该基金持有35栋房屋，没有出售。", "b": "该基金拥有35栋房屋，没有出售。"})
    errors = {error.kind: error for error in injector.errors(pair)}
    assert set(errors) == {"replaced", "deleted", "number", "negation"}
    assert list(injector.errors(pair)) == list(injector.errors(pair))
    for error in errors.values():
        original, changed = pair.translations[error.engine], error.case.translations[error.engine]
        assert original != changed
        for engine, start, end in error.places:
            assert 0 <= start < end <= len(error.case.translations[engine] or "")


def test_chinese_sources_work_too(relation: Dcs) -> None:
    found = verdict(
        relation,
        "船长把钥匙交给了三位医生。",
        {"a": "The captain gave the keys to three doctors.", "b": "The captain gave the keys to five doctors."},
        "zh-en",
    )
    assert (found.outcome, found.category) == (Outcome.VIOLATED, "number")


def test_judge_reads_two_engines_in_columns(metaphrase: CommandLine, tmp_path: Path) -> None:
    row = {
        "id": "1",
        "source": SOURCE,
        "engine_a": "x",
        "engine_b": "y",
        "translation_a": FIRST,
        "translation_b": FIRST.replace("三天", "五天"),
    }
    (tmp_path / "pairs.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    ran = metaphrase("judge", "pairs.jsonl", "--relation", "dcs", "-o", "verdicts.jsonl")
    assert ran.code in (0, 1), ran.err
    found = json.loads((tmp_path / "verdicts.jsonl").read_text(encoding="utf-8"))
    assert (found["outcome"], found["severity"]) == ("violated", "major")
    assert {span["text"] for span in found["spans"]} == {"x", "y"}


@pytest.mark.apertium
def test_a_run_with_two_live_engines_ends_with_the_table(metaphrase: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("The chairman opened the meeting.\nThe cat drank the milk.\n", encoding="utf-8")
    ran = metaphrase(
        "test",
        "in.txt",
        "--method",
        "dcs",
        "--system",
        "apertium:eng-spa",
        "--system",
        "apertium:eng-cat,cat-spa",
        "--from",
        "en",
        "--to",
        "es",
    )
    assert ran.code == 1, ran.err
    assert "leaves 'chairman' untranslated" in ran.out
    assert "two engines can only be said to differ" in ran.out


def test_one_system_is_refused_before_anything_is_sent(metaphrase: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("The cat drank the milk.\n", encoding="utf-8")
    ran = metaphrase("test", "in.txt", "--method", "dcs", "--system", "command:cat", "--from", "en", "--to", "es")
    assert ran.code == 2
    assert "at least 2 systems" in ran.err


def test_the_neural_profile_weighs_contextual_vectors_too(tiny_folder: Path) -> None:
    options: dict[str, dict[str, object]] = {"aligner": {"model": str(tiny_folder), "layer": 2}, "embedder": {"model": str(tiny_folder)}}
    way = Direction("de", "en")  # no trained link scorer, so that the tiny model is enough
    with Resources("neural", options=options) as resources:
        renderer = Renderer(way, resources)
        texts = [Answer("a", "the dog sat on the mat"), Answer("b", "the red house slept under the river")]
        rendered = renderer.render(["Der Hund sitzt."], [texts])[0]
        features = renderer.describe(renderer.source("Der Hund sitzt."), rendered)[0].pair.features
    assert 0 < features["tokens"] <= features["tokens-worst"] <= 2
