"""A join plan of any form as a program of nested loops."""

from __future__ import annotations

from collections.abc import Sequence

from planner.checks import microseconds
from planner.errors import RunError
from planner.execution import Every
from planner.pipelines import pipelines
from planner.plan import Plan
from planner.query import CountWindow, Query, Source, TimeWindow
from planner.workload import Workload
from runtime.kernels import loop_types as kernel
from runtime.loop_feed import count_windows
from runtime.programs.compile_nest import nest_of
from runtime.programs.loops import LoopProgram
from runtime.programs.program import Span
from runtime.split import Split

_NO_LENGTH = 2**62


def compile_loops(
    plan: Plan,
    workload: Workload,
    codes: Sequence[int],
    constants: Sequence[float],
    span: Span,
    split: Split,
) -> LoopProgram:
    """Read loop orders and accesses off the plan, windows and predicates off the workload."""
    (query,) = workload.queries
    places = {source.alias: place for place, source in enumerate(query.sources)}
    counted = count_windows(query)
    tick, expire_ticks = _ticks(workload, plan)
    return LoopProgram(
        nest=nest_of(query, pipelines(plan), codes, constants),
        kind=[_kind(source) for source in query.sources],
        length=_lengths(query, plan),
        column=[counted.index(p) if p in counted else 0 for p in places.values()],
        tick=tick,
        lazy=isinstance(workload.execution.evaluate, Every),
        expire_ticks=expire_ticks,
        warmup=span.warmup,
        end=span.end,
        partitions=split.partitions,
    )


def _kind(source: Source) -> int:
    if source.window is None:
        return kernel.RELATION
    return kernel.COUNT if isinstance(source.window, CountWindow) else kernel.TIME


def _lengths(query: Query, plan: Plan) -> list[int]:
    lengths = []
    for source in query.sources:
        if isinstance(source.window, TimeWindow):
            lengths.append(microseconds(source.window.seconds))
        elif isinstance(source.window, CountWindow):
            lengths.append(source.window.rows)
        elif source.window is None:
            # A relation's rows are in no window: they leave when they end.
            lengths.append(_NO_LENGTH)
        else:
            raise RunError(f"{source.alias} has a window that joins cannot be run over", plan.label)
    return lengths


def _ticks(workload: Workload, plan: Plan) -> tuple[int, int]:
    """The clock: how often it ticks (0: never), and at how many ticks it expires."""
    evaluate, expire = workload.execution.evaluate, workload.execution.expire
    if isinstance(evaluate, Every):
        tick = microseconds(evaluate.seconds)
        length = microseconds(expire.seconds) if isinstance(expire, Every) else tick
        if length % tick:
            raise RunError("expire.every must be a multiple of evaluate.every", plan.label)
        return tick, length // tick
    return (microseconds(expire.seconds) if isinstance(expire, Every) else 0), 1
