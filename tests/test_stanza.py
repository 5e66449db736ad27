"""The Stanza adapter on objects of Stanza's shape; its models are no package and cannot be had here."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from metaphrase.core.errors import MissingResourceError, ResourceFailedError
from metaphrase.resources import stanza_parser
from metaphrase.resources.profiles import Resources


@dataclass
class Node:
    """As stanza.models.constituency.parse_tree.Tree: a label and children; words are leaves of their own."""

    label: str
    children: tuple[Node, ...] = field(default=())


def leaf(tag: str, word: str) -> Node:
    return Node(tag, (Node(word),))


def document(text: str) -> SimpleNamespace:
    if text == "two. sentences.":
        return SimpleNamespace(sentences=[None, None])
    words, tokens, at = [], [], 0
    for number, word in enumerate(text.split(), 1):
        start = text.index(word, at)
        at = start + len(word)
        tokens.append(SimpleNamespace(start_char=start, end_char=at))
        words.append(SimpleNamespace(id=number, head=number - 1, deprel="root" if number == 1 else "dep"))
    tree = Node("ROOT", (Node("NP", tuple(leaf("NN", word) for word in text.split())),))
    return SimpleNamespace(sentences=[SimpleNamespace(tokens=tokens, words=words, constituency=tree)])


@pytest.fixture
def stanza(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = []
    module = ModuleType("stanza")

    def pipeline(**settings: Any) -> Any:
        asked.append(settings)
        if settings["lang"] == "fi":
            raise FileNotFoundError("no resources.json")
        return document

    module.Pipeline = pipeline  # type: ignore[attr-defined]
    module.__version__ = "1.9"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "stanza", module)
    stanza_parser._load.cache_clear()
    return asked


def test_trees_and_dependencies_carry_character_offsets(stanza: list[dict[str, Any]]) -> None:
    with Resources("neural", choices={"parser": "stanza", "dependency-parser": "stanza"}) as resources:
        tree, empty = resources.parser("en").parse(["small \U0001f600 towns", ""])
        assert [(leaf.label, leaf.token.text, leaf.token.start) for leaf in tree.leaves() if leaf.token] == [
            ("NN", "small", 0),
            ("NN", "\U0001f600", 6),
            ("NN", "towns", 8),
        ]
        assert empty.tokens() == []
        arcs = resources.dependency_parser("zh").dependencies(["a b"])[0]
        assert [(a.label, a.head, a.dependent) for a in arcs] == [("root", -1, 0), ("dep", 0, 1)]
        assert "stanza|v:1.9" in str(resources.parser("en").signature())
    assert [settings["lang"] for settings in stanza] == ["en", "zh-hans"]
    assert all(settings["download_method"] is None for settings in stanza)


def test_a_sentence_that_was_cut_in_two_is_an_error(stanza: list[dict[str, Any]]) -> None:
    with pytest.raises(ResourceFailedError, match="2 sentences of one"):
        stanza_parser.parser("en", {}).parse(["two. sentences."])


def test_missing_models_name_the_command(stanza: list[dict[str, Any]]) -> None:
    with pytest.raises(MissingResourceError, match=r"stanza\.download\('fi'\)"):
        stanza_parser.parser("fi", {})


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stanza", None)
    stanza_parser._load.cache_clear()
    with pytest.raises(MissingResourceError, match=r"pip install 'metaphrase\[stanza\]'"):
        stanza_parser.parser("en", {})
