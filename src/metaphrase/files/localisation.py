"""Sentences out of localisation files: XLIFF 1.2 and 2.0, TMX and PO. Needs the extra `localisation`.

XML is read as a stream, with external entities and the network off. Inline codes are left out: what is tested is the text that a reader sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from metaphrase.core.errors import InputError, MissingResourceError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

__all__ = ["FORMATS", "Unit", "read_units"]

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
# Their content is markup of the original format, not text.
_CODES = frozenset({"bpt", "ept", "ph", "it", "ut", "x", "bx", "ex", "sc", "ec", "cp", "hi-code"})


@dataclass(frozen=True, slots=True)
class Unit:
    """One source text and where it stands."""

    line: int
    id: str
    text: str


def read_units(path: Path | str, kind: str, language: str) -> Iterator[Unit]:
    """The source texts of a file, in order; `language` chooses among the languages of a TMX."""
    if str(path) == "-":
        raise InputError(f"{kind} is read from a file, not from standard input")
    if not Path(path).is_file():
        raise InputError(f"{path}: cannot read it: there is no such file")
    yield from FORMATS[kind](Path(path), language)


def _xliff(path: Path, language: str) -> Iterator[Unit]:
    """<trans-unit> of version 1.2, <unit> with its <segment>s of version 2.0; what says translate="no" is left out."""
    found = False
    for element in _elements(path, "trans-unit", "unit"):
        found = True
        if element.get("translate") == "no":
            continue
        parts = [e for e in element.iter() if _name(e) == "segment"] or [element]
        for number, part in enumerate(parts, start=1):
            source = next((e for e in part.iter() if _name(e) == "source"), None)
            if source is not None:
                name = element.get("id", "")
                own = part.get("id") or str(number)
                yield Unit(_line(source), f"{name}/{own}" if len(parts) > 1 else name, _text(source, path))
    if not found:
        raise InputError(f"{path}: there is neither a <trans-unit> (XLIFF 1.2) nor a <unit> (2.0) in it; is this XLIFF?")


def _tmx(path: Path, language: str) -> Iterator[Unit]:
    """The <tuv> of the source language; a region does not matter."""
    wanted = language.split("-")[0]
    seen: set[str] = set()
    matched = False
    for element in _elements(path, "tu"):
        for variant in (e for e in element if _name(e) == "tuv"):
            code = str(variant.get(_XML_LANG) or variant.get("lang") or "").lower().replace("_", "-")
            seen.add(code)
            segment = next((e for e in variant if _name(e) == "seg"), None)
            if code.split("-")[0] == wanted and segment is not None:
                matched = True
                yield Unit(_line(segment), element.get("tuid") or "", _text(segment, path))
                break
    if not matched:
        raise InputError(
            f"{path}: no text in '{language}'; there is: {', '.join(sorted(seen)) or 'nothing'}; name the language with --from"
        )


def _po(path: Path, language: str) -> Iterator[Unit]:
    """`msgid`, and `msgid_plural` where there is one; the header and obsolete entries are left out."""
    polib = _package("polib")
    try:
        # As text: given a path, polib leaves the file open when it stumbles.
        entries = polib.pofile(path.read_text(encoding=polib.detect_encoding(str(path))))
    except (OSError, UnicodeError, LookupError, ValueError) as error:
        raise InputError(f"{path}: not a PO file: {error}") from None
    for entry in entries:
        if not entry.obsolete:
            for text in filter(None, (entry.msgid, entry.msgid_plural)):
                yield Unit(entry.linenum, "", " ".join(text.split()))


FORMATS: Mapping[str, Callable[[Path, str], Iterator[Unit]]] = {"po": _po, "tmx": _tmx, "xliff": _xliff}


def _elements(path: Path, *names: str) -> Iterator[Element]:
    """Elements of these names as the file is read; each is dropped once it was used, so that memory stays flat."""
    etree = _package("lxml.etree")
    tags = [f"{{*}}{name}" for name in names]
    try:
        with path.open("rb") as stream:
            for _, element in etree.iterparse(stream, tag=tags, resolve_entities=False, no_network=True, load_dtd=False):
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise InputError(f"{path}:{error.lineno or 1}: not well-formed XML: {error.msg}") from None


def _text(element: Element, path: Path) -> str:
    """What a reader sees: text and that of inline elements, without codes; white space as one space."""
    pieces = [element.text or ""]
    for child in element:
        if not isinstance(child.tag, str):  # a comment, or an entity that nobody expands
            if type(child).__name__ == "_Entity":
                raise InputError(f"{path}:{_line(element)}: the entity {child.text} is not expanded; write its text instead")
        elif _name(child) not in _CODES:
            pieces.append(_text(child, path))
        pieces.append(child.tail or "")
    return " ".join("".join(pieces).split())


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _line(element: Any) -> int:
    return int(element.sourceline or 0)


def _package(name: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingResourceError(
            f"localisation files need the package '{name.split('.')[0]}': pip install 'metaphrase[localisation]'"
        ) from None
