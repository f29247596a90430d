"""Hammad et al. 2003: batches of tuples (Figures 2 and 3), and how long queries wait under LWO, SWF
and MQT by windows, bursts and queries (Figures 5 to 9), with what they hold (Section 5.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from planner.experiments.experiment import Curve, Place, Point, Quantity, curves_by_model
from planner.experiments.hammad.simultaneous import BATCH, batch_tuples, simultaneous
from planner.experiments.hammad.workloads import (
    RATE,
    TABLE_1,
    UNIT_COSTS,
    Join,
    Ties,
    pool,
    shared_join,
)
from planner.experiments.quantities import figure_of
from planner.families.shared_schedule import NAME
from planner.families.shared_schedule.delays.batches import SimultaneousBatch
from planner.families.shared_schedule.labels import LWO, MQT, SWF
from planner.families.shared_schedule.policies import Wanted, rule_of
from planner.families.shared_schedule.space import Schedules
from planner.workload.workload import Workload

POLICIES = (LWO, SWF, MQT)
# It grows with the number of tuples: that of the planner's sample is not that of seven times as
# many, and the figures show it as measured alone.
_LONGEST = "delay_ms_max"
PREDICTED = "closed forms and simulation"

# --- Figures 2(b) and 3(b): a batch --------------------------------------------------------------

SIMULATED = "scan by scan"
EQUATIONS = "Equations 1 and 2"
ISOLATED = "Isolated"
# Seconds for a pair: a comparison and an output.
_PAIR = sum(UNIT_COSTS.values())
# What is read of the run: Equation 2 is the delay until a window is scanned.
_READ: dict[str, tuple[str, Quantity]] = {
    LWO: (LWO, "delay_ms"),
    SWF: (SWF, "scan_delay_ms"),
    ISOLATED: (LWO, "isolated_delay_ms"),
}


def batch(distribution: str, subjects: Sequence[str]) -> tuple[Curve, ...]:
    """Mean delays in ms where 50 tuples arrive at one time, by window.

    LWO and isolated are of results (Equation 1); SWF is until a window is scanned (Equation 2).
    """
    windows = TABLE_1[distribution]
    workload = simultaneous(f"A batch of {BATCH}, {distribution}", windows)
    given = SimultaneousBatch(BATCH, tuple(round(RATE * window) for window in windows), _PAIR)
    models: dict[str, dict[str, Sequence[float]]] = {
        SIMULATED: {subject: _scan_by_scan(given, subject) for subject in subjects},
        EQUATIONS: {
            LWO: given.largest_only.tolist(),
            SWF: given.smallest_first.tolist(),
            ISOLATED: given.isolated.tolist(),
        },
    }
    points: dict[tuple[str, str], list[Point]] = {}
    for model, by_subject in models.items():
        for subject in subjects:
            plan, quantity = _READ[subject]
            points[model, subject] = [
                Point(
                    window,
                    workload,
                    NAME,
                    plan,
                    predicted=1e3 * delay,
                    quantity=quantity,
                    query=query.name,
                    tuples=batch_tuples,
                )
                for window, query, delay in zip(
                    windows, workload.queries, by_subject[subject], strict=True
                )
            ]
    return curves_by_model(points)


def _scan_by_scan(given: SimultaneousBatch, subject: str) -> Sequence[float]:
    """Delays of the batch in seconds by window, as it is served scan by scan."""
    if subject == ISOLATED:
        alone = (SimultaneousBatch(given.count, (size,), given.pair) for size in given.sizes)
        return [_scan_by_scan(batch, LWO)[0] for batch in alone]
    sizes, ones = given.sizes, (1,) * len(given.sizes)
    counted = tuple(map(Fraction, ones))
    wanted = Wanted(sizes, ones, counted, counted, (None,) * len(sizes), tuple)
    points = (0, sizes[-1]) if subject == LWO else (0, *sizes)
    results, scans = given.under(rule_of(subject, points, wanted, "larger"))
    return [float(delay) for delay in (scans if subject == SWF else results)]


# --- Figures 5 to 9: streams ---------------------------------------------------------------------


def by_distribution(
    places: Mapping[str, Mapping[str, Ties]], join: Join, utilisation: float, quantity: Quantity
) -> tuple[Curve, ...]:
    """All policies under the distributions of Table 1, with the rule for ties of each place."""
    return _by_policy(
        (
            (place, _table_1(distribution, utilisation, join, ties=ties), "")
            for place, named in places.items()
            for distribution, ties in named.items()
        ),
        quantity,
    )


def of_largest(
    distributions: Sequence[str], utilisation: float, quantity: Quantity
) -> tuple[Curve, ...]:
    """All policies under these distributions, for the query with the largest window."""
    workloads = {name: _table_1(name, utilisation, "hash") for name in distributions}
    return _by_policy(((x, w, w.queries[-1].name) for x, w in workloads.items()), quantity)


def by_window(
    distribution: str,
    join: Join,
    utilisation: float,
    quantity: Quantity,
    burst: float = 1.0,
    ties: Ties = "larger",
) -> tuple[Curve, ...]:
    """All policies, by the window of the query whose figure it is."""
    workload = _table_1(distribution, utilisation, join, burst, ties)
    windows = TABLE_1[distribution]
    placed = ((x, workload, query.name) for x, query in zip(windows, workload.queries, strict=True))
    return _by_policy(placed, quantity)


def by_burst(
    distribution: str, utilisation: float, bursts: Sequence[float], quantity: Quantity
) -> tuple[Curve, ...]:
    """All policies, by the mean size of bursts; 1 is Poisson."""
    return _by_policy(
        ((burst, _table_1(distribution, utilisation, "hash", burst), "") for burst in bursts),
        quantity,
    )


def by_pool(distribution: str, utilisation: float, quantity: Quantity) -> tuple[Curve, ...]:
    """All policies, by the window that 24 of 30 queries have."""
    windows = TABLE_1[distribution]
    return _by_policy(
        (
            (
                x,
                shared_join(
                    f"30 queries, {distribution}, 24 of {x:g} s, load {utilisation:g}",
                    pool(windows, x),
                    utilisation,
                ),
                "",
            )
            for x in windows
        ),
        quantity,
    )


def _table_1(
    distribution: str,
    utilisation: float,
    join: Join,
    burst: float = 1.0,
    ties: Ties = "larger",
) -> Workload:
    bursts = f", bursts of {burst:g}" if burst > 1 else ""
    smaller = ", ties: smaller" if ties == "smaller" else ""
    name = f"Table 1, {distribution}, {join}, load {utilisation:g}{bursts}{smaller}"
    return shared_join(name, TABLE_1[distribution], utilisation, join, burst, ties)


def _by_policy(
    placed: Iterable[tuple[Place, Workload, str]], quantity: Quantity
) -> tuple[Curve, ...]:
    """A curve of each policy over workloads and the query that is asked about ("": all)."""
    points: dict[str, list[Point]] = {policy: [] for policy in POLICIES}
    for x, workload, query in placed:
        space = Schedules(workload)
        for policy in POLICIES:
            plan = space.plan(policy)
            said = None
            if quantity != _LONGEST:
                said = figure_of(plan, space.estimate(plan), space.objectives, quantity, query)
            points[policy].append(Point(x, workload, NAME, policy, predicted=said, query=query))
    # A mean that does not exist has no prediction.
    whole = all(p.predicted is not None for found in points.values() for p in found)
    return tuple(
        Curve(policy, policy, tuple(found), PREDICTED if whole else "")
        for policy, found in points.items()
    )


# --- maxima and means, Sections 3.4 and 5.4: output and buffers ----------------------------------


def by_reading(
    places: Mapping[str, tuple[str, float]],
    utilisation: float,
    read: Mapping[str, tuple[str, Quantity]],
) -> tuple[Curve, ...]:
    """As measured: of each curve a policy and what is read of it.

    A place is a distribution of windows and the mean size of bursts.
    """
    workloads = {
        place: _table_1(distribution, utilisation, "hash", burst)
        for place, (distribution, burst) in places.items()
    }
    return tuple(
        Curve(
            label,
            label,
            tuple(
                Point(place, workload, NAME, policy, quantity=quantity)
                for place, workload in workloads.items()
            ),
        )
        for label, (policy, quantity) in read.items()
    )


def output_shares(distribution: str, joins: Mapping[str, Join]) -> tuple[Curve, ...]:
    """The share of the work that makes output, by the machine's own unit costs."""
    points = []
    for place, join in joins.items():
        name = f"Table 1, {distribution}, {join}, own unit costs"
        windows = TABLE_1[distribution]
        workload = shared_join(name, windows, utilisation=None, join=join, declared=False)
        points.append(Point(place, workload, NAME, LWO))
    return (Curve("Output", "Output", tuple(points)),)
