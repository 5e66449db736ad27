"""What the neural profile's entry points name: resources made from options, around one shared encoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from metaphrase.core.options import Options, read_options
from metaphrase.core.values import Direction
from metaphrase.resources.neural.manifest import Precision
from metaphrase.resources.neural.models import load_encoder
from metaphrase.resources.protocols import Aligner, Embedder, MaskedLM
from metaphrase.text.languages import language

__all__ = ["aligner", "embedder", "masked_lm"]


class EncoderOptions(Options):
    """`[resource.ROLE]` of every role that the encoder serves."""

    model: str = "mbert"
    precision: Precision = "int8"
    threads: int | None = Field(default=None, ge=1)
    cache_megabytes: int = Field(default=128, ge=1)


class AlignerOptions(EncoderOptions):
    layer: int = Field(default=8, ge=1)
    threshold: float = Field(default=1e-3, gt=0, lt=1)


class EmbedderOptions(EncoderOptions):
    layer: int | None = Field(default=None, ge=1)


class MaskedLMOptions(EncoderOptions):
    beam: int = Field(default=8, ge=1)


def aligner(direction: Direction, options: Mapping[str, Any]) -> Aligner:
    from metaphrase.resources.neural.aligner import SoftmaxAligner

    read = read_options(AlignerOptions, options, "[resource.aligner]")
    encoder = load_encoder(read.model, precision=read.precision, threads=read.threads, cache_megabytes=read.cache_megabytes)
    return SoftmaxAligner(encoder, direction, layer=read.layer, threshold=read.threshold)


def embedder(code: str, options: Mapping[str, Any]) -> Embedder:
    from metaphrase.resources.neural.embedder import NeuralEmbedder

    read = read_options(EmbedderOptions, options, "[resource.embedder]")
    encoder = load_encoder(read.model, precision=read.precision, threads=read.threads, cache_megabytes=read.cache_megabytes)
    return NeuralEmbedder(encoder, language(code), layer=read.layer)


def masked_lm(code: str, options: Mapping[str, Any]) -> MaskedLM:
    from metaphrase.resources.neural.masked_lm import NeuralMaskedLM

    read = read_options(MaskedLMOptions, options, "[resource.masked-lm]")
    encoder = load_encoder(read.model, precision=read.precision, threads=read.threads, cache_megabytes=read.cache_megabytes)
    return NeuralMaskedLM(encoder, language(code), beam=read.beam)
