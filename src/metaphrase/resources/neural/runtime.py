"""onnxruntime, as we load it: without the reports that its wheels send home since 1.31."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["open_session", "runtime"]


def runtime() -> Any:
    """The module. Who wants the reports sets ORT_DISABLE_TELEMETRY=0."""
    # It is read while the module is imported; the module's own switch comes too late, after a device identifier is written.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def open_session(path: Path) -> Any:
    """A graph, ready to run on one thread: who has more to do runs several batches side by side."""
    onnxruntime = runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # an arena keeps what the largest batch needed, for each thread
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
