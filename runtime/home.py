"""Where Sluice keeps what it makes: micro-batches, runs, compiled kernels and the history."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from planner.errors import RunError

PROJECT = Path(__file__).resolve().parent.parent
_KERNELS = PROJECT / "runtime" / "kernels"


def home() -> Path:
    """The data folder: `.sluice` in the project, or the folder that SLUICE_HOME names."""
    return Path(os.environ.get("SLUICE_HOME") or PROJECT / ".sluice").resolve()


def work_home(shared: Path | None = None) -> Path:
    """Where Spark reads and writes: the data folder, or a folder that a cluster shares."""
    return home() if shared is None else shared


def answers_home() -> Path:
    """Where answers are kept that the pages show: a folder for each run."""
    return home() / "answers"


def writable_home(shared: Path | None = None) -> Path:
    """The folder of the work, made if need be; a RunError where nothing can be written there."""
    folder = work_home(shared)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise RunError(
            f"cannot be written to: {error.strerror}; "
            f"{'set SLUICE_HOME to' if shared is None else 'share'} a folder that can",
            str(folder),
        ) from error


def prepare_kernel_cache() -> None:
    """Keep compiled kernels in the data folder, unless the user's environment says where.

    Numba compiles a kernel anew when its own file changes, not when one that it calls does. So each
    state of the kernels' files has a folder of its own, or an update would run what is outdated.
    """
    if "NUMBA_CACHE_DIR" not in os.environ:
        os.environ["NUMBA_CACHE_DIR"] = str(kernels_folder(home()))


def kernels_folder(under: Path) -> Path:
    """Where kernels, as they are now, are kept compiled."""
    return under / "kernels" / kernels_digest(_KERNELS)


def kernels_digest(folder: Path) -> str:
    """A digest of the Python files in a folder: names and contents."""
    digest = hashlib.blake2s(digest_size=8)
    for path in sorted(folder.glob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()
