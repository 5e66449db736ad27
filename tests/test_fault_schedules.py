"""Random schedules of faults: each text is translated once or failed with a reason, and never sent again once answered;
and whatever happens, a key is in no file and in nothing that is printed, debug logs included.

CI runs a few for each provider; `python scripts/fault_schedules.py` runs a thousand.
"""

from __future__ import annotations

import io
import logging
from pathlib import Path

import pytest

from mt_server import DIALECTS, Fault, Schedule
from mt_server.schedules import Bench

SCHEDULES = 25


@pytest.mark.parametrize("kind", sorted(DIALECTS))
def test_no_schedule_of_faults_breaks_a_promise(kind: str, tmp_path: Path) -> None:
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with Bench(kind, tmp_path) as bench:
            outcomes = [bench.run(seed) for seed in range(SCHEDULES)]
            # Which request meets the fault that ends a run depends on the order of threads: go on until one has.
            while not any(o.stopped for o in outcomes) and len(outcomes) < 8 * SCHEDULES:
                outcomes.append(bench.run(len(outcomes)))
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
    shown = logged.getvalue() + "".join(o.stopped for o in outcomes)
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert "httpcore2" not in logging.root.manager.loggerDict or "receive_response_headers" in shown
    assert "failed on" in shown or any(b"failed on" in data for data in written)
    for secret in bench.secrets:
        assert secret not in shown
        assert not [data for data in written if secret.encode() in data]
    assert [(o.seed, o.broken) for o in outcomes if o.broken] == []
    # The schedules must have been neither too kind nor deadly, or the test would show nothing.
    assert sum(o.translated for o in outcomes) > SCHEDULES * 24 / 3
    assert sum(o.failed for o in outcomes) > 0
    assert any(o.stopped for o in outcomes)


@pytest.mark.parametrize("kind", ["apy", "deepl"])
def test_a_second_answer_to_a_request_never_becomes_the_answer_to_another(kind: str, tmp_path: Path) -> None:
    """Bytes after an answer must not be left on a connection, not even for the moment in which another thread takes it."""
    with Bench(kind, tmp_path) as bench:
        schedule = Schedule([Fault.ANSWERED_TWICE, Fault.ANSWERED_TWICE, Fault.NONE] * 20)
        outcomes = [bench.run(seed, texts=48, jobs=8, schedule=schedule) for seed in range(12)]
    assert [(o.seed, o.broken) for o in outcomes if o.broken] == []
    assert sum(o.translated for o in outcomes) == 48 * 12
