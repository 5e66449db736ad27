"""The tables of the word-closure benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metaphrase.core.values import Case, MetamorphicCase
from metaphrase.evaluation.closure_learning import Example
from metaphrase.evaluation.metrics import Counts, Interval, area_under_roc, bootstrap, calibration_error, count, reliability
from metaphrase.evaluation.tables import Cell, Table
from metaphrase.relations.closure.learned import Scored
from metaphrase.relations.closure.word_features import LeftOver

__all__ = ["Judged", "across_systems", "paper_table", "system_of", "tables"]

_LOCATED = ("cat", "purity", "cit")
_COMPARED_BY = {
    "lexical": "the links and the word similarity of this profile instead of the paper's vectors",
    "contextual": "the links, synonyms and last-layer vectors of this profile, and a threshold a direction that was chosen for them",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled pair with what a scorer that never saw its sentence says; `shown` are the words it would point at."""

    case: MetamorphicCase
    example: Example
    scored: Scored
    shown: tuple[LeftOver, ...]

    @property
    def system(self) -> str:
        return system_of(self.case)


def system_of(case: Case) -> str:
    """Whose translations these are, if the data say so."""
    return str(case.extra.get("system", ""))


def tables(judged: Sequence[Judged], published: Mapping[str, Any], fine: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    found: list[Table] = []
    for direction in sorted({str(j.case.direction) for j in judged}):
        rows = [j for j in judged if str(j.case.direction) == direction]
        found.append(_detection(direction, rows, published))
        found.append(_by_transformation(direction, rows, published))
    found.append(_location(judged, published, fine))
    found += _major(judged)
    return found


def paper_table(judged: Sequence[Judged], violated: Sequence[bool], similarity: str, published: Mapping[str, Any]) -> Table:
    """The paper's own rule on the same pairs; nothing of it is learnt here."""
    lines: list[list[Cell]] = []
    for direction in sorted({str(j.case.direction) for j in judged}):
        rows = [(j.example, v) for j, v in zip(judged, violated, strict=True) if str(j.case.direction) == direction]

        def measure(some: Sequence[tuple[Example, bool]]) -> Counts:
            return count([e.violation for e, _ in some], [v for _, v in some])

        c = measure(rows)
        interval = bootstrap([e.group for e, _ in rows], lambda drawn, rows=rows: measure([rows[k] for k in drawn]).f1, rounds=300)  # type: ignore[misc]
        cells = _table_for(published, ("table_6", "table_7"), direction)
        lines.append([direction, len(rows), c.precision, c.recall, c.f1, str(interval), _pool(cells, "ours")])
    note = f'`scorer = "paper"`: the rule as printed, with {_COMPARED_BY[similarity]}.'
    return Table("The paper's rule", ["direction", "rows", "P", "R", "F1", "95 %", "published F1"], lines, note)


def across_systems(judged: Sequence[Judged]) -> Table:
    """Rows judged by scorers that saw neither their sentence nor their system."""
    lines: list[list[Cell]] = []
    for direction in sorted({str(j.case.direction) for j in judged}):
        for system in sorted({j.system for j in judged}):
            some = [j for j in judged if j.system == system and str(j.case.direction) == direction]
            if not some:
                continue
            c = _counts(some)
            lines.append([f"{direction} {system}", len(some), c.precision, c.recall, c.f1, str(_interval(some, lambda r: _counts(r).f1))])
    note = "Learnt from the other systems' rows of other sentences."
    return Table("A system that was not learnt from", ["cell", "rows", "P", "R", "F1", "95 %"], lines, note)


def _counts(rows: Sequence[Judged]) -> Counts:
    return count([j.example.violation for j in rows], [j.scored.violated for j in rows])


def _interval(rows: Sequence[Judged], measure: Callable[[Sequence[Judged]], float]) -> Interval:
    return bootstrap([j.example.group for j in rows], lambda drawn: measure([rows[k] for k in drawn]), rounds=300)


def _table_for(published: Mapping[str, Any], names: Sequence[str], direction: str) -> Mapping[str, Any]:
    for name in names:
        table: Mapping[str, Any] = published.get(name, {})
        if table.get("direction") == direction:
            return table.get("cells", {})  # type: ignore[no-any-return]
    return {}


def _detection(direction: str, rows: Sequence[Judged], published: Mapping[str, Any]) -> Table:
    """Tables 6 and 7: per cell and pooled."""
    cells = {
        s.casefold(): {t.casefold(): v for t, v in by.items()} for s, by in _table_for(published, ("table_6", "table_7"), direction).items()
    }
    lines: list[list[Cell]] = []
    for system in sorted({j.system for j in rows}):
        for transformation in sorted({j.case.transformation for j in rows}):
            some = [j for j in rows if j.system == system and j.case.transformation == transformation]
            if not some:
                continue
            c = _counts(some)
            cell = cells.get(system, {}).get(transformation, {})
            lines.append([f"{transformation} {system}", len(some), c.precision, c.recall, c.f1, None, *_printed(cell)])
    c = _counts(rows)
    pooled = [_pool(cells, which) for which in ("ours", "baseline")]
    lines.append(["pooled", len(rows), c.precision, c.recall, c.f1, str(_interval(rows, lambda r: _counts(r).f1)), *pooled])
    columns = ["cell", "rows", "P", "R", "F1", "95 %", "published F1", "published baseline F1"]
    return Table(f"Table {6 if direction == 'en-zh' else 7}: violations, {direction}", columns, lines)


def _printed(cell: Mapping[str, Any]) -> list[Cell]:
    return [cell[which]["f1"] / 100 if which in cell else None for which in ("ours", "baseline")]


def _pool(cells: Mapping[str, Mapping[str, Any]], which: str) -> float | None:
    rows = [cell[which] for by in cells.values() for cell in by.values() if which in cell]
    return Counts(*(float(sum(r[k] for r in rows)) for k in ("tp", "fp", "fn", "tn"))).f1 if rows else None


def _by_transformation(direction: str, rows: Sequence[Judged], published: Mapping[str, Any]) -> Table:
    """Table 8 beside ours: the three systems together, with the paper's coarser units."""
    cells = published.get("table_8", {}).get("cells", {}).get(direction, {})
    units = ("word_closure", "word", "phrase", "clause")
    lines: list[list[Cell]] = []
    for transformation in sorted({j.case.transformation for j in rows}):
        some = [j for j in rows if j.case.transformation == transformation]
        printed: Mapping[str, Any] = next((v for k, v in cells.items() if k.casefold() == transformation), {})
        shown = [printed[u]["f1"] / 100 if u in printed else None for u in units]
        lines.append([transformation, len(some), _counts(some).f1, str(_interval(some, lambda r: _counts(r).f1)), *shown])
    columns = ["transformation", "rows", "F1", "95 %", *(f"published, {u.replace('_', ' ')}" for u in units)]
    return Table(f"Table 8: the systems together, {direction}", columns, lines)


def _location(judged: Sequence[Judged], published: Mapping[str, Any], fine: Mapping[str, Mapping[str, Any]]) -> Table:
    """Tables 9 and 10: words located in true violations; an empty side counts as one word, as in the paper's script."""
    lines: list[list[Cell]] = []
    total = [0, 0, 0]
    for direction in sorted({str(j.case.direction) for j in judged}):
        cells = _table_for(published, ("table_9", "table_10"), direction)
        for transformation in _LOCATED:
            some = [
                j for j in judged if j.case.id in fine and str(j.case.direction) == direction and j.case.transformation == transformation
            ]
            hits = [_hits(j, fine[j.case.id]) for j in some]
            tp, found, gold = (sum(h[k] for h in hits) for k in range(3))
            total = [total[0] + tp, total[1] + found, total[2] + gold]
            cell: Mapping[str, Any] = next((v for k, v in cells.items() if k.casefold() == transformation), {})
            lines.append([f"{transformation} {direction}", len(some), *_prf(tp, found, gold), *_printed(cell)])
    lines.append(["pooled", sum(int(row[1] or 0) for row in lines), *_prf(*total), None, None])
    columns = ["cell", "rows", "P", "R", "F1", "published F1", "published baseline F1"]
    note = 'Counted as in the paper\'s released script: a side without any word counts as the one word "none".'
    return Table("Tables 9 and 10: location of the violating words", columns, lines, note)


def _prf(tp: int, found: int, gold: int) -> list[float]:
    return [tp / found if found else 0.0, tp / gold if gold else 0.0, 2 * tp / (found + gold) if found + gold else 0.0]


def _hits(judged: Judged, row: Mapping[str, Any]) -> tuple[int, int, int]:
    """Right, found and gold words of one pair."""
    tp = found = gold = 0
    for name, field in (("source", "source_translation"), ("followup", "followup_translation")):
        view = judged.example.described.view
        side = view.fields.index(field)
        spans = [view.outputs[side].tokens[w.index] for w in judged.shown if w.side == side]
        places = token_places(view.outputs[side].text, row[f"{name}_tokens"])
        a = {k for k, (start, end) in enumerate(places) if any(s.start < end and start < s.end for s in spans)} or {-1}
        b = set(row[f"gold_{name}"]) or {-1}
        tp, found, gold = tp + len(a & b), found + len(a), gold + len(b)
    return tp, found, gold


def token_places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Where the tokens of another tokeniser stand; one that is not found (a rewritten quote) gets an empty place."""
    places, at = [], 0
    for token in tokens:
        start = text.find(token, at)
        if start < 0 or start > at + 40:
            places.append((at, at))
            continue
        at = start + len(token)
        places.append((start, at))
    return places


def _major(judged: Sequence[Judged]) -> list[Table]:
    """Rows read twice, at the natural mix; the few rows that the two readings disagree on are left out."""
    read = [j for j in judged if (r := j.example.reading) is not None and r.number == 2 and r.major in (0.0, 1.0)]
    if not read:
        return []
    lines: list[list[Cell]] = []
    for name, rows in [(d, [j for j in read if str(j.case.direction) == d]) for d in sorted({str(j.case.direction) for j in read})] + [
        ("pooled", read)
    ]:
        c = _major_counts(rows)
        lines.append(
            [
                name,
                len(rows),
                _major_area(rows),
                str(_interval(rows, _major_area)),
                c.precision,
                c.recall,
                c.f1,
                str(_interval(rows, lambda r: _major_counts(r).f1)),
                calibration_error(*_major_columns(rows)),
            ]
        )
    columns = ["direction", "rows", "area under ROC", "95 %", "P", "R", "F1 of severity = major", "95 %", "calibration error"]
    note = "Weighted to the natural mix of rows; rows on which the two readings disagree are left out."
    found = [Table("Major errors against two readings", columns, lines, note)]
    bins = reliability(*_major_columns(read))
    total = sum(w for *_, w in bins)
    found.append(
        Table(
            "How far `major` can be trusted",
            ["mean of major", "share that is major", "share of rows"],
            [[a, b, w / total] for a, b, w in bins],
        )
    )
    strict = reliability([j.example.violation for j in judged], [j.scored.score for j in judged])
    everything = sum(w for *_, w in strict)
    error = calibration_error([j.example.violation for j in judged], [j.scored.score for j in judged])
    found.append(
        Table(
            "How far `score` can be trusted",
            ["mean of score", "share labelled violation", "share of rows"],
            [[a, b, w / everything] for a, b, w in strict],
            f"Expected calibration error of the score against the strict labels: {error:.3f}",
        )
    )
    return found


def _major_columns(rows: Sequence[Judged]) -> tuple[list[bool], list[float], list[float]]:
    readings = [r for j in rows if (r := j.example.reading) is not None]
    return [r.major == 1.0 for r in readings], [j.scored.major for j in rows], [r.weight for r in readings]


def _major_area(rows: Sequence[Judged]) -> float:
    return area_under_roc(*_major_columns(rows))


def _major_counts(rows: Sequence[Judged]) -> Counts:
    gold, _, weights = _major_columns(rows)
    return count(gold, [j.scored.is_major for j in rows], weights)
