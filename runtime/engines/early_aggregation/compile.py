"""A plan of late or early aggregation as a program."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.errors import RunError
from planner.plan.loop_orders import pipeline_of
from planner.plan.plan import Operator, Plan
from planner.workload.query import (
    CountWindow,
    LandmarkWindow,
    Query,
    Source,
    TimeWindow,
    TumblingWindow,
    common_block,
)
from planner.workload.validation import microseconds
from runtime.engines.early_aggregation.amounts import kept_columns, kernel_function
from runtime.engines.early_aggregation.groups import Grouping
from runtime.engines.early_aggregation.kernel import types as kernel
from runtime.engines.early_aggregation.program import AggregationProgram
from runtime.engines.nested_loops import Nest, nest_of
from runtime.engines.protocol import PlanInput

_MOST_GROUPS = 2**62
_KINDS = {
    TimeWindow: kernel.TIME,
    CountWindow: kernel.COUNT,
    TumblingWindow: kernel.TUMBLING,
    LandmarkWindow: kernel.LANDMARK,
}


def compile_aggregation(given: PlanInput) -> AggregationProgram:
    """Read sets, orders and accesses off the plan, windows and aggregates off the query."""
    plan, schema = given.plan, given.schema
    grouping: Grouping = schema.grouping
    (query,) = given.workload.queries
    sets = {str(op.param("source")) for op in plan.operators() if op.kind == "aggregate"}
    if sets and grouping.changing:
        raise RunError(
            "a relation's rows begin or end meanwhile, and an aggregation set does not know who "
            "was there when its tuples arrived; run LAP",
            plan.label,
        )
    if math.prod(grouping.groups) > _MOST_GROUPS:
        raise RunError(
            f"the grouping attributes may have {math.prod(grouping.groups):.0e} combinations; "
            f"at most {_MOST_GROUPS:.0e}. Group by fewer of them",
            query.name,
        )
    chains = _pipelines(plan)
    return AggregationProgram(
        nest=_scanned_as_they_are(nest_of(query, chains, schema.join.codes, schema.join.constants)),
        kind=[_kind(source) for source in query.sources],
        length=[_length(source) for source in query.sources],
        early=[source.alias in sets for source in query.sources],
        groups=grouping.groups,
        cells=grouping.cells,
        functions=[[kept.function, kept.source, kept.most] for kept in grouping.kept],
        answer=answer_columns(query),
        block=common_block(query),
        walked_from=_walked_from(query, list(chains)),
        seed=grouping.seed,
        span=given.span,
        partitions=given.split.partitions,
        replicated=given.split.modulus is None,
    )


def _pipelines(plan: Plan) -> dict[str, list[Operator]]:
    """Of each origin the operators of its loops: what feeds it, then its probes."""
    (output,) = plan.roots
    chains = map(pipeline_of, output.inputs[0].inputs)
    return {str(chain[0].param("source")): chain for chain in chains}


def _scanned_as_they_are(nest: Nest) -> Nest:
    """Windows that are scanned are not laid out by a key: their chains are in arrival order."""
    plain = range(len(nest.sources))
    indexed = [path for path in nest.paths if path[3]]
    kept = [*nest.paths[: len(plain)], *indexed]

    def instead(path: int) -> int:
        source, _, _, is_index, _ = nest.paths[path]
        return kept.index(nest.paths[path]) if is_index else source

    nest.path[:] = [[instead(path) for path in levels] for levels in nest.path]
    nest.paths[:] = kept
    return nest


def _kind(source: Source) -> int:
    return kernel.RELATION if source.window is None else _KINDS[type(source.window)]


def _length(source: Source) -> int:
    if isinstance(source.window, TimeWindow | TumblingWindow):
        return microseconds(source.window.seconds)
    return source.window.rows if isinstance(source.window, CountWindow) else 0


def answer_columns(query: Query) -> list[list[int]]:
    """For each aggregate what it is, and which of the kept columns it is read from."""
    places = kept_columns(query)
    read = []
    for aggregate in query.aggregates:
        function = kernel_function(aggregate)
        if function is None or aggregate.column is None:
            read.append([kernel.ROWS, -1])
        else:
            read.append([function, places[function, aggregate.column]])
    return read


def _walked_from(query: Query, origins: Sequence[str]) -> int:
    """The stream of the first extremum, or else the first stream, as the planner prices it."""
    aliases = [source.alias for source in query.sources]
    extrema = [a.column for a in query.aggregates if a.function in ("min", "max")]
    own = [column.alias for column in extrema if column and column.alias in origins]
    return aliases.index(own[0] if own else origins[0])
