"""What all tests share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from metaphrase.resources.neural.encoder import Encoder

# The first call of a language loads its dictionary; deadlines would measure that.
settings.register_profile("metaphrase", deadline=None, max_examples=60)
settings.load_profile("metaphrase")


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random encoder, converted in fp32."""
    from tiny_bert import build

    return build(tmp_path_factory.mktemp("tiny"), "fp32")


@pytest.fixture(scope="session")
def tiny_folder_int8(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tiny_bert import build

    return build(tmp_path_factory.mktemp("tiny8"), "int8")


@pytest.fixture(scope="session")
def encoder(tiny_folder: Path) -> Encoder:
    from metaphrase.resources.neural.encoder import Encoder

    return Encoder(tiny_folder, threads=1)


@pytest.fixture(scope="session")
def encoder_int8(tiny_folder_int8: Path) -> Encoder:
    from metaphrase.resources.neural.encoder import Encoder

    return Encoder(tiny_folder_int8, threads=1)
