"""Plans as the kernels run them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from planner.errors import RunError
from planner.plan import Plan
from planner.workload import Workload
from runtime.pipelines import is_multiway
from runtime.programs.compile_loops import compile_loops
from runtime.programs.join import JoinProgram, compile_join
from runtime.programs.loops import LoopProgram
from runtime.programs.program import Program, Span
from runtime.split import Split

_PROGRAMS = {"join": JoinProgram, "loops": LoopProgram}


def compile_plan(
    plan: Plan,
    workload: Workload,
    codes: Sequence[int],
    span: Span,
    split: Split,
    constants: Sequence[float] = (),
) -> Program:
    """The plan as a program over a feed's keys and constants, counting within the span."""
    if plan.family == "join_order" and is_multiway(plan, workload):
        return compile_join(plan, workload, codes, span, split)
    if plan.family == "join_order":
        return compile_loops(plan, workload, codes, constants, span, split)
    raise RunError(f"plans of the family {plan.family} cannot be run yet", plan.label)


def program_from_json(text: str) -> Program:
    """The program that `to_json` wrote."""
    content = json.loads(text)
    return _PROGRAMS[content.pop("program")](**content)
