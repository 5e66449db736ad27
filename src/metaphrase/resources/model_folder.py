"""Where fetched models are kept."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path

__all__ = ["ENVIRONMENT_VARIABLE", "model_folder"]

ENVIRONMENT_VARIABLE = "METAPHRASE_MODELS"


def model_folder() -> Path:
    """The folder named by METAPHRASE_MODELS, else `models` in the user's cache folder of this platform."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    return Path(named).expanduser() if named else user_cache_path("metaphrase", appauthor=False) / "models"
