"""A join plan of any form as a program of nested loops."""

from __future__ import annotations

from collections.abc import Sequence

from planner.checks import microseconds
from planner.errors import RunError
from planner.execution import Every
from planner.plan import Operator, Plan
from planner.query import Column, Comparison, CountWindow, Query, TimeWindow
from planner.workload import Workload
from runtime.kernels import loop_types as kernel
from runtime.loop_feed import count_windows, value_slots
from runtime.pipelines import pipelines
from runtime.programs.loops import LoopProgram
from runtime.programs.program import Span
from runtime.split import Split

_CODES: dict[Comparison, int] = {
    "=": kernel.EQUAL,
    "<>": kernel.UNEQUAL,
    "<": kernel.LESS,
    "<=": kernel.LESS_EQUAL,
    ">": kernel.GREATER,
    ">=": kernel.GREATER_EQUAL,
}
_FLIPPED: dict[Comparison, Comparison] = {
    "=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
}  # fmt: skip


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
    program = LoopProgram(
        sources=list(places),
        kind=[kernel.COUNT if place in counted else kernel.TIME for place in places.values()],
        length=_lengths(query, plan),
        column=[counted.index(p) if p in counted else 0 for p in places.values()],
        tick=tick,
        lazy=isinstance(workload.execution.evaluate, Every),
        expire_ticks=expire_ticks,
        warmup=span.warmup,
        end=span.end,
        partitions=split.partitions,
        filters=_filters(query, places, constants),
        conditions=[str(condition) for condition in query.filters],
    )
    # Every window in arrival order first; then what the loops look keys up by.
    program.paths.extend([place, -1, 1, 0, 0] for place in places.values())
    chains = pipelines(plan)
    for alias in places:
        _add_origin(program, query, places, alias, chains[alias], codes)
    return program


def _lengths(query: Query, plan: Plan) -> list[int]:
    lengths = []
    for source in query.sources:
        if isinstance(source.window, TimeWindow):
            lengths.append(microseconds(source.window.seconds))
        elif isinstance(source.window, CountWindow):
            lengths.append(source.window.rows)
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


def _filters(query: Query, places: dict[str, int], constants: Sequence[float]) -> list[list[float]]:
    slots = value_slots(query)
    return [
        [places[f.column.alias], slots[f.column], _CODES[f.comparison], constant]
        for f, constant in zip(query.filters, constants, strict=True)
    ]


def _add_origin(
    program: LoopProgram,
    query: Query,
    places: dict[str, int],
    origin: str,
    chain: list[Operator],
    codes: Sequence[int],
) -> None:
    """Append the origin's order, its paths, and the checks of its every level."""
    order = [str(operator.param("source")) for operator in chain]
    classes = query.equality_classes()
    paths: list[int] = []
    for level, (alias, operator) in enumerate(zip(order, chain, strict=True)):
        joined = order[:level]
        linking = [c for c in range(len(classes)) if _linked(classes[c], alias, joined)]
        path = places[alias]
        if linking and alias != origin:
            wanted = dict(operator.params).get("on")
            key = next(
                (c for c in linking if wanted and Column(alias, str(wanted)) in classes[c]),
                linking[0],
            )
            # The class that the path is by comes first: the kernel takes the key from there.
            linking = [key, *(c for c in linking if c != key)]
            path = _path(program, places[alias], key, operator, codes)
        paths.append(path)
        program.equal.append([[c, places[_first_of(classes[c], joined)]] for c in linking])
        program.theta.append(_theta(query, places, alias, joined))
    program.orders.append([places[alias] for alias in order])
    program.depth.append(order.index(origin))
    program.path.append(paths)


def _linked(joined_class: frozenset[Column], alias: str, joined: list[str]) -> bool:
    aliases = {column.alias for column in joined_class}
    return alias in aliases and not aliases.isdisjoint(joined)


def _first_of(joined_class: frozenset[Column], joined: list[str]) -> str:
    aliases = {column.alias for column in joined_class}
    return next(alias for alias in joined if alias in aliases)


def _path(
    program: LoopProgram, place: int, key: int, operator: Operator, codes: Sequence[int]
) -> int:
    """The path of this access, a new one if no other level uses it."""
    hashed = operator.param("access") == "hash"
    per_value = hashed and operator.param("buckets") == "per-value"
    buckets = 1
    if hashed:
        wanted = codes[key] if per_value else int(operator.param("buckets"))
        buckets = max(1, min(wanted, codes[key]))
    path = [place, key, buckets, int(hashed), int(per_value)]
    if path not in program.paths:
        program.paths.append(path)
    return program.paths.index(path)


def _theta(
    query: Query, places: dict[str, int], alias: str, joined: list[str]
) -> list[list[float]]:
    """The other predicates with what is joined: value, with whom, its value, how, offset."""
    slots = value_slots(query)
    checks: list[list[float]] = []
    for predicate in query.predicates:
        if predicate.comparison == "=" and not predicate.offset:
            continue
        left, right = predicate.left, predicate.right
        if left.alias == alias and right.alias in joined:
            comparison, mine, other, offset = predicate.comparison, left, right, predicate.offset
        elif right.alias == alias and left.alias in joined:
            flipped = _FLIPPED[predicate.comparison]
            comparison, mine, other, offset = flipped, right, left, -predicate.offset
        else:
            continue
        checks.append([slots[mine], places[other.alias], slots[other], _CODES[comparison], offset])
    return checks
