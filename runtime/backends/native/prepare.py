"""What a run on Spark's own operators needs before Spark: plan, estimate, description and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from planner.errors import RunError
from planner.families.registry import chosen_plan
from planner.files.tuple_table import Table
from planner.plan.cost import Estimate
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.native.aggregating import NativeGroups
from runtime.backends.native.describe import describe
from runtime.backends.native.describe_aggregation import NativeAggregation
from runtime.backends.native.description import NativeJoins
from runtime.backends.native.files import NativeFiles, cuts_of, write_tables
from runtime.backends.native.refusal import refusal
from runtime.backends.protocol import family_of
from runtime.data.feed import Span
from runtime.data.folders import writable_home
from runtime.data.run_data import (
    covered,
    data_digest,
    generated,
    span_of,
    with_data,
)
from runtime.runs.records import RunRequest
from runtime.runs.result_files import check_folder


@dataclass(frozen=True, slots=True)
class PreparedNative:
    """A run on Spark's own operators that is ready to go, but for its files."""

    workload: Workload
    plan: Plan
    estimate: Estimate
    described: NativeJoins | NativeAggregation
    tables: Mapping[str, Table]
    cuts: tuple[int, ...]
    partitions: int
    data_digest: str
    span: Span
    warnings: tuple[str, ...]
    # From when stream time counts, in microseconds: own data have times of their own.
    begin: int
    # Of an aggregation.
    groups: NativeGroups | None = None

    @property
    def batch_count(self) -> int:
        """How many micro-batches there are."""
        return len(self.cuts)

    @property
    def streams(self) -> list[str]:
        """The streams among its tables."""
        return [s.name for s in self.workload.streams if s.name in self.tables]

    @property
    def arrivals(self) -> int:
        """How many tuples arrive."""
        return sum(len(self.tables[name]) for name in self.streams)

    def write(self, folder: Path) -> NativeFiles:
        """Write its tables as Spark is to read them."""
        used = {
            name: tuple(
                dict.fromkeys(
                    attribute
                    for join in self.described.joins
                    for given in join.inputs
                    if given.table == name
                    for attribute in given.attributes
                )
            )
            for name in self.tables
        }
        more = self.groups.columns() if self.groups else None
        return write_tables(self.tables, self.streams, used, self.cuts, folder, more)


def prepare_native(request: RunRequest, partitions: int) -> PreparedNative:
    """Plan, generate or read the tuples, and describe what Spark is to do.

    A RunError where Spark's own operators cannot express it.
    """
    writable_home(request.shared)
    if request.results is not None:
        check_folder(request.results)
    workload, own, warnings = with_data(request.workload, request.data, request.sort)
    chosen = family_of(request, workload)
    plan = chosen_plan(chosen, workload, request.label)
    if reason := refusal(plan, workload, request.way):
        raise RunError(reason, "--backend native")
    if request.pace is not None:
        raise RunError("Spark's own operators run as fast as they can; leave it out", "--pace")
    tables = own or generated(workload)
    described = describe(plan, workload)
    read = {name: tables[name] for name in described.tables}
    streams = [read[s.name] for s in workload.streams if s.name in read]
    span, more = span_of(workload, covered(streams), own_data=own is not None)
    cuts = cuts_of(streams, request.batch_rows, [span.warmup])
    return PreparedNative(
        workload,
        plan,
        chosen.estimate(plan, workload),
        described,
        read,
        tuple(cuts),
        partitions,
        data_digest(workload, own),
        span,
        (*warnings, *more, *described.notes),
        covered(streams).first_ts if own else 0,
        NativeGroups.of(described, workload.queries[0], read)
        if isinstance(described, NativeAggregation)
        else None,
    )
