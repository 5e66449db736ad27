"""Boosted rules of two questions each."""

from __future__ import annotations

import numpy as np
import pytest

from metaphrase.core.errors import InputError
from metaphrase.core.logistic import fit_logistic
from metaphrase.core.rules import Rule, Rules, fit_rules

NAMES = ["a", "b", "c"]


def either_but_not_both() -> tuple[np.ndarray, np.ndarray]:
    rows = np.random.default_rng(0).random((2_000, 3))
    return rows, ((rows[:, 0] > 0.5) ^ (rows[:, 1] > 0.5)).astype(float)


def accuracy(probabilities: np.ndarray, labels: np.ndarray) -> float:
    return float(np.mean((probabilities >= 0.5) == (labels == 1)))


def test_rules_learn_what_no_sum_of_weights_can_say() -> None:
    rows, labels = either_but_not_both()
    rules = fit_rules(NAMES, rows[:1_000], labels[:1_000], rounds=150, rate=0.3)
    weights = fit_logistic(NAMES, rows[:1_000], labels[:1_000])
    assert accuracy(rules.of_rows(rows[1_000:]), labels[1_000:]) > 0.95
    assert accuracy(weights.of_rows(rows[1_000:]), labels[1_000:]) < 0.6


def test_probabilities_agree_with_the_share_of_positives() -> None:
    rows = np.random.default_rng(1).random((5_000, 3))
    labels = (np.random.default_rng(2).random(5_000) < 0.1 + 0.3 * (rows[:, 0] > 0.7)).astype(float)
    found = fit_rules(NAMES, rows, labels, rounds=60, rate=0.1).of_rows(rows)
    assert found[rows[:, 0] > 0.75].mean() == pytest.approx(labels[rows[:, 0] > 0.75].mean(), abs=0.03)
    assert found[rows[:, 0] < 0.65].mean() == pytest.approx(labels[rows[:, 0] < 0.65].mean(), abs=0.03)


def test_rules_written_down_and_read_again_say_the_same() -> None:
    rows, labels = either_but_not_both()
    rules = fit_rules(NAMES, rows, labels, rounds=10, rate=0.3)
    again = Rules.read(rules.plain())
    columns = [NAMES.index(name) for name in again.names]
    assert again.of_rows(rows[:, columns]) == pytest.approx(rules.of_rows(rows), abs=1e-12)


def test_a_rule_adds_the_number_that_its_two_answers_lead_to() -> None:
    rules = Rules.read({"bias": 0.0, "rules": ["a < 0.5 ? (b < 0.2 ? 1 : 2) : (c < 0.3 ? 3 : 4)"]})
    rows = np.array([[0.4, 0.1, 0.0], [0.4, 0.2, 0.0], [0.5, 0.1, 0.2], [0.9, 0.1, 0.3]])
    odds = np.log(rules.of_rows(rows) / (1 - rules.of_rows(rows)))
    assert odds == pytest.approx([1, 2, 3, 4])


def test_what_is_not_a_rule_is_refused() -> None:
    with pytest.raises(InputError, match="not a rule: 'a < b'"):
        Rule.read("a < b")


def test_labels_that_are_all_alike_give_no_rules() -> None:
    rows, labels = either_but_not_both()
    assert fit_rules(NAMES, rows, np.zeros_like(labels), rounds=5, rate=0.1).rules == ()
