"""A CTranslate2 model in a folder (Marian, OPUS, NLLB and the like, converted by its owner).

    metaphrase test ... --system ctranslate2:models/en-es

The folder holds `model.bin` and, for SentencePiece models, `source.spm` and `target.spm` (or `sentencepiece.model` for both).
Without them, `tokens = "space"` splits at spaces, which suits models of tokenised text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from metaphrase.core.errors import ConfigurationError, MissingResourceError
from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, Translation
from metaphrase.systems.base import Limits

__all__ = ["LocalModel", "open_ctranslate2"]

INSTALL = "pip install 'metaphrase[ctranslate2]'"
SPM_FILES = (("source.spm", "target.spm"), ("sentencepiece.model", "sentencepiece.model"), ("spm.model", "spm.model"))


class LocalOptions(Options):
    path: str = ""
    direction: str | None = Field(None, description='what the model translates, as "en-es"; any direction if it is not set')
    tokens: Literal["sentencepiece", "space"] = "sentencepiece"
    beam_size: int = Field(4, ge=1)
    prefix: str | None = Field(None, description="token that names the target language, for models with several")
    end: str | None = Field("</s>", description="token that ends a source sentence")
    device: str = "cpu"
    compute_type: str = "default"
    threads: int = Field(0, ge=0)
    items: int = Field(32, ge=1)


class LocalModel:
    """Translates in this process and gives each translation's score: its log-probability a token."""

    def __init__(self, name: str, options: LocalOptions) -> None:
        self.name = name
        self._options = options
        self._folder = Path(options.path).expanduser()
        if not (self._folder / "model.bin").is_file():
            raise ConfigurationError(
                f"the system '{name}': {self._folder / 'model.bin'} is not there: name the folder of a converted model"
            )
        self.limits = Limits(items=options.items, characters=200_000, concurrent=False)
        self._translator = self._open()
        self._encode, self._decode = self._tokeniser()

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        self.check(direction)
        end = [self._options.end] if self._options.end else []
        batch = [[*self._encode(text), *end] for text in texts]
        prefix = [[self._options.prefix]] * len(batch) if self._options.prefix else None
        results = self._translator.translate_batch(
            batch, target_prefix=prefix, beam_size=self._options.beam_size, return_scores=True, max_decoding_length=512
        )
        return [self._read(result) for result in results]

    def _read(self, result: Any) -> Translation:
        tokens = [token for token in result.hypotheses[0] if token not in (self._options.prefix, self._options.end)]
        score = float(result.scores[0]) if result.scores else None
        return Translation(self._decode(tokens), score=score)

    def signature(self) -> Signature:
        digest = hashlib.sha256()
        with (self._folder / "model.bin").open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        own = self._options
        parameters = {"model": digest.hexdigest()[:16], "beam": own.beam_size, "tokens": own.tokens, "prefix": own.prefix, "end": own.end}
        return Signature("ctranslate2", "1", parameters)

    def check(self, direction: Direction) -> None:
        if self._options.direction and Direction.parse(self._options.direction) != direction:
            raise ConfigurationError(f"the model in {self._folder} translates {self._options.direction}, not {direction}")

    def unlock(self) -> None:
        """It needs no key."""

    def close(self) -> None:
        self._translator.unload_model()

    def _open(self) -> Any:
        try:
            import ctranslate2
        except ModuleNotFoundError:
            raise MissingResourceError(f"the system '{self.name}' needs the package 'ctranslate2': {INSTALL}") from None
        own = self._options
        try:
            return ctranslate2.Translator(
                str(self._folder), device=own.device, compute_type=own.compute_type, intra_threads=own.threads, inter_threads=1
            )
        except (RuntimeError, ValueError) as error:
            raise ConfigurationError(f"the model in {self._folder} cannot be loaded: {error}") from None

    def _tokeniser(self) -> tuple[Any, Any]:
        if self._options.tokens == "space":
            return str.split, " ".join
        try:
            import sentencepiece
        except ModuleNotFoundError:
            raise MissingResourceError(f"the system '{self.name}' needs the package 'sentencepiece': {INSTALL}") from None
        for source, target in SPM_FILES:
            if (self._folder / source).is_file() and (self._folder / target).is_file():
                read, write = (sentencepiece.SentencePieceProcessor(model_file=str(self._folder / file)) for file in (source, target))
                return partial(read.encode, out_type=str), write.decode
        raise ConfigurationError(
            f"{self._folder} holds neither source.spm and target.spm nor sentencepiece.model:"
            f' put them there, or set tokens = "space" in [system.{self.name.split(":")[0]}]'
        )


@configured_by(LocalOptions)
@configured_by(LocalOptions)
def open_ctranslate2(name: str, argument: str, options: Mapping[str, Any]) -> LocalModel:
    settings = read_options(LocalOptions, {**options, **({"path": argument} if argument else {})}, f"[system.{name.split(':')[0]}]")
    return LocalModel(name, settings)
