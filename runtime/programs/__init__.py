"""Plans as the kernels run them."""

from __future__ import annotations

import json

from planner.errors import RunError
from planner.plan import Plan
from planner.workload import Workload
from runtime.programs.join import JoinProgram, compile_join
from runtime.programs.program import Program, Span
from runtime.split import Split

_KINDS = {"join": JoinProgram}


def compile_plan(plan: Plan, workload: Workload, codes: int, span: Span, split: Split) -> Program:
    """The plan as a program over keys below `codes`, counting within the span."""
    if plan.family == "join_order":
        return compile_join(plan, workload, codes, span, split)
    raise RunError(f"plans of the family {plan.family} cannot be run yet", plan.label)


def program_from_json(text: str) -> Program:
    """The program that `to_json` wrote."""
    content = json.loads(text)
    return _KINDS[content.pop("kind")](**content)
