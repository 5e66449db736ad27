"""XLIFF, TMX and PO as input: the text that a reader sees, with ids and lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaphrase.core.errors import InputError, MissingResourceError
from metaphrase.files.segments import SegmentReader

XLIFF_1 = """<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" datatype="plaintext" original="a"><body>
  <trans-unit id="greet"><source>Good <g id="1">morning</g>, <x id="2"/>friend.</source><target>Buenos días</target></trans-unit>
  <group><trans-unit id="code"><source>Press <bpt id="1">&lt;b&gt;</bpt>Start<ept id="1">&lt;/b&gt;</ept> &amp; wait.</source></trans-unit></group>
  <trans-unit id="fixed" translate="no"><source>ACME</source></trans-unit>
</body></file></xliff>
"""
XLIFF_2 = """<?xml version="1.0"?>
<xliff version="2.0" srcLang="en" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f"><unit id="u1">
  <segment id="s1"><source>First <pc id="1">bold</pc> text.</source><target>Primero</target></segment>
  <segment><source>Second text.</source></segment>
</unit><unit id="u2"><segment><source>Third text.</source></segment></unit></file></xliff>
"""
TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header/><body>
  <tu tuid="one"><tuv xml:lang="de"><seg>Guten Tag.</seg></tuv><tuv xml:lang="en-GB"><seg>Good <ph>&lt;br&gt;</ph>day.</seg></tuv></tu>
  <tu><tuv xml:lang="EN"><seg>Bye.</seg></tuv></tu>
</body></tmx>
"""
PO = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Open the file."
msgstr "Abra el archivo."

msgid "%d old file"
msgid_plural "%d old files"
msgstr[0] ""
msgstr[1] ""

#~ msgid "Gone."
#~ msgstr "Ido."
"""


def _read(path: Path, text: str, language: str = "en") -> list[tuple[str, str]]:
    path.write_text(text, encoding="utf-8")
    return [(s.id, s.text) for s in SegmentReader([path], language)]


def test_xliff_1_gives_the_text_without_codes(tmp_path: Path) -> None:
    assert _read(tmp_path / "a.xlf", XLIFF_1) == [("greet", "Good morning, friend."), ("code", "Press Start & wait.")]


def test_xliff_2_gives_each_segment(tmp_path: Path) -> None:
    assert _read(tmp_path / "a.xliff", XLIFF_2) == [("u1/s1", "First bold text."), ("u1/2", "Second text."), ("u2", "Third text.")]


def test_tmx_gives_the_source_language_whatever_its_region(tmp_path: Path) -> None:
    assert _read(tmp_path / "a.tmx", TMX) == [("one", "Good day."), ("a.tmx:4", "Bye.")]
    assert _read(tmp_path / "a.tmx", TMX, "de") == [("one", "Guten Tag.")]
    with pytest.raises(InputError, match="no text in 'fr'; there is: de, en, en-gb"):
        _read(tmp_path / "a.tmx", TMX, "fr")


def test_po_gives_singular_and_plural_but_not_what_is_obsolete(tmp_path: Path) -> None:
    assert [text for _, text in _read(tmp_path / "a.po", PO)] == ["Open the file.", "%d old file", "%d old files"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.xlf", "<xliff><file>", r"a\.xlf:1: not well-formed XML"),
        ("a.xlf", "<html/>", "is this XLIFF"),
        ("a.po", "this is a letter, not a catalogue\n", "not a PO file"),
    ],
)
def test_files_that_are_broken_are_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        _read(tmp_path / name, text)


def test_entities_of_the_outside_are_never_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    bomb = f"""<!DOCTYPE xliff [<!ENTITY leak SYSTEM "file://{tmp_path}/secret.txt">]>
<xliff><file><body><trans-unit id="1"><source>Take &leak; this.</source></trans-unit></body></file></xliff>"""
    with pytest.raises(InputError, match="the entity &leak; is not expanded"):
        _read(tmp_path / "a.xlf", bomb)


def test_a_missing_package_names_the_command_that_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "polib", None)
    with pytest.raises(MissingResourceError, match=r"pip install 'metaphrase\[localisation\]'"):
        _read(tmp_path / "a.po", PO)
