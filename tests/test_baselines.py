"""The baselines benchmark, on rows of our own."""

from __future__ import annotations

import json
from pathlib import Path

from metaphrase.campaign.config import Configuration
from metaphrase.evaluation.baselines import benchmark, calibrate_lcs
from metaphrase.resources.profiles import Resources


def _rows(folder: Path) -> None:
    words = "uno dos tres cuatro cinco seis siete ocho nueve diez".split()
    rows = []
    for i in range(12):
        source = f"sentence number {i} about {words[i % 10]} things and {i * 7} others"
        good = " ".join(words[: 6 + i % 4])
        bad = " ".join(reversed(words))
        translation = bad if i % 3 == 0 else good
        rows.append({"id": str(i), "transformation": "CAT", "direction": "en-es", "system": "a", "source": source, "followup": source + " x",
                     "source_translation": good, "followup_translation": translation, "violation": i % 3 == 0})  # fmt: skip
    (folder / "CAT-en-es-a.jsonl").write_text("\n".join(json.dumps(r) for r in rows) + "\n", encoding="utf-8")


def test_every_row_has_a_value_for_every_column_and_what_is_missing_is_said(tmp_path: Path) -> None:
    _rows(tmp_path)
    result = benchmark(tmp_path, Resources("lite"), Configuration())
    (table,) = result.tables
    assert all(len(row) == len(table.columns) for row in table.rows)
    (row,) = [dict(zip(table.columns, r, strict=True)) for r in table.rows]
    assert (row["method"], row["relation"], row["rows"], row["F1"]) == ("CAT", "lcs", 12, 1.0)
    assert any(note.startswith("CIT: left out") for note in result.notes)


def test_a_threshold_is_learnt_for_each_direction(tmp_path: Path) -> None:
    _rows(tmp_path)
    learnt = calibrate_lcs(tmp_path, Resources("lite"), Configuration())
    threshold = learnt.weights["lcs"].values["threshold"]["en-es"]
    assert 0 < threshold < 1
