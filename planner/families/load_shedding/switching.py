"""Switching the policy while a run goes on: memory stays, and the new one ranks what it holds."""

from __future__ import annotations

from planner.families.load_shedding.labels import (
    EXACT,
    MATCHES_OF_NOW,
    OFFLINE,
    RANDOM,
)
from planner.families.load_shedding.model import ShedModel
from planner.families.load_shedding.prediction.predictions import SheddingPredictions
from planner.plan.cost import Cost

# They rank all that is stored again whenever somebody has to go, or nobody.
_RANK_ANYWAY = (RANDOM, MATCHES_OF_NOW)


def moved(predictions: SheddingPredictions, before: str, after: str) -> Cost:
    """A look at every stored tuple, by a policy that ranks tuples once or learns from them."""
    if after in _RANK_ANYWAY:
        return Cost()
    return Cost(comparisons=sum(flow.held for flow in predictions.of(before).arms))


def why_not_switched(model: ShedModel, before: str, after: str) -> str | None:
    """What one policy keeps serves every other that decides by what has come so far."""
    for label in (before, after):
        if label in OFFLINE:
            return f"{label} needs to know all tuples before the run begins"
        if label == EXACT:
            return f"{label} keeps all that the windows hold, for which there is no memory"
    if model.query.aggregates:
        return "what a policy has lost of a sum cannot be estimated once another takes its place"
    return None
