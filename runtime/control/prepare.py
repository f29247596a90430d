"""What a run needs before Spark: statistics, plan, estimate, micro-batches, span and program."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from planner.errors import PlanError, RunError
from planner.families.registry import family
from planner.files.own_data import read_folder
from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.plan.cost import Estimate
from planner.plan.plan import Plan
from planner.statistics.inference import infer
from planner.workload.changes import check_times, queries_of_run, with_every_query
from planner.workload.execution import Change
from planner.workload.query import Query
from planner.workload.validation import microseconds
from planner.workload.workload import Workload, plain
from runtime.control.pace import batch_seconds, cuts_of
from runtime.control.stages import planned_stages, whole_estimate, whole_plan
from runtime.data import microbatches
from runtime.data.folders import writable_home
from runtime.data.generate import check_tuples, generate
from runtime.data.microbatches import MicroBatches, usual_batch_rows
from runtime.data.split import Split, split_of
from runtime.engines.in_process import feed_of
from runtime.engines.program import Program, Span
from runtime.engines.registry import compile_plan
from runtime.engines.slices.feed import groups_of_run
from runtime.runs.records import CHANGING, RunRequest
from runtime.runs.result_files import check_folder


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that is ready to go."""

    workload: Workload
    plan: Plan
    estimate: Estimate
    batches: MicroBatches
    program: Program
    data_digest: str
    warnings: tuple[str, ...]
    # From when stream time counts, in microseconds: own data have times of their own.
    begin: int
    span: Span
    split: Split


def prepare(request: RunRequest, partitions: int) -> Prepared:
    """Plan, generate or read the tuples, cut them into micro-batches, and compile the plan."""
    writable_home()
    if request.results is not None:
        check_folder(request.results)
    workload, tables, warnings = with_data(request.workload, request.data, request.sort)
    chosen = family(request.family)
    if reason := chosen.refuses(workload):
        raise PlanError(reason, request.family)
    stages = planned_stages(chosen, workload, request.label)
    plan = whole_plan(stages)
    split = split_of(plan, workload, partitions)
    if split.in_parts and request.partitions is None:
        # Parts of groups cannot be measured as the groups they make up: only where it is asked for.
        split = split_of(plan, workload, 1)
    if chosen.name != CHANGING and workload.run.changes:
        told = f"plans of {chosen.name} do not change while they run: run.changes was left out"
        warnings = (*warnings, told)
    times = [stage.at for stage in stages if stage.at is not None]
    batches, digest = _batches(request, plan, workload, tables, split, times)
    span, more = span_of(workload, batches, own_data=tables is not None)
    begin = batches.first_ts if tables else 0
    if chosen.name == CHANGING:
        check_times(workload.run.changes, begin, span.end, own_data=tables is not None)
    check_pace(request, (span.end - begin) / 1e6)
    if request.pace is not None:
        more = (*more, f"ran at a pace of {request.pace:g}: its seconds include the waiting")
    if split.single and (request.partitions or 1) > 1:
        more = (*more, f"runs in one partition: {split.single}")
    if split.in_parts:
        more = (*more, "partitions hold parts of groups: the state measured counts every part")
    program = compile_plan(
        plan,
        workload,
        batches.codes,
        span,
        split,
        batches.constants,
        batches.grouping,
        stages,
        begin,
        batches.carried() if request.steerable else None,
    )
    estimate = whole_estimate(chosen, stages, begin, span.warmup, span.end)
    every = (*warnings, *more)
    made = Prepared(workload, plan, estimate, batches, program, digest, every, begin, span, split)
    return changed(made, request, request.steered) if request.steered else made


def changed(prepared: Prepared, request: RunRequest, changes: Sequence[Change]) -> Prepared:
    """The same run with more changes, of which none comes before what has been run of it.

    What was counted so far stands in the same places of the longer program.
    """
    known, batches = prepared.workload, prepared.batches
    run = replace(known.run, changes=(*known.run.changes, *changes))
    workload, chosen = replace(known, run=run), family(request.family)
    stages = planned_stages(chosen, workload, request.label)
    carried = batches.carried()
    carried.check(groups_of_run(workload))
    queries_of_run(workload)
    plan, span, begin = whole_plan(stages), prepared.span, prepared.begin
    program = compile_plan(
        plan,
        workload,
        batches.codes,
        span,
        prepared.split,
        stages=stages,
        begin=begin,
        carried=carried,
    )
    estimate = whole_estimate(chosen, stages, begin, span.warmup, span.end)
    return replace(prepared, workload=workload, plan=plan, estimate=estimate, program=program)


def with_data(
    workload: Workload, data: Path | None, sort: bool = False
) -> tuple[Workload, dict[str, Table] | None, tuple[str, ...]]:
    """The workload with its statistics, and the user's own tuples if there are any."""
    if data is None:
        return workload, None, ()
    everything = with_every_query(workload)
    own = read_folder(data, everything, sort)
    inferred, _ = infer(everything, own.tables)
    return replace(inferred, queries=workload.queries), own.tables, own.warnings


class Covered(NamedTuple):
    """From when to when tuples arrive, in microseconds."""

    first_ts: int
    last_ts: int


def covered(streams: Sequence[Table]) -> Covered:
    """The times that the tuples of these streams cover."""
    times = [table.ts for table in streams if len(table.ts)]
    first = min((int(ts[0]) for ts in times), default=0)
    return Covered(first, max((int(ts[-1]) for ts in times), default=0))


def span_of(
    workload: Workload, batches: MicroBatches | Covered, own_data: bool
) -> tuple[Span, tuple[str, ...]]:
    """What is measured, and warnings where that is less than a user may think."""
    warmup = workload.warmup
    begin = batches.first_ts if own_data else 0
    end = batches.last_ts if own_data else microseconds(run_seconds(workload))
    span = Span(begin + microseconds(warmup), end)
    warnings = []
    if warmup < workload.longest_window:
        warnings.append(
            f"the warm-up of {warmup:g} s is shorter than the longest window "
            f"({workload.longest_window:g} s): windows were not yet full when counting began"
        )
    if not span.seconds:
        warnings.append(
            f"nothing was left to measure: the data cover {(end - begin) / 1e6:g} s, and the "
            f"warm-up takes {warmup:g} s"
        )
    return span, tuple(warnings)


def check_pace(request: RunRequest, seconds: float) -> None:
    """A run that its pace would keep from its end is not begun."""
    if request.pace is not None and seconds / request.pace > request.most_seconds:
        raise RunError(
            f"{seconds:g} s of stream time would take {seconds / request.pace:,.0f} s, and a run "
            f"may take {request.most_seconds:g} s; raise the pace or shorten run.duration",
            "--pace",
        )


def _batches(
    request: RunRequest,
    plan: Plan,
    workload: Workload,
    tables: dict[str, Table] | None,
    split: Split,
    changes: Sequence[int],
) -> tuple[MicroBatches, str]:
    """The micro-batches of the run, from the cache or made now, and the digest of the tuples."""
    digest = data_digest(workload, tables)
    rows = request.batch_rows or 0
    merge = feed_of(plan, workload, request.steerable)
    key = _digest(
        microbatches.FORMAT,
        digest,
        _plain_sources(workload),
        split.partitions,
        split.modulus,
        rows,
        merge.__name__,
        changes,
        request.pace and batch_seconds(request.pace),
    )
    if found := microbatches.cached(key, request.shared):
        return found, digest
    merged = merge(workload, tables or generated(workload))
    needed_mb = len(merged.tuples.ts) * microbatches.BYTES_PER_TUPLE / 2**20
    if needed_mb > request.most_disk_mb:
        raise RunError(
            f"its micro-batches would take about {amount(needed_mb)} MB of disk, and it may take "
            f"{request.most_disk_mb:g} MB; shorten run.duration, or raise the limit",
            "run",
        )
    batch_rows = rows or usual_batch_rows(len(merged.tuples.ts))
    begin = int(merged.tuples.ts[0]) if tables and len(merged.tuples.ts) else 0
    cuts = [begin + at for at in changes]
    if request.pace is not None and len(merged.tuples.ts):
        cuts += cuts_of(request.pace, begin, int(merged.tuples.ts[-1]))
    return microbatches.write(key, merged, split, batch_rows, cuts, request.shared), digest


def generated(workload: Workload) -> dict[str, Table]:
    """The tuples that a run of the workload generates."""
    return generate(with_every_query(workload), run_seconds(workload), workload.run.seed)


def check_size(workload: Workload) -> None:
    """Refuse a run that would generate too many tuples."""
    used = {s.name for query in with_every_query(workload).queries for s in query.sources}
    streams = [stream for stream in workload.streams if stream.name in used]
    relations = [relation for relation in workload.relations if relation.name in used]
    check_tuples(streams, relations, run_seconds(workload))


def run_seconds(workload: Workload) -> float:
    """The seconds of stream time that a run on generated tuples covers."""
    return workload.warmup + workload.run.duration


def data_digest(workload: Workload, tables: dict[str, Table] | None) -> str:
    """The digest of a run's tuples: of the user's own, or of what they are generated from."""
    return _digest_of_tables(tables) if tables else _digest_of_spec(workload)


def _plain_sources(workload: Workload) -> object:
    """What the merging of streams depends on: their order, sources by alias, and the join keys."""
    order = [r.name for r in workload.relations] + [s.name for s in workload.streams]
    queries = with_every_query(workload).queries
    return [order, *(_plain_query(query) for query in queries)]


def _plain_query(query: Query) -> object:
    classes = [sorted(str(column) for column in c) for c in query.equality_classes()]
    sources = [(s.alias, s.name, str(s.window)) for s in query.sources]
    aggregated = [plain(query.group_by), plain(query.aggregates)]
    return [sources, classes, plain(query.predicates), plain(query.filters), aggregated]


def _digest_of_spec(workload: Workload) -> str:
    queries = with_every_query(workload).queries
    used = {source.name for query in queries for source in query.sources}
    streams = [(place, plain(s)) for place, s in enumerate(workload.streams) if s.name in used]
    relations = [(place, plain(r)) for place, r in enumerate(workload.relations) if r.name in used]
    # 40 and 40.0 seconds are the same.
    return _digest(streams, relations, float(run_seconds(workload)), workload.run.seed)


def _digest_of_tables(tables: dict[str, Table]) -> str:
    parts = hashlib.blake2b(digest_size=12)
    for name, table in sorted(tables.items()):
        parts.update(repr((name, len(table))).encode())
        parts.update(table.ts.tobytes())
        parts.update(table.seq.tobytes())
        for validity in (table.begin, table.end):
            parts.update(b"" if validity is None else validity.tobytes())
        for attribute, column in sorted(table.columns.items()):
            values = column.values
            parts.update(attribute.encode())
            raw = (
                "\x00".join(map(str, values)).encode()
                if values.dtype == object
                else values.tobytes()
            )
            parts.update(raw)
            parts.update(b"" if column.valid is None else column.valid.tobytes())
    return parts.hexdigest()


def _digest(*parts: object) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def with_run_settings(
    workload: Workload, seed: int | None, warmup: float | None, duration: float | None
) -> Workload:
    """The workload with these run settings in place of its own, where they are given."""
    own = workload.run
    return replace(
        workload,
        run=replace(
            own,
            seed=own.seed if seed is None else seed,
            warmup=own.warmup if warmup is None else warmup,
            duration=own.duration if duration is None else duration,
        ),
    )
