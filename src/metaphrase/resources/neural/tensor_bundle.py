"""Read TensorFlow's tensor bundle (a SavedModel's ``variables.*`` files) without TensorFlow.

``variables.index`` is an SSTable: blocks of prefix-compressed keys, an index block and a footer. Each value is a small
protobuf message with the tensor's type, shape, shard, offset and size. The data file holds the raw little-endian
tensors, which are memory-mapped, so that reading one tensor does not load the others.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from metaphrase.core.errors import InputError

__all__ = ["read_tensor_bundle"]

_MAGIC = 0xDB4775248B80FB57
_FOOTER_BYTES = 48
_TRAILER_BYTES = 5  # a compression byte and a checksum behind every block
_FLOAT32 = 1  # DT_FLOAT, the only type BERT's variables need


@dataclass(frozen=True, slots=True)
class _Entry:
    shape: tuple[int, ...]
    dtype: int
    shard: int
    offset: int
    size: int


def read_tensor_bundle(index: Path) -> Mapping[str, NDArray[np.float32]]:
    """The float tensors of the bundle whose index file is given, by name; other types are left out."""
    table = index.read_bytes()
    data = index.with_name(f"{index.stem}.data-00000-of-00001")
    if not data.is_file():
        raise InputError(f"{data}: missing; a bundle of one shard is expected beside {index.name}")
    available = data.stat().st_size
    tensors: dict[str, NDArray[np.float32]] = {}
    for key, value in _table_entries(table, index):
        if not key:  # the bundle's header
            continue
        entry = _entry(value)
        name = key.decode("utf-8")
        if entry.dtype != _FLOAT32:
            continue
        if entry.shard != 0:
            raise InputError(f"{index}: tensor {name} is in shard {entry.shard}; only one shard is supported")
        count = int(np.prod(entry.shape, dtype=np.int64))
        if entry.size != 4 * count or entry.offset + entry.size > available:
            raise InputError(
                f"{data}: tensor {name} needs bytes {entry.offset} to {entry.offset + entry.size} "
                f"for shape {list(entry.shape)}, the file has {available}: it is cut short or damaged"
            )
        tensors[name] = np.memmap(data, dtype="<f4", mode="r", offset=entry.offset, shape=entry.shape)
    return MappingProxyType(tensors)


def _table_entries(table: bytes, path: Path) -> Iterator[tuple[bytes, bytes]]:
    if len(table) < _FOOTER_BYTES or struct.unpack("<Q", table[-8:])[0] != _MAGIC:
        raise InputError(f"{path}: not a tensor bundle index (wrong end marker): it is cut short or damaged")
    footer = table[-_FOOTER_BYTES:]
    try:
        _, position = _varint(footer, 0)  # the meta-index block's handle comes first and is not needed
        _, position = _varint(footer, position)
        offset, position = _varint(footer, position)
        size, _ = _varint(footer, position)
        for _, handle in _block_entries(table, offset, size):
            block_offset, position = _varint(handle, 0)
            block_size, _ = _varint(handle, position)
            yield from _block_entries(table, block_offset, block_size)
    except (IndexError, struct.error) as error:
        raise InputError(f"{path}: a block points outside the file: it is cut short or damaged") from error


def _block_entries(table: bytes, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    if offset + size + _TRAILER_BYTES > len(table):
        raise IndexError("block outside the table")
    if table[offset + size] != 0:
        raise InputError("the bundle's index is compressed, which BERT's bundles are not")
    block = table[offset : offset + size]
    restarts = struct.unpack("<I", block[-4:])[0]
    end = size - 4 - 4 * restarts
    position, key = 0, b""
    while position < end:
        shared, position = _varint(block, position)
        own, position = _varint(block, position)
        length, position = _varint(block, position)
        key = key[:shared] + block[position : position + own]
        position += own
        yield key, block[position : position + length]
        position += length


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a protobuf message as (number, value)."""
    position = 0
    while position < len(message):
        tag, position = _varint(message, position)
        number, wire = tag >> 3, tag & 7
        value: int | bytes
        if wire == 0:
            value, position = _varint(message, position)
        elif wire == 2:
            length, position = _varint(message, position)
            value = message[position : position + length]
            position += length
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
            value = int.from_bytes(message[position : position + length], "little")
            position += length
        else:
            raise InputError(f"unknown protobuf wire type {wire} in the bundle's index")
        yield number, value


def _entry(message: bytes) -> _Entry:
    values: dict[int, int | bytes] = dict(_fields(message))
    shape = values.get(2, b"")
    sizes: list[int] = []
    if isinstance(shape, bytes):
        for number, dimension in _fields(shape):
            if number == 2 and isinstance(dimension, bytes):
                size = dict(_fields(dimension)).get(1, 0)
                sizes.append(size if isinstance(size, int) else 0)

    def number_of(field: int) -> int:
        value = values.get(field, 0)
        return value if isinstance(value, int) else 0

    return _Entry(tuple(sizes), number_of(1), number_of(3), number_of(4), number_of(5))
