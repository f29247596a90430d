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
from runtime.data.feed import Span
from runtime.runs.records import KernelTime, Progress, Run, RunRequest

if TYPE_CHECKING:
    from runtime.backends.live_changes import Steering

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """A run that is ready to go.

    Its workload has the statistics of own data, and the changes that were made while it ran.
    Stream time counts from `begin`, in microseconds: own data have times of their own.
    """

    workload: Workload
    plan: Plan
    estimate: Estimate
    data_digest: str
    warnings: tuple[str, ...]
    partitions: int
    batch_count: int
    begin: int
    span: Span


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
        """Plan, and generate or read the tuples: a PreparedRun, or an error of the user's."""

    def measure(self, record: Run, prepared: Any, context: RunContext) -> Run:
        """Run to the end, from the checkpoint if there is one; the record with its measurement."""

    def why_not_resumed(self, request: RunRequest, /) -> str | None:
        """Why a run that was interrupted cannot be resumed; None where it can."""

    def batches_counted(self, _folder: Path, /) -> int:
        """How many micro-batches a run that was interrupted has counted in its folder."""
        return 0

    def measured_so_far(
        self, _prepared: Any, _folder: Path, _begun: float, /
    ) -> Measurement | None:
        """What a run counted until it was interrupted; None where it counted nothing."""
        return None

    def predicted_kernel(self, _request: RunRequest, _prepared: Any, /) -> KernelTime | None:
        """The seconds that the run should spend in kernels; None where it has none."""
        return None


def family_of(request: RunRequest, workload: Workload) -> Family:
    """The family that is asked for, or else the first that applies to a workload."""
    if not request.family:
        return applicable(workload, workload.name)
    chosen = family(request.family)
    if reason := chosen.refuses(workload):
        raise PlanError(reason, chosen.name)
    return chosen
