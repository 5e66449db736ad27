"""SIT's distances and CIT's paths, on the lite profile's own trees."""

from __future__ import annotations

import pytest

from metaphrase.core import registry
from metaphrase.core.errors import MissingResourceError
from metaphrase.core.values import Direction, MetamorphicCase, Outcome, Verdict
from metaphrase.relations.base import Relation
from metaphrase.resources.profiles import Resources

ZH_EN = Direction("zh", "en")


def judge(name: str, source: str, followup: str, inputs: tuple[str, str] = ("短", "更长的"), **options: object) -> Verdict:
    relation = registry.relations.load(name)(Resources("lite"), options)
    assert isinstance(relation, Relation)
    (verdict,) = relation.judge([MetamorphicCase("1", ZH_EN, "cit", *inputs, source, followup)])
    return verdict


def test_equal_structures_are_at_distance_0() -> None:
    verdict = judge("constituency-distance", "The old man bought a house.", "The young man sold a car.")
    assert (verdict.outcome, verdict.extra["distance"]) == (Outcome.HOLDS, 0)


def test_the_distance_sums_differences_of_label_counts_and_the_threshold_is_exclusive() -> None:
    pair = ("The man slept.", "The man slept in the house of the doctor.")
    distance = judge("constituency-distance", *pair, d=0).extra["distance"]
    assert distance > 1
    assert judge("constituency-distance", *pair, d=distance).outcome is Outcome.HOLDS
    violated = judge("constituency-distance", *pair, d=distance - 1)
    assert violated.outcome is Outcome.VIOLATED
    assert violated.severity is not None
    assert any("doctor" in span.quote for span in violated.spans)


def test_a_core_whose_paths_are_all_in_the_longer_translation_holds() -> None:
    verdict = judge("constituency-paths", "The man bought a house.", "The man bought a house in the city.")
    assert verdict.outcome is Outcome.HOLDS


def test_words_without_a_path_in_the_longer_translation_are_located() -> None:
    core, longer = "The man bought a big house.", "He went."
    verdict = judge("constituency-paths", core, longer)
    assert verdict.outcome is Outcome.VIOLATED
    assert all(core[s.start : s.end] == s.quote and s.text == "source_translation" for s in verdict.spans)


def test_a_word_that_moved_within_the_longer_translation_is_no_violation_unless_asked_for() -> None:
    pair = ("The man bought a big house.", "A big house the man bought.")
    assert judge("constituency-paths", *pair).outcome is Outcome.HOLDS
    assert judge("constituency-paths", "The man bought a big house.", "He went.", labels=0, missing_words=False).extra["distance"] > 0
    lost = judge("constituency-paths", "The man bought a big house quickly.", "The man bought a big house.")
    assert [span.quote for span in lost.spans] == ["quickly"]


def test_the_shorter_input_is_the_core_whichever_field_holds_it() -> None:
    verdict = judge("constituency-paths", "The man bought a house in the city.", "The man bought a house.", inputs=("更长的", "短"))
    assert verdict.outcome is Outcome.HOLDS


def test_a_profile_without_a_dependency_parser_names_the_remedy() -> None:
    with pytest.raises(MissingResourceError, match="use --profile neural"):
        judge("dependency-distance", "The man slept.", "The man ran.")
