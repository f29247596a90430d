"""What a run needs before Spark: statistics, plan, estimate, micro-batches, span and program."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

from planner.checks import microseconds
from planner.cost import Estimate
from planner.errors import PlanError, RunError
from planner.families import chosen_plan, family
from planner.own_data import read_folder
from planner.plan import Plan
from planner.statistics import infer
from planner.tables import Table
from planner.workload import Workload, plain
from runtime import microbatches
from runtime.feed import feed
from runtime.generate import generate
from runtime.home import writable_home
from runtime.loop_feed import loop_feed
from runtime.microbatches import MicroBatches, usual_batch_rows
from runtime.pipelines import is_multiway
from runtime.programs import compile_plan
from runtime.programs.program import Program, Span
from runtime.records import RunRequest
from runtime.result_files import check_folder
from runtime.split import Split, split_of


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


def prepare(request: RunRequest, partitions: int) -> Prepared:
    """Plan, generate or read the tuples, cut them into micro-batches, and compile the plan."""
    writable_home()
    if request.results is not None:
        check_folder(request.results)
    workload, tables, warnings = with_data(request.workload, request.data, request.sort)
    chosen = family(request.family)
    if reason := chosen.refuses(workload):
        raise PlanError(reason, request.family)
    plan = chosen_plan(chosen, workload, request.label)
    if any(operator.kind == "table" for operator in plan.operators()):
        raise RunError("joins with relations are planned, but cannot be run yet", plan.label)
    split = split_of(plan, workload, partitions)
    batches, digest = _batches(request, plan, workload, tables, split)
    span, more = span_of(workload, batches, own_data=tables is not None)
    program = compile_plan(plan, workload, batches.codes, span, split, batches.constants)
    estimate = chosen.estimate(plan, workload)
    return Prepared(workload, plan, estimate, batches, program, digest, (*warnings, *more))


def with_data(
    workload: Workload, data: Path | None, sort: bool = False
) -> tuple[Workload, dict[str, Table] | None, tuple[str, ...]]:
    """The workload with its statistics, and the user's own tuples if there are any."""
    if data is None:
        return workload, None, ()
    own = read_folder(data, workload, sort)
    inferred, _ = infer(workload, own.tables)
    return inferred, own.tables, own.warnings


def warmup_seconds(workload: Workload) -> float:
    """The stated warm-up, or the longest window: its seconds, or the time its rows take."""
    if workload.run.warmup is not None:
        return workload.run.warmup
    return workload.longest_window


def span_of(
    workload: Workload, batches: MicroBatches, own_data: bool
) -> tuple[Span, tuple[str, ...]]:
    """What is measured, and warnings where that is less than a user may think."""
    warmup = warmup_seconds(workload)
    begin = batches.first_ts if own_data else 0
    end = batches.last_ts if own_data else microseconds(warmup + workload.run.duration)
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


def _batches(
    request: RunRequest,
    plan: Plan,
    workload: Workload,
    tables: dict[str, Table] | None,
    split: Split,
) -> tuple[MicroBatches, str]:
    """The micro-batches of the run, from the cache or made now, and the digest of the tuples."""
    seconds = warmup_seconds(workload) + workload.run.duration
    seed = workload.run.seed
    digest = _digest_of_tables(tables) if tables else _digest_of_spec(workload, seconds, seed)
    rows = request.batch_rows or 0
    merge = feed if is_multiway(plan, workload) else loop_feed
    key = _digest(
        microbatches.FORMAT,
        digest,
        _plain_sources(workload),
        split.partitions,
        split.modulus,
        rows,
        merge.__name__,
    )
    if found := microbatches.cached(key):
        return found, digest
    merged = merge(workload, tables or generate(workload, seconds, seed))
    batch_rows = rows or usual_batch_rows(len(merged.tuples.ts))
    return microbatches.write(key, merged, split, batch_rows), digest


def _plain_sources(workload: Workload) -> object:
    """What the merging of streams depends on: their order, sources by alias, and the join keys."""
    (query,) = workload.queries
    classes = [sorted(str(column) for column in c) for c in query.equality_classes()]
    order = [stream.name for stream in workload.streams]
    sources = [(s.alias, s.name, str(s.window)) for s in query.sources]
    return [order, sources, classes, plain(query.predicates), plain(query.filters)]


def _digest_of_spec(workload: Workload, seconds: float, seed: int) -> str:
    used = {source.name for query in workload.queries for source in query.sources}
    streams = [(place, plain(s)) for place, s in enumerate(workload.streams) if s.name in used]
    return _digest(streams, seconds, seed)


def _digest_of_tables(tables: dict[str, Table]) -> str:
    parts = hashlib.blake2b(digest_size=12)
    for name, table in sorted(tables.items()):
        parts.update(repr((name, len(table))).encode())
        parts.update(table.ts.tobytes())
        parts.update(table.seq.tobytes())
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
