"""The demo: real errors of a real engine, offline."""

from __future__ import annotations

import json
import socket
from importlib.resources import files
from pathlib import Path

import pytest

from conftest import CommandLine

DEMO = files("metaphrase.demo")
# Read by hand: each is an error of Apertium in the sentence or in the phrase (a noun taken for a verb, a wrong sense).
READ = {
    "Bien", "Cifras", "Medio", "escuela", "libros", "cifras", "controles", "reunión", "reclamaciones", "charlas", "costes", "tasas",
    "filtraciones", "paseos",
}  # fmt: skip


def _no_network(*_: object, **__: object) -> None:
    raise AssertionError("the demo must not use the network")


def test_the_demo_shows_real_errors_offline_and_tells_what_to_type_next(metaphrase: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", _no_network)
    ran = metaphrase("demo")
    assert ran.code == 0, ran.err
    blamed = {piece.split("⟧")[0] for piece in ran.out.split("⟦")[1:]}
    assert blamed == READ
    assert "metaphrase test" in ran.out
    assert "0 failed" in ran.out
    assert list(Path.cwd().iterdir()) == [], "the demo leaves nothing behind"


def test_the_demo_has_about_forty_sentences_of_our_own() -> None:
    sentences = (DEMO / "sentences.txt").read_text(encoding="utf-8").splitlines()
    assert 38 <= len(set(sentences)) == len(sentences) <= 45


@pytest.mark.apertium
def test_the_recording_is_what_the_engine_says(metaphrase: CommandLine) -> None:
    from metaphrase.core.values import Direction
    from metaphrase.systems import open_system

    rows = [json.loads(line) for line in (DEMO / "apertium.jsonl").read_text(encoding="utf-8").splitlines()]
    system = open_system("apertium:eng-spa")
    if rows[0]["system"] != str(system.signature()):
        pytest.skip(f"recorded with {rows[0]['system']}, another version than the installed one")
    answers = system.translate([row["text"] for row in rows], Direction("en", "es"))
    assert [a.text for a in answers] == [row["translation"] for row in rows]


@pytest.mark.apertium
def test_the_live_demo_finds_errors_too(metaphrase: CommandLine) -> None:
    ran = metaphrase("demo", "--live")
    assert ran.code == 0, ran.err
    assert ran.out.count("⟦") >= 5
