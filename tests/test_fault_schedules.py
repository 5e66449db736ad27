"""Random schedules of faults: each text is translated once or failed with a reason, and never sent again once answered.

CI runs a few for each provider; `python scripts/fault_schedules.py` runs a thousand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_server import DIALECTS
from mt_server.schedules import Bench

SCHEDULES = 25


@pytest.mark.parametrize("kind", sorted(DIALECTS))
def test_no_schedule_of_faults_breaks_a_promise(kind: str, tmp_path: Path) -> None:
    with Bench(kind, tmp_path) as bench:
        outcomes = [bench.run(seed) for seed in range(SCHEDULES)]
    assert [(o.seed, o.broken) for o in outcomes if o.broken] == []
    # The schedules must have been neither too kind nor deadly, or the test would show nothing.
    assert sum(o.translated for o in outcomes) > SCHEDULES * 24 / 3
    assert sum(o.failed for o in outcomes) > 0
    assert any(o.stopped for o in outcomes)
