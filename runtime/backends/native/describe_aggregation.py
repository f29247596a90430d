"""An aggregation over blocks of time as joins of Spark's, with sources aggregated before or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planner.plan.plan import Plan
from planner.workload.query import Query, common_block
from planner.workload.workload import Workload
from runtime.backends.native.describe_join import in_relation, inputs_of, predicate_tests
from runtime.backends.native.description import Condition, Input, Join, Step, Test

# Of an input: when its block begins, its group, and how many tuples a row stands for.
BLOCK, GROUP, COUNT = "block", "g", "n"


@dataclass(frozen=True, slots=True)
class NativeAggregation:
    """The join of an aggregation; the inputs of these numbers are aggregated before it.

    `block` is the length of the tumbling windows in microseconds.
    """

    query: str
    join: Join
    block: int
    early: frozenset[int]
    notes: tuple[str, ...] = ()

    @property
    def queries(self) -> tuple[str, ...]:
        """Its one query."""
        return (self.query,)

    @property
    def joins(self) -> tuple[Join, ...]:
        """Its one join."""
        return (self.join,)

    @property
    def tables(self) -> tuple[str, ...]:
        """Every stream and relation that is read, each once."""
        return tuple(dict.fromkeys(given.table for given in self.join.inputs))


def describe_aggregation(plan: Plan, workload: Workload) -> NativeAggregation:
    """The join of a plan of `early_aggregation` in the order of its first stream."""
    (query,) = workload.queries
    aliases = [source.alias for source in query.sources]
    named = [str(op.param("source")) for op in plan.operators() if op.kind == "aggregate"]
    early = frozenset(aliases.index(alias) for alias in named)
    order = [aliases.index(alias) for alias in _order(plan)]
    inputs = inputs_of(query)
    steps = tuple(
        Step(inputs[place], tuple(_tests(query, inputs, order[:level], place, early)))
        for level, place in enumerate(order)
        if level
    )
    names = [aliases[place] for place in order]
    told = tuple(f"{', '.join(names[:n])} with {names[n]}" for n in range(1, len(names)))
    note = f"Spark joins in one order, whichever tuple arrives: {','.join(names)}"
    join = Join(inputs[order[0]], steps, told)
    notes = (note,) if len(names) > 1 else ()
    return NativeAggregation(query.name, join, common_block(query), early, notes)


def _order(plan: Plan) -> list[str]:
    """The sources as the first stream's tuples are joined with them."""
    (output,) = plan.roots
    chain = [output.inputs[0].inputs[0]]
    while chain[-1].kind == "probe":
        chain.append(chain[-1].inputs[0])
    return [str(operator.param("source")) for operator in reversed(chain)]


def _tests(
    query: Query,
    inputs: Sequence[Input],
    joined: Sequence[int],
    place: int,
    early: frozenset[int],
) -> Iterator[Condition]:
    yield from predicate_tests(query, inputs, joined, place)
    new = inputs[place]
    streams = [other for other in joined if inputs[other].is_stream]
    if new.is_stream and streams:
        yield Test(new.column(BLOCK), "=", inputs[streams[0]].column(BLOCK))
    # What is aggregated has no times; then no row of a relation comes or goes meanwhile.
    if not early:
        for other in joined:
            yield from in_relation(inputs, other, place)
