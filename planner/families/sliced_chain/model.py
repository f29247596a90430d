"""The model of a workload of joins: what enters each join of a plan, and what happens there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.errors import PlanError
from planner.families.sliced_chain import NAME
from planner.families.sliced_chain.coverage import refusal
from planner.families.sliced_chain.layout import Selection, SlicedJoin
from planner.families.sliced_chain.plans import BuiltChain, build
from planner.joins.shared.half_join import Way, way_of
from planner.joins.shared.query_groups import BOTH, Condition, Group, Member, Sides, groups_of
from planner.joins.shared.shares import StreamShares, parts_of, together
from planner.plan.expression import Expression, decay, number, subscript, symbol, total
from planner.workload.workload import Workload


@dataclass(frozen=True)
class Flow:
    """One way of one join: the shares of the streams that are stored and that probe, how long.

    `streams` are the stored one and the probing one. `length` is in seconds or rows.
    `probed_before` is the share that probes in the slice before this one: its tuples bring what
    that slice purges; None where tuples come as they arrive. `arriving` is the share of stored
    tuples that get here: less than 1 where so few tuples probe that a run ends before some are
    purged from the first slice.
    """

    way: Way
    streams: tuple[str, str]
    stored: float
    probing: float
    length: float
    probed_before: float | None = None
    arriving: float = 1.0

    @cached_property
    def arrived(self) -> Expression:
        """Arrivals of the stored stream within the length, whatever they pass."""
        return self._length if self.way.counted else self._rate * self._length

    @cached_property
    def entering(self) -> Expression:
        """Tuples per second that probe."""
        name = subscript(self.streams[1])
        rate = symbol(rf"\lambda_{{{name}}}", self.way.probing_rate)
        return rate * symbol(f"r_{{{name}}}", self.probing)

    @property
    def inserted(self) -> Expression:
        """Tuples per second that are stored."""
        inserted = self._rate * self._stored
        return inserted if self.arriving == 1 else inserted * symbol("a", self.arriving)

    @cached_property
    def purged(self) -> Expression:
        """Tuples per second that are purged, each with one look."""
        leaves, purged = self.way.leaves(self.probing), self._rate * self._stored
        return purged if leaves == 1 else purged * symbol("p", leaves)

    @cached_property
    def stop_looks(self) -> Expression:
        """Looks per second at a tuple that stays."""
        arrived = self.arrived
        chance = float(self.way.finds_one(np.array(self.stored), np.array(arrived.value)))
        one_stays = symbol(rf"P_{{{self._length.symbols}}}(\text{{one stays}})", chance)
        if self.way.is_plain:
            one_stays = (number(1) - decay(arrived * self._stored)).valued(chance)
        return self.entering * one_stays

    @cached_property
    def held(self) -> Expression:
        """Tuples stored: those of the length, and those that wait to be purged."""
        arrived, waits = self.arrived, self.way.waits
        if self.arriving != 1:
            arrived = symbol("a", self.arriving) * arrived
        stays = symbol(r"\bar{t}_{\mathrm{due}}", waits(self.probing))
        if self.probed_before is not None:
            stays -= symbol(r"\bar{t}_{\mathrm{before}}", waits(self.probed_before))
        return self._stored * (arrived + self._rate * stays)

    @property
    def held_printed(self) -> Expression:
        """The tuples of the length alone."""
        return self._stored * self.arrived

    @cached_property
    def examined(self) -> Expression:
        """Stored tuples that probes look at per second."""
        pairs = self.entering * self._stored * self.arrived
        scanned = self.way.scanned
        return pairs if scanned == 1 else pairs * symbol(r"\beta", scanned)

    @cached_property
    def results(self) -> Expression:
        pairs = self.entering * self._stored
        pairs = pairs if self.way.counted else pairs * self._rate
        return pairs * self._length * symbol(r"S_{\bowtie}", self.way.selectivity)

    def found(self, length: float) -> float:
        """Results per second that are younger than this above the start."""
        inside = max(0.0, min(length, self.length))
        entering = self.way.probing_rate * self.probing
        return entering * self.stored * self.way.per_length * inside * self.way.selectivity

    @cached_property
    def _rate(self) -> Expression:
        return symbol(rf"\lambda_{{{subscript(self.streams[0])}}}", self.way.rate)

    @cached_property
    def _stored(self) -> Expression:
        return symbol(f"s_{{{subscript(self.streams[0])}}}", self.stored)

    @cached_property
    def _length(self) -> Expression:
        return symbol(rf"\Delta_{{{subscript(self.streams[0])}}}", self.length)


class GroupModel:
    """One group of queries: its ways, and the shares of its streams that get into joins."""

    def __init__(self, workload: Workload, group: Group) -> None:
        self.group = group
        self.streams = tuple(workload.stream(name) for name in group.streams)
        self.shares = tuple(StreamShares(group, side, self.streams[side]) for side in BOTH)
        self.ways = tuple(way_of(workload, group, side) for side in BOTH)
        # By way and boundary: what is stored, and what probes, beyond it.
        self.stored = [shares.beyond(group.boundaries, False) for shares in self.shares]
        self.probing = [shares.beyond(group.boundaries, True) for shares in self.shares[::-1]]
        self._results: dict[Member, Expression] = {}
        self._slices: dict[tuple[int, Sides, int | None], tuple[Flow, Flow]] = {}
        self._names = [subscript(name) for name in group.streams]
        self._places = {length: place for place, length in enumerate(group.boundaries)}

    def length(self, ticks: int) -> float:
        """A length in seconds or rows."""
        return float(ticks) if self.group.unit == "rows" else ticks / 1e6

    def flows(self, join: SlicedJoin) -> tuple[Flow, Flow]:
        """The two ways of a join: the first stream stored, then the second."""
        if not join.sliced:
            return self._flow(join, 0), self._flow(join, 1)
        # Chains have most of their slices in common.
        key = join.start, join.ends, join.previous
        if key not in self._slices:
            self._slices[key] = self._flow(join, 0), self._flow(join, 1)
        return self._slices[key]

    def _flow(self, join: SlicedJoin, side: int) -> Flow:
        length = self.length(max(0, join.ends[side] - join.start))
        before, arriving = None, 1.0
        if join.sliced:
            place = self._places[join.start]
            stored, probing = float(self.stored[side][place]), float(self.probing[side][place])
            if join.previous is not None:
                before = float(self.probing[side][self._places[join.previous]])
                arriving = self.ways[side].leaves(float(self.probing[side][0]))
        elif join.query is not None:
            conditions = join.query.conditions
            stored = self.shares[side].of(conditions[side])
            probing = self.shares[1 - side].of(conditions[1 - side])
        elif join.parts is not None:
            stored = self.shares[side].of_part(join.parts[side])
            probing = self.shares[1 - side].of_part(join.parts[1 - side])
        else:
            stored = probing = 1.0
        streams = self.group.streams[side], self.group.streams[1 - side]
        return Flow(self.ways[side], streams, stored, probing, length, before, arriving)

    def inside(self, flow: Flow, side: int, stream: int, condition: Condition) -> float:
        """The share of a way's results whose member of this stream passes the condition."""
        let_in = flow.stored if stream == side else flow.probing
        if condition.is_open or not let_in:
            return 1.0
        return min(1.0, self.shares[stream].of(condition) / let_in)

    def wanted(self, join: SlicedJoin, selection: Selection) -> float:
        """Results per second that are young enough for any query of a selection."""
        return sum(
            flow.found(self.length(max(0, window - join.start)))
            for window, flow in zip(selection.windows, self.flows(join), strict=True)
        )

    def selected(self, join: SlicedJoin, selection: Selection) -> tuple[float, float]:
        """Looks per second of a selection, and results that pass: the first stream is first."""
        looks = passing = 0.0
        first, second = selection.conditions
        for side, flow in zip(BOTH, self.flows(join), strict=True):
            found = flow.found(self.length(max(0, selection.windows[side] - join.start)))
            if not first.is_open:
                looks += found
                found *= self.inside(flow, side, 0, first)
            if not second.is_open:
                looks += found
                found *= self.inside(flow, side, 1, second)
            passing += found
        return looks, passing

    def results(self, member: Member) -> Expression:
        """Results per second of one query."""
        if member not in self._results:
            first, second = (self.shares[side].of(member.conditions[side]) for side in BOTH)
            ways = (self._joined(side, member.windows[side], first * second) for side in BOTH)
            self._results[member] = total(ways)
        return self._results[member]

    def _joined(self, side: int, window: int, passing: float) -> Expression:
        """Results per second in which the stored tuple is of this side."""
        way, (stored, probing) = self.ways[side], self._names[:: 1 - 2 * side]
        pairs = symbol(rf"\lambda_{{{probing}}}", way.probing_rate)
        if not way.counted:
            pairs *= symbol(rf"\lambda_{{{stored}}}", way.rate)
        pairs *= symbol(f"W_{{{stored}}}", self.length(window))
        return pairs * symbol(r"\sigma", passing) * symbol(r"S_{\bowtie}", way.selectivity)

    def serving(self, side: int) -> float:
        """The share of a stream that is in parts which serve some query."""
        return together(self.shares[side].of_part(part) for part in parts_of(self.group, side))

    @cached_property
    def entering_chain(self) -> Expression:
        """Tuples per second that probe in the first slice of a chain: all pass there."""
        return total(
            symbol(rf"\lambda_{{{name}}}", way.probing_rate)
            * symbol(f"r_{{{name}}}", float(probing[0]))
            for name, way, probing in zip(self._names[::-1], self.ways, self.probing, strict=True)
        )


# Plans that are kept, those built last.
MOST_BUILT = 32


@dataclass(frozen=True)
class ChainModel:
    """All groups of a workload, and what a tuple entering a slice costs beside comparisons."""

    groups: tuple[GroupModel, ...]
    queries: tuple[str, ...]
    c_sys: float

    def build(self, label: str) -> BuiltChain:
        """The plan of a label. It is asked for again for its price, its seconds and its picture."""
        if label not in self._built:
            if len(self._built) >= MOST_BUILT:
                self._built.pop(next(iter(self._built)))
            groups = [model.group for model in self.groups]
            self._built[label] = build(groups, self.queries, label)
        return self._built[label]

    @cached_property
    def _built(self) -> dict[str, BuiltChain]:
        return {}

    @cached_property
    def by_group(self) -> dict[Group, GroupModel]:
        return {model.group: model for model in self.groups}


def model_of(workload: Workload) -> ChainModel:
    """The model of a covered workload; a PlanError that says why where it is not covered."""
    reason = refusal(workload)
    if reason is not None:
        raise PlanError(reason, NAME)
    return ChainModel(
        tuple(GroupModel(workload, group) for group in groups_of(workload)),
        tuple(query.name for query in workload.queries),
        workload.execution.c_sys,
    )
