"""What the neural profile's entry points name: resources made from options, around one shared encoder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from metaphrase.core.errors import ConfigurationError
from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.values import Direction
from metaphrase.core.weights import read_weights, shipped_weights
from metaphrase.resources.lite.evidence import ChineseEnglishEvidence, EvidenceSource, GeneralEvidence, GlossaryEvidence, read_glossary
from metaphrase.resources.neural.manifest import Precision
from metaphrase.resources.neural.models import load_encoder
from metaphrase.resources.protocols import Aligner, Embedder, MaskedLM, SentenceEmbedder
from metaphrase.text.languages import Language, language

if TYPE_CHECKING:
    from metaphrase.resources.neural.encoder import Encoder

__all__ = ["aligner", "embedder", "evidence_for", "masked_lm", "sentence_embedder"]

SOFTMAX_THRESHOLD = 1e-3  # of the published aligner


class EncoderOptions(Options):
    """`[resource.ROLE]` of every role that the encoder serves."""

    model: str = "mbert"
    precision: Precision = "int8"
    threads: int | None = Field(default=None, ge=1)
    cache_megabytes: int = Field(default=128, ge=1)


class AlignerOptions(EncoderOptions):
    """`scorer`: learned where weights are shipped for the pair (or given), else the softmax rule; or one of them by name."""

    scorer: Literal["auto", "learned", "softmax"] = "auto"
    weights: Path | None = None
    glossary: Path | None = None
    layer: int = Field(default=8, ge=1)
    threshold: float | None = Field(default=None, gt=0, lt=1)


class EmbedderOptions(EncoderOptions):
    layer: int | None = Field(default=None, ge=1)
    comparison_layer: int | None = Field(default=None, ge=1)


class MaskedLMOptions(EncoderOptions):
    beam: int = Field(default=5, ge=1)


class SentenceEmbedderOptions(Options):
    """`model`: one by name, `none`, or `auto`: the one that was fetched for the language, if any."""

    model: str = "auto"
    threads: int | None = Field(default=None, ge=1)


@configured_by(AlignerOptions)
def aligner(direction: Direction, options: Mapping[str, Any]) -> Aligner:
    from metaphrase.resources.neural.aligner import SoftmaxAligner

    read = read_options(AlignerOptions, options, "[resource.aligner]")
    encoder = load_encoder(read.model, precision=read.precision, threads=read.threads, cache_megabytes=read.cache_megabytes)
    learned = None if read.scorer == "softmax" else _link_scorer(direction, encoder, read)
    if learned is not None:
        return learned
    if read.scorer == "learned" or read.weights is not None:
        raise ConfigurationError(
            f"[resource.aligner] no learned link scorer for {direction}: leave 'scorer' out, or learn one with 'metaphrase calibrate alignment'"
        )
    return SoftmaxAligner(encoder, direction, layer=read.layer, threshold=read.threshold or SOFTMAX_THRESHOLD)


def _link_scorer(direction: Direction, encoder: Encoder, options: AlignerOptions) -> Aligner | None:
    """The learned scorer for a pair of languages, in whichever direction it was learnt."""
    from metaphrase.resources.neural.link_scorer import ContextualAligner

    bases = direction.source.split("-")[0], direction.target.split("-")[0]
    for transposed, (first, second) in ((False, bases), (True, bases[::-1])):
        weights = read_weights(options.weights) if options.weights else shipped_weights(__package__, f"links-{first}-{second}")
        if weights is None or weights.provenance.get("pair", f"{first}-{second}") != f"{first}-{second}":
            continue
        evidence = evidence_for(language(first), language(second))
        if options.glossary is not None:
            terms = read_glossary(options.glossary, language(first), language(second), swapped=transposed)
            evidence = GlossaryEvidence(evidence, terms, language(first), language(second))
        return ContextualAligner(direction, evidence, weights, encoder, transposed=transposed, threshold=options.threshold)
    return None


def evidence_for(source: Language, target: Language) -> EvidenceSource:
    """What speaks for links of a pair before the encoder is asked: a dictionary for Chinese and English, else spelling."""
    if (source.code, target.code) == ("zh", "en"):
        return ChineseEnglishEvidence()
    return GeneralEvidence(source, target)


@configured_by(EmbedderOptions)
def embedder(code: str, options: Mapping[str, Any]) -> Embedder:
    from metaphrase.resources.neural.embedder import NeuralEmbedder

    read = read_options(EmbedderOptions, options, "[resource.embedder]")
    encoder = load_encoder(read.model, precision=read.precision, threads=read.threads, cache_megabytes=read.cache_megabytes)
    return NeuralEmbedder(encoder, language(code), layer=read.layer, comparison_layer=read.comparison_layer)


@configured_by(MaskedLMOptions)
def masked_lm(code: str, options: Mapping[str, Any]) -> MaskedLM:
    from metaphrase.resources.neural.masked_lm import NeuralMaskedLM

    read = read_options(MaskedLMOptions, options, "[resource.masked-lm]")
    encoder = load_encoder(read.model, precision=read.precision, threads=read.threads, cache_megabytes=read.cache_megabytes)
    return NeuralMaskedLM(encoder, language(code), beam=read.beam)


@configured_by(SentenceEmbedderOptions)
def sentence_embedder(code: str, options: Mapping[str, Any]) -> SentenceEmbedder | None:
    from metaphrase.resources.neural.sentences import load_sentence_encoder, sentence_encoder_for

    read = read_options(SentenceEmbedderOptions, options, "[resource.sentence-embedder]")
    name = sentence_encoder_for(code) if read.model == "auto" else read.model
    return None if name in (None, "none") else load_sentence_encoder(name, threads=read.threads)
