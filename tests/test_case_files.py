"""Cases and verdicts on disk: what is written is read back, and fields that we do not know survive."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaphrase.core.errors import InputError
from metaphrase.core.values import (
    Case,
    DifferentialCase,
    Direction,
    Edit,
    Expectation,
    MetamorphicCase,
    Outcome,
    RoundTripCase,
    Severity,
    Span,
    Verdict,
)
from metaphrase.files.cases import case_from_json, case_to_json, dumps, read_cases, verdict_from_json, verdict_to_json

_words = st.text(min_size=1, max_size=12)
_maybe = st.none() | st.text(max_size=20)
_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3),
)
_own = {
    "id", "kind", "direction", "transformation", "source", "followup", "source_translation", "followup_translation", "edits", "expectation",
    "translations", "translation_a", "translation_b", "engine_a", "engine_b", "intermediate", "back_translation",
}  # fmt: skip
_extra = st.dictionaries(_words.filter(lambda key: key not in _own), _values, max_size=3).map(MappingProxyType)
_directions = st.sampled_from([Direction("en", "es"), Direction("zh", "en"), Direction("en", "pt-br")])
_numbers = st.integers(0, 50)
_edits = st.none() | st.lists(
    st.builds(Edit, _numbers, _numbers, _numbers, _numbers, st.text(max_size=5), st.text(max_size=5)), max_size=2
).map(tuple)
_cases: st.SearchStrategy[Case] = st.one_of(
    st.builds(
        MetamorphicCase,
        id=_words,
        direction=_directions,
        transformation=st.sampled_from(["purity", "cat", ""]),
        source=st.text(max_size=20),
        followup=st.text(max_size=20),
        source_translation=_maybe,
        followup_translation=_maybe,
        edits=_edits,
        expectation=st.sampled_from(Expectation),
        extra=_extra,
    ),
    st.builds(
        DifferentialCase,
        id=_words,
        direction=_directions,
        source=st.text(max_size=20),
        translations=st.dictionaries(_words, _maybe, max_size=3).map(MappingProxyType),
        extra=_extra,
    ),
    st.builds(
        RoundTripCase,
        id=_words,
        direction=_directions,
        source=st.text(max_size=20),
        intermediate=_maybe,
        back_translation=_maybe,
        extra=_extra,
    ),
)


@given(case=_cases)
def test_a_case_is_read_back_as_it_was_written(case: Case) -> None:
    line = dumps(case_to_json(case))
    assert "\n" not in line
    assert case_from_json(json.loads(line)) == case


@given(
    verdict=st.builds(
        Verdict,
        id=_words,
        relation=_words,
        outcome=st.sampled_from(Outcome),
        score=st.none() | st.integers(0, 10**6).map(lambda n: n / 10**6),
        reason=st.text(max_size=20),
        signature=st.text(max_size=20),
        spans=st.lists(st.builds(Span, _words, _numbers, _numbers, _words), max_size=2).map(tuple),
        severity=st.none() | st.sampled_from(Severity),
        major=st.none() | st.integers(0, 10**6).map(lambda n: n / 10**6),
        category=st.none() | _words,
        extra=st.dictionaries(_words.map(lambda w: f"x-{w}"), _values, max_size=3).map(MappingProxyType),
    )
)
def test_a_verdict_is_read_back_as_it_was_written(verdict: Verdict) -> None:
    assert verdict_from_json(json.loads(dumps(verdict_to_json(verdict)))) == verdict


def test_the_violation_of_a_verdict_follows_its_outcome() -> None:
    rows = {o: verdict_to_json(Verdict("1", "r", o, None, "because", "r|v:1")) for o in Outcome}
    assert rows[Outcome.VIOLATED]["violation"] is True
    assert rows[Outcome.HOLDS]["violation"] is False
    assert "violation" not in rows[Outcome.NOT_APPLICABLE]


def test_names_of_transformations_compare_without_case() -> None:
    case = case_from_json({"id": "1", "direction": "en-zh", "transformation": "Purity", "source": "a b", "followup": "a"})
    assert case.transformation == "purity"


def test_two_engines_in_columns_are_a_differential_case() -> None:
    case = case_from_json({"source": "Hi", "translation_a": "Hola", "translation_b": "Buenas", "engine_a": "one", "engine_b": "two"})
    assert isinstance(case, DifferentialCase)
    assert dict(case.translations) == {"one": "Hola", "two": "Buenas"}


def test_rows_without_a_direction_take_the_given_one(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"source": "Hi"}\n{"source": "Hi", "direction": "en-und"}\n{"source": "Hi", "direction": "fr-de"}\n', encoding="utf-8")
    directions = [str(c.direction) for c in read_cases(path, direction=Direction("en", "es"))]
    assert directions == ["en-es", "en-es", "fr-de"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"followup": "x"}', "a case needs 'source'"),
        ('{"source": 5}', "'source' must be a string"),
        ('{"source": "x", "translations": []}', "must be an object"),
        ('{"source": "x", "followup": "y", "edits": [{"source": 1}]}', "'edits' must be a list"),
        ('{"source": "x", "direction": "english"}', "not a direction"),
    ],
)
def test_a_row_that_is_no_case_is_named_by_file_and_line(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"source": "fine"}\n' + row + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"cases\.jsonl:2: .*{message}"):
        list(read_cases(path))
    skipped: list[InputError] = []
    assert len(list(read_cases(path, bad_line=skipped.append))) == 1
    assert len(skipped) == 1
