"""Plans as the kernels run them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from planner.errors import RunError
from planner.plan.loop_orders import is_multiway
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.control.stages import PlannedStage
from runtime.data.split import Split
from runtime.data.tuple_schema import Carried
from runtime.engines.aggregation.compile import compile_aggregation
from runtime.engines.aggregation.grouping import Grouping
from runtime.engines.aggregation.program import AggregationProgram
from runtime.engines.joins.loop_program import LoopProgram, compile_loops
from runtime.engines.joins.multiway_program import JoinProgram, compile_join
from runtime.engines.nested_loops import Nest
from runtime.engines.program import Program, Span
from runtime.engines.slices.compile import compile_slices
from runtime.engines.slices.program import SliceProgram

_PROGRAMS = {"join": JoinProgram, "loops": LoopProgram, "aggregation": AggregationProgram}


def compile_plan(
    plan: Plan,
    workload: Workload,
    codes: Sequence[int],
    span: Span,
    split: Split,
    constants: Sequence[float] = (),
    grouping: Grouping | None = None,
    stages: Sequence[PlannedStage] = (),
    begin: int = 0,
    carried: Carried | None = None,
) -> Program:
    """The plan as a program over a feed's keys and constants, counting within the span.

    A run that changes has `stages`; their times count from `begin`. Where they may yet change, the
    feed says what its tuples `carried`.
    """
    if plan.family == "early_aggregation":
        assert grouping is not None, "its feed has one"
        return compile_aggregation(plan, workload, codes, constants, grouping, span, split)
    if plan.family == "sliced_chain":
        only = PlannedStage(None, workload, plan, {})
        return compile_slices(
            workload, stages or [only], codes, constants, span, split, begin, carried
        )
    if plan.family == "join_order" and is_multiway(plan, workload):
        return compile_join(plan, workload, codes, span, split)
    if plan.family == "join_order":
        return compile_loops(plan, workload, codes, constants, span, split)
    raise RunError(f"plans of the family {plan.family} cannot be run yet", plan.label)


def program_from_json(text: str) -> Program:
    """The program that `to_json` wrote."""
    content = json.loads(text)
    kind = content.pop("program")
    if kind == "slices":
        return SliceProgram.from_json(content)
    if "nest" in content:
        content["nest"] = Nest(**content["nest"])
    return _PROGRAMS[kind](**content)
