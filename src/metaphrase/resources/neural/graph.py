"""Build the ONNX graphs that the encoder runs, in fp32 or with 8-bit matrices.

The encoder is cut into stages, one file each, because onnxruntime always runs a whole graph: word alignment needs the
first stage only. A stage takes hidden states and a mask and gives hidden states; the first one takes word embeddings,
which are looked up outside (a memory-mapped table, of which only the rows in use are ever read).

8-bit matrices: every token's activations get a scale of their own, every column of a matrix too. A scale for the whole
batch, as `quantize_dynamic` sets it, is less exact and makes a sentence's vectors depend on its neighbours in the batch.
Before that, the input channels that layer normalisation makes large are scaled down and the matrix rows up by the same
factor, which costs nothing and leaves more of the 8 bits to the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

from metaphrase.resources.neural.bert import BertWeights, Block, Dense, Norm
from metaphrase.resources.neural.manifest import Precision

__all__ = ["head_graph", "quantised_rows", "stage_graphs"]

_OPSET = 20
_IR_VERSION = 10
_EPSILON = 1e-12  # BERT's layer normalisation
_LIMIT = 127
_SMOOTHING = 0.8


def stage_graphs(weights: BertWeights, stages: Sequence[int], precision: Precision) -> Iterator[ModelProto]:
    """One model a stage; stage k ends with the output of block `stages[k]`, counted from 1."""
    first = 0
    for last in stages:
        yield _stage(weights, first, last, precision)
        first = last


def head_graph(weights: BertWeights) -> ModelProto:
    """From last hidden states (rows) to what the decoder multiplies with the word table. Small, so always fp32."""
    graph = _Builder("fp32")
    x = graph.node("Gelu", [graph.dense("hidden", weights.head, "dense")], "gelu", approximate="none")
    graph.norm(x, weights.head_norm, "decoder_input")
    rows: list[str | int] = ["rows", weights.width]
    return graph.model(_value("hidden", rows), output=_value("decoder_input", rows))


def quantised_rows(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A table in 8 bits and the scale of each row."""
    scales = np.maximum(np.abs(table).max(axis=1), 1e-12).astype(np.float32) / _LIMIT
    return np.rint(table / scales[:, None]).astype(np.int8), scales


def _stage(weights: BertWeights, first: int, last: int, precision: Precision) -> ModelProto:
    graph = _Builder(precision)
    states: list[str | int] = ["batch", "length", weights.width]
    x = "hidden"
    if first == 0:
        length = graph.node("Shape", ["hidden"], "length", start=1, end=2)
        zero = graph.constant("zero", np.array([0], dtype=np.int64))
        positions = graph.node("Slice", [graph.constant("positions", weights.positions), zero, length, zero], "position_rows")
        x = graph.norm(graph.node("Add", [x, positions], "embeddings"), weights.embedding_norm, "embedding_norm")
    # The norm that made a block's input tells which of its channels are large.
    norms = [weights.embedding_norm, *(block.output_norm for block in weights.blocks)]
    for number in range(first, last):
        name = "output" if number + 1 == last else f"block_{number + 1}"
        x = graph.block(x, weights.blocks[number], norms[number], heads=weights.heads, name=name)
    mask = _value("mask", ["batch", "length"], TensorProto.INT32)
    return graph.model(_value("hidden", states), mask, output=_value("output", states))


def _value(name: str, shape: list[str | int], kind: int = TensorProto.FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


@dataclass
class _Builder:
    precision: Precision
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def model(self, *inputs: Any, output: Any) -> ModelProto:
        graph = helper.make_graph(self.nodes, "bert", list(inputs), [output], self.constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="metaphrase")

    def norm(self, x: str, weights: Norm, name: str) -> str:
        inputs = [x, self.constant(f"{name}.scale", weights.scale), self.constant(f"{name}.shift", weights.shift)]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=_EPSILON)

    def dense(self, x: str, weights: Dense, name: str, *, after: Norm | None = None) -> str:
        if self.precision == "int8":
            product = self._product_in_8_bits(x, weights.kernel, name, after)
        else:
            product = self.node("MatMul", [x, self.constant(f"{name}.kernel", weights.kernel)], f"{name}.product")
        return self.node("Add", [product, self.constant(f"{name}.bias", weights.bias)], name)

    def _product_in_8_bits(self, x: str, kernel: NDArray[np.float32], name: str, after: Norm | None) -> str:
        if after is not None:
            large = np.maximum(3 * np.abs(after.scale) + np.abs(after.shift), 1e-3) ** _SMOOTHING
            large /= np.exp(np.log(large).mean())
            x = self.node("Mul", [x, self.constant(f"{name}.smoothing", (1 / large).astype(np.float32))], f"{name}.smooth")
            kernel = kernel * large[:, None]
        columns, scales = quantised_rows(np.ascontiguousarray(kernel.T))
        axes = self.constant(f"{name}.axes", np.array([-1], dtype=np.int64))
        largest = self.node("ReduceMax", [self.node("Abs", [x], f"{name}.abs"), axes], f"{name}.largest", keepdims=1)
        unit = self.node("Mul", [largest, self.constant(f"{name}.share", np.array(1 / _LIMIT, np.float32))], f"{name}.unit")
        # Unsigned around 128, the combination that onnxruntime has fast kernels for; the half makes the cast round.
        steps = self.node("Div", [x, unit], f"{name}.steps")
        shifted = self.node("Add", [steps, self.constant(f"{name}.middle", np.array(128.5, np.float32))], f"{name}.shifted")
        tokens = self.node("Cast", [shifted], f"{name}.tokens", to=TensorProto.UINT8)
        inputs = [tokens, self.constant(f"{name}.kernel", columns.T), self.constant(f"{name}.zero", np.array(128, np.uint8))]
        exact = self.node("Cast", [self.node("MatMulInteger", inputs, f"{name}.integers")], f"{name}.exact", to=TensorProto.FLOAT)
        scaled = self.node("Mul", [exact, unit], f"{name}.by_token")
        return self.node("Mul", [scaled, self.constant(f"{name}.scales", scales)], f"{name}.product")

    def block(self, x: str, weights: Block, before: Norm, *, heads: int, name: str) -> str:
        joined = self.dense(x, weights.attention_input, f"{name}.qkv", after=before)
        parts = [f"{name}.query", f"{name}.key", f"{name}.value"]
        self.nodes.append(helper.make_node("Split", [joined], parts, axis=-1, num_outputs=3, name=f"{name}.split"))
        context = self.node("MultiHeadAttention", [*parts, "", "mask"], f"{name}.context", domain="com.microsoft", num_heads=heads)
        attended = self.dense(context, weights.attention_output, f"{name}.attention")
        x = self.norm(self.node("Add", [attended, x], f"{name}.attention_sum"), weights.attention_norm, f"{name}.attention_norm")
        wide = self.dense(x, weights.expand, f"{name}.expand", after=weights.attention_norm)
        wide = self.node("Gelu", [wide], f"{name}.gelu", approximate="none")
        narrow = self.dense(wide, weights.contract, f"{name}.contract")
        return self.norm(self.node("Add", [narrow, x], f"{name}.sum"), weights.output_norm, name)
