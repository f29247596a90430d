"""What is asked of a run, how far it is, and the record that is kept of it."""

from __future__ import annotations

import platform
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from planner.adapt.switches import OutOfReach, Switch
from planner.errors import RunError
from planner.plan.cost import Cost, Estimate, Measurement, UnitCosts
from planner.plan.plan import Plan
from planner.statistics.observed import BatchStatistics
from planner.workload.execution import Change
from planner.workload.validation import MAX_SECONDS, number, whole
from planner.workload.workload import Workload
from runtime.runs.masters import check_master, check_shared

Way = Literal["stream", "replay"]
WAYS: tuple[Way, ...] = ("stream", "replay")
Backend = Literal["kernels", "native"]
BACKENDS: tuple[Backend, ...] = ("kernels", "native")
Status = Literal["running", "finished", "cancelled", "failed", "interrupted"]

MOST_PARTITIONS = 64
MOST_BATCH_ROWS = 5_000_000
MOST_SECONDS = 3600.0
MOST_DISK_MB = 10_000.0
MOST_PACE = 1e6
MOST_REPEATS = 20


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Which plan to run, on what, and which way. What is None is chosen for the workload.

    An empty `family` is the first that applies. Runs that repeat each other have one `series`, and
    count in `repeat`.
    """

    workload: Workload
    family: str
    label: str
    way: Way = "stream"
    partitions: int | None = None
    batch_rows: int | None = None
    data: Path | None = None
    sort: bool = False
    results: Path | None = None
    master: str | None = None
    most_seconds: float = MOST_SECONDS
    series: str | None = None
    repeat: int = 1
    # Seconds of stream time per second; None: as fast as it goes.
    pace: float | None = None
    # A folder that all machines of a cluster see; None is the data folder.
    shared: Path | None = None
    # The kernels, or Spark's own operators.
    backend: Backend = "kernels"
    # Whether its queries and plan may be changed while it goes on, and the changes that were made.
    steerable: bool = False
    steered: tuple[Change, ...] = ()
    most_disk_mb: float = MOST_DISK_MB
    # Whether the statistics of its tuples are measured, micro-batch by micro-batch.
    watch: bool = False
    # Those of the machine when it began, None for defaults: a clock of work stays what it is, also
    # where the machine is calibrated before the run is resumed.
    units: UnitCosts | None = None

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise RunError(f"no way {self.way!r}; there are stream and replay", "--way")
        if self.backend not in BACKENDS:
            raise RunError(
                f"no backend {self.backend!r}; there are kernels and native", "--backend"
            )
        if self.partitions is not None:
            whole(self.partitions, "--partitions", MOST_PARTITIONS)
        if self.batch_rows is not None:
            whole(self.batch_rows, "--batch-rows", MOST_BATCH_ROWS)
        number(self.most_seconds, "--most-seconds", most=MAX_SECONDS)
        number(self.most_disk_mb, "--most-disk")
        whole(self.repeat, "repeat")
        if self.steerable and not self.resumable:
            raise RunError(
                f"{self.family} as a {self.way} on {self.backend} cannot be changed while it runs",
                "run",
            )
        if self.watch and not self.resumable:
            raise RunError("only streams on the kernels are watched; leave it out", "--watch")
        if self.pace is not None:
            number(self.pace, "--pace", most=MOST_PACE)
            if not self.resumable:
                raise RunError("only streams on the kernels have one; leave it out", "--pace")
        self._check_adapting()
        if self.master is not None:
            check_master(self.master)
        check_shared(self.master, self.shared)

    def _check_adapting(self) -> None:
        if self.workload.run.adapt is None:
            return
        if self.backend != "kernels":
            raise RunError(
                "Spark's own operators keep the plan they begin with; leave it out", "run.adapt"
            )
        if self.workload.run.changes or self.steerable:
            raise RunError(
                "plans that follow their tuples are not changed by hand as well; leave out "
                "run.adapt or run.changes",
                "run.adapt",
            )

    @property
    def resumable(self) -> bool:
        """Whether it keeps a checkpoint from which it can be resumed: streams on the kernels do."""
        return self.way == "stream" and self.backend == "kernels"

    @property
    def as_run(self) -> Workload:
        """The workload with the changes that were made while it ran: what its answers are of.

        A run that adapts makes its switches by itself: its answers are of what was asked for.
        """
        if not self.steered or self.workload.run.adapt is not None:
            return self.workload
        changes = (*self.workload.run.changes, *self.steered)
        return replace(self.workload, run=replace(self.workload.run, changes=changes))


def repeated(requests: Sequence[RunRequest], repeats: int) -> list[RunRequest]:
    """Every request so many times: round by round, each round in an order of its own.

    A machine that grows warm or busy slows down whole rounds then, not single plans. The orders
    follow from the workload's seed. What is run once keeps the order it has.
    """
    from numpy.random import default_rng

    whole(repeats, "repeats", MOST_REPEATS)
    if repeats == 1 or not requests:
        return list(requests)
    series = uuid.uuid4().hex[:8]
    order = default_rng(requests[0].workload.run.seed)
    return [
        _repeat(requests[place], series, number)
        for number in range(1, repeats + 1)
        for place in order.permutation(len(requests))
    ]


def _repeat(request: RunRequest, series: str, number: int) -> RunRequest:
    results = request.results
    if results is not None:
        # A folder of results belongs to one run.
        results = results.with_name(f"{results.name}-{number}")
    return replace(request, series=series, repeat=number, results=results)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. `comparisons`, `results` and `state_tuples` are measured so far.

    `step` is what its batches are called; `reached` are the seconds of stream time that are done,
    and `lag` those that a run with a pace is behind it.
    """

    phase: str
    batches_done: int = 0
    batches: int = 0
    arrivals: int = 0
    seconds: float = 0.0
    comparisons: int = 0
    results: int = 0
    state_tuples: int = 0
    step: str = "batch"
    reached: float = 0.0
    lag: float | None = None
    # By operator and second of stream time; none before the warm-up is over.
    costs: Mapping[str, Cost] = field(default_factory=dict)
    # The statistics of its tuples, batch by batch, where they are watched.
    observed: tuple[BatchStatistics, ...] = ()
    # Of a run that adapts: when its plan was switched so far, and why.
    switches: tuple[Switch, ...] = ()

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.batches_done / self.batches if self.batches else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None until a batch is done."""
        if not self.batches_done:
            return None
        return self.seconds / self.batches_done * (self.batches - self.batches_done)


@dataclass(frozen=True, slots=True)
class KernelTime:
    """The seconds that a run should spend in kernels; `units` says whose unit costs they are by."""

    seconds: float
    units: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one plan: everything needed to show it, compare it, or do it again.

    `workload` is the request's, with the statistics that were inferred from the user's own data and
    the changes that were made by hand while it ran. `predicted_kernel` is None where nothing is
    predicted, as of Spark's own operators.
    """

    id: str
    request: RunRequest
    workload: Workload
    plan: Plan
    estimate: Estimate
    partitions: int
    batches: int
    data_digest: str
    versions: Mapping[str, str]
    started: float
    status: Status
    finished: float | None = None
    measurement: Measurement | None = None
    error: str | None = None
    warnings: tuple[str, ...] = ()
    predicted_kernel: KernelTime | None = None
    # Of a run that adapts: when its plan was switched, and why; and which plans would have been
    # better at some time, but could not be switched to.
    switches: tuple[Switch, ...] = ()
    out_of_reach: tuple[OutOfReach, ...] = ()

    @property
    def as_planned(self) -> Workload:
        """The workload with all changes of its plan, those that a run that adapts made as well."""
        if self.workload.run.adapt is None or not self.request.steered:
            return self.workload
        changes = (*self.workload.run.changes, *self.request.steered)
        return replace(self.workload, run=replace(self.workload.run, changes=changes))

    def ended(self, status: Status, finished: float, error: str | None = None) -> Run:
        """The record of a run that ended this way."""
        return replace(self, status=status, finished=finished, error=error)


def versions() -> dict[str, str]:
    """What a measurement may depend on."""
    return dict(_versions())


@cache
def _versions() -> Mapping[str, str]:
    packages = {name: version(name) for name in ("pyspark", "numba", "numpy", "pyarrow")}
    return {"python": platform.python_version(), "machine": platform.machine(), **packages}
