"""Programs driven by hand: what a run does with kernels, without Spark and without files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.families.registry import chosen_plan, family
from planner.families.stages import PlannedStage
from planner.files.tuple_table import ColumnData, Table
from planner.plan.plan import Plan
from planner.workload.query import Query, TimeWindow
from planner.workload.workload import Workload
from runtime.data.batch import Batch, unpack
from runtime.data.feed import Feed, Merge, Span, Split
from runtime.engines.join_order.kernel.multiway import Counters
from runtime.engines.join_order.multiway_program import JoinProgram
from runtime.engines.protocol import PlanInput, Program, Tally
from runtime.engines.registry import engine
from runtime.runs.result_parts import MOST_RESULT_ROWS
from tests.oracles.joins import Data


@dataclass(frozen=True, slots=True)
class Driven:
    """What came of a program: its rows sorted, and its counters over all partitions."""

    rows: list[tuple[int, ...]]
    counters: Counters
    tally: Tally


def tables_of(data: Data, kinds: Mapping[str, str]) -> dict[str, Table]:
    """The data as arrays; a missing value is None, and an attribute is of this numpy kind."""
    tables = {}
    for name, items in data.items():
        columns = {}
        for attribute, kind in kinds.items():
            values = [item[1][attribute] for item in items]
            valid = np.array([value is not None for value in values], np.bool_)
            nothing = "" if kind == "object" else 0
            filled = np.array([nothing if v is None else v for v in values], kind)
            columns[attribute] = ColumnData(filled, None if valid.all() else valid)
        times = [item[0] for item in items]
        seq = np.arange(len(items), dtype=np.int64)
        if times and isinstance(times[0], tuple):
            begin, end = np.array(times, np.int64).T
            tables[name] = Table(seq, np.empty(0, np.int64), columns, begin.copy(), end.copy())
        else:
            tables[name] = Table(seq, np.array(times, np.int64), columns)
    return tables


def windows_of(query: Query) -> list[float]:
    """The length of each window in seconds, in FROM order."""
    return [s.window.seconds for s in query.sources if isinstance(s.window, TimeWindow)]


def feed_of(plan: Plan, workload: Workload) -> Merge:
    """What merges the streams for the kernel that runs this plan."""
    return engine(plan.family).feed(plan, workload)


def split_of(plan: Plan, workload: Workload, partitions: int) -> Split:
    """How tuples are shared out to so many partitions."""
    return engine(plan.family).split(plan, workload, partitions)


def program_of(
    plan: Plan,
    workload: Workload,
    feed: Feed,
    span: Span,
    split: Split,
    stages: Sequence[PlannedStage] = (),
) -> Program:
    """The plan as a program over a feed."""
    given = PlanInput(plan, workload, feed.schema, span, split, stages)
    return engine(plan.family).compile(given)


def counted(plan: Plan, workload: Workload, feed: Feed, span: Span) -> Tally:
    """What the kernels count of this plan over these tuples, in one partition and one batch."""
    program = program_of(plan, workload, feed, span, Split(1, None))
    program.load()
    until = int(feed.tuples.ts[-1]) if len(feed.tuples.ts) else 0
    batch = Batch(feed.tuples, until, last=True).pack()
    return program.tally([program.step(None, batch, 0, most_rows=0).totals], plan)


def compiled(
    workload: Workload, feed: Feed, span: Span, partitions: int = 1, label: str = "multiway"
) -> tuple[JoinProgram, Plan, Split]:
    """The plan with this label as a program, and how tuples are shared out to it."""
    plan = chosen_plan(family("join_order").space(workload), label)
    split = split_of(plan, workload, partitions)
    program = program_of(plan, workload, feed, span, split)
    assert isinstance(program, JoinProgram)
    return program, plan, split


def drive(
    program: JoinProgram,
    plan: Plan,
    split: Split,
    feed: Feed,
    cuts: Sequence[int] = (),
    keep_rows: bool = True,
) -> Driven:
    """Step every partition through the feed, cut into batches at these places."""
    rows, totals = stepped(program, split, feed, cuts, keep_rows)
    by_counter = zip(*(unpack(total)[2:] for total in totals), strict=True)
    counters = Counters(*(np.sum(counts, axis=0) for counts in by_counter))
    return Driven(sorted(rows), counters, program.tally(totals, plan))


def stepped(
    program: Program, split: Split, feed: Feed, cuts: Sequence[int], keep_rows: bool
) -> tuple[list[tuple[int, ...]], list[bytes]]:
    """The rows of any program, and what each partition counted."""
    parts, totals = stepped_apart(program, split, feed, cuts, keep_rows)
    return [tuple(row) for _, part in parts for row in part.tolist()], totals


def stepped_apart(
    program: Program, split: Split, feed: Feed, cuts: Sequence[int], keep_rows: bool
) -> tuple[list[tuple[int, np.ndarray]], list[bytes]]:
    """The same, with the partition that each part of the rows comes from."""
    arrivals = len(feed.tuples.ts)
    inside = sorted({cut for cut in cuts if 0 < cut < arrivals})
    states: list[bytes | None] = [None] * split.partitions
    totals = [b""] * split.partitions
    rows: list[tuple[int, np.ndarray]] = []
    for start, end in pairwise([0, *inside, arrivals]):
        tuples = feed.tuples.take(slice(start, end))
        until = int(tuples.ts[-1]) if len(tuples.ts) else 0
        shares = split.share(tuples) or [tuples] * split.partitions
        for partition, share in enumerate(shares):
            batch = Batch(share, until, end == arrivals).pack()
            step = program.step(
                states[partition], batch, partition, MOST_RESULT_ROWS if keep_rows else 0
            )
            states[partition], totals[partition] = step.state, step.totals
            rows.append((partition, step.rows))
    return rows, totals


def as_lists(counters: Counters, without: Sequence[str] = ()) -> Mapping[str, object]:
    """Counters to compare with `==`."""
    fields = counters._asdict().items()
    return {name: counts.tolist() for name, counts in fields if name not in without}
