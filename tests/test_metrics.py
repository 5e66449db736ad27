"""Measures against values computed by hand or by their definitions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaphrase.evaluation.groups import folds
from metaphrase.evaluation.metrics import area_under_roc, best_threshold, bootstrap, calibration_error, count
from metaphrase.text.near_copies import source_groups


def test_counts_give_the_textbook_measures() -> None:
    counts = count([True, True, True, False, False], [True, True, False, True, False])
    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (2, 1, 1, 1)
    assert counts.precision == pytest.approx(2 / 3)
    assert counts.recall == pytest.approx(2 / 3)
    assert counts.f1 == pytest.approx(2 / 3)
    assert counts.accuracy == pytest.approx(3 / 5)


rows = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30)


@given(rows)
def test_the_area_under_roc_is_the_share_of_ordered_pairs(data: list[tuple[bool, int]]) -> None:
    ups = [s for g, s in data if g]
    downs = [s for g, s in data if not g]
    pairs = [1.0 if u > d else 0.5 if u == d else 0.0 for u in ups for d in downs]
    expected = sum(pairs) / len(pairs) if pairs else 0.0
    assert area_under_roc([g for g, _ in data], [float(s) for _, s in data]) == pytest.approx(expected)


@given(rows)
def test_no_threshold_beats_the_best_one(data: list[tuple[bool, int]]) -> None:
    gold = [g for g, _ in data]
    scores = [float(s) for _, s in data]
    threshold = best_threshold(gold, scores)
    best = count(gold, [s >= threshold for s in scores]).f1
    assert all(count(gold, [s >= t for s in scores]).f1 <= best + 1e-12 for t in range(7))


def test_calibration_error_is_zero_for_honest_probabilities_and_large_for_bold_ones() -> None:
    gold = [True, False] * 50
    assert calibration_error(gold, [0.5] * 100) == pytest.approx(0.0)
    assert calibration_error(gold, [1.0] * 100) == pytest.approx(0.5)


def test_the_bootstrap_draws_whole_groups() -> None:
    groups = [0, 0, 0, 1, 1]
    seen: set[tuple[int, ...]] = set()

    def measure(drawn: Sequence[int]) -> float:
        seen.add(tuple(sorted(drawn)))
        return 0.0

    bootstrap(groups, measure, rounds=20)
    assert len(seen) > 1
    assert seen <= {(0, 0, 1, 1, 2, 2), (0, 1, 2, 3, 4), (3, 3, 4, 4)}


def test_near_copies_of_a_sentence_form_one_group_and_others_do_not() -> None:
    texts = [
        "The harbour master closed the old pier after the storm on Sunday",
        "The harbour master closed the new pier after the storm on Sunday",
        "the old pier after the storm on Sunday",
        "A baker in the next street sells bread until midnight",
        "港口主任在周日的暴风雨之后关闭了旧码头",
        "港口主任在周六的暴风雨之后关闭了旧码头",
    ]
    groups = source_groups(texts)
    assert groups[0] == groups[1] == groups[2]
    assert groups[3] not in (groups[0], groups[4])
    assert groups[4] == groups[5]


@given(st.lists(st.integers(0, 8), min_size=10, max_size=60))
def test_folds_never_cut_a_group_and_test_every_row_once(groups: list[int]) -> None:
    tested: list[int] = []
    for fold in folds(groups, 3):
        assert not {groups[i] for i in fold.train} & {groups[i] for i in fold.test}
        tested += fold.test
    assert sorted(tested) == list(range(len(groups)))
