"""Where Sluice keeps what it makes: micro-batches, runs, compiled kernels and the history."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def home() -> Path:
    """The data folder: `.sluice` in the project, or the folder that SLUICE_HOME names."""
    return Path(os.environ.get("SLUICE_HOME") or PROJECT / ".sluice").resolve()


def prepare_kernel_cache() -> None:
    """Keep compiled kernels in the data folder, unless the user's environment says where."""
    os.environ.setdefault("NUMBA_CACHE_DIR", str(home() / "kernels"))
