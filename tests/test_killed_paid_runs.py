"""Ending a paid run in its middle: at most the requests in flight are paid for again, and after Ctrl-C none.

Also what a run prints and writes: never a key.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from mt_server import DIALECTS, Fault, Schedule, Server, expected

JOBS = 8
COMMAND = [sys.executable, "-c", "from metaphrase.cli.main import run; run()", "translate", "cases.jsonl", "-o", "out.jsonl", "--system"]


@pytest.mark.parametrize(("kind", "kill_after"), [("deepl", 12), ("deepl", 31), ("amazon", 40)])
def test_a_killed_run_pays_again_for_at_most_the_requests_in_flight(kind: str, kill_after: int, tmp_path: Path) -> None:
    dialect = DIALECTS[kind]()
    texts = 240 if kind == "deepl" else 90
    cases = [
        {"id": str(i), "direction": "en-zh", "transformation": "x", "source": f"One {i}", "followup": f"Two {i}"} for i in range(texts // 2)
    ]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    enough = threading.Event()
    with Server(dialect, delay=0.05) as server:
        (tmp_path / "metaphrase.toml").write_text(f'[system.{kind}]\nurl = "{server.url}"\nitems = 5\n')
        environment = {**os.environ, **dialect.environment, "METAPHRASE_CACHE": str(tmp_path / "cache")}
        server.on_answer = lambda _: (
            enough.set() if sum(server.count.answered.values()) >= kill_after * len(server.count.calls[0]) else None
        )
        process = subprocess.Popen([*COMMAND, kind, "-j", str(JOBS)], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
        assert enough.wait(60), "the run does not get far enough"
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        while server.count.in_flight:  # what was in flight is answered, and charged, all the same
            time.sleep(0.01)
        first = list(server.count.calls)
        assert len(server.count.answered) < texts, "the run was over before it was killed"
        again = subprocess.run([*COMMAND, kind, "-j", str(JOBS)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
        assert again.returncode == 0, again.stderr
        repeated = [call for call in first if any(server.count.sent[text] > 1 for text in call)]
        assert len(repeated) <= JOBS
        assert max(server.count.sent.values()) <= 2
        assert server.count.problems == []
    print(f"{kind}: {len(first)} requests before the kill, {len(repeated)} paid again with -j {JOBS}")
    done = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [d["source_translation"] for d in done] == [expected(d["source"]) for d in done]
    assert len(done) == texts // 2


def test_an_interrupted_run_waits_for_what_is_in_flight_and_pays_for_nothing_again(tmp_path: Path) -> None:
    dialect = DIALECTS["amazon"]()
    cases = [{"id": str(i), "direction": "en-zh", "transformation": "x", "source": f"One {i}", "followup": f"Two {i}"} for i in range(45)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    enough = threading.Event()
    with Server(dialect, delay=0.05) as server:
        (tmp_path / "metaphrase.toml").write_text(f'[system.amazon]\nurl = "{server.url}"\n')
        environment = {**os.environ, **dialect.environment, "METAPHRASE_CACHE": str(tmp_path / "cache")}
        server.on_answer = lambda _: enough.set() if len(server.count.answered) >= 20 else None
        process = subprocess.Popen([*COMMAND, "amazon", "-j", str(JOBS)], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
        assert enough.wait(60), "the run does not get far enough"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "run the same command again" in said
        assert len(server.count.answered) < 90
        again = subprocess.run([*COMMAND, "amazon"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
        assert again.returncode == 0, again.stderr
        assert set(server.count.sent.values()) == {1}


@pytest.mark.parametrize("kind", ["google", "youdao", "http"])
def test_a_key_is_in_nothing_that_the_command_prints_or_writes(kind: str, tmp_path: Path) -> None:
    dialect = DIALECTS[kind]()
    (tmp_path / "sentences.txt").write_text("The old bridge near the small town hall was closed on a cold Monday morning.\n" * 2)
    faults = [Fault.QUOTING, Fault.TOO_MANY, Fault.HALF, Fault.NONE, Fault.QUOTING, Fault.NONE, Fault.FORBIDDEN]
    with Server(dialect, Schedule(faults)) as server:
        table = {"url": server.url, "first-wait": 0.0, "items": 1, **dialect.options}
        (tmp_path / "metaphrase.toml").write_text(f"[system.{kind}]\n" + "".join(f"{k} = {_toml(v)}\n" for k, v in table.items()))
        environment = {**os.environ, **dialect.environment, "METAPHRASE_CACHE": str(tmp_path / "cache"), "METAPHRASE_LOG": "debug"}
        command = [*COMMAND[:3], "test", "sentences.txt", "--system", kind, "--to", "zh", "-o", "f.jsonl", "-o", "f.json", "-v"]
        runs = [subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60) for _ in range(2)]
        runs.append(
            subprocess.run([*COMMAND[:3], "methods", "--json"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
        )
        assert server.count.problems == []
        assert server.count.requests > 3
    shown = "".join(r.stdout + r.stderr for r in runs)
    assert "failed on" in shown
    assert "DEBUG httpcore2" in shown
    secret = dialect.environment[dialect.keys[-1]]
    assert secret not in shown
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"f.jsonl", "f.json", "translations.db"} <= {path.name for path in written}
    assert [path.name for path in written if secret.encode() in path.read_bytes()] == []


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + " }"
    return json.dumps(value)
