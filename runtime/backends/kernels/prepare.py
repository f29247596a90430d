"""What a run on kernels needs before Spark: plan, estimate, micro-batches, span and program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planner.errors import RunError
from planner.families.capabilities import Changes, Switching
from planner.families.registry import family
from planner.families.stages import changes_made, planned_stages, whole_estimate, whole_plan
from planner.files.free_memory import check_memory
from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.time_limit import planning_limit
from planner.workload.changes import check_times, queries_of_run, with_every_query
from planner.workload.execution import Change
from planner.workload.query import Query
from planner.workload.workload import Workload, plain
from runtime.backends.kernels.pace import (
    batch_seconds,
    cuts_of,
    decision_cuts,
    decision_microseconds,
)
from runtime.backends.protocol import PreparedRun, family_of
from runtime.data import microbatches
from runtime.data.feed import Merge, Split
from runtime.data.folders import writable_home
from runtime.data.microbatches import MicroBatches, usual_batch_rows
from runtime.data.run_data import data_digest, digest_of, generated, span_of, with_data
from runtime.engines.protocol import Engine, PlanInput, Program
from runtime.engines.registry import engine
from runtime.engines.watching.sketch_plan import SketchPlan
from runtime.runs.records import RunRequest
from runtime.runs.result_files import check_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedKernelRun(PreparedRun):
    """A run on kernels that is ready to go; `schema` says what the numbers in its tuples are."""

    batches: MicroBatches
    schema: Any
    program: Program
    split: Split
    # What its tuples are watched for, if they are to be.
    sketches: SketchPlan | None = None


def prepare(request: RunRequest, partitions: int) -> PreparedKernelRun:
    """Plan, generate or read the tuples, cut them into micro-batches, and compile the plan."""
    writable_home()
    if request.results is not None:
        check_folder(request.results)
    workload, tables, warnings = with_data(request.workload, request.data, request.sort)
    chosen = family_of(request, workload)
    runs = engine(chosen.name)
    with planning_limit():
        space = chosen.space(workload, request.units)
        stages = planned_stages(chosen, workload, request.label, request.units)
        plan = whole_plan(stages)
    split = runs.split(plan, workload, partitions)
    if split.caveat and request.partitions is None:
        # Parts cannot be measured as the whole that they make up: only where it is asked for.
        split = runs.split(plan, workload, 1)
    if request.steerable and space.capability(Changes) is None:
        raise RunError(f"plans of {chosen.name} cannot be changed while they run", "run")
    if workload.run.adapt is not None and space.capability(Switching) is None:
        raise RunError(
            f"plans of {chosen.name} are not switched while they run; leave it out", "run.adapt"
        )
    made_changes = changes_made(space, workload.run.changes)
    if len(made_changes) < len(workload.run.changes):
        text = f"queries of {chosen.name} do not change while they run: run.changes was left out"
        warnings = (*warnings, text)
    times = [stage.at for stage in stages if stage.at is not None]
    merge = runs.feed(plan, workload, request.steerable)
    needs = runs.feed_needs(plan, workload)
    batches, digest = _batches(
        request, merge, needs, workload, tables, split, times, runs.bytes_per_tuple
    )
    span, more = span_of(workload, batches, own_data=tables is not None)
    begin = batches.first_ts if tables else 0
    check_times(made_changes, begin, span.end, own_data=tables is not None)
    check_pace(request, (span.end - begin) / 1e6)
    schema = runs.schema(Path(batches.folder))
    given = PlanInput(plan, workload, schema, span, split, stages, begin, request.units)
    replicated = split.modulus is None
    program = _compiled(runs, given, request)
    made = PreparedKernelRun(
        workload=workload,
        plan=plan,
        estimate=whole_estimate(chosen, stages, begin, span.warmup, span.end, request.units),
        data_digest=digest,
        warnings=(*warnings, *more, *_remarks(request, split)),
        partitions=program.partitions,
        batch_count=batches.batches,
        begin=begin,
        span=span,
        batches=batches,
        schema=schema,
        program=program,
        split=split,
        sketches=_sketches(request, runs.sketched(workload, schema, replicated), batches, workload),
    )
    return changed(made, request, request.steered) if request.steered else made


def is_watched(request: RunRequest) -> bool:
    """Whether tuples are sketched: where that is asked for, and where plans follow them."""
    adapt = request.workload.run.adapt
    return request.watch or (adapt is not None and adapt.policy != "never")


def _sketches(
    request: RunRequest, plan: SketchPlan | None, batches: MicroBatches, workload: Workload
) -> SketchPlan | None:
    """What tuples are watched for; as many are looked at as a batch or a decision needs."""
    if plan is None or not is_watched(request):
        return None
    parts = batches.batches
    if workload.run.adapt is not None:
        # Decisions must not depend on how batches are cut between them.
        span = batches.last_ts - batches.first_ts
        parts = -(-span // decision_microseconds(workload, span))
    return plan.thinned(batches.rows, max(1, parts))


def _compiled(runs: Engine, given: PlanInput, request: RunRequest) -> Program:
    """The plan as a program; one that may change keeps what each of its plans counts."""
    may_change = request.workload.run.adapt is not None or request.steerable
    changes = may_change or len(given.stages) > 1
    return runs.compile_stages(given) if changes else runs.compile(given)


def _remarks(request: RunRequest, split: Split) -> list[str]:
    """What a user should know of the pace and the partitions."""
    remarks = []
    if request.pace is not None:
        remarks.append(f"ran at a pace of {request.pace:g}: its seconds include the waiting")
    if split.single and (request.partitions or 1) > 1:
        remarks.append(f"runs in one partition: {split.single}")
    if split.caveat:
        remarks.append(split.caveat)
    return remarks


def changed(
    prepared: PreparedKernelRun, request: RunRequest, changes: Sequence[Change]
) -> PreparedKernelRun:
    """The same run with more changes, of which none comes before what has been run of it.

    What was counted so far stays in the same places of the longer program.
    """
    known, span, begin = prepared.workload, prepared.span, prepared.begin
    run = replace(known.run, changes=(*known.run.changes, *changes))
    workload, chosen = replace(known, run=run), family(prepared.plan.family)
    stages = planned_stages(chosen, workload, request.label, request.units)
    queries_of_run(workload)
    plan = whole_plan(stages)
    given = PlanInput(
        plan, workload, prepared.schema, span, prepared.split, stages, begin, request.units
    )
    program = _compiled(engine(chosen.name), given, request)
    estimate = whole_estimate(chosen, stages, begin, span.warmup, span.end, request.units)
    return replace(prepared, workload=workload, plan=plan, estimate=estimate, program=program)


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
    merge: Merge,
    needs: object,
    workload: Workload,
    tables: dict[str, Table] | None,
    split: Split,
    changes: Sequence[int],
    bytes_per_tuple: int,
) -> tuple[MicroBatches, str]:
    """The micro-batches of the run, from the cache or made now, and the digest of the tuples."""
    digest = data_digest(workload, tables)
    rows = request.batch_rows or 0
    key = digest_of(
        microbatches.FORMAT,
        digest,
        _plain_sources(workload),
        split.partitions,
        split.modulus,
        rows,
        f"{merge.__module__}.{merge.__qualname__}",
        needs,
        changes,
        request.pace and batch_seconds(request.pace),
        *(["adapt", workload.run.adapt.every] if workload.run.adapt else []),
    )
    if found := microbatches.cached(key, request.shared):
        return found, digest
    held = tables or generated(workload)
    check_merging(workload, held, bytes_per_tuple)
    merged = merge(workload, held)
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
    if workload.run.adapt is not None and len(merged.tuples.ts):
        cuts += decision_cuts(workload, begin, int(merged.tuples.ts[-1]))
    return microbatches.write(key, merged, split, batch_rows, cuts, request.shared), digest


# What a value that is compared takes in a feed while it is merged.
_BYTES_PER_VALUE = 32


def check_merging(workload: Workload, tables: Mapping[str, Table], bytes_per_tuple: int) -> None:
    """Refuse tuples whose feed would take more than the free memory, before it is made."""
    aliases: dict[str, int] = {}
    for query in with_every_query(workload).queries:
        # Queries that share a stream share its tuples; a query may read one twice.
        own = Counter(source.name for source in query.sources)
        aliases = {name: max(aliases.get(name, 0), own[name]) for name in aliases | own}
    values = max((len(table.columns) for table in tables.values()), default=0)
    arrivals = sum(aliases.get(name, 0) * len(table) for name, table in tables.items())
    check_memory(
        arrivals * (bytes_per_tuple + values * _BYTES_PER_VALUE),
        f"to put {arrivals:,} tuples in the order of their arrival",
        "use fewer tuples: shorten run.duration and run.warmup or the files, or lower the rates",
        "run",
    )


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
