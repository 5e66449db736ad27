"""The JSON Schema of metaphrase.toml, for editors: made from the option models of what is installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaphrase.campaign.config import Configuration
from metaphrase.core import registry
from metaphrase.core.options import options_model
from metaphrase.core.registry import Group
from metaphrase.resources.profiles import PROFILES, ROLES

__all__ = ["configuration_schema"]


def configuration_schema() -> dict[str, Any]:
    schema = Configuration.model_json_schema(by_alias=True)
    definitions = {name: value for name, value in schema.pop("$defs", {}).items() if name != "Choice"}
    fields: dict[str, Any] = schema["properties"]
    methods = {name: _options(registry.methods.load(name).transformation) for name in registry.methods.names()}
    fields["method"] |= {"additionalProperties": False, "properties": methods}
    relations = {name: _options(registry.relations.load(name)) for name in registry.relations.names()}
    fields["relation"] = _choice(fields["relation"], relations)
    roles = {role: {"enum": sorted(n.split(".")[1] for n in registry.resources.names() if n.startswith(f"{role}."))} for role in ROLES}
    profile = {"type": "object", "additionalProperties": False, "properties": roles}
    fields["profile"] = _choice(fields["profile"], dict.fromkeys(PROFILES, profile))
    fields["resource"] |= {"additionalProperties": False, "properties": {role: {"type": "object"} for role in ROLES}}
    fields["system"] |= _systems(registry.systems)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "metaphrase.toml",
        **{k: v for k, v in schema.items() if k != "title"},
        "$defs": definitions | _system_definitions(registry.systems),
    }


def _options(factory: object) -> dict[str, Any]:
    """The schema of a factory's table; any table where its options are not known."""
    model = options_model(factory)
    if model is None:
        return {"type": "object"}
    schema = model.model_json_schema(by_alias=True)
    # A table may leave out what the command line or a method's defaults give.
    schema.pop("required", None)
    return schema


def _choice(field: Mapping[str, Any], tables: Mapping[str, Any]) -> dict[str, Any]:
    name = {"enum": sorted(tables)}
    table = {"type": "object", "additionalProperties": False, "properties": {"use": name, **tables}}
    return {"description": field["description"], "anyOf": [name, table]}


def _system_definitions(group: Group) -> dict[str, Any]:
    definitions = {}
    for name in group.names():
        options = _options(group.load(name))
        definitions[f"system-{name}"] = {**options, "properties": {"type": {"const": name}, **options.get("properties", {})}}
    return definitions


def _systems(group: Group) -> dict[str, Any]:
    """A table named as an adapter needs no type; any other table names its adapter."""
    references = {name: {"$ref": f"#/$defs/system-{name}"} for name in group.names()}
    return {"properties": references, "additionalProperties": {"required": ["type"], "anyOf": list(references.values())}}
