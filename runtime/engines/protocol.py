"""The Engine protocol: what turns plans of a family into programs, and what a program is."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from planner.errors import RunError
from planner.plan.cost import Cost, Quality, UnitCosts
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Merge, Span, Split
from runtime.engines.watching.sketch_plan import SketchPlan

# A worker that steps a program needs no planning.
if TYPE_CHECKING:
    from planner.families.stages import PlannedStage


@dataclass(frozen=True, slots=True)
class BatchStep:
    """What one partition did with one micro-batch.

    `totals` counts from the start of the run, and so does `kept`: the rows there were to write.
    """

    state: bytes
    totals: bytes
    kept: int
    rows: np.ndarray


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A state that moves from one program to another: what the other one begins with, the totals
    of the first and the rows it kept, and the work of moving, as counts."""

    state: bytes
    totals: bytes
    kept: int
    moved: Cost


@dataclass(frozen=True, slots=True)
class Tally:
    """The totals of all partitions together; `costs` is per operator and second of the span.

    An aggregation has its groups as they are at the end, each behind the begin of its block, and
    how often per second an operator looked for an extremum anew. A program of several queries has
    the results and the digest of each, and the most that a slice was given (females and males) and
    that a union merged in a batch. `qualities` are of the queries whose answers have one;
    `schedules` what other orders of the same work would have meant for them, and `shed` which
    tuples were not kept, as JSON has it.
    """

    results: int
    digest: int
    comparisons: int
    state_tuples: int
    kernel_seconds: float
    replicated_inserts: int
    costs: Mapping[str, Cost]
    groups: np.ndarray | None = None
    recomputations: Mapping[str, float] = field(default_factory=dict)
    by_query: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    queues: Mapping[str, int] = field(default_factory=dict)
    qualities: Mapping[str, Quality] = field(default_factory=dict)
    schedules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    shed: Mapping[str, Any] = field(default_factory=dict)
    # Of a run whose plan was switched, the work of moving by the time of each switch, as counts.
    moved: Mapping[int, Cost] = field(default_factory=dict)

    def answers(self, workload: Workload) -> Mapping[str, tuple[int, int]]:
        """The results and the digest of each query."""
        if self.by_query:
            return self.by_query
        (query,) = workload.queries
        return {query.name: (self.results, self.digest)}


@dataclass(frozen=True, kw_only=True)
class Program(ABC):
    """A plan that can be stepped through micro-batches, one partition at a time.

    Work is counted in its span. It travels to the workers as JSON, never as pickled code: with its
    class, of which it is read back.
    """

    # The form of its tuples, where they can be sketched: with `source`, `ts` and `keys`.
    form: ClassVar[Any] = None

    span: Span
    partitions: int

    @abstractmethod
    def load(self) -> None:
        """Compile the kernels or load them, so that steps are timed without it."""

    @abstractmethod
    def step(self, state: bytes | None, batch: bytes, partition: int, most_rows: int) -> BatchStep:
        """Run one micro-batch of one partition from its state (None: the beginning).

        Up to `most_rows` rows of results are kept (0: none); one more is a RunError.
        """

    def take_over(self, before: Program, _state: bytes, _partition: int, at: int, /) -> TakenOver:
        """What a program of another plan of the same queries stored, as this one stores it."""
        raise RunError(f"does not take over from {type(before).__name__} at {at / 1e6:g} s", "run")

    def of_all_eras(self, tally: Tally, _totals: Sequence[bytes], _reached: int | None, /) -> Tally:
        """The tally of a run whose plan was switched, given the totals of all of its programs, of
        which this is the last: with what does not follow from their tallies."""
        return tally

    @abstractmethod
    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        """Add up the partitions; counts become costs of operators per second of the span.

        Of a run that goes on, `reached` is the time its totals are of.
        """

    def to_json(self) -> str:
        """The program as text, which `program_from_json` reads."""
        own = type(self)
        return json.dumps({"program": [own.__module__, own.__qualname__], **asdict(self)})


@dataclass(frozen=True, slots=True)
class PlanInput:
    """A plan, and all that a program of it depends on: its feed's schema, what is counted, shares.

    A run that changes has `stages`, the plan and its workload being of all of them; their times
    count from `begin`. `units` are those of the machine; None are the defaults.
    """

    plan: Plan
    workload: Workload
    schema: Any
    span: Span
    split: Split
    stages: Sequence[PlannedStage] = ()
    begin: int = 0
    units: UnitCosts | None = None


class Engine(Protocol):
    """What runs the plans of a family on kernels. Its schema is of a type of its own.

    `loaders` compile each kernel or load it, the one that most runs need first. `bytes_per_tuple`
    are what its feed takes at most to merge an arriving tuple, besides what conditions compare.
    """

    loaders: Sequence[Callable[[], None]] = ()
    bytes_per_tuple: int = 300

    def feed(self, plan: Plan, workload: Workload, open_to_change: bool = False, /) -> Merge:
        """What merges the streams for the kernel that runs this plan.

        `open_to_change`: queries that are not known yet may enter while it runs.
        """

    def feed_needs(self, plan: Plan, workload: Workload, /) -> object:  # noqa: ARG002
        """What its feed depends on besides the sources, their windows, keys and filters.

        Plain values: micro-batches are made again where they differ.
        """
        return None

    def split(self, plan: Plan, workload: Workload, partitions: int, /) -> Split:
        """How arriving tuples are shared out to partitions."""

    def schema(self, folder: Path) -> Any:
        """What the schema of a feed wrote beside its micro-batches."""

    def compile(self, given: PlanInput) -> Program:
        """The plan as a program."""

    def compile_stages(self, given: PlanInput) -> Program:
        """The plans of a run that may change as one program."""
        return self.compile(given)

    def write_results(
        self, workload: Workload, schema: Any, tally: Tally, parts: Path, folder: Path, /
    ) -> None:
        """Write the results of each query, given the rows that workers wrote and the tally."""

    def sketched(self, _workload: Workload, _schema: Any, _replicated: bool) -> SketchPlan | None:
        """What tuples are watched for; None where they are not.

        `replicated`: every partition is given all tuples.
        """
        return None

    def general(self) -> Engine:
        """The engine on the one kernel that runs all its plans; itself where it has no other."""
        return self
