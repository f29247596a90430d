"""Towne et al. 2007: the importance and the size of what policies keep of a star join, by memory
(Figures 4 and 6), and how long the paper's search for the best takes (Figure 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.experiments.experiment import Curve, Point, Quantity
from planner.experiments.quantities import figure_of
from planner.experiments.towne.workloads import star_join
from planner.families.load_shedding import NAME
from planner.families.load_shedding.labels import OPTIMUM
from planner.families.load_shedding.space import Policies
from planner.workload.execution import Shedding

PREDICTED = "closed forms and simulation"


def by_memory(
    policies: Sequence[str], lifetime: int, memories: Sequence[int], quantity: Quantity
) -> tuple[Curve, ...]:
    """Each policy, by the tuples that both streams together may keep."""
    points: dict[str, list[Point]] = {policy: [] for policy in policies}
    for memory in memories:
        workload = star_join(lifetime, memory)
        space = Policies(workload)
        for policy in policies:
            plan = space.plan(policy)
            said = figure_of(plan, space.estimate(plan), space.objectives, quantity)
            points[policy].append(Point(memory, workload, NAME, policy, predicted=said))
    return tuple(Curve(policy, policy, tuple(found), PREDICTED) for policy, found in points.items())


def search_seconds(
    lifetime: int, memory: int, length: int, rows: Sequence[int], curves: Mapping[str, bool]
) -> tuple[Curve, ...]:
    """The seconds of the state graph by the rows of the relation, with the pre-filter or without.

    Measured only: they are of a machine.
    """
    return tuple(
        Curve(
            label,
            label,
            tuple(
                Point(
                    count,
                    star_join(
                        lifetime,
                        memory,
                        length,
                        count,
                        shedding=Shedding(prefilter=prefilter, optimum="states"),
                    ),
                    NAME,
                    OPTIMUM,
                )
                for count in rows
            ),
        )
        for label, prefilter in curves.items()
    )
