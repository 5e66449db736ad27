"""A converted model's folder: its manifest, and the check that its files are the ones that were written."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from metaphrase.core.errors import InputError, MissingResourceError
from metaphrase.core.signature import content_hash

__all__ = ["MANIFEST", "RECIPE", "KnownOutputs", "Manifest", "Precision", "file_digest", "open_model", "read_manifest", "write_manifest"]

MANIFEST = "manifest.json"
RECIPE = "1"  # goes up when the files that conversion writes change

Precision = Literal["int8", "fp32"]


@dataclass(frozen=True, slots=True)
class KnownOutputs:
    """What a converted model must reproduce: the beginning of a hidden state, and the best filler of a mask."""

    text: str
    layer: int
    state: tuple[float, ...]
    """The first numbers of the first piece's state, in fp32."""
    masked: str
    """A sentence with one [MASK]."""
    filler: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder holds and where it came from."""

    name: str
    source: str
    licence: str
    source_sha256: str
    recipe: str
    precision: Precision
    stages: tuple[int, ...]
    """The layers that the stages' files end with."""
    width: int
    positions: int
    vocabulary: int
    files: dict[str, str]
    """SHA-256 of every file, by name."""

    @property
    def digest(self) -> str:
        return content_hash(sorted(self.files.items()))[:8]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    text = json.dumps(asdict(manifest), ensure_ascii=False, indent=2)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        data["stages"] = tuple(data["stages"])
        return Manifest(**data)
    except FileNotFoundError as error:
        raise MissingResourceError(f"{path}: no model here") from error
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path}: not a model manifest ({error}); delete the folder and fetch the model again") from error


def open_model(folder: Path) -> Manifest:
    """The manifest, once every file has been compared with it."""
    manifest = read_manifest(folder)
    remedy = f"delete {folder} and run: metaphrase models get {manifest.name}"
    for name, expected in manifest.files.items():
        path = folder / name
        if not path.is_file():
            raise InputError(f"{path}: missing; {remedy}")
        if file_digest(path) != expected:
            raise InputError(f"{path}: not the file that was converted (cut short, replaced or damaged); {remedy}")
    return manifest


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
