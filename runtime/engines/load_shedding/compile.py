"""Plans of a star join as programs: who is kept is read off the plan, the rest off the workload."""

from __future__ import annotations

from dataclasses import replace

from planner.families.load_shedding.labels import EXACT
from planner.families.load_shedding.simulation.settings import BETA
from planner.families.load_shedding.star import is_loaded, star_of
from planner.families.load_shedding.star_tuples import MILLIONTHS
from planner.plan.cost import Units
from planner.seconds.clock import clock_of
from planner.seconds.units import units_of
from runtime.engines.load_shedding.program import StarProgram
from runtime.engines.load_shedding.star_join import Processor, star_join
from runtime.engines.protocol import PlanInput


def compile_star(given: PlanInput) -> StarProgram:
    """The join under the policy of the plan; partitions have equal parts of every share."""
    workload, partitions = given.workload, given.split.partitions
    (query,) = workload.queries
    star, shedding = star_of(workload), workload.execution.shedding
    codes, constants = given.schema.codes, given.schema.constants
    label = given.plan.label
    join = star_join(star, query, label, codes, constants, given.schema.aggregation)
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
            processor=_processor(given),
        ),
        schema=given.schema,
        begin=given.begin,
        span=given.span,
        partitions=partitions,
    )


def _processor(given: PlanInput) -> Processor | None:
    """The processor for which the exact join of these tuples would be the stated load."""
    workload, schema = given.workload, given.schema
    if not is_loaded(workload):
        return None
    # Scaled to a load, units only weigh results against comparisons. Who is dropped must not change
    # with a calibration, so that the same run has the same answer.
    units = units_of(workload)
    own = Units(compare=units.of("shed probe").compare, output=units.of("shed output").output)
    comparisons, results, seconds = schema.exact_work
    clock = clock_of(
        own,
        units.source,
        comparisons / seconds,
        results / seconds,
        workload.execution.utilisation,
    )
    buffer = None if given.plan.label == EXACT else workload.execution.shedding.buffer
    return Processor(clock.compare * MILLIONTHS, clock.output * MILLIONTHS, buffer)
