"""The page about comparing engines: its commands run on its own files."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from metaphrase.cli.main import app

PAGE = (Path(__file__).parents[1] / "docs" / "dcs.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```\w+ (\S+)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^\$ (metaphrase .+)$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "apertium" in command and shutil.which("apertium") is None:
        pytest.skip("needs Apertium")
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METAPHRASE_CACHE", str(tmp_path / "cache"))
    result = CliRunner().invoke(app, shlex.split(command)[1:])
    assert result.exit_code == 0, f"{result.output}\n{result.exception}"


def test_the_page_has_files_and_commands() -> None:
    assert [name for name, _ in FILES] == ["letters.txt", "pairs.jsonl", "metaphrase.toml"]
    assert len(COMMANDS) == 3
