"""What executors on other machines need: our modules, a folder they see, and a first sign of life.

Modules are copied into the shared folder, not sent in a zip: Numba keeps no compiled kernels of
modules in a zip, and every executor would compile them anew.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from pyspark import SparkContext

from planner.errors import RunError
from runtime.data.folders import PROJECT
from runtime.data.private_folders import check_trusted
from runtime.spark.spark_errors import cause

PACKAGES = ("planner", "runtime")
EXECUTOR_SECONDS = 30.0
_POLL_SECONDS = 0.2
# What our modules import on an executor, beside the standard library.
_NEEDED = ("numba", "numpy", "pandas", "pyarrow", "sqlglot", "yaml")


@cache
def ship_modules(shared: Path) -> Path:
    """Copy our modules into the folder, unless they are there; where they are.

    Once for a process: files that change while it runs are not what it runs.
    """
    files = [file for package in PACKAGES for file in sorted((PROJECT / package).rglob("*.py"))]
    digest = _digest(PROJECT, files)
    place = shared / "modules" / digest
    check_trusted(place)
    if place.is_dir():
        if _digest(place, sorted(place.rglob("*.py"))) == digest:
            return place
        # Something was changed or lost: it is copied again.
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    # Copied beside and moved at once: an executor finds all of it or nothing.
    beside = Path(tempfile.mkdtemp(dir=place.parent, prefix="unfinished-"))
    try:
        beside.chmod(0o755)
        for file in files:
            copy = beside / file.relative_to(PROJECT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)
        if not place.exists():
            beside.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return place


def _digest(root: Path, files: Iterable[Path]) -> str:
    """A digest of the names and contents of these files, in whatever order they come."""
    digest = hashlib.blake2s(digest_size=16)
    for file in sorted(files, key=lambda file: file.relative_to(root).as_posix()):
        name, content = file.relative_to(root).as_posix(), file.read_bytes()
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def check_executors(context: SparkContext, shared: Path) -> None:
    """A RunError unless executors are there and can run our modules and use the folder."""
    _wait_for_executor(context)
    note = shared / f"visible-{uuid.uuid4().hex}"
    note.write_text("Sluice asks its executors whether they see this file.\n")
    seen, needed = str(note), _NEEDED

    def look(_: Iterable[int]) -> Iterator[str]:
        # Sent to the executor whole: it may not find our modules yet.
        import importlib.util
        import os
        import socket
        import sys

        machine = socket.gethostname()
        missing = [name for name in needed if importlib.util.find_spec(name) is None]
        if not os.path.isfile(seen):  # noqa: PTH113
            yield f"{machine} does not see the folder {os.path.dirname(seen)}"  # noqa: PTH120
        elif not os.access(os.path.dirname(seen), os.W_OK):  # noqa: PTH120
            yield f"{machine} may not write to the folder {os.path.dirname(seen)}"  # noqa: PTH120
        elif missing:
            yield f"{machine}: {sys.executable} has no {', '.join(missing)}"

    tasks = 4 * max(1, context.defaultParallelism)
    try:
        problems = context.parallelize(range(tasks), tasks).mapPartitions(look).distinct().collect()
    except Exception as error:
        raise RunError(f"executors of {context.master} fail: {cause(error)}", "--master") from error
    finally:
        note.unlink(missing_ok=True)
    if problems:
        raise RunError(
            f"{problems[0]}; name a folder that all machines share and the Python they use "
            "(PYSPARK_PYTHON)",
            "--shared",
        )


def _wait_for_executor(context: SparkContext) -> None:
    """Spark itself would wait for ever. The driver is among what it counts."""
    deadline = time.monotonic() + EXECUTOR_SECONDS
    while context._jsc.sc().getExecutorMemoryStatus().size() < 2:
        if time.monotonic() > deadline:
            raise RunError(
                f"{context.master} gave no executor within {EXECUTOR_SECONDS:g} s; see that a "
                "worker is up, with a free core and memory",
                "--master",
            )
        time.sleep(_POLL_SECONDS)
