"""What judging on the neural profile costs, beside the published recipe, in one run.

    python scripts/measure_neural.py CASES.jsonl [--pairs 1000] [--recipe-pairs 50] [--fp32 FOLDER]

CASES holds translated metamorphic cases. Ours is the whole of word closure: tokens, first look, encodings, links, features and
verdicts. The published recipe is the aligner of the word-closure paper alone: the softmax rule on fp32 states, one pair at a time,
nothing remembered (`metaphrase models get mbert --precision fp32`). Both are warm: models are loaded and a few pairs judged before.
Processor time does not depend on who else uses the machine; on idle cores the time on the clock is that divided by their number.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from metaphrase.core.values import MetamorphicCase
from metaphrase.files.cases import read_cases
from metaphrase.relations.closure.views import view_pair
from metaphrase.relations.word_closure import word_closure_relation
from metaphrase.resources.neural.aligner import SoftmaxAligner
from metaphrase.resources.neural.encoder import Encoder
from metaphrase.resources.neural.models import encoder_folder
from metaphrase.resources.profiles import Resources

WARM = 5
THRESHOLD = 1e-3  # of the published aligner


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Processor seconds and seconds on the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - processor, time.perf_counter() - clock


def ours(cases: Sequence[MetamorphicCase]) -> tuple[float, float]:
    with Resources("neural") as resources:
        relation = word_closure_relation(resources, {})
        relation.judge(cases[:WARM])
        return timed(lambda: relation.judge(cases[WARM:]))


def published(cases: Sequence[MetamorphicCase], folder: Path) -> tuple[float, float]:
    aligner = SoftmaxAligner(Encoder(folder, threads=1, cache_megabytes=0), cases[0].direction, threshold=THRESHOLD)
    bitexts = [pair for case in cases for pair in view_pair(case).bitexts()]
    aligner.align(bitexts[: 2 * WARM])
    return timed(lambda: [aligner.align([pair]) for pair in bitexts[2 * WARM :]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--pairs", type=int, default=1_000)
    parser.add_argument("--recipe-pairs", type=int, default=50)
    parser.add_argument("--fp32", type=Path, default=None, help="folder of the fp32 model, if not the installed one")
    options = parser.parse_args()
    cases = [c for c in islice(read_cases(options.cases), options.pairs + WARM) if isinstance(c, MetamorphicCase)]
    processor, clock = ours(cases)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pairs = len(cases) - WARM
    print(f"word closure on the neural profile, {pairs} pairs: {processor / pairs * 1e3:.0f} ms of processor time a pair,", end=" ")
    print(f"{clock / pairs * 1e3:.0f} ms on the clock, {memory:.0f} MB at its peak", flush=True)
    some = cases[: options.recipe_pairs + WARM]
    recipe, clock = published(some, options.fp32 or encoder_folder("mbert", "fp32"))
    pairs = len(some) - WARM
    print(f"the published recipe's alignment alone, {pairs} pairs: {recipe / pairs * 1e3:.0f} ms of processor time a pair,", end=" ")
    print(f"{clock / pairs * 1e3:.0f} ms on the clock")
    print(f"the recipe takes {recipe / pairs / (processor / (len(cases) - WARM)):.1f} times as long as ours")


if __name__ == "__main__":
    main()
