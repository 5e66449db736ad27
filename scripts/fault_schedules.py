"""A thousand random schedules of faults for each provider: python scripts/fault_schedules.py [--schedules N] [--first SEED]"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from mt_server import DIALECTS
from mt_server.schedules import Bench, Outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--provider", action="append", choices=sorted(DIALECTS))
    arguments = parser.parse_args()
    broken = 0
    print(
        f"{'provider':<16}{'schedules':>10}{'translated':>12}{'failed':>8}{'unsent':>8}{'requests':>10}{'stopped':>9}{'broken':>8}{'s':>7}"
    )
    for kind in arguments.provider or sorted(DIALECTS):
        start = time.monotonic()
        outcomes: list[Outcome] = []
        with tempfile.TemporaryDirectory() as folder, Bench(kind, Path(folder)) as bench:
            for seed in range(arguments.first, arguments.first + arguments.schedules):
                outcomes.append(bench.run(seed))
                for promise in outcomes[-1].broken[:3]:
                    print(f"  {kind} seed {seed}: {promise}")
        sums = [sum(getattr(o, name) for o in outcomes) for name in ("translated", "failed", "unsent", "requests")]
        bad = sum(bool(o.broken) for o in outcomes)
        broken += bad
        columns = f"{sums[0]:>12}{sums[1]:>8}{sums[2]:>8}{sums[3]:>10}{sum(bool(o.stopped) for o in outcomes):>9}{bad:>8}"
        print(f"{kind:<16}{len(outcomes):>10}{columns}{time.monotonic() - start:>7.0f}", flush=True)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
