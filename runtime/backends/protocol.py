"""The Backend protocol: what prepares a plan and runs it to a measurement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from planner.errors import PlanError
from planner.families.protocol import Family
from planner.families.registry import applicable, family
from planner.plan.cost import Estimate, Measurement
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.interruption import StopSignal
from runtime.runs.records import KernelTime, Progress, Run, RunRequest

if TYPE_CHECKING:
    from runtime.backends.live_changes import Steering

OnProgress = Callable[[Progress], None]


class PreparedRun(Protocol):
    """A run that is ready to go."""

    @property
    def workload(self) -> Workload:
        """With the statistics of own data, and the changes that were made while it ran."""

    @property
    def plan(self) -> Plan:
        """The plan that is run."""

    @property
    def estimate(self) -> Estimate:
        """What it should cost."""

    @property
    def partitions(self) -> int:
        """How many partitions it runs in."""

    @property
    def batch_count(self) -> int:
        """How many micro-batches there are."""

    @property
    def data_digest(self) -> str:
        """The digest of its tuples."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Where what is measured is less than a user may think."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What a run works with: a folder of its own, whom it reports to, and what may stop it.

    Its seconds count from `begun`. What `steering` asks for is made when `revise` has kept the
    record with it.
    """

    folder: Path
    begun: float
    on_progress: OnProgress
    stop: StopSignal
    steering: Steering
    revise: Callable[[Run, PreparedRun], None]


class Backend(Protocol):
    """Runs plans: on our kernels, or on Spark's own operators. What it prepares is its own type."""

    def prepare(self, request: RunRequest, partitions: int) -> Any:
        """Plan, and generate or read the tuples; an error of the user's where that cannot be."""

    def predicted_kernel(self, request: RunRequest, prepared: Any) -> KernelTime | None:
        """The seconds that the run should spend in kernels; None where it has none."""

    def measure(self, record: Run, prepared: Any, context: RunContext) -> Run:
        """Run to the end, from the checkpoint if there is one; the record with its measurement."""

    def measured_so_far(self, prepared: Any, folder: Path, begun: float) -> Measurement | None:
        """What a run counted until it was interrupted; None where it counted nothing."""

    def why_not_resumed(self, request: RunRequest, /) -> str | None:
        """Why a run that was interrupted cannot be resumed; None where it can."""

    def batches_counted(self, folder: Path, /) -> int:
        """How many micro-batches a run that was interrupted has counted in its folder."""


def family_of(request: RunRequest, workload: Workload) -> Family:
    """The family that is asked for, or else the first that applies to a workload."""
    if not request.family:
        return applicable(workload, workload.name)
    chosen = family(request.family)
    if reason := chosen.refuses(workload):
        raise PlanError(reason, chosen.name)
    return chosen
