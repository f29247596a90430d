"""Spark and the kernels made ready, so that no run is timed while they start.

The pages begin it in the background. A run of a kind that this process has not seen (another
family, join, mode or backend) is preceded by a tiny run of the same plan, which is not recorded.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

from planner.errors import SluiceError
from planner.files.workload_file import load_workload
from runtime.backends.protocol import OnProgress
from runtime.control.execute import run
from runtime.data.folders import PROJECT
from runtime.data.run_data import run_seconds, with_run_settings
from runtime.runs import processes
from runtime.runs.history import History
from runtime.runs.records import WAYS, Progress, RunRequest

logger = logging.getLogger(__name__)

_POLL_SECONDS = 0.1
SAMPLE = PROJECT / "sample_data" / "golab-table-5.yaml"
# The tuples of a tiny run: enough for every kernel and worker to be called.
_FEW_TUPLES = 500.0
Kind = tuple[str, str, str, str, str | None]


@dataclass
class _Warmth:
    """How far the warming of this process is."""

    status: str = "cold"
    # What has been run in this process, tiny or not.
    kinds: set[Kind] = field(default_factory=set)
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
            done = run(RunRequest(workload, "", "best", way=way), history=history)
            _warmth.kinds.add(_kind(done.request))


def ready_for(request: RunRequest, on_progress: OnProgress, cancel: threading.Event) -> None:
    """Run a tiny part of this first if nothing of its kind has been run yet, without a record.

    What is wrong with the run is for the run itself to say.
    """
    kind = _kind(request)
    if kind in _warmth.kinds:
        return
    on_progress(Progress("Warming up"))
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "history.sqlite")
        try:
            run(_tiny(request), cancel=cancel, history=history)
        except SluiceError as error:
            logger.info("no warm-up for %s: %s", request.label, error)
    if not cancel.is_set():
        _warmth.kinds.add(kind)


def _kind(request: RunRequest) -> Kind:
    # Hash and nested-loop joins have other kernels, which workers load first.
    join = request.workload.execution.join
    method = join if isinstance(join, str) else "mixed"
    return request.family, method, request.way, request.backend, request.master


def _tiny(request: RunRequest) -> RunRequest:
    """The same plan on a few generated tuples."""
    workload = request.workload
    rate = sum(stream.rate or 0.0 for stream in workload.streams)
    seconds = min(run_seconds(workload), _FEW_TUPLES / rate if rate else 1.0)
    run_settings = replace(workload.run, warmup=0.0, duration=seconds, changes=())
    return replace(
        request,
        workload=replace(workload, run=run_settings),
        data=None,
        sort=False,
        results=None,
        series=None,
        repeat=1,
        pace=None,
        steerable=False,
        steered=(),
    )


def compile_elsewhere() -> None:
    """Compile whatever kernels are not compiled yet, in a process that lets the pages go first."""
    command = [sys.executable, "-m", "runtime.engines.registry"]
    # It ends with the explorer, also if that is killed.
    bound = [sys.executable, "tools/die_with_parent.py", *command]
    with subprocess.Popen(bound, cwd=PROJECT) as process:
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
