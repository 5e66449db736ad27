"""Turn raw weights into the files that the encoder runs, once; check them on known outputs before they count."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import InputError
from metaphrase.resources.neural.bert import bert_weights
from metaphrase.resources.neural.graph import head_graph, quantised_rows, stage_graphs
from metaphrase.resources.neural.manifest import RECIPE, KnownOutputs, Manifest, Precision, file_digest, write_manifest
from metaphrase.resources.neural.sources import Progress, RawModel
from metaphrase.resources.neural.wordpiece import read_vocabulary

__all__ = ["convert", "self_check"]


def convert(
    raw: RawModel, target: Path, *, name: str, licence: str, stages: Sequence[int], precision: Precision, progress: Progress
) -> Manifest:
    """Write the model's files into `target`, an existing empty folder."""
    weights = bert_weights(raw.tensors)
    vocabulary = read_vocabulary(raw.vocabulary)
    if len(vocabulary) != weights.words.shape[0]:
        raise InputError(
            f"{raw.vocabulary}: {len(vocabulary)} pieces for a model with {weights.words.shape[0]}: this is another model's vocabulary"
        )
    if stages[-1] != len(weights.blocks):
        raise InputError(f"{raw.source}: {len(weights.blocks)} blocks where {stages[-1]} are expected: this is not {name}")
    steps = len(stages) + 2
    progress("converting the word table", 0, steps)
    shutil.copyfile(raw.vocabulary, target / "vocab.txt")
    if precision == "int8":
        words, scales = quantised_rows(np.asarray(weights.words))
        _save(target / "words.npy", words)
        _save(target / "word_scales.npy", scales)
    else:
        _save(target / "words.npy", np.asarray(weights.words))
    _save(target / "decoder_bias.npy", np.asarray(weights.decoder_bias))
    for number, graph in enumerate(stage_graphs(weights, stages, precision), 1):
        progress(f"converting the layers up to {stages[number - 1]}", number, steps)
        (target / f"stage-{number}.onnx").write_bytes(graph.SerializeToString())
    (target / "head.onnx").write_bytes(head_graph(weights).SerializeToString())
    progress("writing the manifest", steps - 1, steps)
    manifest = Manifest(
        name=name,
        source=raw.source,
        licence=licence,
        source_sha256=raw.sha256,
        recipe=RECIPE,
        precision=precision,
        stages=tuple(stages),
        width=weights.width,
        positions=int(weights.positions.shape[0]),
        vocabulary=len(vocabulary),
        files={path.name: file_digest(path) for path in sorted(target.iterdir())},
    )
    write_manifest(target, manifest)
    progress("converted", steps, steps)
    return manifest


def self_check(folder: Path, known: KnownOutputs) -> None:
    """Refuse a model whose hidden state or masked-word prediction is not the known one."""
    from metaphrase.resources.neural.encoder import Encoder

    encoder = Encoder(folder)
    pieces = encoder.pieces.text(known.text)
    state = encoder.states([pieces], [known.layer])[0][known.layer][0]
    expected = np.array(known.state, dtype=np.float32)
    found = state[: len(expected)]
    if encoder.manifest.precision == "fp32":
        alike = np.allclose(found, expected, rtol=0, atol=1e-3)
    else:
        # 8 bits move single numbers by some per cent of the largest, but keep the direction.
        alike = float(found @ expected / (np.linalg.norm(found) * np.linalg.norm(expected))) > 0.95
    if not alike:
        raise InputError(
            f"{folder}: the converted model gives {np.round(found, 3).tolist()} for the known state {np.round(expected, 3).tolist()}: "
            "the weights or the vocabulary are not those of this model"
        )
    before, _, after = known.masked.partition("[MASK]")
    start = encoder.pieces.text(before)
    query = (*start, encoder.pieces.mask, *encoder.pieces.text(after))
    last = encoder.layers[-1]
    row = encoder.states([query], [last])[0][last][len(start)]
    best = encoder.pieces.vocabulary[int(encoder.decode(row[None])[0].argmax())]
    if best != known.filler:
        raise InputError(f"{folder}: the converted model fills '{known.masked}' with '{best}' instead of '{known.filler}'")


def _save(path: Path, array: NDArray[Any]) -> None:
    np.save(path, array, allow_pickle=False)
