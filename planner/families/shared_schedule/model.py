"""The model of one shared join: its windows, who asks for them, and what scans examine and find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from planner.errors import PlanError
from planner.families.shared_schedule import NAME
from planner.families.shared_schedule.coverage import refusal
from planner.families.shared_schedule.policies import Wanted
from planner.joins.arrays import Floats
from planner.joins.shared.half_join import way_of
from planner.joins.shared.meetings import meeting_of
from planner.joins.shared.query_groups import BOTH, Group, Member, groups_of
from planner.joins.shared.shares import StreamShares
from planner.numbers import amount
from planner.plan.cost import UnitCosts
from planner.plan.expression import Expression, number, subscript, symbol, total
from planner.seconds.clock import Clock, clock_of
from planner.seconds.units import units_of
from planner.workload.workload import Workload

# What takes time of the clock, by how stored tuples are found: kinds that the engine calibrates.
# A comparison that takes longer than this is no processor's: the clock counts nanoseconds.
MOST_UNIT_SECONDS = 1_000
SCAN_KINDS = {"scan": "schedule scan", "hash": "schedule hash"}


class ScheduleModel:
    """One group of queries. What is by window is in the order of the windows, smallest first."""

    def __init__(self, workload: Workload, group: Group) -> None:
        self.workload = workload
        self.group = group
        self.streams = tuple(workload.stream(name) for name in group.streams)
        # A way and a meeting are of the side that is stored: the other side arrives and scans.
        self.ways = tuple(way_of(workload, group, side) for side in BOTH)
        self.meetings = tuple(
            meeting_of(workload, group, side, way) for side, way in enumerate(self.ways)
        )
        self._shares = [StreamShares(group, side, self.streams[side]) for side in BOTH]
        self.windows: tuple[int, ...] = group.boundaries[1:]
        self._places = {window: place for place, window in enumerate(self.windows)}

    # --- windows and queries ---------------------------------------------------------------------

    @property
    def ticks(self) -> int:
        """How many ticks a second has, or a row."""
        return 1 if self.group.unit == "rows" else 1_000_000

    @cached_property
    def lengths(self) -> Floats:
        """The windows in seconds or rows."""
        return np.array(self.windows) / self.ticks

    @cached_property
    def members(self) -> tuple[tuple[Member, ...], ...]:
        """The queries of each window."""
        found: list[list[Member]] = [[] for _ in self.windows]
        for member in self.group.members:
            found[self.place(member)].append(member)
        return tuple(map(tuple, found))

    def place(self, member: Member) -> int:
        """Which of the windows a query has."""
        return self._places[member.longest]

    def passing(self, member: Member) -> tuple[float, float]:
        """The shares of results that pass a query's conditions on the first stream, and on both."""
        first, second = (self._shares[side].of(member.conditions[side]) for side in BOTH)
        return first, first * second

    def wanted(self, isolated: Callable[[], Sequence[float]]) -> Wanted:
        """What the queries of each window ask for, with the delays that they have by themselves."""
        queries = [[self.workload.query(m.query) for m in own] for own in self.members]
        return Wanted(
            self.windows,
            tuple(map(len, queries)),
            tuple(sum((Fraction(repr(q.weight)) for q in own), Fraction()) for own in queries),
            tuple(
                Fraction(window, self.ticks) * sum(map(self._output_share, own), Fraction())
                for window, own in zip(self.windows, self.members, strict=True)
            ),
            tuple(
                min((q.deadline for q in own if q.deadline is not None), default=None)
                for own in queries
            ),
            isolated,
        )

    def _output_share(self, member: Member) -> Fraction:
        """The share of a window's matches that a query takes, to a millionth."""
        return Fraction(max(1, round(1_000_000 * self.passing(member)[1])), 1_000_000)

    # --- rates per second ------------------------------------------------------------------------

    @cached_property
    def rates(self) -> tuple[float, float]:
        """Arrivals per second of both streams."""
        return self.ways[0].rate, self.ways[1].rate

    @property
    def rate(self) -> float:
        """Arrivals per second of both streams together."""
        return sum(self.rates)

    @cached_property
    def largest(self) -> tuple[Expression, Expression]:
        """By stored side the tuples in the largest window."""
        return self._stored(0, len(self.windows) - 1), self._stored(1, len(self.windows) - 1)

    @cached_property
    def comparisons(self) -> Expression:
        """Stored tuples that scans of the largest window examine."""
        terms = []
        for side in BOTH:
            pairs = self.arriving(1 - side) * self.largest[side]
            scanned = self.ways[side].scanned
            terms.append(pairs if scanned == 1 else pairs * symbol(r"\beta", scanned))
        return total(terms)

    def matches(self, place: int) -> Expression:
        """Matches that are young enough for a window; of the place -1, none."""
        if place < 0:
            return number(0.0)
        return total(
            self.arriving(1 - side)
            * self._stored(side, place)
            * symbol(r"S_{\bowtie}", self.ways[side].selectivity)
            for side in BOTH
        )

    def arriving(self, side: int) -> Expression:
        """Tuples of one stream that arrive."""
        return symbol(rf"\lambda_{{{subscript(self.group.streams[side])}}}", self.rates[side])

    def _stored(self, side: int, place: int) -> Expression:
        """Tuples of one stream in a window."""
        name = "W" if place == len(self.windows) - 1 else "w"
        length = symbol(name, float(self.lengths[place]))
        return length if self.ways[side].counted else self.arriving(side) * length

    def clock(self, units: UnitCosts) -> Clock:
        """What scans take on the clock of work."""
        matches = self.matches(len(self.windows) - 1).value
        utilisation = self.workload.execution.utilisation
        own = units.of(SCAN_KINDS[self.group.access])
        return clock_of(own, units.source, self.comparisons.value, matches, utilisation)


def model_of(workload: Workload) -> ScheduleModel:
    """The model of a covered workload; a PlanError that says why where it is not covered."""
    reason = why_not(workload)
    if reason is not None:
        raise PlanError(reason, NAME)
    return ScheduleModel(workload, groups_of(workload)[0])


def why_not(workload: Workload) -> str | None:
    """One sentence that names what is not covered, or None when the workload is covered."""
    if reason := refusal(workload):
        return reason
    clock = ScheduleModel(workload, groups_of(workload)[0]).clock(units_of(workload))
    slowest = max(clock.compare, clock.output)
    if slowest <= MOST_UNIT_SECONDS:
        return None
    remedy = "lower execution.unit_costs"
    if clock.is_scaled:
        remedy = "raise the rates, or leave out execution.utilisation"
    return (
        f"one comparison or one output takes {amount(slowest)} s on the clock of work, and at most "
        f"{MOST_UNIT_SECONDS:,} s are counted; {remedy}"
    )
