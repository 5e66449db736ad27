"""metaphrase.toml: command line over file over default."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from metaphrase.campaign.cache import CacheOptions
from metaphrase.core import registry
from metaphrase.core.errors import ConfigurationError, UnknownNameError
from metaphrase.core.options import Options, known_keys, options_model, read_options, unknown_key
from metaphrase.core.registry import Group
from metaphrase.repair.options import RepairOptions
from metaphrase.resources.profiles import PROFILES, ROLES

__all__ = ["FILE_NAME", "Choice", "Configuration", "find_configuration", "load_configuration"]

FILE_NAME = "metaphrase.toml"


class Choice(BaseModel):
    """A name to use, and tables of options by name.

    `relation = "bag-of-words"` is short for `[relation] use = "bag-of-words"`; beside that `[relation.bag-of-words]` holds options.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    use: str | None = None
    tables: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"use": value}
        if not isinstance(value, dict):
            return value
        stray = [key for key, table in value.items() if key != "use" and not isinstance(table, dict)]
        if stray:
            raise ValueError(f"'{stray[0]}' is not a table; a name is chosen with 'use'")
        return {"use": value.get("use"), "tables": {key: table for key, table in value.items() if key != "use"}}


class Configuration(Options):
    """The whole file. Tables of options are checked by what they configure."""

    source: str = Field("en", alias="from", description="language of the sentences")
    target: str | None = Field(None, alias="to", description="language to translate into")
    systems: list[str] = Field(default_factory=list, description="systems under test: NAME or NAME:ARGUMENT")
    back_system: str | None = Field(
        None, alias="back-system", description="system for the way back of round trips; default: the system under test"
    )
    methods: list[str] = Field(default_factory=lambda: ["purity"], description="how test cases are made")
    relation_choice: Choice = Field(
        default_factory=Choice,
        alias="relation",
        description="judge with this relation instead of each method's own; [relation.NAME] sets its options",
    )
    profile_choice: Choice = Field(
        default_factory=Choice,
        alias="profile",
        description="which resources to use: lite or neural; [profile.NAME] takes single roles from another profile",
    )
    seed: int = Field(0, description="seed of everything random")
    store: str | None = Field(None, description="the campaign's store; default: beside the first input")
    fail_on: Literal["major", "minor", "never"] = Field("major", alias="fail-on", description="which findings make the exit code 1")
    baseline: str | None = Field(None, description="JSON Lines file of known findings")
    max_tokens: int = Field(400, alias="max-tokens", ge=1, description="longer sentences are left out")
    jobs: int = Field(4, ge=1, le=256, description="requests in flight for each system that takes several at once")
    budget: float | None = Field(None, ge=0, description="stop before a run costs more than this")
    max_characters: int | None = Field(None, ge=0, alias="max-characters", description="stop before a run sends more than this")
    cache: CacheOptions = Field(default_factory=CacheOptions, description="[cache]: path, max-megabytes, max-days")
    repair: RepairOptions = Field(default_factory=RepairOptions, description="[repair]: variants, rank, metric, min-votes, candidates, ...")
    system: dict[str, dict[str, Any]] = Field(default_factory=dict, description="[system.NAME]: type, url and the adapter's own options")
    method: dict[str, dict[str, Any]] = Field(default_factory=dict, description="[method.NAME]: options of a method")
    resource: dict[str, dict[str, Any]] = Field(default_factory=dict, description="[resource.ROLE]: options of an aligner, parser, ...")

    @property
    def relation(self) -> str | None:
        return self.relation_choice.use

    @property
    def relation_options(self) -> Mapping[str, Mapping[str, Any]]:
        return self.relation_choice.tables

    @property
    def profile(self) -> str:
        return self.profile_choice.use or PROFILES[0]

    @property
    def profile_options(self) -> Mapping[str, Mapping[str, str]]:
        return self.profile_choice.tables


def find_configuration(start: Path) -> Path | None:
    """metaphrase.toml here or in a folder above."""
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    return None


def load_configuration(path: Path | None, said: Mapping[str, Any] | None = None) -> Configuration:
    """The file's values with those of the command line, `said`, over them."""
    data: dict[str, Any] = {}
    if path is not None:
        data = _read(path)
        _check_tables(read_options(Configuration, data, str(path)), path)
    if not said:
        return read_options(Configuration, data, str(path))
    values = {**data, **said}
    for key in ("relation", "profile"):
        if key in said and isinstance(data.get(key), dict):
            values[key] = {**data[key], "use": said[key]}
    return read_options(Configuration, values, "the command line")


def _read(path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot read it: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: not TOML: {error}") from None
    # Keys of systems are read where they are used, and only there: a configuration is printed, compared and stored.
    systems = data.pop("system", {})
    expanded: dict[str, Any] = _expand(data, str(path), "")
    return {**expanded, **({"system": systems} if systems else {})}


def _expand(value: Any, file: str, key: str) -> Any:
    """Replace ${NAME} by environment variables, so that files can be shared without secrets in them."""
    if isinstance(value, dict):
        return {k: _expand(v, file, f"{key}.{k}".lstrip(".")) for k, v in value.items()}
    if isinstance(value, list):
        return [_expand(v, file, key) for v in value]
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda m: _variable(m[1], file, key), value)
    return value


def _variable(name: str, file: str, key: str) -> str:
    if name not in os.environ:
        raise ConfigurationError(f"{file}: {key} uses ${{{name}}}, but the environment has no {name}: set it, or write the value")
    return os.environ[name]


def _check_tables(configuration: Configuration, path: Path) -> None:
    """Names and keys of all tables, used or not; their values are checked by what reads them."""
    for name, table in configuration.method.items():
        _check_keys(path, f"method.{name}", table, getattr(_load(registry.methods, name, path), "transformation", None))
    for name, table in configuration.relation_choice.tables.items():
        _check_keys(path, f"relation.{name}", table, _load(registry.relations, name, path))
    for name, table in configuration.system.items():
        kind = str(table.get("type", name))
        if kind not in registry.systems:
            raise ConfigurationError(f"{path}: [system.{name}] type: {UnknownNameError('system', kind, registry.systems.names())}")
        _check_keys(path, f"system.{name}", {k: v for k, v in table.items() if k != "type"}, registry.systems.load(kind))
    for name, table in configuration.profile_choice.tables.items():
        if name not in PROFILES:
            raise ConfigurationError(f"{path}: [profile.{name}]: {UnknownNameError('profile', name, PROFILES)}")
        for role in table:
            if role not in ROLES:
                raise ConfigurationError(f"{path}: [profile.{name}]: {unknown_key(role, list(ROLES))}")
    for role in configuration.resource:
        if role not in ROLES:
            raise ConfigurationError(f"{path}: [resource.{role}]: {UnknownNameError('resource', role, ROLES)}")


def _load(group: Group, name: str, path: Path) -> object:
    try:
        return group.load(name)
    except UnknownNameError as error:
        raise ConfigurationError(f"{path}: [{group.kind}.{name}]: {error}") from None


def _check_keys(path: Path, section: str, table: Mapping[str, Any], factory: object) -> None:
    model = options_model(factory)
    if model is None:
        return
    known = known_keys(model)
    for key in table:
        if key.replace("_", "-") not in known:
            raise ConfigurationError(f"{path}: [{section}]: {unknown_key(key, known)}")
