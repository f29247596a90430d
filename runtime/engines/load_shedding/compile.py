"""Plans of a star join as programs: who is kept is read off the plan, the rest off the workload."""

from __future__ import annotations

from dataclasses import replace

from planner.families.load_shedding.labels import EXACT
from planner.families.load_shedding.simulation.settings import BETA
from planner.families.load_shedding.star import star_of
from planner.families.load_shedding.star_tuples import MILLIONTHS
from runtime.engines.load_shedding.program import StarProgram
from runtime.engines.load_shedding.star_join import star_join
from runtime.engines.protocol import PlanInput


def compile_star(given: PlanInput) -> StarProgram:
    """The join under the policy of the plan; partitions have equal parts of every share."""
    workload, partitions = given.workload, given.split.partitions
    (query,) = workload.queries
    star, shedding = star_of(workload), workload.execution.shedding
    codes, constants = given.schema.codes, given.schema.constants
    label = given.plan.label
    join = star_join(star, query, label, codes, constants)
    arms = [
        replace(
            arm,
            room=None if label == EXACT else own.share // partitions,
            alpha=arm.alpha if shedding.alpha is None else shedding.alpha * MILLIONTHS,
        )
        for arm, own in zip(join.arms, star.arms, strict=True)
    ]
    beta = BETA if shedding.beta is None else shedding.beta
    return StarProgram(
        query=query.name,
        join=replace(
            join,
            arms=arms,
            seed=workload.run.seed,
            beta=beta * MILLIONTHS,
            prefilter=shedding.prefilter,
        ),
        schema=given.schema,
        begin=given.begin,
        span=given.span,
        partitions=partitions,
    )
