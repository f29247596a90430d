"""The model of a star join: how much arrives, what it finds in the relation, and exact results."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from planner.errors import PlanError
from planner.families.load_shedding import NAME
from planner.families.load_shedding.coverage import refusal
from planner.families.load_shedding.offline.matches import MOST_MATCHES, NARROWER
from planner.families.load_shedding.star import Arm, is_loaded, star_of
from planner.joins.arrays import Floats
from planner.joins.coverage import relation_of
from planner.joins.model import join_of
from planner.numbers import amount
from planner.statistics.distributions import Distribution, declared_distribution, restricted
from planner.statistics.selectivity import attribute_of
from planner.workload.query import Column
from planner.workload.streams import Relation, Stream
from planner.workload.workload import Workload

# So many arrivals of one stream say how streams that tick together meet.
MOST_TICKS = 4_096
# Beyond so many values of a key no distribution is made of them.
MOST_VALUES = 200_000


SEVERAL = (
    "with three or more streams the worth of a tuple depends on several others that are kept, and "
    "no optimum is known"
)
LOADED = (
    "the best tuples to keep are those of a memory, and which of them the processor leaves is not "
    "known"
)


class ShedModel:
    """One star join. What is by arm is in FROM order; rates are per second, after conditions."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        (self.query,) = workload.queries
        self.star = star_of(workload)
        self.join = join_of(workload)
        self.windows = [self.join.windows[arm.place] for arm in self.star.arms]
        self.streams: list[Stream] = [workload.stream(arm.source.name) for arm in self.star.arms]

    @property
    def span(self) -> float:
        """The seconds of stream time that a run covers, warm-up included."""
        return self.workload.warmup + self.workload.run.duration

    @property
    def without_optimum(self) -> str | None:
        """Why no best tuples to keep are known beforehand, where they are not."""
        if is_loaded(self.workload):
            return LOADED
        if len(self.star.arms) > 2:
            return SEVERAL
        matches = sum(self.exact) * self.span
        if len(self.star.arms) == 2 and matches > MOST_MATCHES:
            return (
                f"it weighs every two tuples that match, about {amount(matches)} in this run; at "
                f"most {MOST_MATCHES:,} are weighed: {NARROWER}"
            )
        return None

    @cached_property
    def relation(self) -> Relation | None:
        """The relation that streams meet through; None without one."""
        star = self.star
        return None if star.relation is None else relation_of(self.workload, star.relation)

    @cached_property
    def rows(self) -> float:
        """Active rows of the relation that pass its conditions."""
        place = self.star.relation_place
        return 0.0 if place is None else self.join.windows[place].tuples

    @property
    def is_changing(self) -> bool:
        """Whether the relation gains or loses rows."""
        changes = None if self.relation is None else self.relation.changes
        return changes is not None and bool(changes.inserts or changes.deletes)

    @cached_property
    def rates(self) -> tuple[float, ...]:
        """Tuples of each arm that pass its conditions."""
        return tuple(window.rate for window in self.windows)

    @cached_property
    def lifetimes(self) -> tuple[float, ...]:
        """The windows of the arms in seconds."""
        return tuple(arm.lifetime / 1e6 for arm in self.star.arms)

    # --- what a tuple finds in the relation ------------------------------------------------------

    def values(self, column: Column) -> Distribution:
        """The values of a column that its source's conditions let through, as shares of those."""
        found = declared_distribution(attribute_of(self.workload, self.query, column))
        own = [f for f in self.query.filters if f.column == column]
        return restricted(found, own) if own else found

    def found(self, arm: Arm) -> float:
        """How many active rows a tuple is joined with, on average."""
        place = self.star.relation_place
        assert place is not None, "only a relation is looked up"
        return self.rows * self.join.graph.share((arm.place, place))

    @cached_property
    def matching(self) -> tuple[float, ...]:
        """By arm the share of tuples with an active row; without a relation, all with a key."""
        return tuple(map(self._matching, self.star.arms))

    def _matching(self, arm: Arm) -> float:
        if arm.joined is None:
            return 1 - attribute_of(self.workload, self.query, arm.key).missing
        if not self.has_few_values(arm):
            return 1 - math.exp(-self.found(arm))
        shares, there = self.chance_of_row(arm)
        return min(float(shares @ there), self.found(arm))

    def has_few_values(self, arm: Arm) -> bool:
        """Whether the values of an arm's key are few enough to be looked at one by one."""
        columns = [arm.key] if arm.joined is None else [arm.key, arm.joined]
        found = (attribute_of(self.workload, self.query, column).distinct for column in columns)
        return all((distinct or 0) <= MOST_VALUES for distinct in found)

    def chance_of_row(self, arm: Arm) -> tuple[Floats, Floats]:
        """The values of an arm's key: how often each arrives, and the chance that a row has it."""
        assert arm.joined is not None, "only a relation is looked up"
        keys, rows = self.values(arm.key), self.values(arm.joined)
        of_row = _shares_of(rows, keys)
        return keys.shares, self._some_row(of_row)

    def _some_row(self, of_row: Floats) -> Floats:
        """The chance that some row has a value, where one row has it with these chances.

        Rows that are different are drawn without putting back: of all combinations with the value,
        a part is there.
        """
        relation, count = self.relation, round(self.rows)
        assert relation is not None, "only a relation is looked up"
        if relation.distinct_rows and relation.attributes:
            possible = math.prod(a.distinct or 1 for a in relation.attributes.values())
            if possible <= count:
                return (of_row > 0).astype(np.float64)
            # None of the rows: each draw leaves one combination less.
            with np.errstate(divide="ignore"):
                left = np.maximum(0.0, 1 - of_row * possible / (possible - (count - 1) / 2))
            return np.asarray(1 - left**count)
        return np.asarray(1 - (1 - of_row) ** count)

    # --- exact results ---------------------------------------------------------------------------

    @cached_property
    def exact(self) -> tuple[float, ...]:
        """By arm the exact results per second that its arrivals complete."""
        every = range(len(self.join.windows))
        return tuple(
            self.join.matches(arm.place, every) * self._seen(place)
            for place, arm in enumerate(self.star.arms)
        )

    def _seen(self, place: int) -> float:
        """Combinations of windows that an arrival sees, as a share of what their sizes say."""
        windows = (r * t for r, t in zip(self.rates, self.lifetimes, strict=True))
        expected = [held if other != place else 1.0 for other, held in enumerate(windows)]
        if not math.prod(expected):
            return 0.0
        return math.prod(
            (self.older(place, other) + self.together(place, other)) / held
            for other, held in enumerate(expected)
            if other != place
        )

    @cached_property
    def _ticks(self) -> tuple[Floats, ...] | None:
        """Arrival times in microseconds where all arms tick regularly from stated phases.

        None also where they would be too many: windows are as full then as their rates say.
        """
        arrivals = [stream.arrivals for stream in self.streams]
        if any(a.kind != "regular" or a.phase is None for a in arrivals):
            return None
        most = max(s.rate or 1.0 for s in self.streams)
        longest = 2 * max(self.lifetimes) + MOST_TICKS / most
        if most * longest > 50 * MOST_TICKS:
            return None
        return tuple(
            np.rint(1e6 * (np.arange(int(rate * longest) + 1) + (s.arrivals.phase or 0.0)) / rate)
            for s in self.streams
            if (rate := s.rate)
        )

    def older(self, place: int, other: int) -> float:
        """Tuples of another arm's window that came before an arrival of this one."""
        held = self.rates[other] * self.lifetimes[other]
        ticks, arm = self._ticks, self.star.arms[other]
        if ticks is None:
            return held
        now = ticks[place][ticks[place] >= arm.lifetime][:MOST_TICKS]
        before = np.searchsorted(ticks[other], now, side="left")
        gone = np.searchsorted(ticks[other], now - arm.lifetime, side="right")
        return float((before - gone).mean()) * self._passing(other) if len(now) else held

    def ticking(self, place: int, other: int) -> float:
        """Tuples of another arm that come at the very time of an arrival of this one."""
        ticks = self._ticks
        if ticks is None:
            return 0.0
        now = ticks[place][:MOST_TICKS]
        same = np.searchsorted(ticks[other], now, side="right") - np.searchsorted(
            ticks[other], now, side="left"
        )
        return float(same.mean()) * self._passing(other)

    def together(self, place: int, other: int) -> float:
        """Those of them that the arrival meets: of two that come together, the later one in FROM
        completes their results."""
        return self.ticking(place, other) if other < place else 0.0

    def _passing(self, place: int) -> float:
        arriving = self.windows[place].arrivals
        return self.rates[place] / arriving if arriving else 0.0

    def most_in_window(self, place: int) -> float:
        """How many tuples a window can hold; what chance makes of it is bounded generously."""
        stream, lifetime = self.streams[place], self.star.arms[place].lifetime
        rate = stream.rate or 0.0
        if stream.arrivals.kind == "regular":
            return math.ceil(rate * lifetime / 1e6)
        held = rate * lifetime / 1e6
        if stream.arrivals.kind == "pareto":
            # Bursts have no bound; only a run can say.
            return math.inf
        return held + 6 * math.sqrt(held) + 6


def _shares_of(rows: Distribution, keys: Distribution) -> Floats:
    """How often each of the keys is the value of a row."""
    if rows.is_text != keys.is_text or not len(rows.values):
        return np.zeros(len(keys.values))
    place = np.minimum(np.searchsorted(rows.values, keys.values), len(rows.values) - 1)
    equal = rows.values[place] == keys.values
    return np.where(equal, rows.shares[place], 0.0)


def model_of(workload: Workload) -> ShedModel:
    """The model of a covered workload; a PlanError that says why where it is not covered."""
    reason = refusal(workload)
    if reason is not None:
        raise PlanError(reason, NAME)
    return ShedModel(workload)
