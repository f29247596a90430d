"""What engines of joins of two streams that queries share do alike: feeds, eras, results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from planner.files.query.conditions import normalised
from planner.files.query.text import format_condition
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Merge
from runtime.engines.join_feeds import other_predicates
from runtime.engines.kernels.conditions import ALWAYS
from runtime.engines.pair_columns import PairColumns
from runtime.engines.pair_feed import (
    PairSchema,
    every_attribute,
    filters_of,
    groups_of_run,
    key_columns,
    pair_feed,
    streams_of,
)
from runtime.engines.protocol import Engine, PlanInput, Tally
from runtime.engines.watching.sketch_plan import (
    ComparedColumns,
    SketchedColumn,
    SketchedFilter,
    SketchPlan,
    sampled_pairs,
)
from runtime.runs.result_files import merge_shared_results

if TYPE_CHECKING:
    from planner.families.stages import PlannedStage


class PairEngine(Engine):
    """Runs joins of two streams for many queries, which may enter and leave while it runs."""

    schema = staticmethod(PairSchema.read)

    def feed(self, _plan: Plan, _workload: Workload, open_to_change: bool = False) -> Merge:
        """What merges the streams: every attribute where queries may enter while it runs."""
        return every_attribute if open_to_change else pair_feed

    def sketched(self, workload: Workload, schema: PairSchema, replicated: bool) -> SketchPlan:
        """All streams of the run, and the keys of every equality."""
        groups = groups_of_run(workload)
        carried = schema.carried
        streams = streams_of(workload) if carried is None else carried.streams
        names = [str(predicate) for predicate in key_columns(groups)]
        keys = names if carried is None else carried.keys
        columns = [
            SketchedColumn(
                streams.index(column.alias), number, schema.codes[number], number,
                column.alias, column.attribute,
            )
            for predicate in key_columns(groups)
            for column in (predicate.left, predicate.right)
            for number in [keys.index(str(predicate))]
        ]  # fmt: skip
        known = PairColumns.of(workload, schema)
        filters = [
            SketchedFilter(streams.index(f.column.alias), known.test(f), format_condition(f))
            for f in dict.fromkeys(filters_of(groups))
        ]
        compared = [
            ComparedColumns(
                (streams.index(predicate.left.alias), known.slots[predicate.left]),
                (streams.index(predicate.right.alias), known.slots[predicate.right]),
                predicate,
                format_condition(normalised(predicate)),
            )
            for group in groups
            for predicate in other_predicates(group.predicates)
        ]
        return SketchPlan(streams, columns, replicated, filters, *sampled_pairs(compared))

    def write_results(
        self, workload: Workload, _schema: PairSchema, _tally: Tally, parts: Path, folder: Path
    ) -> None:
        """Write `QUERY.parquet` for every query."""
        merge_shared_results(workload, parts, folder)


def eras_of(given: PlanInput) -> Iterator[tuple[PlannedStage, int, dict[str, int]]]:
    """The stages of a run, since when each runs, and when each query that entered came."""
    from planner.families.stages import PlannedStage

    for stage in given.stages or [PlannedStage(None, given.workload, given.plan, {})]:
        at = ALWAYS if stage.at is None else given.begin + stage.at
        yield stage, at, {query: given.begin + since for query, since in stage.entered.items()}
