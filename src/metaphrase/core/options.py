"""Options of methods, relations and systems: pydantic models, validated at the boundary.

A model here forbids unknown keys; `read_options` turns pydantic's report into one message that names
the section, the key and the nearest known key. A factory says with `@configured_by(Model)` which options it reads, so that
a configuration file is checked as a whole and its schema can be published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from metaphrase.core.errors import ConfigurationError, nearest

__all__ = ["Options", "configured_by", "known_keys", "options_model", "read_options", "unknown_key"]


class Options(BaseModel):
    """Base of all option models; keys are written with hyphens or underscores."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=lambda n: n.replace("_", "-"), populate_by_name=True)


M = TypeVar("M", bound=BaseModel)
F = TypeVar("F", bound=Callable[..., Any])


def configured_by(model: type[BaseModel]) -> Callable[[F], F]:
    """Marks a factory with the model of its options."""

    def mark(factory: F) -> F:
        factory.__dict__["options_model"] = model
        return factory

    return mark


def options_model(factory: object) -> type[BaseModel] | None:
    """The model that a factory was marked with."""
    model: type[BaseModel] | None = getattr(factory, "options_model", None)
    return model


def known_keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name.replace("_", "-") for name, field in model.model_fields.items()]


def unknown_key(key: str, known: list[str]) -> str:
    """What to say about a key that is not among the known ones."""
    close = nearest(key, known)
    return f"unknown key '{key}'" + (f", did you mean '{close}'?" if close else f"; known: {', '.join(known) or 'none'}")


def read_options(model: type[M], values: Mapping[str, Any], where: str) -> M:
    """Validate `values`, which came from `where` (for instance "[relation.word-closure]")."""
    try:
        return model.model_validate({key.replace("_", "-"): value for key, value in values.items()})
    except ValidationError as error:
        messages = []
        for problem in error.errors():
            key = ".".join(str(p) for p in problem["loc"])
            if problem["type"] == "extra_forbidden":
                messages.append(unknown_key(key, known_keys(model)))
            else:
                messages.append(f"{key} = {problem.get('input')!r}: {problem['msg']}")
        raise ConfigurationError(f"{where}: " + "; ".join(messages)) from None
