"""Read a safetensors file: a JSON header, then raw tensors. Nothing in it can run code."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import InputError

__all__ = ["read_safetensors"]

_HEADER_LIMIT = 100_000_000  # the format's own limit
_TYPES = {"F32": ("<f4", 4), "F16": ("<f2", 2), "BF16": ("<u2", 2)}


def read_safetensors(path: Path) -> Mapping[str, NDArray[np.float32]]:
    """The float tensors of the file by name; 32-bit ones are memory-mapped. Integer tensors are left out."""
    available = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else _HEADER_LIMIT + 1
        if length > min(_HEADER_LIMIT, available - 8):
            raise InputError(f"{path}: not a safetensors file, or cut short ({available} bytes)")
        try:
            header = json.loads(file.read(length))
        except ValueError as error:
            raise InputError(f"{path}: the safetensors header is not JSON: {error}") from error
    tensors: dict[str, NDArray[np.float32]] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry.get("dtype") not in _TYPES:
            continue
        dtype, width = _TYPES[entry["dtype"]]
        shape = tuple(int(n) for n in entry["shape"])
        first, end = (int(n) for n in entry["data_offsets"])
        count = int(np.prod(shape, dtype=np.int64))
        if end - first != width * count or 8 + length + end > available:
            raise InputError(f"{path}: tensor {name} lies outside the file ({available} bytes): it is cut short or damaged")
        raw = np.memmap(path, dtype=dtype, mode="r", offset=8 + length + first, shape=shape)
        if entry["dtype"] == "BF16":
            tensors[name] = (raw.astype(np.uint32) << 16).view(np.float32)
        else:
            tensors[name] = raw if entry["dtype"] == "F32" else raw.astype(np.float32)
    return MappingProxyType(tensors)
