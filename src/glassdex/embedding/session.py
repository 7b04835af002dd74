"""One way to open an ONNX graph: on the processor, one thread a run, nothing reported to anybody."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MAX_THREADS = 8


def open_session(graph: Path | bytes) -> InferenceSession:
    """A session over a graph's file or bytes; what cannot be loaded raises onnxruntime's own error."""
    # The library reports usage to its maker unless it finds this before it loads; nothing may leave the machine.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # One thread a run: no pool that spins against ours and numpy's, and texts run side by side instead.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    source = graph if isinstance(graph, bytes) else str(graph)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def threads_at_hand() -> int:
    """How many texts may run side by side: one for each processor that this process may use, at most 8."""
    if hasattr(os, "sched_getaffinity"):  # in a container fewer than there are
        return min(MAX_THREADS, len(os.sched_getaffinity(0)))
    return min(MAX_THREADS, os.cpu_count() or 1)
