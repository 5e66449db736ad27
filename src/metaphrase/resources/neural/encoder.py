"""Run the encoder: hidden states of texts, each distinct text once, only the layers asked for."""

from __future__ import annotations

import ctypes
import os
import sys
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.signature import Signature
from metaphrase.resources.neural.manifest import Manifest, open_model
from metaphrase.resources.neural.runtime import open_session
from metaphrase.resources.neural.wordpiece import WordPieces, read_vocabulary

__all__ = ["Encoder"]

States = NDArray[np.float32]
_Window = tuple[tuple[int, ...], int, int]  # pieces of a text, from, to
_Batch = list[_Window]

# Padded. So few that what a layer computes stays in the processor's cache: faster than large batches, and a tenth of their memory.
_BATCH_PIECES = 256
_OVERLAP = 128  # pieces of context that neighbouring windows of a long text share


class Encoder:
    """Hidden states of piece sequences, without those of [CLS] and [SEP].

    A text longer than the model's positions is encoded in overlapping windows, and each piece takes its state from the
    window where it stands farthest from an edge.
    """

    def __init__(self, folder: Path, *, threads: int | None = None, cache_megabytes: int = 128) -> None:
        self.manifest: Manifest = open_model(folder)
        self.folder = folder
        self.threads = threads or available_cores()
        self.pieces = WordPieces(read_vocabulary(folder / "vocab.txt"))
        self._words: NDArray[Any] = np.load(folder / "words.npy", mmap_mode="r", allow_pickle=False)
        scales = folder / "word_scales.npy"
        self._scales: States | None = np.load(scales, allow_pickle=False) if scales.exists() else None
        self._bias: States | None = None
        self._sessions: dict[str, Any] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._cache: OrderedDict[tuple[tuple[int, ...], int], NDArray[Any]] = OrderedDict()
        # 8-bit states are no more exact than half precision, so that is what they are rounded to, cached or not.
        self._kept = np.float16 if self.manifest.precision == "int8" else np.float32
        self._cached_bytes = 0
        self._cache_limit = cache_megabytes * 2**20

    def signature(self) -> Signature:
        manifest = self.manifest
        return Signature(manifest.name, manifest.recipe, {"weights": manifest.digest, "precision": manifest.precision})

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers whose states can be had, counted from 1."""
        return self.manifest.stages

    def states(
        self, texts: Sequence[tuple[int, ...]], layers: Sequence[int], *, remember: Sequence[int] | None = None
    ) -> list[dict[int, States]]:
        """For each piece sequence, the states of the layers: arrays of shape (pieces, width).

        `remember` names the layers that may be asked for again; by default all of them.
        """
        for layer in layers:
            if layer not in self.layers:
                raise ValueError(f"{self.manifest.name} gives layers {self.layers}, not {layer}")
        found: dict[tuple[tuple[int, ...], int], States] = {}
        for text in dict.fromkeys(texts):
            for layer in layers:
                known = self._cache.get((text, layer))
                if known is not None:
                    self._cache.move_to_end((text, layer))
                    found[text, layer] = known.astype(np.float32)
        missing = [text for text in dict.fromkeys(texts) if any((text, layer) not in found for layer in layers)]
        for text, layer, states in self._encode(missing, sorted(set(layers))):
            found[text, layer] = states.astype(np.float32)
            if remember is None or layer in remember:
                self._remember((text, layer), states)
        return [{layer: found[text, layer] for layer in layers} for text in texts]

    def _remember(self, key: tuple[tuple[int, ...], int], states: NDArray[Any]) -> None:
        if key not in self._cache:
            self._cached_bytes += states.nbytes
        self._cache[key] = states
        while self._cached_bytes > self._cache_limit and len(self._cache) > 1:
            _, oldest = self._cache.popitem(last=False)
            self._cached_bytes -= oldest.nbytes

    def _encode(self, texts: Sequence[tuple[int, ...]], layers: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int, NDArray[Any]]]:
        windows = [(text, start, end) for text in texts for start, end in _windows(len(text), self.manifest.positions - 2)]
        parts: dict[tuple[tuple[int, ...], int], list[tuple[int, NDArray[Any]]]] = {}
        batches = list(_batches(windows))
        for batch, outputs in zip(batches, self._run_all(batches, layers), strict=True):
            for layer, states in outputs:
                for (text, start, end), rows in zip(batch, states, strict=True):
                    # A copy, so that the cache does not keep the whole padded batch alive.
                    parts.setdefault((text, layer), []).append((start, rows[1 : 1 + end - start].astype(self._kept)))
        for (text, layer), pieces in parts.items():
            yield text, layer, _joined(pieces, len(text))

    def _run_all(self, batches: Sequence[_Batch], layers: Sequence[int]) -> Iterator[list[tuple[int, States]]]:
        """Each thread works on batches of its own: threads that share the work of one batch wait for each other at every step."""
        for number in range(1, self.layers.index(max(layers)) + 2):
            self._session(f"stage-{number}")  # here, because two threads would both make it
        if self.threads == 1 or len(batches) < 2:
            yield from (self._run(batch, layers) for batch in batches)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="encoder")
        yield from self._pool.map(lambda batch: self._run(batch, layers), batches)

    def _run(self, batch: _Batch, layers: Sequence[int]) -> list[tuple[int, States]]:
        length = max(end - start for _, start, end in batch) + 2
        ids = np.full((len(batch), length), self.pieces.padding, dtype=np.int64)
        mask = np.zeros((len(batch), length), dtype=np.int32)
        for row, (text, start, end) in enumerate(batch):
            sequence = (self.pieces.first, *text[start:end], self.pieces.last)
            ids[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        hidden = self._embeddings(ids)
        found = []
        for number, layer in enumerate(self.layers, 1):
            hidden = self._session(f"stage-{number}").run(None, {"hidden": hidden, "mask": mask})[0]
            if layer in layers:
                found.append((layer, hidden))
            if layer >= max(layers):
                break
        return found

    def _embeddings(self, ids: NDArray[np.int64]) -> States:
        rows = self._words[ids]
        if self._scales is None:
            return np.asarray(rows, dtype=np.float32)
        return rows.astype(np.float32) * self._scales[ids][..., None]

    def at(self, places: Sequence[tuple[tuple[int, ...], int]]) -> States:
        """The last layer's state of one piece of each text, which must fit into the model. Nothing is kept: such texts hardly come twice."""
        wanted: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        for number, (text, position) in enumerate(places):
            wanted.setdefault(text, []).append((number, position))
        found = np.empty((len(places), self._words.shape[1]), dtype=np.float32)
        batches = list(_batches([(text, 0, len(text)) for text in wanted]))
        for batch, outputs in zip(batches, self._run_all(batches, self.layers[-1:]), strict=True):
            for (text, _, _), rows in zip(batch, outputs[0][1], strict=True):
                for number, position in wanted[text]:
                    found[number] = rows[1 + position]
        return found

    def decode(self, hidden: States, pieces: NDArray[np.intp] | None = None) -> States:
        """Masked-LM log-probabilities of the pieces (ascending; all by default) for rows of the last layer."""
        if self._bias is None:
            self._bias = np.load(self.folder / "decoder_bias.npy", allow_pickle=False)
        chosen = np.arange(len(self._words)) if pieces is None else pieces
        rows = self._session("head").run(None, {"hidden": hidden.astype(np.float32)})[0]
        found = np.empty((len(hidden), len(chosen)), dtype=np.float32)
        highest, total = np.full(len(hidden), -np.inf, dtype=np.float32), np.zeros(len(hidden))
        step = 8_192  # the table stays in 8 bits but for the part being multiplied, and no row of all pieces is ever made
        for start in range(0, len(self._words), step):
            part = rows @ self._words[start : start + step].astype(np.float32).T
            if self._scales is not None:
                part *= self._scales[start : start + step]
            part += self._bias[start : start + step]
            inside = slice(*np.searchsorted(chosen, (start, start + step)))
            found[:, inside] = part[:, chosen[inside] - start]
            higher = np.maximum(highest, part.max(axis=1))
            total = total * np.exp(highest - higher) + np.exp(part - higher[:, None]).sum(axis=1)
            highest = higher
        return np.asarray(found - (highest + np.log(total))[:, None], dtype=np.float32)

    def _session(self, name: str) -> Any:
        if name not in self._sessions:
            self._sessions[name] = open_session(self.folder / f"{name}.onnx")
            _return_memory()
        return self._sessions[name]


def _return_memory() -> None:
    """Loading a model leaves a freed copy of it in glibc's heap, which goes back to the system only when asked for."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def available_cores() -> int:
    """The cores this process may use, which in a container is fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _windows(length: int, limit: int) -> Iterator[tuple[int, int]]:
    if length <= limit:
        yield 0, length
        return
    overlap = min(_OVERLAP, limit // 2)
    start = 0
    while start + limit < length:
        yield start, start + limit
        start += limit - overlap
    yield length - limit, length


def _batches(windows: Sequence[_Window]) -> Iterator[_Batch]:
    """Texts of similar length together, so that little is padding."""
    batch: _Batch = []
    for window in sorted(windows, key=lambda w: w[2] - w[1]):
        length = window[2] - window[1] + 2  # the longest so far
        if batch and (len(batch) + 1) * length > _BATCH_PIECES:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def _joined(parts: list[tuple[int, NDArray[Any]]], length: int) -> NDArray[Any]:
    if len(parts) == 1:
        return parts[0][1]
    joined = np.empty((length, parts[0][1].shape[1]), dtype=parts[0][1].dtype)
    margin = np.full(length, -1)
    for start, rows in parts:
        count = len(rows)
        # Distance to the nearest cut; the text's own ends are no cuts.
        left = np.arange(count) if start else np.full(count, length)
        right = np.arange(count)[::-1] if start + count < length else np.full(count, length)
        own = np.minimum(left, right)
        better = own > margin[start : start + count]
        joined[start : start + count][better] = rows[better]
        margin[start : start + count][better] = own[better]
    return joined
