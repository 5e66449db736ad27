"""BERT's weights under one set of names, whatever file they came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import InputError

__all__ = ["BertWeights", "Block", "Dense", "Norm", "bert_weights"]

Array = NDArray[np.float32]

_HEAD_WIDTH = 64  # every published BERT size has heads of this width


@dataclass(frozen=True, slots=True)
class Dense:
    """An affine map: ``x @ kernel + bias`` with a kernel of shape (in, out)."""

    kernel: Array
    bias: Array


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer normalisation's scale and shift."""

    scale: Array
    shift: Array


@dataclass(frozen=True, slots=True)
class Block:
    """One transformer block; ``attention_input`` is query, key and value side by side."""

    attention_input: Dense
    attention_output: Dense
    attention_norm: Norm
    expand: Dense
    contract: Dense
    output_norm: Norm


@dataclass(frozen=True, slots=True)
class BertWeights:
    """A BERT encoder with its masked-LM head; the decoder is tied to ``words``."""

    words: Array
    positions: Array
    """Position embeddings with the embedding of segment 0 already added: only single texts are encoded."""
    embedding_norm: Norm
    blocks: tuple[Block, ...]
    head: Dense
    head_norm: Norm
    decoder_bias: Array

    @property
    def width(self) -> int:
        return int(self.words.shape[1])

    @property
    def heads(self) -> int:
        return max(1, self.width // _HEAD_WIDTH)


@dataclass(frozen=True, slots=True)
class _Naming:
    """How one family of files calls the parts."""

    embeddings: str
    block: str
    attention: str
    kernel: str
    scale: str
    shift: str
    separator: str
    head: str
    decoder_bias: str
    transposed: bool
    table_suffix: str


_TENSORFLOW = _Naming(
    embeddings="bert/embeddings",
    block="bert/encoder/layer_{}",
    attention="attention/self/{}",
    kernel="kernel",
    scale="gamma",
    shift="beta",
    separator="/",
    head="cls/predictions/transform",
    decoder_bias="cls/predictions/output_bias",
    transposed=False,
    table_suffix="",
)
_TORCH = _Naming(
    embeddings="bert.embeddings",
    block="bert.encoder.layer.{}",
    attention="attention.self.{}",
    kernel="weight",
    scale="weight",
    shift="bias",
    separator=".",
    head="cls.predictions.transform",
    decoder_bias="cls.predictions.bias",
    transposed=True,
    table_suffix=".weight",
)


def bert_weights(tensors: Mapping[str, Array]) -> BertWeights:
    """Collect a BERT from tensors named as TensorFlow's or as PyTorch's release names them."""
    naming, find = _recognise(tensors)
    join = naming.separator.join

    def dense(*path: str) -> Dense:
        kernel = find(join((*path, naming.kernel)))
        return Dense(np.ascontiguousarray(kernel.T) if naming.transposed else kernel, find(join((*path, "bias"))))

    def norm(*path: str) -> Norm:
        return Norm(find(join((*path, "LayerNorm", naming.scale))), find(join((*path, "LayerNorm", naming.shift))))

    def block(number: int) -> Block:
        prefix = naming.block.format(number)
        parts = [dense(prefix, naming.attention.format(part)) for part in ("query", "key", "value")]
        joined = Dense(np.concatenate([p.kernel for p in parts], axis=1), np.concatenate([p.bias for p in parts]))
        output = join(("attention", "output"))
        return Block(
            attention_input=joined,
            attention_output=dense(prefix, output, "dense"),
            attention_norm=norm(prefix, output),
            expand=dense(prefix, "intermediate", "dense"),
            contract=dense(prefix, "output", "dense"),
            output_norm=norm(prefix, "output"),
        )

    def table(name: str) -> Array:
        return find(join((naming.embeddings, name)) + naming.table_suffix)

    count = 0
    while any(naming.block.format(count) + naming.separator in name for name in tensors):
        count += 1
    weights = BertWeights(
        words=table("word_embeddings"),
        positions=table("position_embeddings") + table("token_type_embeddings")[0],
        embedding_norm=norm(naming.embeddings),
        blocks=tuple(block(number) for number in range(count)),
        head=dense(naming.head, "dense"),
        head_norm=norm(naming.head),
        decoder_bias=find(naming.decoder_bias),
    )
    _check(weights)
    return weights


def _recognise(tensors: Mapping[str, Array]) -> tuple[_Naming, Callable[[str], Array]]:
    for naming, marker in ((_TENSORFLOW, "word_embeddings"), (_TORCH, "word_embeddings.weight")):
        full = naming.separator.join((naming.embeddings, marker))
        for name in tensors:
            if name.endswith(full):
                return naming, _finder(tensors, name[: -len(full)])
    raise InputError("no BERT word embeddings among the tensors; expected a BERT model with its masked-LM head")


def _finder(tensors: Mapping[str, Array], prefix: str) -> Callable[[str], Array]:
    def find(name: str) -> Array:
        # Older PyTorch exports keep TensorFlow's names for the norms' parameters.
        older = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        for candidate in (prefix + name, name, prefix + older):
            if candidate in tensors:
                return np.asarray(tensors[candidate], dtype=np.float32)
        raise InputError(f"the model lacks the tensor {prefix + name}; expected BERT with its masked-LM head")

    return find


def _check(weights: BertWeights) -> None:
    if not weights.blocks:
        raise InputError("the model has no transformer blocks")
    width = weights.width
    for number, block in enumerate(weights.blocks, 1):
        shapes = (block.attention_input.kernel.shape, block.attention_output.kernel.shape)
        if shapes != ((width, 3 * width), (width, width)):
            raise InputError(f"block {number} has kernels of shape {shapes}, the embeddings are {width} wide")
    if weights.decoder_bias.shape[0] != weights.words.shape[0]:
        raise InputError(f"the decoder has {weights.decoder_bias.shape[0]} outputs for {weights.words.shape[0]} vocabulary entries")
