"""Engines that really translate: Apertium behind its HTTP server, and a CTranslate2 model made here."""

from __future__ import annotations

import math
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from metaphrase.campaign.events import Summary
from metaphrase.campaign.store import Store
from metaphrase.campaign.translate import Sending, TranslateStage
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.values import Case, Direction, MetamorphicCase
from metaphrase.systems import open_system

EN_ES = Direction("en", "es")
SENTENCES = [
    "The house is big.",
    "I see 3 < 4 & <b>tags</b>.",
    "The cats sleep; the dogs do not.",
    "My friend's car is red.",
    'She said "good morning" to the children.',
]


@pytest.fixture(scope="module")
def apy() -> Iterator[str]:
    if shutil.which("apertium-apy") is None:
        pytest.skip("apertium-apy is not installed: apt-get install apertium-apy apertium-eng-spa")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        ["apertium-apy", "-p", str(port), "-j", "1", "/usr/share/apertium"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{url}/listPairs", timeout=5).close()
                break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None, "apertium-apy ended"
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.apertium
def test_a_live_apertium_server_translates_as_the_program_does(apy: str, tmp_path: Path) -> None:
    system = open_system("apy", {"apy": {"url": apy}})
    cases: list[Case] = [MetamorphicCase(str(i), EN_ES, "test", s, s.replace("The", "A")) for i, s in enumerate(SENTENCES)]
    with Store(tmp_path / "a.db") as store:
        stage = TranslateStage(store, Summary(), Sending(jobs=4))
        for _ in stage.fill(cases, lambda request: system):
            pass
    system.close()
    for case in cases:
        assert isinstance(case, MetamorphicCase)
        # The program itself is the independent source.
        alone = subprocess.run(["apertium", "-u", "-f", "txt", "eng-spa"], input=case.source, capture_output=True, text=True, check=True)
        assert case.source_translation == alone.stdout.rstrip("\n")


@pytest.mark.apertium
def test_a_pair_that_the_live_server_has_not_is_an_error_that_lists_what_it_has(apy: str) -> None:
    system = open_system("apy", {"apy": {"url": apy}})
    with pytest.raises(ConfigurationError, match=r"does not translate eng\|zho; it has .*eng\|spa"):
        system.translate(["one"], Direction("en", "zh"))
    system.close()


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Transformer of one layer with random weights: it translates nothing, but all parts are real."""
    ctranslate2 = pytest.importorskip("ctranslate2", reason="pip install 'metaphrase[ctranslate2]'")
    import numpy as np

    vocabulary = ["<unk>", "<s>", "</s>", "the", "house", "is", "big", "la", "casa", "es", "grande"]
    spec = ctranslate2.specs.TransformerSpec.from_config(num_layers=1, num_heads=2)
    chance = np.random.default_rng(7)
    width, inner = 8, 16

    def linear(layer: object, rows: int, columns: int) -> None:
        layer.weight = chance.normal(0, 0.5, (rows, columns)).astype(np.float32)  # type: ignore[attr-defined]
        layer.bias = np.zeros(rows, dtype=np.float32)  # type: ignore[attr-defined]

    def norm(layer: object) -> None:
        layer.gamma = np.ones(width, dtype=np.float32)  # type: ignore[attr-defined]
        layer.beta = np.zeros(width, dtype=np.float32)  # type: ignore[attr-defined]

    def attention(layer: object, own: bool) -> None:
        norm(layer.layer_norm)  # type: ignore[attr-defined]
        sizes = [(3 * width, width), (width, width)] if own else [(width, width), (2 * width, width), (width, width)]
        for part, (rows, columns) in zip(layer.linear, sizes, strict=True):  # type: ignore[attr-defined]
            linear(part, rows, columns)

    def feed_forward(layer: object) -> None:
        norm(layer.layer_norm)  # type: ignore[attr-defined]
        linear(layer.linear_0, inner, width)  # type: ignore[attr-defined]
        linear(layer.linear_1, width, inner)  # type: ignore[attr-defined]

    def positions(encodings: object) -> None:
        encodings.encodings = chance.normal(0, 0.1, (512, width)).astype(np.float32)  # type: ignore[attr-defined]

    for side in (spec.encoder, spec.decoder):
        embeddings = side.embeddings[0] if isinstance(side.embeddings, list) else side.embeddings
        embeddings.weight = chance.normal(0, 1, (len(vocabulary), width)).astype(np.float32)
        positions(side.position_encodings)
        norm(side.layer_norm)
        for layer in side.layer:
            attention(layer.self_attention, True)
            if hasattr(layer, "attention"):
                attention(layer.attention, False)
            feed_forward(layer.ffn)
    linear(spec.decoder.projection, len(vocabulary), width)
    spec.register_source_vocabulary(vocabulary)
    spec.register_target_vocabulary(vocabulary)
    folder = tmp_path_factory.mktemp("model")
    spec.validate()
    spec.save(str(folder))
    return folder


def test_a_ctranslate2_model_in_a_folder_translates_with_scores(tiny_model: Path, tmp_path: Path) -> None:
    tables = {"ctranslate2": {"tokens": "space", "direction": "en-es"}}
    system = open_system(f"ctranslate2:{tiny_model}", tables)
    texts = ["the house is big", "the house", "big big big"]
    first = system.translate(texts, EN_ES)
    assert [a.ok for a in first] == [True, True, True]
    assert all(a.score is not None and a.score <= 0 and math.isfinite(a.score) for a in first)
    # Alone or in a batch, a text gets the same words.
    assert [system.translate([t], EN_ES)[0].text for t in texts] == [a.text for a in first]
    other = tmp_path / "other"
    shutil.copytree(tiny_model, other)
    with (other / "model.bin").open("ab") as file:
        file.write(b"\0")
    assert system.signature().digest != open_system(f"ctranslate2:{other}", tables).signature().digest
    with pytest.raises(ConfigurationError, match="translates en-es, not en-zh"):
        system.translate(texts, Direction("en", "zh"))
    system.close()


def test_a_folder_without_a_model_or_without_a_tokeniser_says_what_is_missing(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"model.bin is not there"):
        open_system(f"ctranslate2:{tmp_path}")
    with pytest.raises(ConfigurationError, match=r"neither source.spm and target.spm nor sentencepiece.model"):
        open_system(f"ctranslate2:{tiny_model}")
