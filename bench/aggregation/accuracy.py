"""How accurate the model of early aggregation is: every plan of many settings, run in process.

A cell is a setting (`settings.py` says which there are). It is run on the tuples of one seed under
every plan: windows are filled first, then 1 to 10 seconds of stream time are measured, the fewer
the more work there is. The kernel counts the work; seconds are processor seconds of its thread, the
best of some repeats. For every operator that the model prices, what was predicted is compared with
what was counted, by the refined model and by the paper's equations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from bench.aggregation.settings import Cell, cells_of_figures, random_cell
from bench.measure import in_processes, spread_of
from planner.experiments.experiment import Point
from planner.families.early_aggregation import NAME
from planner.families.early_aggregation.pricing import PRINTED as EQUATIONS
from planner.families.registry import family
from planner.plan.cost import Cost, Estimate, q_error, total
from planner.plan.plan import Operator, Plan
from runtime.diagnosis import trust
from runtime.experiments.measurement import Sampler

RANDOM_CELLS = 60
SEED = 1
REPEATS = 2
NEAR = 1.10
MODELS = REFINED, PRINTED = ("refined", "as printed")
# What each kind of operator does, and is priced for. Windows are the same under every plan.
PRICED = {
    "probe": ("comparisons", "rows_out"),
    "aggregate": ("group_updates", "state_tuples"),
    "update": ("group_updates", "state_tuples"),
    "output": ("rows_out",),
}

Record = dict[str, Any]


@cache
def _all_cells() -> tuple[Cell, ...]:
    return (*cells_of_figures(), *map(random_cell, range(RANDOM_CELLS)))


def _measured_at(place: int) -> Record:
    return measured(_all_cells()[place])


def aggregation_accuracy() -> Record:
    """All figures: how often the right plan was chosen, and how far off operators were."""
    cells = _all_cells()
    records = in_processes(_measured_at, range(len(cells)))
    spans = [cell.workload.run.duration for cell in cells]
    return {
        "random cells": RANDOM_CELLS,
        "seconds of stream time measured": {"least": min(spans), "most": max(spans)},
        **summary(records),
        "by kind": {
            kind: choices([r for r in records if r["kind"] == kind])
            for kind in dict.fromkeys(record["kind"] for record in records)
        },
    }


def measured(cell: Cell, repeats: int = REPEATS) -> Record:
    """One cell: operations and seconds of every plan, and every operator, predicted and counted."""
    chosen, sampler, workload = family(NAME), Sampler(), cell.workload
    found: Record = {"cell": cell.name, "kind": cell.kind, "plans": {}, "operators": []}
    answers = set()
    for plan in chosen.space(workload).candidates():
        sample = sampler.sample(Point(cell.name, workload, NAME, plan.label), SEED, repeats)
        estimate = chosen.space(workload).estimate(plan)
        said = total(estimate.costs, [root.id for root in plan.roots])
        answers.add((sample.results, sample.answer))
        found["plans"][plan.label] = {
            "predicted": said.operations,
            "operations": sample.cost.operations,
            "seconds": sample.seconds / sample.span,
        }
        found["operators"] += _operators(plan, estimate, sample.operators)
    found["same answer"] = len(answers) == 1
    return found


def _operators(plan: Plan, estimate: Estimate, counted: Mapping[str, Cost]) -> list[Record]:
    return [
        {
            "plan": plan.label,
            "what": f"{field} of {operator.kind}",
            "measured": getattr(counted[operator.id], field),
            REFINED: getattr(estimate.costs[operator.id], field),
            PRINTED: _printed(estimate, operator, field),
        }
        for operator in plan.operators()
        for field in PRICED.get(operator.kind, ())
    ]


def _printed(estimate: Estimate, operator: Operator, field: str) -> float | None:
    """What the paper's equations say of it; None where they say nothing."""
    formulas = estimate.formulas[operator.id]
    return next((f.result for f in formulas if f.field == field and f.model == EQUATIONS), None)


def summary(records: Sequence[Record]) -> Record:
    """The figures of some cells."""
    return {
        **choices(records),
        "plans": sum(len(record["plans"]) for record in records),
        "same answer": all(record["same answer"] for record in records),
        "q-error": {model: _errors(records, model) for model in MODELS},
    }


def choices(records: Sequence[Record]) -> Record:
    """How near the plan predicted cheapest came to the measured cheapest."""
    found: Record = {"cells": len(records)}
    for unit in ("operations", "seconds"):
        regrets = {record["cell"]: regret(record, unit) for record in records}
        worst = max(regrets, key=regrets.__getitem__)
        near = sum(value <= NEAR for value in regrets.values())
        found[f"chosen by operations, {unit}"] = {
            "within 10% of the cheapest": near / len(regrets),
            "regret, worst": regrets[worst],
            "worst cell": worst,
        }
    return found


def regret(record: Record, unit: str) -> float:
    """How many times the measured cheapest plan's work the plan predicted cheapest took."""
    plans = [record["plans"][label] for label in sorted(record["plans"])]
    found = trust.regret(
        [plan["predicted"] for plan in plans],
        [plan[unit] for plan in plans],
        family(NAME).objective,
    )
    return float("inf") if found is None else found


def _errors(records: Iterable[Record], model: str) -> Record:
    """q-errors over operators: of all, and of each kind and field."""
    by_what: dict[str, list[tuple[float, str]]] = defaultdict(list)
    nothing: list[str] = []
    for record in records:
        for entry in record["operators"]:
            if entry[model] is None or entry[model] == entry["measured"] == 0:
                continue
            where = f"{record['cell']}, {entry['plan']}, {entry['what']}"
            error = q_error(entry[model], entry["measured"])
            if error is None:
                nothing.append(where)
                continue
            by_what[entry["what"]].append((error, where))
    everything = [pair for pairs in by_what.values() for pair in pairs]
    return {
        "all": spread_of("operators", everything),
        **{what: spread_of("operators", pairs) for what, pairs in by_what.items()},
        "counted or predicted as 0": nothing,
    }
