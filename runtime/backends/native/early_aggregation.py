"""An aggregation over blocks of time as joins of Spark's, with sources aggregated before or not.

Spark adds up the kernels' numbers: groups and amounts are coded before, and read back after.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp

from planner.errors import RunError
from planner.files.tuple_table import LAST, Table
from planner.plan.loop_orders import pipeline_of
from planner.plan.plan import Plan
from planner.workload.query import Query, common_block
from planner.workload.workload import Workload
from runtime.backends.native import joins
from runtime.backends.native.description import Blocks, Input, NativeJoin, NativePlan, Use, compare
from runtime.engines.early_aggregation.answer_files import AnswerReader
from runtime.engines.early_aggregation.compile import answer_columns
from runtime.engines.early_aggregation.feed import Coding, coded
from runtime.engines.early_aggregation.groups import check_sums, digest_of_groups
from runtime.engines.early_aggregation.kernel.types import NOTHING
from runtime.runs.result_files import safe_file_name, written_to

# Of an input: when its block begins, its group, and how many tuples a row is made of.
BLOCK, GROUP, COUNT = "block", "g", "n"
# Of the columns that are kept for aggregates, by their place.
KEPT = "k"


def refuses(plan: Plan, workload: Workload, use: Use) -> str | None:  # noqa: ARG001
    """Why Spark's own operators cannot express an aggregation; None where they can."""
    if not common_block(workload.queries[0]):
        return (
            "Spark aggregates a join by blocks of time: all windows must be tumbling and of one "
            "length; groups that follow a sliding or landmark window it does not keep"
        )
    if use == "stream":
        return "aggregations are not streamed on Spark's own operators yet; use replay"
    if use == "export":
        return "join plans alone are exported; run an aggregation on Spark's own operators here"
    return None


def describe(plan: Plan, workload: Workload) -> NativePlan:
    """The join of an aggregation in the order of its first stream."""
    (query,) = workload.queries
    order = _order(plan)
    inputs = joins.inputs_of(query, order)
    named = {str(op.param("source")) for op in plan.operators() if op.kind == "aggregate"}
    early = frozenset(given.number for given in inputs if given.name in named)
    steps = [
        joins.step(query, inputs[:n], new, _tests(inputs[:n], new, early))
        for n, new in enumerate(inputs)
        if n
    ]
    note = f"Spark joins in one order, whichever tuple arrives: {','.join(order)}"
    return NativePlan(
        (query.name,),
        (NativeJoin(inputs[0], tuple(steps)),),
        notes=(note,) if steps else (),
        blocks=Blocks(common_block(query), early),
    )


def _order(plan: Plan) -> list[str]:
    """The sources as the first stream's tuples are joined with them."""
    (output,) = plan.roots
    chain = pipeline_of(output.inputs[0].inputs[0])
    return [str(operator.param("source")) for operator in chain]


def _tests(joined: Sequence[Input], new: Input, early: frozenset[int]) -> Iterator[exp.Expr]:
    """Tuples of one block are joined, with the rows of a relation that were there then."""
    stream = next((other for other in joined if other.is_stream), None)
    if new.is_stream and stream is not None:
        yield compare(new.column(BLOCK), "=", stream.column(BLOCK))
    # What is aggregated has no times; then no row of a relation comes or goes meanwhile.
    if not early:
        for other in joined:
            yield from joins.in_relation(other, new)


def groups(described: NativePlan, workload: Workload, tables: Mapping[str, Table]) -> NativeGroups:
    """What Spark aggregates."""
    assert described.blocks is not None, "an aggregation has blocks"
    return NativeGroups.of(described.blocks, workload, tables)


@dataclass(frozen=True, slots=True)
class NativeGroups:
    """What Spark adds up, and what its numbers mean: those of the kernels, to the last bit."""

    query: Query
    coding: Coding

    @classmethod
    def of(cls, blocks: Blocks, workload: Workload, tables: Mapping[str, Table]) -> NativeGroups:
        """Code the tables; a RunError where early sets would meet rows that come and go."""
        first = min((int(t.ts[0]) for t in tables.values() if len(t.ts)), default=0)
        for table in tables.values():
            begun = table.begin is not None and bool((table.begin > first).any())
            ended = table.end is not None and bool((table.end != LAST).any())
            if blocks.early and (begun or ended):
                raise RunError(
                    "a relation's rows begin or end meanwhile, and what is aggregated before the "
                    "join does not know who was there; run LAP",
                    "--backend native",
                )
        return cls(workload.queries[0], coded(workload, tables))

    def columns(self) -> dict[str, dict[str, pa.Array]]:
        """The columns of every table: the group of its rows under each alias, and amounts."""
        found: dict[str, dict[str, pa.Array]] = {}
        amounts = self.coding.amounts
        for place, source in enumerate(self.query.sources):
            own = found.setdefault(source.name, {})
            own[f"{GROUP}{place}"] = pa.array(self.coding.groups[place].codes.astype(np.int64))
        for place, (kept, codes) in enumerate(zip(amounts.kept, amounts.codes, strict=True)):
            own = found[self.query.sources[kept.source].name]
            own[f"{KEPT}{place}"] = pa.array(codes, mask=codes == NOTHING)
        return found

    @property
    def functions(self) -> list[tuple[int, int]]:
        """Of each kept column its function and its source."""
        return [(kept.function, kept.source) for kept in self.coding.amounts.kept]

    @property
    def multipliers(self) -> Sequence[int]:
        """What the group of each source is multiplied with, to make one number of all."""
        return [1, *np.cumprod(self.coding.grouping.groups)[:-1].tolist()]

    def digest(self, rows: np.ndarray) -> int:
        """The answer digest of rows [block, group, rows, three numbers for each kept column]."""
        kept = self.coding.amounts.kept
        check_sums(rows[:, 1:], [k.function for k in kept], [k.most for k in kept])
        answer = answer_columns(self.query)
        return digest_of_groups(rows[:, 1:], rows[:, 0], answer, self.coding.grouping.seed)

    def write(self, rows: np.ndarray, folder: Path) -> None:
        """Write `QUERY.parquet`; Spark's own operators show no changes of groups."""
        reader = AnswerReader(self.query, self.coding.grouping, self.coding.meanings)
        file = folder / f"{safe_file_name(self.query.name)}.parquet"
        with written_to(folder):
            pq.write_table(reader.answer(rows), file)
