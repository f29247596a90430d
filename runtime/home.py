"""Where Sluice keeps what it makes: micro-batches, runs, compiled kernels and the history."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from planner.errors import RunError

PROJECT = Path(__file__).resolve().parent.parent


def home() -> Path:
    """The data folder: `.sluice` in the project, or the folder that SLUICE_HOME names."""
    return Path(os.environ.get("SLUICE_HOME") or PROJECT / ".sluice").resolve()


def answers_home() -> Path:
    """Where answers are kept that the pages show: a folder for each run."""
    return home() / "answers"


def writable_home() -> Path:
    """The data folder, made if need be; a RunError where nothing can be written there."""
    folder = home()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise RunError(
            f"cannot be written to: {error.strerror}; set SLUICE_HOME to a folder that can",
            str(folder),
        ) from error


def prepare_kernel_cache() -> None:
    """Keep compiled kernels in the data folder, unless the user's environment says where."""
    os.environ.setdefault("NUMBA_CACHE_DIR", str(home() / "kernels"))
