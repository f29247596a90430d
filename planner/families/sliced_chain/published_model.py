"""The paper's own equations for two queries over streams of one rate (Wang et al. 2006).

The first query has the smaller window and no filter, the second filters the first stream. State is
in tuples (the paper multiplies by a tuple's size) and cost in comparisons per second. Equation 3's
purge term is corrected: every tuple that enters a slice purges it, (3 + S_sigma) lambda in all.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.families.sliced_chain.model import ChainModel


@dataclass(frozen=True, slots=True)
class TwoQueries:
    """The settings of the paper's Table 1."""

    rate: float
    smaller: float
    larger: float
    filtered: float
    joined: float

    @property
    def ratio(self) -> float:
        """rho: the smaller window over the larger."""
        return self.smaller / self.larger


@dataclass(frozen=True, slots=True)
class Printed:
    """What an equation gives: tuples held, and comparisons per second."""

    state: float
    comparisons: float


def pull_up(given: TwoQueries) -> Printed:
    """Equation 1."""
    pairs = 2 * given.rate**2 * given.larger
    return Printed(
        2 * given.rate * given.larger,
        pairs + 2 * given.rate + pairs * given.joined + pairs * given.joined,
    )


def push_down(given: TwoQueries) -> Printed:
    """Equation 2."""
    rate, smaller, larger = given.rate, given.smaller, given.larger
    filtered, joined = given.filtered, given.joined
    return Printed(
        (2 - filtered) * rate * smaller + (1 + filtered) * rate * larger,
        rate
        + 2 * (1 - filtered) * rate**2 * smaller
        + 2 * filtered * rate**2 * larger
        + 3 * rate
        + 2 * filtered * rate**2 * larger * joined
        + 2 * rate**2 * smaller * joined,
    )


def state_slice(given: TwoQueries) -> Printed:
    """Equation 3, its purge term corrected."""
    rate, smaller, filtered = given.rate, given.smaller, given.filtered
    between = given.larger - smaller
    return Printed(
        2 * rate * smaller + (1 + filtered) * rate * between,
        2 * rate**2 * smaller
        + rate
        + 2 * rate**2 * filtered * between
        + (3 + filtered) * rate
        + 2 * rate
        + 2 * rate**2 * given.joined * smaller,
    )


@dataclass(frozen=True, slots=True)
class Savings:
    """Equation 4: what the chain saves of the alternatives' state and comparisons, as shares.

    Terms that grow with the rate only, not with its square, are left out as in the paper.
    """

    state_of_pull_up: float
    state_of_push_down: float
    comparisons_of_pull_up: float
    comparisons_of_push_down: float


def savings(ratio: float, filtered: float, joined: float) -> Savings:
    """Equation 4, for a ratio of windows and the shares that pass the filter and the join.

    >>> savings(0.5, 1.0, 0.0).state_of_pull_up
    0.0
    """
    return Savings(
        (1 - ratio) * (1 - filtered) / 2,
        ratio / (1 + 2 * ratio + (1 - ratio) * filtered),
        ((1 - ratio) * (1 - filtered) + (2 - ratio) * joined) / (1 + 2 * joined),
        filtered
        * joined
        / (ratio * (1 - filtered) + filtered + filtered * joined + ratio * joined),
    )


def two_queries(model: ChainModel) -> TwoQueries | None:
    """The paper's settings where a workload has them: two queries, the larger one filtered."""
    if len(model.groups) > 1 or len(model.queries) != 2:
        return None
    group = model.groups[0]
    first, second = sorted(group.group.members, key=lambda m: m.longest)
    rates = {way.rate for way in group.ways}
    even = all(m.windows[0] == m.windows[1] for m in (first, second))
    open_first = all(condition.is_open for condition in first.conditions)
    filters = second.conditions[0].filters
    plain = open_first and second.conditions[1].is_open and len(filters) == 1
    if len(rates) > 1 or not even or not plain or first.longest == second.longest:
        return None
    if group.group.unit == "rows" or group.group.key is not None:
        return None
    return TwoQueries(
        rates.pop(),
        group.length(first.longest),
        group.length(second.longest),
        group.shares[0].of(second.conditions[0]),
        group.ways[0].selectivity,
    )
