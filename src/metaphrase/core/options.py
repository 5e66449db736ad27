"""Options of methods, relations and systems: pydantic models, validated at the boundary.

A model here forbids unknown keys; `read_options` turns pydantic's report into one message that names
the section, the key and the nearest known key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from metaphrase.core.errors import ConfigurationError, nearest

__all__ = ["Options", "read_options"]


class Options(BaseModel):
    """Base of all option models; keys are written with hyphens or underscores."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=lambda n: n.replace("_", "-"), populate_by_name=True)


M = TypeVar("M", bound=BaseModel)


def read_options(model: type[M], values: Mapping[str, Any], where: str) -> M:
    """Validate `values`, which came from `where` (for instance "[relation.word-closure]")."""
    try:
        return model.model_validate({key.replace("_", "-"): value for key, value in values.items()})
    except ValidationError as error:
        known = [f.replace("_", "-") for f in model.model_fields]
        messages = []
        for problem in error.errors():
            key = ".".join(str(p) for p in problem["loc"])
            if problem["type"] == "extra_forbidden":
                close = nearest(key, known)
                messages.append(f"unknown key '{key}'" + (f", did you mean '{close}'?" if close else f"; known: {', '.join(known)}"))
            else:
                messages.append(f"{key} = {problem.get('input')!r}: {problem['msg']}")
        raise ConfigurationError(f"{where}: " + "; ".join(messages)) from None
