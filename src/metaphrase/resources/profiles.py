"""Profiles: named sets of resources, made when they are first asked for.

A resource's factory is called as `factory(languages, options)`: `languages` is the Direction of an aligner or lexicon or the
language code of everything else, `options` the table `[resource.ROLE]` of the configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, cast

from metaphrase.core import registry
from metaphrase.core.errors import MissingResourceError, UnknownNameError
from metaphrase.core.signature import content_hash
from metaphrase.core.values import Direction
from metaphrase.resources.protocols import (
    Aligner,
    DependencyParser,
    Embedder,
    Lexicon,
    MaskedLM,
    Parser,
    SentenceEmbedder,
    SimilarWords,
    Synonyms,
)
from metaphrase.resources.remembered import Memory, RememberedDependencies, RememberedParser

__all__ = ["PROFILES", "ROLES", "Resources"]

PROFILES = ("lite", "neural")
ROLES = ("aligner", "parser", "dependency-parser", "embedder", "sentence-embedder", "masked-lm", "lexicon", "similar-words", "synonyms")


class Resources:
    """The resources of one profile.

    `choices` replaces single roles by another profile's, as `[profile.neural] parser = "lite"` does.
    """

    def __init__(
        self,
        profile: str = "lite",
        *,
        choices: Mapping[str, str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        if profile not in PROFILES:
            raise UnknownNameError("profile", profile, PROFILES)
        self.profile = profile
        self.choices = dict(choices or {})
        self._options = options or {}
        self._made: dict[tuple[str, str], Any] = {}
        # A campaign puts its store here, before anything is made: slow parsers then answer each sentence once.
        self.memory: Memory | None = None
        for role in self.choices:
            if role not in ROLES:
                raise UnknownNameError("resource", role, ROLES)

    def aligner(self, direction: Direction) -> Aligner:
        return cast(Aligner, self._get("aligner", direction))

    def parser(self, language: str) -> Parser:
        return cast(Parser, self._get("parser", language))

    def dependency_parser(self, language: str) -> DependencyParser:
        return cast(DependencyParser, self._get("dependency-parser", language))

    def embedder(self, language: str) -> Embedder:
        return cast(Embedder, self._get("embedder", language))

    def sentence_embedder(self, language: str) -> SentenceEmbedder | None:
        """None where the profile goes without, or none was fetched for the language: it refines judgements and is never required."""
        return cast(SentenceEmbedder | None, self._get("sentence-embedder", language)) if self.has("sentence-embedder") else None

    def masked_lm(self, language: str) -> MaskedLM:
        return cast(MaskedLM, self._get("masked-lm", language))

    def similar_words(self, language: str) -> SimilarWords:
        return cast(SimilarWords, self._get("similar-words", language))

    def lexicon(self, direction: Direction) -> Lexicon:
        return cast(Lexicon, self._get("lexicon", direction))

    def synonyms(self, language: str) -> Synonyms:
        return cast(Synonyms, self._get("synonyms", language))

    def fingerprint(self) -> str:
        """Tells one set of resources from another, without making any."""
        return content_hash(self.profile, self.choices, self._options)

    def without_models(self) -> Resources:
        """The lite profile with what its options share with this one's: for a first look that costs no encoder."""
        shared = {role: {"glossary": table["glossary"]} for role, table in self._options.items() if "glossary" in table}
        return Resources("lite", options=shared)

    def has(self, role: str) -> bool:
        """Whether the profile fills a role at all; whether it does so for a language shows on use."""
        return self._name(role) in registry.resources

    def _name(self, role: str) -> str:
        return f"{role}.{self.choices.get(role, self.profile)}"

    def _get(self, role: str, languages: Direction | str) -> Any:
        key = (role, str(languages))
        if key not in self._made:
            name = self._name(role)
            if name not in registry.resources:
                elsewhere = [n.split(".")[1] for n in registry.resources.names() if n.startswith(role + ".")]
                remedy = f"use --profile {elsewhere[0]}" if elsewhere else "no installed profile has one"
                raise MissingResourceError(f"the profile '{name.split('.')[1]}' has no {role}: {remedy}")
            self._made[key] = self._remembered(role, registry.resources.load(name)(languages, self._options.get(role, {})))
        return self._made[key]

    def _remembered(self, role: str, made: Any) -> Any:
        if self.memory is None or not getattr(made, "slow", False):
            return made
        if role == "parser":
            return RememberedParser(made, self.memory)
        return RememberedDependencies(made, self.memory) if role == "dependency-parser" else made

    def close(self) -> None:
        """Stop what was started (servers)."""
        for resource in self._made.values():
            stop = getattr(resource, "close", None)
            if stop is not None:
                stop()
        self._made.clear()

    def __enter__(self) -> Resources:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
