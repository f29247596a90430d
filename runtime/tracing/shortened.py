"""The same workload with shorter windows, so that full windows can be watched."""

from __future__ import annotations

from dataclasses import replace

from planner.workload.execution import Every, Execution
from planner.workload.query import CountWindow, Query, TimeWindow, TumblingWindow, Window
from planner.workload.workload import Workload
from runtime.engines.registry import fills_quickly

# With more tuples in the windows a simulation takes too long, and nobody could see them: where
# filling compares what is stored, and where it does not.
MOST_STORED = 1_500
MOST_STORED_QUICKLY = 4_000
_STEPS = (2, 5, 10)


def shortening(workload: Workload, family: str) -> int:
    """How many times shorter windows have to be: 1, 2, 5, 10, 20 ..."""
    most = MOST_STORED_QUICKLY if fills_quickly(family) else MOST_STORED
    stored = sum(stream.rate or 0.0 for stream in workload.streams) * workload.longest_window
    factor, power = 1, 1
    while stored / factor > most:
        factor = next(power * step for step in _STEPS if power * step > factor)
        power = factor if factor == 10 * power else power
    return factor


def shortened(workload: Workload, factor: int) -> Workload:
    """All windows so many times shorter, and with them the clock of lazy joins and the memory."""
    if factor == 1:
        return workload
    queries = tuple(_query(query, factor) for query in workload.queries)
    execution = _execution(workload.execution, factor)
    return replace(workload, queries=queries, execution=execution)


def _query(query: Query, factor: int) -> Query:
    sources = tuple(replace(s, window=_window(s.window, factor)) for s in query.sources)
    # The text would be read again.
    return replace(query, sources=sources, text="")


def _window(window: Window | None, factor: int) -> Window | None:
    if isinstance(window, TimeWindow | TumblingWindow):
        return replace(window, seconds=max(1e-6, window.seconds / factor))
    if isinstance(window, CountWindow):
        return replace(window, rows=max(1, round(window.rows / factor)))
    return window


def _execution(execution: Execution, factor: int) -> Execution:
    evaluate, expire = (
        replace(clock, seconds=clock.seconds / factor) if isinstance(clock, Every) else clock
        for clock in (execution.evaluate, execution.expire)
    )
    memory = execution.memory
    if memory is not None:
        memory = max(2, round(memory / factor))
    return replace(execution, evaluate=evaluate, expire=expire, memory=memory)
