"""Spark and the kernels made ready in the background, so that the first run need not wait."""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

from planner.errors import SluiceError
from planner.files.workload_file import load_workload
from runtime.control.execute import run
from runtime.data.folders import PROJECT
from runtime.data.run_data import with_run_settings
from runtime.runs import processes
from runtime.runs.history import History
from runtime.runs.records import WAYS, RunRequest

logger = logging.getLogger(__name__)

_POLL_SECONDS = 0.1
SAMPLE = PROJECT / "sample_data" / "golab-table-5.yaml"


@dataclass
class _Warmth:
    """How far the warming of this process is."""

    status: str = "cold"
    lock: threading.Lock = field(default_factory=threading.Lock)


_warmth = _Warmth()


def status() -> str:
    """`cold`, `warming`, `ready`, or what went wrong."""
    return _warmth.status


def warm_in_background(sample: Path = SAMPLE) -> None:
    """Start warming once for this process; a second call does nothing."""
    with _warmth.lock:
        if _warmth.status != "cold":
            return
        _warmth.status = "warming"
    threading.Thread(target=_warm, args=(sample,), daemon=True, name="sluice-warm").start()


def wait(cancelled: threading.Event) -> None:
    """Let the warming that has begun come to its end, unless cancelled: a run is timed after it."""
    while _warmth.status == "warming" and not cancelled.wait(_POLL_SECONDS):
        pass


def warm(sample: Path) -> None:
    """Run a short workload both ways: the session, the workers and the kernels are then there."""
    workload = with_run_settings(
        load_workload(sample.read_bytes(), sample.name), seed=None, warmup=0.0, duration=30.0
    )
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "history.sqlite")
        for way in WAYS:
            run(RunRequest(workload, "", "best", way=way), history=history)


def compile_elsewhere() -> None:
    """Compile whatever kernels are not compiled yet, in a process that lets the pages go first."""
    command = [sys.executable, "-m", "runtime.engines.registry"]
    with subprocess.Popen(command, cwd=PROJECT) as process:
        processes.started(process.pid)
    if process.returncode:
        logger.error("compiling kernels ended with %d", process.returncode)


def _warm(sample: Path) -> None:
    try:
        warm(sample)
        _warmth.status = "ready"
        # No run like the sample waits for the other kernels.
        compile_elsewhere()
    except SluiceError as error:
        _warmth.status = str(error)
    except Exception as error:
        logger.exception("warming failed")
        _warmth.status = f"an internal fault ({type(error).__name__}); the log has the details"
