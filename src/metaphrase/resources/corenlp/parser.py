"""CoreNLP's answers as our trees and dependencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from pydantic import Field

from metaphrase.core.errors import ResourceFailedError
from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature
from metaphrase.resources.corenlp.install import VERSION, find_corenlp
from metaphrase.resources.corenlp.server import ManagedServer, RemoteServer, Server
from metaphrase.text.tokens import Token
from metaphrase.text.trees import Dependency, Tree, read_tree

__all__ = ["CoreNLPDependencies", "CoreNLPParser", "dependency_parser", "parser"]


class CoreNLPOptions(Options):
    """`[resource.parser]` and `[resource.dependency-parser]`; without a URL a server is started."""

    url: str | None = None
    timeout: float = Field(default=60.0, gt=0)
    heap_gigabytes: int | None = Field(default=None, ge=1)
    requests: int = Field(default=2, ge=1)
    """How many sentences are with the server at once."""


class _CoreNLP:
    """What both parsers share: a server, and one answer a sentence, in order."""

    annotators = ""
    slow = True  # worth remembering in the campaign's store

    def __init__(self, language: str, server: Server, *, requests: int = 2, version: str = VERSION) -> None:
        self._language = language
        self._server = server
        self._requests = requests
        self._version = version

    def signature(self) -> Signature:
        return Signature("corenlp", self._version, {"language": self._language, "annotators": self.annotators.replace(",", "+")})

    def close(self) -> None:
        self._server.close()

    def _sentences(self, texts: Sequence[str]) -> list[dict[str, Any] | None]:
        with ThreadPoolExecutor(self._requests) as pool:
            answers = [pool.submit(self._ask, text) if text.strip() else None for text in texts]
            return [answer.result() if answer is not None else None for answer in answers]

    def _ask(self, text: str) -> dict[str, Any]:
        properties = {
            "annotators": self.annotators,
            "outputFormat": "json",
            "ssplit.isOneSentence": "true",
            "tokenize.codepoint": "true",  # offsets as Python counts them, also beyond the basic plane
            "parse.maxlen": "400",
        }
        answer = self._server.annotate(text, properties)
        sentences = answer.get("sentences")
        if not sentences:
            raise ResourceFailedError(f"CoreNLP found no sentence in {text[:80]!r}")
        first: dict[str, Any] = sentences[0]
        return first


class CoreNLPParser(_CoreNLP):
    """Constituency trees."""

    annotators = "tokenize,ssplit,pos,parse"

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        return [
            Tree("ROOT") if found is None else self._tree(found, text)
            for found, text in zip(self._sentences(sentences), sentences, strict=True)
        ]

    def _tree(self, sentence: Mapping[str, Any], text: str) -> Tree:
        brackets = sentence.get("parse", "")
        if "SENTENCE_SKIPPED_OR_UNPARSABLE" in brackets or not brackets:
            raise ResourceFailedError(f"CoreNLP could not parse a sentence ({len(sentence['tokens'])} tokens): {text[:80]!r}")
        return read_tree(brackets, _tokens(sentence, text))


class CoreNLPDependencies(_CoreNLP):
    """Basic dependencies."""

    annotators = "tokenize,ssplit,pos,depparse"

    def dependencies(self, sentences: Sequence[str]) -> list[tuple[Dependency, ...]]:
        return [() if found is None else _arcs(found) for found in self._sentences(sentences)]


def _tokens(sentence: Mapping[str, Any], text: str) -> list[Token]:
    tokens = []
    for token in sentence["tokens"]:
        if "codepointOffsetBegin" in token:
            start, end = int(token["codepointOffsetBegin"]), int(token["codepointOffsetEnd"])
        else:
            start, end = (_code_points(text, int(token[key])) for key in ("characterOffsetBegin", "characterOffsetEnd"))
        tokens.append(Token(text[start:end], start, end))
    return tokens


def _code_points(text: str, units: int) -> int:
    """A position in UTF-16 units, as Java counts, in code points."""
    return len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore"))


def _arcs(sentence: Mapping[str, Any]) -> tuple[Dependency, ...]:
    arcs = [Dependency(str(arc["dep"]), int(arc["governor"]) - 1, int(arc["dependent"]) - 1) for arc in sentence["basicDependencies"]]
    return tuple(sorted(arcs, key=lambda arc: arc.dependent))


@configured_by(CoreNLPOptions)
def parser(language: str, options: Mapping[str, Any]) -> CoreNLPParser:
    read = read_options(CoreNLPOptions, options, "[resource.parser]")
    return CoreNLPParser(language, _server(language, read), requests=read.requests)


@configured_by(CoreNLPOptions)
def dependency_parser(language: str, options: Mapping[str, Any]) -> CoreNLPDependencies:
    read = read_options(CoreNLPOptions, options, "[resource.dependency-parser]")
    return CoreNLPDependencies(language, _server(language, read), requests=read.requests)


def _server(language: str, options: CoreNLPOptions) -> Server:
    if options.url is not None:
        return RemoteServer(options.url, timeout=options.timeout)
    find_corenlp(language)  # fail now, not in mid-run
    return _shared(language, options.timeout, options.heap_gigabytes)


@cache
def _shared(language: str, timeout: float, heap_gigabytes: int | None) -> ManagedServer:
    """One server a language serves both parsers; a closed one starts again when it is asked."""
    return ManagedServer(language, timeout=timeout, heap_gigabytes=heap_gigabytes)
