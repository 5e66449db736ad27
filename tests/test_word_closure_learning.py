"""Learning and measuring word closure from labelled pairs: the commands' own functions, on data made here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from metaphrase.campaign.config import Configuration
from metaphrase.cli.main import app
from metaphrase.core.errors import InputError
from metaphrase.core.values import Direction, MetamorphicCase, Outcome, Severity
from metaphrase.evaluation.tables import Result
from metaphrase.evaluation.word_closure import benchmark
from metaphrase.relations.word_closure import word_closure_relation
from metaphrase.resources.profiles import Resources

# A Chinese sentence, its translation, and a word that a bad translation loses.
FRAMES = [
    ("{}三名法国医生参观了这家医院。", "{} three French doctors visited the hospital.", "French"),
    ("{}老师在图书馆买了旧地图。", "{} the teacher bought an old map in the library.", "old"),
    ("{}工人修好了红色的桥。", "{} the workers repaired the red bridge.", "red"),
    ("{}孩子们在河边看见两只白鸟。", "{} the children saw two white birds by the river.", "white"),
    ("{}市长取消了重要会议。", "{} the mayor cancelled the important meeting.", "important"),
    ("{}农民卖掉了新鲜苹果。", "{} the farmer sold the fresh apples.", "fresh"),
    ("{}警察找到了丢失的钱包。", "{} the police found the lost wallet.", "lost"),
    ("{}记者采访了著名作家。", "{} the reporter interviewed the famous writer.", "famous"),
    ("{}公司关闭了最大的工厂。", "{} the company closed the largest factory.", "largest"),
    ("{}船长救了受伤的水手。", "{} the captain rescued the injured sailor.", "injured"),
    ("{}邻居种了高大的树。", "{} the neighbour planted a tall tree.", "tall"),
    ("{}厨师做了辣汤。", "{} the cook made spicy soup.", "spicy"),
]
TIMES = [("昨天", "Yesterday", "今天", "Today"), ("今天", "Today", "星期一", "On Monday"), ("星期一", "On Monday", "昨天", "Yesterday")]


def rows(systems: int) -> Iterator[dict[str, object]]:
    """Of every pair one that is fine and one that has lost the word."""
    for n, (chinese, english, word) in enumerate(FRAMES):
        for k, (before, first, after, second) in enumerate(TIMES):
            for violation in (False, True):
                translation = english.format(second)
                yield {
                    "id": f"{n}-{k}-{violation}",
                    "direction": "zh-en",
                    "transformation": "CAT",
                    "system": f"system {k % systems}",
                    "source": chinese.format(before),
                    "followup": chinese.format(after),
                    "source_translation": english.format(first),
                    "followup_translation": translation.replace(f"{word} ", "") if violation else translation,
                    "violation": violation,
                    "violating_source_tokens": [word] if violation else [],
                    "violating_followup_tokens": [],
                }


def write_data(folder: Path, *, systems: int = 2, readings: bool = True) -> Path:
    made = list(rows(systems))
    folder.mkdir()
    (folder / "CAT-zh-en-any.jsonl").write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in made), encoding="utf-8")
    if readings:
        (folder / "readings").mkdir()
        with (folder / "readings" / "word_closure.jsonl").open("w", encoding="utf-8") as file:
            for r in made:
                read = {
                    "severity": "major" if r["violation"] else "none",
                    "source_words": r["violating_source_tokens"],
                    "followup_words": [],
                }
                file.write(json.dumps({**r, "weight": 1.0, "readings": [read, read]}, ensure_ascii=False) + "\n")
    return folder


def line(result: Result, title: str, cell: str) -> list[object]:
    [table] = [t for t in result.tables if t.title.startswith(title)]
    [found] = [row for row in table.rows if row[0] == cell]
    return list(found)


def test_lost_words_are_found_in_sentences_that_were_not_learnt_from(tmp_path: Path) -> None:
    result = benchmark(write_data(tmp_path / "data"), Resources("lite"), Configuration())
    assert line(result, "Table 7", "pooled")[4] == pytest.approx(1.0, abs=0.1)
    assert line(result, "Major errors", "pooled")[2] == pytest.approx(1.0, abs=0.05)
    for system in ("system 0", "system 1"):
        assert line(result, "A system that was not learnt from", f"zh-en {system}")[4] == pytest.approx(1.0, abs=0.1)


def test_one_system_alone_is_measured_too(tmp_path: Path) -> None:
    result = benchmark(write_data(tmp_path / "data", systems=1), Resources("lite"), Configuration())
    assert line(result, "Table 7", "pooled")[1] == len(FRAMES) * len(TIMES) * 2
    assert not [t for t in result.tables if t.title.startswith("A system")]


def test_what_was_learnt_judges_other_pairs(tmp_path: Path) -> None:
    data, weights = write_data(tmp_path / "data"), tmp_path / "weights"
    result = CliRunner().invoke(app, ["calibrate", "word-closure", "--data", str(data), "-o", str(weights)])
    assert result.exit_code == 0, result.output
    relation = word_closure_relation(Resources("lite"), {"weights": str(weights / "word-closure-lite-zh-en.json")})
    other = ("昨天司机开走了蓝色卡车。", "今天司机开走了蓝色卡车。", "Yesterday the driver took the blue truck.")
    lost, fine = (
        MetamorphicCase("1", Direction("zh", "en"), "cat", *other, text)
        for text in ("Today the driver took the truck.", "Today the driver took the blue truck.")
    )
    bad, good = relation.judge([lost, fine])
    assert (bad.outcome, bad.severity) == (Outcome.VIOLATED, Severity.MAJOR)
    assert [span.quote for span in bad.spans] == ["blue"]
    assert good.outcome is Outcome.HOLDS


def test_data_without_readings_are_refused_with_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no readings to learn major errors from: put word_closure\.jsonl"):
        benchmark(write_data(tmp_path / "data", readings=False), Resources("lite"), Configuration())
