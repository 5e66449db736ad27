"""Every command, configuration and program in the docs runs. How to write such blocks is told in CONTRIBUTING.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from metaphrase.campaign.config import load_configuration

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+# exit (?P<code>\d+)$")


@dataclass(frozen=True)
class Block:
    language: str
    name: str  # of the file that it is written to, or ""
    body: str
    line: int


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        language, _, name = match["info"].strip().partition(" ")
        yield Block(language, name.strip(), match["body"], text.count("\n", 0, match.start()) + 1)


def _page(page: Path) -> object:
    needs_engine = any(b.language == "console" and "apertium" in b.body for b in _blocks(page))
    return pytest.param(page, id=page.name, marks=[pytest.mark.apertium] if needs_engine else [])


@pytest.mark.parametrize("page", [_page(page) for page in PAGES])
def test_what_a_page_shows_runs(page: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "METAPHRASE_CACHE": str(tmp_path / ".cache"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "160",
    }
    for block in _blocks(page):
        where = f"{page.name}:{block.line}"
        if block.name:
            (tmp_path / block.name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.name).write_text(block.body, encoding="utf-8")
        if block.language == "console":
            _run_console(block, where, tmp_path, environment)
        elif block.language == "python" and not block.name:
            _run([sys.executable, "-W", "error", "-c", block.body], 0, where, tmp_path, environment)
        elif block.language == "toml" and (not block.name or block.name == "metaphrase.toml"):
            example = tmp_path / ".example" / "metaphrase.toml"
            example.parent.mkdir(exist_ok=True)
            example.write_text(block.body, encoding="utf-8")
            load_configuration(example)


def _run_console(block: Block, where: str, folder: Path, environment: dict[str, str]) -> None:
    output = ""
    for line in block.body.splitlines():
        if line.startswith("$ "):
            code = _EXIT.search(line)
            output = _run(["bash", "-c", line[2:]], int(code["code"]) if code else 0, where, folder, environment)
        elif line.strip() and line.strip() != "...":
            assert " ".join(line.split()) in " ".join(output.split()), f"{where}: the output lacks {line!r}:\n{output}"


def _run(argv: list[str], code: int, where: str, folder: Path, environment: dict[str, str]) -> str:
    ran = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == code, f"{where}: {argv[-1]}\nended with {ran.returncode}, not {code}:\n{ran.stdout}{ran.stderr}"
    return ran.stdout + ran.stderr


def test_the_command_reference_is_the_one_of_this_version() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from write_command_reference import reference
    finally:
        sys.path.pop(0)
    published = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert published == reference(), "commands have changed: write the page anew with 'make docs'"


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name} -> {target}")
    assert broken == []
