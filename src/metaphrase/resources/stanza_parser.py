"""Stanza's parsers, for users who have it: `[profile.neural] parser = "stanza"`.

Its models come from its own download (`stanza.download(LANGUAGE)`), once; nothing is downloaded here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from metaphrase.core.errors import MissingResourceError, ResourceFailedError
from metaphrase.core.options import Options, read_options
from metaphrase.core.signature import Signature
from metaphrase.text.tokens import Token
from metaphrase.text.trees import Dependency, Tree

__all__ = ["StanzaDependencies", "StanzaParser", "dependency_parser", "parser"]

# Stanza names Chinese by its script.
_NAMES = {"zh": "zh-hans", "zh-tw": "zh-hant"}


class StanzaOptions(Options):
    """`[resource.parser]` and `[resource.dependency-parser]` with Stanza."""

    folder: str | None = None
    """Where Stanza's models are, if not in its own place."""
    gpu: bool = False


class _Stanza:
    processors = ""
    slow = True  # worth remembering in the campaign's store

    def __init__(self, language: str, pipeline: Any, *, version: str) -> None:
        self._language = language
        self._pipeline = pipeline
        self._version = version

    def signature(self) -> Signature:
        return Signature("stanza", self._version, {"language": self._language, "processors": self.processors.replace(",", "+")})

    def _sentence(self, text: str) -> Any | None:
        if not text.strip():
            return None
        sentences = self._pipeline(text).sentences
        if len(sentences) != 1:
            raise ResourceFailedError(f"Stanza made {len(sentences)} sentences of one: {text[:80]!r}")
        return sentences[0]


class StanzaParser(_Stanza):
    """Constituency trees."""

    processors = "tokenize,pos,constituency"

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        trees = []
        for text in sentences:
            found = self._sentence(text)
            trees.append(Tree("ROOT") if found is None else _tree(found.constituency, iter(_tokens(found, text)), text))
        return trees


class StanzaDependencies(_Stanza):
    """Basic dependencies."""

    processors = "tokenize,mwt,pos,lemma,depparse"

    def dependencies(self, sentences: Sequence[str]) -> list[tuple[Dependency, ...]]:
        found = [self._sentence(text) for text in sentences]
        return [() if one is None else tuple(Dependency(w.deprel, int(w.head) - 1, int(w.id) - 1) for w in one.words) for one in found]


def _tokens(sentence: Any, text: str) -> list[Token]:
    return [Token(text[t.start_char : t.end_char], t.start_char, t.end_char) for t in sentence.tokens]


def _tree(node: Any, tokens: Any, text: str) -> Tree:
    """Stanza's leaves are words below a part of speech; ours are the part of speech with its token."""
    children = list(node.children)
    if len(children) == 1 and not children[0].children:
        token = next(tokens, None)
        if token is None:
            raise ResourceFailedError(f"Stanza's parse has more words than the sentence: {text[:80]!r}")
        return Tree(node.label, (), token)
    return Tree(node.label, tuple(_tree(child, tokens, text) for child in children))


def parser(language: str, options: Mapping[str, Any]) -> StanzaParser:
    read = read_options(StanzaOptions, options, "[resource.parser]")
    pipeline, version = _load(language, StanzaParser.processors, read.folder, read.gpu)
    return StanzaParser(language, pipeline, version=version)


def dependency_parser(language: str, options: Mapping[str, Any]) -> StanzaDependencies:
    read = read_options(StanzaOptions, options, "[resource.dependency-parser]")
    pipeline, version = _load(language, StanzaDependencies.processors, read.folder, read.gpu)
    return StanzaDependencies(language, pipeline, version=version)


@cache
def _load(language: str, processors: str, folder: str | None, gpu: bool) -> tuple[Any, str]:
    try:
        import stanza
    except ModuleNotFoundError as error:
        raise MissingResourceError("the parser 'stanza' needs the package 'stanza': pip install 'metaphrase[stanza]'") from error
    name = _NAMES.get(language, language)
    settings: dict[str, Any] = {"lang": name, "processors": processors, "tokenize_no_ssplit": True, "use_gpu": gpu, "verbose": False}
    if folder is not None:
        settings["dir"] = folder
    try:
        return stanza.Pipeline(download_method=None, **settings), str(stanza.__version__)
    except Exception as error:  # the library raises errors of its own, of torch and of the operating system here
        raise MissingResourceError(
            f"Stanza's models for '{name}' cannot be loaded ({type(error).__name__}: {error}): run: python -c \"import stanza; stanza.download('{name}')\""
        ) from error
