"""The page about systems: its commands run, its tables open, and it forgets no system and no option."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from metaphrase.cli.main import app
from metaphrase.core import registry
from metaphrase.core.options import options_model
from metaphrase.systems import open_system
from metaphrase.systems.http import HttpOptions
from mt_server import DIALECTS, Server
from mt_server.dialects import DeepL
from mt_server.server import Received

PAGE = (Path(__file__).parents[1] / "docs" / "systems.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (metaphrase .+)$", PAGE, flags=re.MULTILINE)
TABLES = re.findall(r"^```toml metaphrase.toml\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
SENTENCES = "The old bridge near the small town hall was closed on a cold Monday morning.\n"


class IntoSpanish(DeepL):
    def texts(self, received: Received) -> list[str]:
        assert received.json["target_lang"] == "ES"
        return list(received.json["text"])


def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(COMMANDS) == 6
    dialect = IntoSpanish()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METAPHRASE_CACHE", str(tmp_path / "cache"))
    for name, value in dialect.environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "sentences.txt").write_text(SENTENCES, encoding="utf-8")
    with Server(dialect) as server:
        (tmp_path / "metaphrase.toml").write_text(f'[system.deepl]\nurl = "{server.url}"\n')
        for command in COMMANDS:
            result = CliRunner().invoke(app, shlex.split(command)[1:])
            assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception}"
        assert server.count.requests > 0
        assert server.count.problems == []


def test_the_tables_of_the_page_open() -> None:
    (text,) = TABLES
    tables = tomllib.loads(text)["system"]
    for name in tables:
        open_system(name, tables).close()


def test_the_page_names_every_system_and_every_option() -> None:
    for kind in registry.systems.names():
        assert f"`{kind}" in PAGE, kind
    for kind in [*DIALECTS, "ctranslate2"]:
        model = options_model(registry.systems.load(kind))
        assert model is not None
        own = [name.replace("_", "-") for name in model.model_fields]
        missing = [name for name in own if f"`{name}`" not in PAGE and name not in ("price-input", "price-output", "path")]
        assert not missing, (kind, missing)
    assert HttpOptions.model_fields
