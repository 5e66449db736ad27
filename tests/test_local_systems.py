"""Systems on this machine: programs, recordings, Python functions and the real Apertium."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines import program, script
from metaphrase.core.errors import ConfigurationError, InputError, SystemFailedError
from metaphrase.core.values import Direction
from metaphrase.systems import open_system
from metaphrase.systems.function import FunctionSystem
from metaphrase.testing import check_system

EN_ES = Direction("en", "es")


@pytest.fixture(autouse=True)
def _own_spool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("METAPHRASE_CACHE", str(tmp_path / "cache"))


def test_a_program_is_a_system(tmp_path: Path) -> None:
    check_system(open_system(program(tmp_path)), EN_ES)


def test_one_process_serves_many_batches(tmp_path: Path) -> None:
    log = tmp_path / "log"
    system = open_system(
        program(tmp_path, f"import sys\nopen({str(log)!r}, 'a').write('start\\n')\nfor line in sys.stdin: print(line.strip(), flush=True)")
    )
    for batch in (["a", "b"], ["c"], ["d", "e"]):
        assert [t.text for t in system.translate(batch, EN_ES)] == batch
    system.close()
    assert log.read_text(encoding="utf-8") == "start\n"


def test_a_program_that_dies_is_started_again_and_loses_only_the_text_it_dies_on(tmp_path: Path) -> None:
    dies = "import sys\nfor line in sys.stdin:\n    if 'poison' in line: sys.exit(9)\n    print(line.strip().upper(), flush=True)"
    system = open_system(program(tmp_path, dies))
    answers = system.translate(["good", "poison", "fine"], EN_ES)
    system.close()
    assert [a.text for a in answers] == ["GOOD", None, "FINE"]
    assert "status 9" in (answers[1].failure or "")


def test_json_lines_carry_the_languages(tmp_path: Path) -> None:
    body = """
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(json.dumps({"translation": f"{row['source']}>{row['target']}: {row['text']}"}), flush=True)
"""
    tables = {"mine": {"type": "command", "program": script(tmp_path / "e.py", body), "protocol": "jsonl"}}
    system = open_system("mine", tables)
    assert [t.text for t in system.translate(["Hi \U0001f600"], EN_ES)] == ["en>es: Hi \U0001f600"]
    system.close()


def test_a_batch_program_may_answer_when_its_input_ends(tmp_path: Path) -> None:
    sorted_at_end = "import sys\nlines = sys.stdin.readlines()\nsys.stdout.writelines(line.upper() for line in lines)"
    tables = {"mine": {"type": "command", "program": script(tmp_path / "e.py", sorted_at_end), "mode": "batch"}}
    check_system(open_system("mine", tables), EN_ES)


def test_a_batch_that_comes_back_short_is_halved_until_the_guilty_text_stands_alone(tmp_path: Path) -> None:
    swallows = "import sys\nsys.stdout.writelines(line.upper() for line in sys.stdin if 'gone' not in line)"
    tables = {"mine": {"type": "command", "program": script(tmp_path / "e.py", swallows), "mode": "batch"}}
    system = open_system("mine", tables)
    answers = system.translate(["a", "b", "gone", "c", "d"], EN_ES)
    assert [a.text for a in answers] == ["A", "B", None, "C", "D"]
    assert "1 texts went in, 0 came back" in (answers[2].failure or "")


def test_a_program_that_is_broken_is_not_started_for_every_text(tmp_path: Path) -> None:
    log = tmp_path / "log"
    system = open_system(program(tmp_path, f"open({str(log)!r}, 'a').write('start\\n')\nraise SystemExit('broken')"))
    with pytest.raises(SystemFailedError, match="broken"):
        system.translate([f"text {n}" for n in range(50)], EN_ES)
    assert len(log.read_text(encoding="utf-8").splitlines()) < 10


def test_a_program_without_a_name_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="no program given"):
        open_system("command:")
    with pytest.raises(ConfigurationError, match=r"\[system\.mine\]: unknown key 'programm', did you mean 'program'"):
        open_system("mine", {"mine": {"type": "command", "programm": "cat"}})


def test_paths_of_a_system_may_name_environment_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r.jsonl").write_text('{"text": "Hi", "translation": "Hola"}\n', encoding="utf-8")
    tables = {"old": {"type": "recorded", "file": "${RECORDINGS}/r.jsonl"}}
    with pytest.raises(ConfigurationError, match="the environment has no RECORDINGS"):
        open_system("old", tables)
    monkeypatch.setenv("RECORDINGS", str(tmp_path))
    assert open_system("old", tables).translate(["Hi"], EN_ES)[0].text == "Hola"


def test_a_recording_answers_by_direction_and_says_what_is_missing(tmp_path: Path) -> None:
    rows = [
        {"text": "Hi", "translation": "Hola", "direction": "en-es", "score": -0.5},
        {"text": "Hi", "translation": "Salut", "direction": "en-fr"},
        {"text": "Bye", "translation": "Adiós"},
    ]
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    system = open_system(f"recorded:{path}")
    answers = system.translate(["Hi", "Bye", "Never"], EN_ES)
    assert [a.text for a in answers] == ["Hola", "Adiós", None]
    assert answers[0].score == -0.5
    assert answers[2].failure == "not recorded in r.jsonl"
    with pytest.raises(SystemFailedError, match=r"none of the 2 texts asked for .* is recorded: 'Never'; 'Ever'"):
        system.translate(["Never", "Ever"], EN_ES)
    check_system(system, EN_ES, ["Hi", "Bye"])
    path.write_text('{"text": "Hi"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"r\.jsonl:1: a recorded row needs"):
        open_system(f"recorded:{path}")


def test_another_recording_has_another_signature(tmp_path: Path) -> None:
    signatures = set()
    for translation in ("Hola", "Buenas"):
        (tmp_path / "r.jsonl").write_text(json.dumps({"text": "Hi", "translation": translation}) + "\n", encoding="utf-8")
        signatures.add(str(open_system(f"recorded:{tmp_path / 'r.jsonl'}").signature()))
    assert len(signatures) == 2


def test_a_function_is_a_system_and_its_mistakes_are_named() -> None:
    check_system(FunctionSystem(lambda texts: [t.upper() for t in texts]), EN_ES)
    with pytest.raises(SystemFailedError, match="got 2 texts and returned 1"):
        FunctionSystem(lambda texts: texts[:1]).translate(["a", "b"], EN_ES)
    with pytest.raises(SystemFailedError, match="returned NoneType where a string belongs"):
        FunctionSystem(lambda texts: [None for _ in texts]).translate(["a"], EN_ES)  # type: ignore[misc]


@pytest.mark.apertium
@pytest.mark.parametrize("spec", ["apertium:eng-spa", "apertium", "apertium:eng-cat,cat-spa"])
def test_apertium_is_a_system_as_a_mode_by_languages_and_as_a_chain(spec: str) -> None:
    check_system(open_system(spec), EN_ES)


@pytest.mark.apertium
def test_apertium_translates_both_ways_and_its_pivot_is_another_engine() -> None:
    direct, pivot = open_system("apertium:eng-spa"), open_system("apertium:eng-cat,cat-spa")
    text = "The chairman opened the window."
    assert "ventana" in (direct.translate([text], EN_ES)[0].text or "")
    assert "window" in (direct.translate(["La ventana es grande."], EN_ES.reversed)[0].text or "")
    assert direct.translate([text], EN_ES)[0].text != pivot.translate([text], EN_ES)[0].text


@pytest.mark.apertium
def test_a_mode_that_apertium_lacks_names_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match="no mode 'eng-sap': did you mean 'eng-spa'"):
        open_system("apertium:eng-sap").translate(["Hi"], EN_ES)
