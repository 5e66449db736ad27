"""What all tests share."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from metaphrase.resources.neural.encoder import Encoder

# The first call of a language loads its dictionary; deadlines would measure that.
settings.register_profile("metaphrase", deadline=None, max_examples=60)
settings.load_profile("metaphrase")

pytest_plugins = ["pytester"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests against the real engine need the real engine; .ci/run fails if they were skipped."""
    missing = _missing_engine()
    if missing:
        for item in items:
            if item.get_closest_marker("apertium"):
                item.add_marker(
                    pytest.mark.skip(reason=f"{missing}: apt-get install apertium apertium-eng-spa apertium-eng-cat apertium-spa-cat")
                )


def _missing_engine() -> str:
    if shutil.which("apertium") is None:
        return "Apertium is not installed"
    listed = subprocess.run(["apertium", "-l"], capture_output=True, text=True, check=False).stdout.split()
    absent = sorted({"eng-spa", "spa-eng", "eng-cat", "cat-spa"} - set(listed))
    return f"Apertium lacks {', '.join(absent)}" if absent else ""


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


CommandLine = Callable[..., Ran]


@pytest.fixture
def metaphrase(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    """The command line, in this process, in an empty folder, with a cache of its own."""
    from metaphrase.cli.main import run

    monkeypatch.setenv("METAPHRASE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["metaphrase", *map(str, arguments)])
        capsys.readouterr()
        code: object = 0
        try:
            run()
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return Ran(code if isinstance(code, int) else int(code is not None), said.out, said.err)

    return call


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
