"""metaphrase.toml: command line over file over default."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from metaphrase.campaign.cache import CacheOptions
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.options import Options, read_options

__all__ = ["Configuration", "find_configuration", "load_configuration"]

FILE_NAME = "metaphrase.toml"


class Configuration(Options):
    """The whole file. Tables of options are checked by what they configure."""

    source: str = Field("en", alias="from", description="language of the sentences")
    target: str | None = Field(None, alias="to", description="language to translate into")
    systems: list[str] = Field(default_factory=list, description="systems under test: NAME or NAME:ARGUMENT")
    methods: list[str] = Field(default_factory=lambda: ["purity"], description="how test cases are made")
    relation: str | None = Field(None, description="judge with this relation instead of each method's default")
    profile: Literal["lite", "neural"] = Field("lite", description="which resources to use")
    seed: int = Field(0, description="seed of everything random")
    store: str | None = Field(None, description="the campaign's store")
    fail_on: Literal["major", "minor", "never"] = Field("major", alias="fail-on", description="which findings make the exit code 1")
    baseline: str | None = Field(None, description="JSON Lines file of known findings")
    max_tokens: int = Field(400, alias="max-tokens", description="longer sentences are left out")
    jobs: int = Field(4, ge=1, le=256, description="requests in flight for each system that takes several at once")
    budget: float | None = Field(None, ge=0, description="stop before a run costs more than this")
    max_characters: int | None = Field(None, ge=0, alias="max-characters", description="stop before a run sends more than this")
    cache: CacheOptions = Field(default_factory=CacheOptions, description="[cache]: path, max-megabytes, max-days")
    system: dict[str, dict[str, Any]] = Field(default_factory=dict, description="[system.NAME]: type, url and the adapter's own options")
    method: dict[str, dict[str, Any]] = Field(default_factory=dict, description="[method.NAME]: options of a method")
    relation_options: dict[str, dict[str, Any]] = Field(
        default_factory=dict, alias="relation-options", description="[relation-options.NAME]"
    )
    profile_options: dict[str, dict[str, str]] = Field(default_factory=dict, alias="profile-options", description="[profile-options.NAME]")
    resource: dict[str, dict[str, Any]] = Field(default_factory=dict, description="[resource.ROLE]: options of an aligner, parser, ...")


def find_configuration(start: Path) -> Path | None:
    """metaphrase.toml here or in a folder above."""
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    return None


def load_configuration(path: Path | None) -> Configuration:
    if path is None:
        return Configuration()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot read it: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: not TOML: {error}") from None
    # "relation" and "profile" name a choice as a string and options as a table: [relation.bag-of-words].
    for key in ("relation", "profile"):
        if isinstance(data.get(key), dict):
            data[f"{key}-options"] = data.pop(key)
    # Keys of systems are read where they are used, and only there: a configuration is printed, compared and stored.
    systems = data.pop("system", {})
    expanded = _expand(data, str(path), "")
    return read_options(Configuration, {**expanded, **({"system": systems} if systems else {})}, str(path))


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
