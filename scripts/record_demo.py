"""Record what the demo needs: Apertium's translations of the demo sentences and of their follow-ups.

    python scripts/record_demo.py

Run it after a change of the sentences, of the parser or of the method's defaults; a test compares the recording with what the demo asks for.
"""

from __future__ import annotations

from pathlib import Path

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.plan import make_resources, plan_method
from metaphrase.core.values import Direction
from metaphrase.files.cases import dumps
from metaphrase.files.lines import open_output
from metaphrase.files.segments import SegmentReader
from metaphrase.systems import open_system

FOLDER = Path(__file__).parents[1] / "src" / "metaphrase" / "demo"
DIRECTION = Direction("en", "es")


def main() -> None:
    configuration = Configuration()
    segments = list(SegmentReader([FOLDER / "sentences.txt"], DIRECTION.source))
    with make_resources(configuration) as resources:
        planned = plan_method("purity", resources, configuration, DIRECTION)
        cases = list(planned.transformation.propose(segments, DIRECTION))
    texts = list(dict.fromkeys(request.text for case in cases for request in case.requests()))
    system = open_system("apertium:eng-spa")
    answers = system.translate(texts, DIRECTION)
    with open_output(FOLDER / "apertium.jsonl") as stream:
        for text, answer in zip(texts, answers, strict=True):
            row = {"text": text, "translation": answer.text, "direction": str(DIRECTION), "system": str(system.signature())}
            stream.write(dumps(row) + "\n")
    print(f"{len(segments)} sentences, {len(cases)} cases, {len(texts)} texts")


if __name__ == "__main__":
    main()
