"""The JSON documents that the planner's commands print, and the pages read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from planner.families.disagreement import disagreement
from planner.families.protocol import Candidate, Family, PlanSpace, Ranking
from planner.plan.cost import Cost, Estimate, Quality, UnitCosts, models_behind
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.time_limit import check
from planner.workload.workload import Workload

# Operators of tens of thousands of plans would be gigabytes; the first ones show what they are.
MOST_WITH_OPERATORS = 1_000

Document = dict[str, Any]


def plans_document(
    workload: Workload,
    families: Iterable[Family],
    top: int | None,
    units: UnitCosts | None = None,
    by: str | None = None,
) -> Document:
    """`plans`: every family with its candidates, best first by the objective of this name."""
    return {
        "workload": {"name": workload.name, "digest": workload.digest},
        "families": {family.name: _family(family, workload, top, units, by) for family in families},
    }


def _family(
    family: Family, workload: Workload, top: int | None, units: UnitCosts | None, by: str | None
) -> Document:
    refused = family.refuses(workload)
    if refused is not None:
        nothing = {"best": None, "considered": 0, "truncated": False}
        return {"refused": refused, "rank_by": None, **nothing, "excluded": [], "candidates": []}
    space = family.space(workload, units)
    ranking = space.rank(space.objective(by), top)
    explanation = space.explanation(ranking)
    document: Document = {
        "refused": None,
        "rank_by": ranking.by.figure,
        "best": ranking.best,
        "baseline": ranking.baseline,
        "considered": ranking.considered,
        "truncated": ranking.truncated,
        "units": space.units.source,
        "excluded": [{"label": label, "why": why} for label, why in ranking.excluded],
        "notes": list(explanation.notes),
        "answer": explanation.answer,
        "disagreement": disagreement(space, ranking) or None,
        "models": list(models_behind(space.estimate(space.plan(ranking.best)))),
        "candidates": _candidates(space, ranking),
    }
    if not all(_is_listed(c, ranking.by) for c in ranking.candidates):
        # Ranked by a sum of figures, or by comparisons of which some are dearer.
        document["scores"] = {c.label: c.score for c in ranking.candidates}
        document["unit"] = ranking.by.unit
    if len(ranking.candidates) > MOST_WITH_OPERATORS:
        document["operators_listed"] = MOST_WITH_OPERATORS
    return document


def _is_listed(candidate: Candidate, by: Objective) -> bool:
    """Whether the score is one of the figures that are listed anyway."""
    figures = candidate.cost.as_dict() | {"seconds": candidate.seconds}
    return candidate.score == figures.get(by.part or by.name)


def _candidates(space: PlanSpace, ranking: Ranking) -> list[Document]:
    plans = space.plans(candidate.label for candidate in ranking.candidates)
    documents = []
    for place, (candidate, plan) in enumerate(zip(ranking.candidates, plans, strict=True)):
        check()
        estimate = space.estimate(plan) if place < MOST_WITH_OPERATORS else None
        documents.append(_candidate(space.workload, candidate, plan, estimate))
    return documents


def _candidate(
    workload: Workload, candidate: Candidate, plan: Plan, estimate: Estimate | None
) -> Document:
    known = estimate.qualities if estimate else {}
    qualities = {query.name: known.get(query.name, Quality()) for query in workload.queries}
    return {
        "label": candidate.label,
        "id": plan.id,
        "tags": list(candidate.tags),
        "cost": candidate.cost.as_dict(),
        "seconds": candidate.seconds,
        "queries": {name: quality.as_dict() for name, quality in qualities.items()},
        "operators": [] if estimate is None else operators_document(plan, estimate.costs),
    }


def operators_document(plan: Plan, costs: Mapping[str, Cost]) -> list[Document]:
    """Every operator with its cost, each after what feeds it."""
    return [
        {
            "id": operator.id,
            "kind": operator.kind,
            "params": dict(operator.params),
            "inputs": [source.id for source in operator.inputs],
            "cost": costs[operator.id].as_dict(),
        }
        for operator in plan.operators()
    ]
