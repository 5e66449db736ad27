"""Learns how ambiguous English patterns are read, from NL-RX-Synth sentences with regular expressions.

    python scripts/learn_readings.py DATA/nl_rx_synth.jsonl

Writes src/metaphrase/text/meaning/weights/en.json. What is kept: weights of operator pairs, and for patterns of operators with slots how
often each reading was meant. No sentence and no content word of the data is kept.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import sys
from pathlib import Path

from metaphrase.evaluation.semmt.rankings import cross_validate, learn, prepare
from metaphrase.text.meaning import lexicon

TARGET = Path(__file__).parents[1] / "src/metaphrase/text/meaning/weights/en.json"


def main(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [(row["sentence"], row["regex"]) for row in rows]
    english = lexicon.load("en")
    assert english is not None
    right = cross_validate(pairs, english)
    ranking = learn(prepare(pairs, english))
    provenance = {
        "data": "NL-RX-Synth as released with SemMT (Apache 2.0)",
        "rows": len(pairs),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest()[:16],
        "learnt": f"scripts/learn_readings.py, {datetime.date.today()}",
        "cross-validated": f"{sum(right) / len(right):.4f} same language as the label, 10 folds by expression group",
    }
    values = {"memory": ranking.memory, "weights": ranking.weights}
    TARGET.write_text(json.dumps({"values": values, "provenance": provenance}, separators=(",", ":")) + "\n", encoding="utf-8")
    print(json.dumps(provenance, indent=1), TARGET.stat().st_size, "bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
