"""Learns the weights of word closure for pairs of languages that no labelled data exist for.

    python scripts/learn_general_closure.py --data DIR -o src/metaphrase/relations/weights/word-closure-general.json

DIR holds the word-closure pairs (`word_closure/*.jsonl`) and readings. Needs Apertium with the mode eng-spa. Two kinds of
pairs teach it: labelled Chinese-English pairs, aligned and compared as if there were no dictionary; and the English inputs
translated by Apertium, of which those whose translations differ in the edit's place only are taken as fine, and taken once more
with one injected error (a content word deleted, replaced or added). The stages are those of `metaphrase calibrate word-closure`.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from metaphrase.core.values import Direction, MetamorphicCase
from metaphrase.core.weights import shipped_weights
from metaphrase.evaluation.closure_learning import Example, Reading, learn_together
from metaphrase.evaluation.labelled import find_files, read_labelled
from metaphrase.evaluation.word_closure import read_examples
from metaphrase.relations.closure.comparison import Match
from metaphrase.relations.closure.describe import Described, describe_pairs
from metaphrase.resources.lite.aligner import LexicalAligner
from metaphrase.resources.lite.evidence import GeneralEvidence
from metaphrase.resources.lite.lexicon import LiteLexicon, LiteSynonyms
from metaphrase.resources.profiles import Resources
from metaphrase.text.languages import language
from metaphrase.text.near_copies import source_groups
from metaphrase.text.normalise import fold

WAY = Direction("en", "es")
SEED = 7
# Group numbers of the two kinds must not meet.
APART = 100_000


class NoDictionary(Resources):
    """The lite profile as a pair of languages without any word list sees it."""

    def __init__(self) -> None:
        super().__init__("lite")

    @cache  # noqa: B019
    def aligner(self, direction: Direction) -> LexicalAligner:
        weights = shipped_weights("metaphrase.resources.lite", "aligner-general")
        assert weights is not None
        return LexicalAligner(direction, GeneralEvidence(language(direction.source), language(direction.target)), weights)

    @cache  # noqa: B019
    def lexicon(self, direction: Direction) -> LiteLexicon:
        lexicon = LiteLexicon(direction)
        lexicon._chinese_side = None
        return lexicon

    @cache  # noqa: B019
    def synonyms(self, code: str) -> LiteSynonyms:
        synonyms = LiteSynonyms(code)
        synonyms._base = "xx"
        return synonyms


def translated(data: Path) -> list[MetamorphicCase]:
    """The English inputs of the pairs, translated into Spanish."""
    paths = [p for name in ("CAT", "CIT", "Purity", "SIT") for p in find_files(data, f"{name}-en-zh-google.jsonl", "word_closure")]
    cases = [c for c in read_labelled(paths).cases if isinstance(c, MetamorphicCase)]
    texts = sorted({t.replace("\n", " ") for c in cases for t in (c.source, c.followup)})
    asked = "".join(f"{t}\n\n" for t in texts)
    answer = subprocess.run(["apertium", "-u", "eng-spa"], input=asked, capture_output=True, text=True, check=True).stdout
    spanish = dict(zip(texts, (t.strip() for t in answer.split("\n\n")), strict=False))
    return [
        MetamorphicCase(
            c.id,
            WAY,
            c.transformation,
            c.source,
            c.followup,
            spanish[c.source.replace("\n", " ")],
            spanish[c.followup.replace("\n", " ")],
        )
        for c in cases
    ]


def differs_by_the_edit(pair: Described) -> bool:
    """No more left-over content words than the edit may explain."""
    content = pair.view.target.is_content
    left = [sum(content(pair.view.outputs[s].words[k]) for k in pair.comparison.left_over(s)) for s in (0, 1)]
    changed = [len(pair.view.changed(s)) for s in (0, 1)]
    if all(changed):
        return max(left) <= max(changed) + 1
    return left[0 if not changed[0] else 1] == 0


def with_error(
    case: MetamorphicCase, pair: Described, words: Sequence[str], chance: random.Random
) -> tuple[MetamorphicCase, set[str]] | None:
    """One translation with one content word deleted, replaced or added, and the words that are wrong then."""
    side = chance.choice((0, 1))
    out, other = pair.view.outputs[side], pair.view.outputs[1 - side].words
    places = [
        k
        for k, w in enumerate(out.words)
        if pair.comparison.matches[side][k] is Match.IN_PLACE
        and pair.view.target.is_content(w)
        and out.words.count(w) == other.count(w) == 1
    ]
    if not places:
        return None
    token = out.tokens[chance.choice(places)]
    kind, new = chance.choice(("delete", "replace", "replace", "add")), chance.choice(words)
    text, wrong = {
        "delete": (out.text[: token.start].rstrip() + out.text[token.end :], {token.text}),
        "replace": (out.text[: token.start] + new + out.text[token.end :], {token.text, new}),
        "add": (f"{out.text[: token.end]} {new}{out.text[token.end :]}", {new}),
    }[kind]
    first = pair.view.fields[side] == "source_translation"
    changed = replace(case, source_translation=text) if first else replace(case, followup_translation=text)
    return replace(changed, id=f"{case.id}-error"), {fold(w) for w in wrong}


def injected(data: Path, resources: Resources) -> list[Example]:
    chance = random.Random(SEED)
    spanish = language(WAY.target)
    cases = translated(data)
    described = list(describe_pairs(cases, resources))
    words = sorted({w for p in described for t in p.view.outputs for w in t.words if spanish.is_content(w) and w.isalpha() and len(w) > 3})
    fine = [(c, p) for c, p in zip(cases, described, strict=True) if differs_by_the_edit(p)]
    errors = [made for c, p in fine if (made := with_error(c, p, words, chance)) is not None]
    both = [(c, set[str]()) for c, _ in fine] + errors
    groups = source_groups([max(c.source, c.followup, key=len) for c, _ in both])
    examples = []
    for (case, wrong), group, pair in zip(both, groups, describe_pairs([c for c, _ in both], resources), strict=True):
        blamed = tuple(pair.view.outputs[w.side].words[w.index] in wrong for w in pair.left)
        reading = Reading(float(bool(wrong)), tuple(map(float, blamed)), 1.0, 1)
        examples.append(Example(case.id, group + APART, pair, bool(wrong), blamed, reading))
    return examples


def labelled(data: Path, resources: Resources) -> list[Example]:
    paths = [p for system in ("google", "bing") for p in find_files(data, f"*-zh-en-{system}.jsonl", "word_closure")]
    return read_examples(read_labelled(paths), data, resources)


def report(examples: Sequence[Example], scores: Mapping[str, float], threshold: float) -> str:
    found = [scores.get(e.id, 0.0) >= threshold for e in examples]
    errors = sum(e.violation for e in examples)
    hits = sum(f and e.violation for f, e in zip(found, examples, strict=True))
    alarms = sum(found) - hits
    return f"{hits} of {errors} violations found, {alarms} alarms on {len(examples) - errors} other pairs (cross-validated)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    resources = NoDictionary()
    made, known = injected(options.data, resources), labelled(options.data, resources)
    values, scores = learn_together([*known, *made])
    for name, some in (("Apertium", made), ("Chinese-English without a dictionary", known)):
        print(f"{name}: {report(some, scores, values['thresholds']['violation'])}")
    provenance = {
        "data": (
            f"{len(known)} word-closure pairs zh-en (google, bing; development part) aligned and compared without a dictionary, and "
            f"{len(made)} pairs of Apertium English-Spanish translations, of which {sum(e.violation for e in made)} with one injected error"
        ),
        "learnt with": "scripts/learn_general_closure.py",
    }
    options.output.write_text(
        json.dumps({"provenance": provenance, "values": values}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
