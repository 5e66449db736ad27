"""The encoder against an independent computation from the raw weights, and its edges."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest

import tiny_bert as tiny
from metaphrase.core.errors import InputError
from metaphrase.core.values import Direction
from metaphrase.resources.neural.aligner import SoftmaxAligner
from metaphrase.resources.neural.convert import convert
from metaphrase.resources.neural.embedder import NeuralEmbedder
from metaphrase.resources.neural.encoder import Encoder
from metaphrase.resources.neural.masked_lm import NeuralMaskedLM
from metaphrase.resources.neural.sources import from_folder
from metaphrase.resources.protocols import MaskedText, TokenPair
from metaphrase.text.languages import language
from tiny_bert import nothing

TEXTS = ("the red cat sat on the mat.", "a dog slept under the chairs", "猫在红房子上")


def full(encoder: Encoder, text: str) -> list[int]:
    return [encoder.pieces.first, *encoder.pieces.text(text), encoder.pieces.last]


@pytest.mark.parametrize("layer", [2, 3, 4])
@pytest.mark.parametrize("text", TEXTS)
def test_states_agree_with_the_formulas_computed_from_the_raw_weights(encoder: Encoder, text: str, layer: int) -> None:
    expected = tiny.hidden_states(tiny.tensors(), full(encoder, text), layer)[1:-1]
    found = encoder.states([encoder.pieces.text(text)], [layer])[0][layer]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_8_bit_states_keep_the_direction_of_the_exact_ones(encoder: Encoder, encoder_int8: Encoder) -> None:
    for text in TEXTS:
        pieces = encoder.pieces.text(text)
        exact, rounded = (e.states([pieces], [4])[0][4] for e in (encoder, encoder_int8))
        cosines = (exact * rounded).sum(1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(rounded, axis=1)
        assert cosines.min() > 0.99


@pytest.mark.parametrize("name", ["encoder", "encoder_int8"])
def test_a_text_has_the_same_states_whatever_shares_its_batch(name: str, request: pytest.FixtureRequest) -> None:
    made: Encoder = request.getfixturevalue(name)
    alone = Encoder(made.folder, threads=1)
    together = Encoder(made.folder, threads=1)
    ids = [alone.pieces.text(text) for text in TEXTS]
    batch = together.states(ids, [4])
    for pieces, states in zip(ids, batch, strict=True):
        np.testing.assert_allclose(alone.states([pieces], [4])[0][4], states[4], rtol=0, atol=2e-2 if name.endswith("int8") else 1e-5)


def test_tensorflow_and_pytorch_files_of_one_model_give_the_same_states(encoder: Encoder, tmp_path: Path) -> None:
    raw, target = tmp_path / "raw", tmp_path / "converted"
    raw.mkdir()
    target.mkdir()
    tiny.write_vocabulary(raw / "vocab.txt")
    tiny.write_safetensors(raw / "model.safetensors", tiny.torch_names(tiny.tensors()))
    convert(from_folder(raw), target, name="tiny", licence="none", stages=(2, 3, 4), precision="fp32", progress=nothing)
    other = Encoder(target, threads=1)
    for text in TEXTS:
        pieces = encoder.pieces.text(text)
        np.testing.assert_array_equal(encoder.states([pieces], [4])[0][4], other.states([pieces], [4])[0][4])


def test_a_distinct_text_is_encoded_once_while_the_cache_holds_it(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Encoder(tiny_folder, threads=1)
    runs: list[int] = []
    original = Encoder._run

    def counted(self: Encoder, batch, layers):  # type: ignore[no-untyped-def]
        runs.append(len(batch))
        return original(self, batch, layers)

    monkeypatch.setattr(Encoder, "_run", counted)
    ids = [encoder.pieces.text(text) for text in (*TEXTS, *TEXTS)]
    encoder.states(ids, [2])
    encoder.states(ids, [2])
    assert sum(runs) == len(TEXTS)


def test_the_cache_stays_within_its_bound(tiny_folder: Path) -> None:
    encoder = Encoder(tiny_folder, threads=1, cache_megabytes=1)
    for number in range(200):
        encoder.states([(5 + number % 15, 5 + number // 15) * 7], [2, 4])
    assert encoder._cached_bytes <= 2**20
    assert encoder._cached_bytes == sum(states.nbytes for states in encoder._cache.values())


def test_a_text_longer_than_the_positions_is_encoded_in_windows(encoder: Encoder) -> None:
    """600 words on a model of 32 positions; far from a cut a window's states are those of the window alone."""
    words = ["cat", "dog", "mat", "the"] * 150
    pieces = encoder.pieces.words(words).ids
    states = encoder.states([pieces], [2])[0][2]
    assert states.shape == (600, tiny.WIDTH)
    assert np.isfinite(states).all()
    first = tiny.hidden_states(tiny.tensors(), [encoder.pieces.first, *pieces[:30], encoder.pieces.last], 2)[1:-1]
    np.testing.assert_allclose(states[:15], first[:15], rtol=0, atol=1e-4)
    last = tiny.hidden_states(tiny.tensors(), [encoder.pieces.first, *pieces[-30:], encoder.pieces.last], 2)[1:-1]
    np.testing.assert_allclose(states[-15:], last[-15:], rtol=0, atol=1e-4)


def test_a_long_sentence_can_be_aligned_embedded_and_filled(encoder: Encoder) -> None:
    words = ("cat", "dog", "mat", "the", "red") * 120
    links = SoftmaxAligner(encoder, Direction("en", "zh"), layer=2).align([TokenPair(words, words)])[0].links
    assert max(link.source for link in links) == 599
    text = " ".join(words)
    vectors = NeuralEmbedder(encoder, language("en")).embed([text])[0]
    assert vectors.vectors.shape == (600, tiny.WIDTH)
    start = text.index("dog", 1_000)
    candidates = NeuralMaskedLM(encoder, language("en")).fill([MaskedText(text, start, start + 3)], top=3)[0]
    assert len(candidates) == 3


def test_words_without_pieces_and_unknown_characters_become_unknown(encoder: Encoder) -> None:
    pieces = encoder.pieces.words(["\u3000", "cat", "🜚🜛", "\x00"])
    assert pieces.words == (0, 1, 2, 3)
    assert [piece == encoder.pieces.unknown for piece in pieces.ids] == [True, False, True, True]
    links = SoftmaxAligner(encoder, Direction("en", "zh"), layer=2).align([TokenPair(("🜚", "🜛"), ("龘",))])[0].links
    assert all(link.source in (0, 1) and link.target == 0 for link in links)


def test_empty_texts_have_no_vectors_and_no_links(encoder: Encoder) -> None:
    assert NeuralEmbedder(encoder, language("en")).embed([""])[0].vectors.shape == (0, tiny.WIDTH)
    assert SoftmaxAligner(encoder, Direction("en", "zh"), layer=2).align([TokenPair((), ("猫",))])[0].links == ()
    assert SoftmaxAligner(encoder, Direction("en", "zh"), layer=2).align([]) == []


def test_a_words_vector_is_the_mean_of_its_pieces(encoder: Encoder) -> None:
    found = NeuralEmbedder(encoder, language("en"), layer=2).embed(["the cats sat"])[0]
    states = encoder.states([encoder.pieces.text("the cats sat")], [2])[0][2]
    assert [token.text for token in found.tokens] == ["the", "cats", "sat"]
    np.testing.assert_allclose(found.vectors[1], states[1:3].mean(0), rtol=0, atol=1e-6)


def test_links_follow_the_softmax_rule(encoder: Encoder) -> None:
    """Against the rule written out as loops."""
    pair = TokenPair(("the", "cats", "sat"), ("猫", "坐", "在", "上"))
    aligner = SoftmaxAligner(encoder, Direction("en", "zh"), layer=2, threshold=0.05)
    links = {(link.source, link.target) for link in aligner.align([pair])[0].links}
    source = tiny.hidden_states(tiny.tensors(), [2, *encoder.pieces.words(pair.source).ids, 3], 2)[1:-1]
    target = tiny.hidden_states(tiny.tensors(), [2, *encoder.pieces.words(pair.target).ids, 3], 2)[1:-1]
    expected = set()
    owner = (0, 1, 1, 2)
    for i in range(4):
        for j in range(4):
            row = [np.exp(float(source[i] @ target[k])) for k in range(4)]
            column = [np.exp(float(source[k] @ target[j])) for k in range(4)]
            if row[j] / sum(row) > 0.05 and column[i] / sum(column) > 0.05:
                expected.add((owner[i], j))
    assert links == expected
    assert links


def test_the_masked_lm_ranks_by_the_tied_decoder(encoder: Encoder) -> None:
    values = tiny.tensors()
    text = "the cat sat on the mat"
    ids = full(encoder, text)
    ids[2] = encoder.pieces.mask
    state = tiny.hidden_states(values, ids, 4)[2].astype(np.float64)
    dense = state @ values["cls/predictions/transform/dense/kernel"] + values["cls/predictions/transform/dense/bias"]
    dense = np.array([0.5 * v * (1 + erf(v / sqrt(2))) for v in dense])
    dense = (dense - dense.mean()) / np.sqrt(dense.var() + 1e-12)
    dense = dense * values["cls/predictions/transform/LayerNorm/gamma"] + values["cls/predictions/transform/LayerNorm/beta"]
    logits = values["bert/embeddings/word_embeddings"] @ dense + values["cls/predictions/output_bias"]
    probabilities = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    candidates = NeuralMaskedLM(encoder, language("en")).fill([MaskedText(text, 4, 7)], top=5)[0]
    assert len(candidates) == 5
    for candidate in candidates:
        assert not candidate.text.startswith(("##", "["))
        assert candidate.probability == pytest.approx(probabilities[tiny.VOCABULARY.index(candidate.text)], rel=1e-3)
    assert [c.probability for c in candidates] == sorted((c.probability for c in candidates), reverse=True)


def test_a_chinese_word_is_filled_by_words_of_as_many_characters_scored_jointly(encoder: Encoder) -> None:
    model = NeuralMaskedLM(encoder, language("zh"), beam=20)
    text = "猫在房子上"
    candidates = model.fill([MaskedText(text, 2, 4)], top=4)[0]
    assert [len(c.text) for c in candidates] == [2, 2, 2, 2]

    def log_probability(ids: list[int], position: int, piece: str) -> float:
        state = encoder.states([tuple(ids)], [4])[0][4][position]
        return float(encoder.decode(state[None])[0][tiny.VOCABULARY.index(piece)])

    mask, pieces = encoder.pieces.mask, list(encoder.pieces.text(text))
    for candidate in candidates:
        first, second = candidate.text[0], candidate.text[1]
        blank = [*pieces[:2], mask, mask, *pieces[4:]]
        left = [*pieces[:2], tiny.VOCABULARY.index(first), mask, *pieces[4:]]
        right = [*pieces[:2], mask, tiny.VOCABULARY.index(second), *pieces[4:]]
        onwards = log_probability(blank, 2, first) + log_probability(left, 3, second)
        backwards = log_probability(blank, 3, second) + log_probability(right, 2, first)
        assert candidate.probability == pytest.approx(np.exp(max(onwards, backwards)), rel=1e-3)


def test_fit_prefers_the_best_filler_over_a_poor_one(encoder: Encoder) -> None:
    model = NeuralMaskedLM(encoder, language("en"))
    text = "the cat sat on the mat"
    ranked = model.fill([MaskedText(text, 4, 7)], top=12)[0]
    best, worst = ranked[0].text, ranked[-1].text
    places = [MaskedText(f"the {word} sat on the mat", 4, 4 + len(word)) for word in (best, worst)]
    fits = model.fit(places)
    assert fits[0] > fits[1]
    assert fits[0] == pytest.approx(np.log(ranked[0].probability), abs=1e-3)


def test_a_truncated_model_file_is_refused_by_name(tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(tiny_folder, folder)
    stage = folder / "stage-1.onnx"
    stage.write_bytes(stage.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"stage-1\.onnx.*metaphrase models get tiny"):
        Encoder(folder)


def test_another_vocabulary_in_a_converted_model_is_refused(tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(tiny_folder, folder)
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    (folder / "vocab.txt").write_text("\n".join([*lines[:5], *reversed(lines[5:])]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"vocab\.txt"):
        Encoder(folder)


def test_the_runtime_reports_nothing_and_leaves_no_identifier_behind(tiny_folder: Path, tmp_path: Path) -> None:
    code = f"from pathlib import Path; from metaphrase.resources.neural.encoder import Encoder; Encoder(Path({str(tiny_folder)!r})).states([(6, 7)], [2])"
    surroundings = {k: v for k, v in os.environ.items() if k not in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")} | {"HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-W", "error", "-c", code], env=surroundings, check=True)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
