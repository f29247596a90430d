"""Where Sluice keeps what it makes: micro-batches, runs, compiled kernels and the history."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planner.errors import RunError
from planner.files.data_folder import PROJECT as PROJECT
from planner.files.data_folder import home as home
from planner.files.data_folder import kernels_digest as kernels_digest
from runtime.data.private_folders import make_private


def work_home(shared: Path | None = None) -> Path:
    """Where Spark reads and writes: the data folder, or a folder that a cluster shares."""
    return home() if shared is None else shared


def run_folder(run_id: str, shared: Path | None = None) -> Path:
    """Where a run keeps its checkpoint and results until it is finished."""
    return work_home(shared) / "runs" / run_id


def answers_home() -> Path:
    """Where answers are kept that the pages show: a folder for each run."""
    return home() / "answers"


def writable_home(shared: Path | None = None) -> Path:
    """The folder of the work, made if need be; a RunError where nothing can be written there."""
    folder = work_home(shared)
    try:
        if shared is None:
            make_private(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise RunError(
            f"cannot be written to: {error.strerror}; "
            f"{'set SLUICE_HOME to' if shared is None else 'share'} a folder that can",
            str(folder),
        ) from error


@contextmanager
def held_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder to work in, dropped at the end if it has not been renamed.

    It is locked meanwhile: what a killed process leaves behind is not.
    """
    folder, held = _locked(parent, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _locked(parent: Path, prefix: str) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=prefix))
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        if folder.exists():
            return folder, held
        # Before it was locked, another process took it for abandoned.
        os.close(held)


def drop_abandoned(parent: Path, prefix: str) -> None:
    """Drop the folders of this prefix whose processes were killed."""
    for folder in parent.glob(f"{prefix}*"):
        try:
            held = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            # A process works in it.
            continue
        finally:
            os.close(held)


def prepare_kernel_cache() -> None:
    """Keep compiled kernels in the data folder, unless the user's environment says where.

    Numba compiles a kernel anew when its own file changes, not when one that it calls does. So each
    state of the kernels' files has a folder of its own, or an update would run what is outdated.
    """
    if "NUMBA_CACHE_DIR" not in os.environ:
        os.environ["NUMBA_CACHE_DIR"] = str(kernels_folder(home()))


def kernels_folder(under: Path) -> Path:
    """Where kernels, as they are now, are kept compiled."""
    return under / "kernels" / kernels_digest()
