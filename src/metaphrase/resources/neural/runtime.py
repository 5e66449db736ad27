"""onnxruntime, as we load it: without the reports that its wheels send home since 1.31."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["runtime"]


def runtime() -> Any:
    """The module. Who wants the reports sets ORT_DISABLE_TELEMETRY=0."""
    # It is read while the module is imported; the module's own switch comes too late, after a device identifier is written.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime
