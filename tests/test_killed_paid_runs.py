"""Kill -9 in the middle of a paid run: at most the requests in flight are paid for again."""

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

from mt_server import DIALECTS, Server, expected

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
