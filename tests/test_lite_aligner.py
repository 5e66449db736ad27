"""The embedded aligner: dictionary, numbers, names, batch statistics, glossary."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaphrase.core.errors import ConfigurationError, InputError
from metaphrase.core.values import Direction
from metaphrase.evaluation.alignment import GoldAlignment, error_rate
from metaphrase.resources.lite.aligner import lite_aligner
from metaphrase.resources.lite.cedict import cedict
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Aligner, Alignment, Link, TokenPair


def linked(direction: str, source: str, target: str, **options: object) -> set[tuple[str, str]]:
    pair = TokenPair(tuple(source.split()), tuple(target.split()))
    [alignment] = lite_aligner(Direction.parse(direction), options).align([pair])
    return {(pair.source[k.source], pair.target[k.target]) for k in alignment.links}


def test_the_lite_profile_fills_the_aligner_protocol() -> None:
    assert isinstance(Resources("lite").aligner(Direction("zh", "en")), Aligner)


def test_dictionary_words_numbers_and_marks_are_linked() -> None:
    found = linked("zh-en", "政府 昨天 批准 了 23 个 项目 。", "The government approved 23 projects yesterday .")
    assert {("政府", "government"), ("昨天", "yesterday"), ("批准", "approved"), ("23", "23"), ("项目", "projects"), ("。", ".")} <= found


def test_the_other_direction_gives_the_same_links() -> None:
    forth = linked("zh-en", "老师 在 图书馆 看 书", "the teacher reads books in the library")
    back = linked("en-zh", "the teacher reads books in the library", "老师 在 图书馆 看 书")
    assert forth == {(b, a) for a, b in back}


def test_a_name_the_dictionary_lacks_is_linked_by_its_sound() -> None:
    assert ("卡林斯基", "Kalinski") in linked("zh-en", "卡林斯基 离开 了", "Kalinski left")


def test_number_words_and_digits_are_linked_by_value() -> None:
    assert ("三", "3") in linked("zh-en", "三 只 猫", "3 cats")


def test_other_pairs_use_cognates_numbers_and_equal_strings() -> None:
    found = linked("en-es", "the director visited Toledo in 1998", "el director visitó Toledo en 1998")
    assert {("director", "director"), ("Toledo", "Toledo"), ("1998", "1998")} <= found


def test_a_batch_teaches_words_that_no_dictionary_holds() -> None:
    aligner = lite_aligner(Direction("en", "es"), {})
    nouns = [("dog", "perro"), ("house", "casa"), ("apple", "manzana"), ("road", "camino")]
    verbs = [("sees", "ve"), ("wants", "quiere"), ("buys", "compra")]
    pairs = [TokenPair(("she", v, "the", n), ("ella", w, "el", m)) for n, m in nouns for v, w in verbs]
    last = aligner.align(pairs)[-1]
    assert Link(3, 3) in [Link(k.source, k.target) for k in last.links]


def test_a_glossary_adds_links(tmp_path: Path) -> None:
    glossary = tmp_path / "terms.tsv"
    glossary.write_text("gearbox\tcaja de cambios\nwrench\tllave\n", encoding="utf-8")
    sentences = ("take the wrench now", "tome ahora la llave")
    assert ("wrench", "llave") not in linked("en-es", *sentences)
    assert ("wrench", "llave") in linked("en-es", *sentences, glossary=glossary)


def test_a_bad_glossary_line_is_named(tmp_path: Path) -> None:
    glossary = tmp_path / "terms.tsv"
    glossary.write_text("gearbox\tcaja\nwrench llave\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"terms\.tsv:2"):
        lite_aligner(Direction("en", "es"), {"glossary": str(glossary)})


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="did you mean 'glossary'"):
        lite_aligner(Direction("en", "es"), {"glosary": "x.tsv"})


@pytest.mark.parametrize("direction", ["zh-en", "en-zh", "en-es", "ar-he"])
@settings(max_examples=15)
@given(
    data=st.lists(
        st.tuples(st.lists(st.text(min_size=1, max_size=6), max_size=6), st.lists(st.text(min_size=1, max_size=6), max_size=6)), max_size=4
    )
)
def test_any_tokens_are_aligned_within_their_bounds(direction: str, data: list[tuple[list[str], list[str]]]) -> None:
    pairs = [TokenPair(tuple(a), tuple(b)) for a, b in data]
    for pair, alignment in zip(pairs, lite_aligner(Direction.parse(direction), {}).align(pairs), strict=True):
        assert all(0 <= k.source < len(pair.source) and 0 <= k.target < len(pair.target) and 0 <= k.weight <= 1 for k in alignment.links)


def test_repeated_pairs_and_order_do_not_change_links() -> None:
    aligner = lite_aligner(Direction("zh", "en"), {})
    a = TokenPair(("他", "买", "书"), ("he", "buys", "books"))
    b = TokenPair(("她", "卖", "车"), ("she", "sells", "cars"))
    forward, backward = aligner.align([a, b, a]), aligner.align([b, a])
    assert forward[0] == forward[2] == backward[1]
    assert forward[1] == backward[0]


def test_dictionary_entries_are_read_as_cc_cedict_lists_them() -> None:
    # CC-CEDICT: 图书馆 /library/, 老师 /teacher/
    assert ("library",) in cedict().glosses("图书馆")
    assert "老师" in cedict().chinese_of("teacher")
    assert cedict().pinyin("北京") == "beijing"


def test_the_error_rate_is_that_of_och_and_ney() -> None:
    # AER by hand: A = {00, 11, 12}, S = {00, 11}, P = S + {12} -> 1 - (2 + 3) / (3 + 2) = 0; without 11: 1 - (1 + 2) / (2 + 2).
    pair = TokenPair(("a", "b"), ("x", "y", "z"))
    gold = [GoldAlignment("1", pair, frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (1, 2)}))]
    assert error_rate(gold, [Alignment((Link(0, 0), Link(1, 1), Link(1, 2)))]).error_rate == 0
    assert error_rate(gold, [Alignment((Link(0, 0), Link(1, 2)))]).error_rate == pytest.approx(0.25)
