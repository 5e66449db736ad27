"""Cases and verdicts as JSON Lines; fields that we do not know are kept and passed through."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

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
from metaphrase.files.lines import BadLine, read_json_lines

__all__ = ["case_from_json", "case_to_json", "dumps", "read_cases", "verdict_from_json", "verdict_to_json"]

UNKNOWN = "und"  # the undetermined language, where a file does not say


def dumps(value: Mapping[str, Any]) -> str:
    """One line; keys in the order given."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} does not belong into JSON")


def read_cases(path: Path | str, *, direction: Direction | None = None, bad_line: BadLine | None = None) -> Iterator[Case]:
    """Cases of a file, in order; `direction` serves rows that state none."""
    for line in read_json_lines(path, bad_line=bad_line):
        try:
            yield case_from_json(line.value, default_id=f"{Path(path).stem}-{line.number - 1}", direction=direction)
        except InputError as error:
            problem = InputError(f"{path}:{line.number}: {error}")
            if bad_line is None:
                raise problem from None
            bad_line(problem)


def case_from_json(row: Mapping[str, Any], *, default_id: str = "", direction: Direction | None = None) -> Case:
    """Read one row; what kind of case it is shows in `kind`, else in its fields."""
    rest = _mutant(row) if "mutant" in row and "source" not in row else dict(row)
    identity = str(rest.pop("id", default_id))
    stated = rest.pop("direction", None)
    way = Direction.parse(str(stated)) if stated else (direction or Direction(UNKNOWN, UNKNOWN))
    if direction is not None and way.target == UNKNOWN:
        way = Direction(way.source if way.source != UNKNOWN else direction.source, direction.target)
    kind = rest.pop("kind", None) or _kind(rest)
    source = _text(rest, "source")
    if kind == "metamorphic":
        return MetamorphicCase(
            id=identity,
            direction=way,
            transformation=str(rest.pop("transformation", "")).casefold(),
            source=source,
            followup=_text(rest, "followup"),
            source_translation=_optional(rest, "source_translation"),
            followup_translation=_optional(rest, "followup_translation"),
            edits=_edits(rest.pop("edits", None)),
            expectation=Expectation(rest.pop("expectation", Expectation.SAME)),
            extra=MappingProxyType(rest),
        )
    if kind == "differential":
        return DifferentialCase(identity, way, source, MappingProxyType(_translations(rest)), MappingProxyType(rest))
    return RoundTripCase(
        identity, way, source, _optional(rest, "intermediate"), _optional(rest, "back_translation"), MappingProxyType(rest)
    )


def _mutant(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row about a mutant: a round trip of the mutant where it was translated back, else a pair with its seed."""
    renamed = {"mutant": "source", "mutant_translation": "intermediate"}
    if "back_translation" not in row and "seed" in row:
        renamed = {
            "seed": "source",
            "seed_translation": "source_translation",
            "mutant": "followup",
            "mutant_translation": "followup_translation",
        }
    rest = {renamed.get(key, key): value for key, value in row.items()}
    if "followup" in rest:
        rest.setdefault("transformation", str(rest.get("approach", "")))
    return rest


def _kind(row: Mapping[str, Any]) -> str:
    if "source" not in row:
        raise InputError("a case needs 'source'; found: " + ", ".join(row))
    if "followup" in row:
        return "metamorphic"
    if "translations" in row or "translation_a" in row:
        return "differential"
    return "round-trip"


def _text(row: dict[str, Any], key: str) -> str:
    value = row.pop(key, None)
    if not isinstance(value, str):
        raise InputError(f"'{key}' must be a string")
    return value


def _optional(row: dict[str, Any], key: str) -> str | None:
    return None if row.get(key) is None and row.pop(key, None) is None else _text(row, key)


def _translations(row: dict[str, Any]) -> dict[str, str | None]:
    if "translation_a" in row:  # two named engines in columns, as comparison tables have them
        return {str(row.pop(f"engine_{x}", x)): _optional(row, f"translation_{x}") for x in "ab"}
    value = row.pop("translations")
    if not isinstance(value, Mapping):
        raise InputError("'translations' must be an object: engine -> text")
    return {str(k): None if v is None else str(v) for k, v in value.items()}


def _edits(value: Any) -> tuple[Edit, ...] | None:
    if value is None:
        return None
    try:
        return tuple(_edit(item) for item in value)
    except (TypeError, KeyError, ValueError) as error:
        raise InputError(f"'edits' must be a list of objects with 'source' and 'followup' [start, end]: {error}") from None


def _edit(item: Mapping[str, Any]) -> Edit:
    (source_start, source_end), (followup_start, followup_end) = item["source"], item["followup"]
    return Edit(source_start, source_end, followup_start, followup_end, str(item.get("before", "")), str(item.get("after", "")))


def case_to_json(case: Case) -> dict[str, Any]:
    """The row of a case; what it does not have yet is left out."""
    row: dict[str, Any] = {"id": case.id, "kind": case.kind, "direction": str(case.direction)}
    if isinstance(case, MetamorphicCase):
        row |= {"transformation": case.transformation, "source": case.source, "followup": case.followup}
        if case.expectation is not Expectation.SAME:
            row["expectation"] = str(case.expectation)
        if case.edits is not None:
            row["edits"] = [
                {
                    "source": [e.source_start, e.source_end],
                    "followup": [e.followup_start, e.followup_end],
                    "before": e.before,
                    "after": e.after,
                }
                for e in case.edits
            ]
        optional = {"source_translation": case.source_translation, "followup_translation": case.followup_translation}
    elif isinstance(case, DifferentialCase):
        row |= {"source": case.source, "translations": dict(case.translations)}
        optional = {}
    else:
        row["source"] = case.source
        optional = {"intermediate": case.intermediate, "back_translation": case.back_translation}
    row |= {key: text for key, text in optional.items() if text is not None}
    return {**row, **{k: v for k, v in case.extra.items() if k not in row}}


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    row: dict[str, Any] = {"id": verdict.id, "relation": verdict.relation, "outcome": str(verdict.outcome)}
    if verdict.outcome is not Outcome.NOT_APPLICABLE:
        row["violation"] = verdict.violated
    if verdict.score is not None:
        row["score"] = round(verdict.score, 6)
    if verdict.severity is not None:
        row["severity"] = str(verdict.severity)
    if verdict.major is not None:
        row["major"] = round(verdict.major, 6)
    row["spans"] = [{"text": s.text, "start": s.start, "end": s.end, "quote": s.quote} for s in verdict.spans]
    row["reason"] = verdict.reason
    if verdict.category is not None:
        row["category"] = verdict.category
    row["signature"] = verdict.signature
    return {**row, **{k: v for k, v in verdict.extra.items() if k not in row}}


def verdict_from_json(row: Mapping[str, Any]) -> Verdict:
    rest = dict(row)
    rest.pop("violation", None)
    try:
        severity = rest.pop("severity", None)
        return Verdict(
            id=str(rest.pop("id")),
            relation=str(rest.pop("relation")),
            outcome=Outcome(rest.pop("outcome")),
            score=rest.pop("score", None),
            reason=str(rest.pop("reason", "")),
            signature=str(rest.pop("signature", "")),
            spans=tuple(Span(s["text"], s["start"], s["end"], s["quote"]) for s in rest.pop("spans", ())),
            severity=Severity(severity) if severity else None,
            major=rest.pop("major", None),
            category=rest.pop("category", None),
            extra=MappingProxyType(rest),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"not a verdict: {error}") from None
