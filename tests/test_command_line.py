"""The commands: what they read and write, what they say about bad input, and their exit codes."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from conftest import CommandLine
from engines import program, script

SENTENCES = """\
The latest sales figures surprised the whole management team.
My uncle's old fishing boat needs a fresh coat of white paint.
A cat sleeps.
"""
_SHORTENING = """
import sys
for line in sys.stdin:
    text = line.rstrip("\\n")
    # Alone, a phrase keeps its last word; in a sentence the word is another one.
    print(text.upper() if not text.endswith(".") else text.upper().replace("FIGURES", "IMAGINES"), flush=True)
"""


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.txt"
    path.write_text(SENTENCES, encoding="utf-8")
    return path


@pytest.fixture
def engine(tmp_path: Path) -> str:
    """An engine with one error."""
    return program(tmp_path, _SHORTENING)


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_help_lists_every_command(metaphrase: CommandLine) -> None:
    ran = metaphrase("--help")
    assert ran.code == 0
    for command in ("demo", "test", "transform", "translate", "judge", "report", "methods", "bench", "calibrate"):
        assert f" {command} " in ran.out
        assert metaphrase(command, "--help").code == 0


def test_the_main_job_finds_the_engines_error_and_fails_the_gate(metaphrase: CommandLine, sentences: Path, engine: str) -> None:
    ran = metaphrase("test", sentences, "--system", engine, "--to", "es", "-o", "findings.jsonl", "-o", "findings.json")
    assert ran.code == 1, ran.err
    assert "⟦FIGURES⟧" in ran.out
    assert "3 sentences" in ran.out
    (finding,) = _rows(Path("findings.jsonl"))
    assert finding["segment"] == "sentences.txt:1"
    assert finding["line"] == 1
    assert finding["spans"] == [{"text": "followup_translation", "start": 17, "end": 24, "quote": "FIGURES"}]
    document = json.loads(Path("findings.json").read_text(encoding="utf-8"))
    assert document["findings"] == [finding]
    assert document["run"]["finished"] is True
    assert document["run"]["signatures"]["relation bag-of-words"].startswith("bag-of-words|v:")


def test_findings_of_the_baseline_do_not_fail_the_gate(metaphrase: CommandLine, sentences: Path, engine: str) -> None:
    command = ["test", sentences, "--system", engine, "--to", "es"]
    assert metaphrase(*command, "-o", "known.jsonl").code == 1
    ran = metaphrase(*command, "--baseline", "known.jsonl")
    assert ran.code == 0
    assert "1 known finding (baseline) not shown" in ran.out
    assert metaphrase(*command, "--fail-on", "never").code == 0
    Path("known.jsonl").write_text('{"name": "x"}\n', encoding="utf-8")
    ran = metaphrase(*command, "--baseline", "known.jsonl")
    assert (ran.code, "known.jsonl:1" in ran.err) == (2, True)


def test_two_runs_with_the_same_seed_and_store_give_the_same_bytes(metaphrase: CommandLine, sentences: Path, engine: str) -> None:
    command = ["test", sentences, "--system", engine, "--to", "es", "--seed", "7"]
    first = metaphrase(*command, "-o", "a.jsonl", "--fail-on", "never")
    second = metaphrase(*command, "-o", "b.jsonl", "--fail-on", "never")
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes() != b""
    other_store = metaphrase(*command, "-o", "c.jsonl", "--fail-on", "never", "--store", "other.db")
    assert Path("c.jsonl").read_bytes() == Path("a.jsonl").read_bytes()
    assert [line for line in first.out.splitlines() if not line.startswith("sent")] == [
        line for line in second.out.splitlines() if not line.startswith("sent")
    ]
    assert other_store.out == first.out


def test_a_dry_run_sends_nothing_and_says_what_would_be_sent(metaphrase: CommandLine, sentences: Path, tmp_path: Path) -> None:
    noting = program(tmp_path, f"open({str(tmp_path / 'started')!r}, 'w')\n" + _SHORTENING)
    ran = metaphrase("test", sentences, "--system", noting, "--to", "es", "--dry-run")
    assert ran.code == 0
    assert "3 sentences, 4 cases" in ran.out
    assert "distinct texts" in ran.out
    assert "nothing was sent" in ran.out
    assert not (tmp_path / "started").exists()


def test_each_stage_reads_what_the_one_before_wrote(metaphrase: CommandLine, sentences: Path, engine: str) -> None:
    assert metaphrase("transform", sentences, "--method", "purity", "-o", "cases.jsonl").code == 0
    assert metaphrase("translate", "cases.jsonl", "--system", engine, "--to", "es", "-o", "translated.jsonl").code == 0
    ran = metaphrase("judge", "translated.jsonl", "--relation", "bag-of-words", "-o", "verdicts.jsonl")
    assert ran.code == 0, ran.err
    verdicts = _rows(Path("verdicts.jsonl"))
    assert [v["violation"] for v in verdicts].count(True) == 1
    assert [v["id"] for v in verdicts] == [c["id"] for c in _rows(Path("cases.jsonl"))]


def test_unknown_fields_pass_through_translate(metaphrase: CommandLine, engine: str) -> None:
    Path("cases.jsonl").write_text('{"id": "1", "source": "A big dog.", "followup": "A dog.", "note": {"deep": [1]}}\n', encoding="utf-8")
    assert metaphrase("translate", "cases.jsonl", "--system", engine, "--to", "es", "-o", "out.jsonl").code == 0
    (row,) = _rows(Path("out.jsonl"))
    assert row["note"] == {"deep": [1]}
    assert row["source_translation"] == "A BIG DOG."


def test_a_store_is_reported_again_in_any_format(metaphrase: CommandLine, sentences: Path, engine: str) -> None:
    metaphrase("test", sentences, "--system", engine, "--to", "es", "--store", "s.db", "-o", "a.jsonl")
    assert metaphrase("report", "s.db", "-o", "b.jsonl").code == 0
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    assert "⟦FIGURES⟧" in metaphrase("report", "s.db").out
    assert metaphrase("report", "s.db", "-o", "x.docx").code == 2
    assert metaphrase("report", "none.db").code == 2


def test_results_go_to_standard_output_alone(metaphrase: CommandLine, sentences: Path, engine: str) -> None:
    ran = metaphrase("test", sentences, "--system", engine, "--to", "es", "-o", "-")
    assert [json.loads(line)["segment"] for line in ran.out.splitlines()] == ["sentences.txt:1"]


def test_methods_lists_what_is_installed_for_machines_too(metaphrase: CommandLine) -> None:
    listing = json.loads(metaphrase("methods", "--json").out)
    assert {"purity"} <= set(listing["methods"])
    assert {"apertium", "command", "recorded"} <= set(listing["systems"])


# Bad input: a clear message, the right exit code.


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.txt", "--to", "es"], "missing.txt: cannot read it: No such file"),
        (["latin.txt", "--to", "es"], "latin.txt:1: byte 0xe9 is not utf-8"),
        (["empty.txt", "--to", "es"], "no sentence in the input"),
        (["sentences.txt"], "into which language"),
        (["sentences.txt", "--to", "en"], "both 'en'"),
        (["sentences.txt", "--to", "not a code"], "not a language code"),
        (["sentences.txt", "--to", "es", "--method", "purty"], "unknown method 'purty': did you mean 'purity'"),
        (["sentences.txt", "--to", "es", "--relation", "bag-of-word"], "did you mean 'bag-of-words'"),
        (["sentences.txt", "--to", "es", "--profile", "nueral"], "did you mean 'neural'"),
        (["sentences.txt", "--to", "es", "-o", "out.docx"], "no report format for 'docx'"),
        (["sentences.txt", "--to", "es", "--fail-on", "sometimes"], "fail-on"),
        (["sentences.txt", "--to", "es", "--config", "none.toml"], "none.toml: cannot read it"),
        (["bad.jsonl", "--to", "es"], "bad.jsonl:2: not JSON"),
    ],
)
def test_bad_input_stops_with_two_and_names_the_remedy_before_anything_is_sent(
    metaphrase: CommandLine, sentences: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    Path("latin.txt").write_bytes("Un café\n".encode("latin-1"))
    Path("empty.txt").write_text("\n\n", encoding="utf-8")
    Path("bad.jsonl").write_text('{"text": "A long good sentence."}\n{"text": "half\n', encoding="utf-8")
    noting = program(tmp_path, f"open({str(tmp_path / 'started')!r}, 'w')\n" + _SHORTENING)
    ran = metaphrase("test", *arguments, "--system", noting)
    assert ran.code == 2, ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not (tmp_path / "started").exists()


def test_an_unknown_system_names_the_nearest(metaphrase: CommandLine, sentences: Path) -> None:
    ran = metaphrase("test", sentences, "--to", "es", "--system", "apertum")
    assert (ran.code, "did you mean 'apertium'" in ran.err) == (2, True)
    assert metaphrase("test", sentences, "--to", "es").code == 2


def test_a_program_that_does_not_exist_is_a_failed_system(metaphrase: CommandLine, sentences: Path) -> None:
    ran = metaphrase("test", sentences, "--to", "es", "--system", "command:no-such-program-anywhere")
    assert ran.code == 3
    assert "there is no program 'no-such-program-anywhere'" in ran.err


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import sys; sys.exit('no licence')", "no licence"),
        ("import time; time.sleep(60)", "no answer within"),
        ("import sys\nfor line in sys.stdin: pass", "must flush after each line"),
    ],
)
def test_a_system_that_never_answers_fails_with_three_and_says_how_to_go_on(
    metaphrase: CommandLine, sentences: Path, tmp_path: Path, body: str, said: str
) -> None:
    Path("metaphrase.toml").write_text(
        f'to = "es"\nsystems = ["mine"]\n[system.mine]\ntype = "command"\ntimeout = 1\nprogram = {json.dumps(script(tmp_path / "e.py", body))}\n',
        encoding="utf-8",
    )
    ran = metaphrase("test", sentences)
    assert ran.code == 3, ran.err
    assert said in ran.err
    assert "run the same command again to go on" in ran.err


def test_what_was_translated_before_a_failure_is_kept(metaphrase: CommandLine, tmp_path: Path) -> None:
    many = tmp_path / "many.txt"
    many.write_text("".join(f"The old red house number {n} has a small green garden door.\n" for n in range(60)), encoding="utf-8")
    log, broken = tmp_path / "log", tmp_path / "broken"
    body = f"""
import os, sys
for line in sys.stdin:
    if os.path.exists({str(broken)!r}) and len(open({str(log)!r}).readlines()) >= 30:
        sys.exit("quota used up")
    open({str(log)!r}, "a").write(line)
    print(line.strip().upper(), flush=True)
"""
    command = ["test", many, "--system", program(tmp_path, body), "--to", "es", "--fail-on", "never", "-o", "out.jsonl"]
    broken.touch()
    log.touch()
    first = metaphrase(*command)
    answered = log.read_text(encoding="utf-8").splitlines()
    broken.unlink()
    assert metaphrase(*command).code == 0, first.err
    everything = log.read_text(encoding="utf-8").splitlines()
    assert first.code == 3
    assert "quota used up" in first.err
    assert len(answered) == 30
    assert len(everything) == len(set(everything)), "a text was translated twice"
    assert len(everything) > len(answered)


def test_an_empty_translation_is_a_finding_not_a_crash(metaphrase: CommandLine, sentences: Path, tmp_path: Path) -> None:
    silent = program(tmp_path, "import sys\nfor line in sys.stdin: print('' if 'boat' in line else line.strip().upper(), flush=True)")
    ran = metaphrase("test", sentences, "--system", silent, "--to", "es")
    assert ran.code == 1
    assert "is empty" in ran.out


def test_a_store_of_a_newer_version_is_left_alone(metaphrase: CommandLine, sentences: Path, engine: str) -> None:
    with sqlite3.connect("newer.db") as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    ran = metaphrase("test", sentences, "--system", engine, "--to", "es", "--store", "newer.db")
    assert (ran.code, "newer version" in ran.err) == (2, True)
    Path("text.db").write_text("this is not a database, it is only a text of some length" * 20, encoding="utf-8")
    ran = metaphrase("test", sentences, "--system", engine, "--to", "es", "--store", "text.db")
    assert (ran.code, "not a store of Metaphrase" in ran.err) == (2, True)


def test_two_processes_on_one_store_do_not_mix(metaphrase: CommandLine, sentences: Path, engine: str) -> None:
    from metaphrase.campaign.store import Store

    with Store(Path("shared.db")):
        ran = metaphrase("test", sentences, "--system", engine, "--to", "es", "--store", "shared.db")
    assert (ran.code, "another process works on this store" in ran.err) == (2, True)
    assert metaphrase("test", sentences, "--system", engine, "--to", "es", "--store", "shared.db").code == 1


def test_a_full_disk_keeps_what_was_stored(metaphrase: CommandLine, tmp_path: Path) -> None:
    """The limit on a file's size stands in for a full disk: SQLite sees the same failure."""
    import resource
    import subprocess

    many = tmp_path / "many.txt"
    many.write_text("".join(f"The old red house number {n} has a small green garden door.\n" for n in range(900)), encoding="utf-8")
    command = ["test", str(many), "--system", program(tmp_path), "--to", "es", "--fail-on", "never", "--store", "full.db"]
    process = subprocess.run(
        [sys.executable, "-c", "from metaphrase.cli.main import run; run()", *command],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2, process.stderr
    assert "what was stored before is kept" in process.stderr
    assert metaphrase(*command).code == 0


def test_recorded_translations_that_are_missing_are_counted_and_named(metaphrase: CommandLine, sentences: Path) -> None:
    Path("rec.jsonl").write_text('{"text": "A cat sleeps.", "translation": "Un gato duerme."}\n', encoding="utf-8")
    ran = metaphrase("test", sentences, "--system", "recorded:rec.jsonl", "--to", "es")
    assert ran.code == 3
    assert "is recorded" in ran.err
    assert "The latest sales figures" in ran.err


def test_an_interrupt_says_that_the_run_can_go_on(
    metaphrase: CommandLine, sentences: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("metaphrase.cli.progress.follow", interrupted)
    ran = metaphrase("test", sentences, "--system", engine, "--to", "es")
    assert ran.code == 130
    assert "run the same command again" in ran.err
