"""The joins of a plan: what each holds, who takes results from it, and what is checked for them.

A regular join is a slice that begins at 0. A slice [start, end) stores tuples whose age is within
these bounds; on a stream whose largest window ends earlier it ends there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from planner.joins.shared.query_groups import (
    BOTH,
    OPEN,
    Condition,
    Group,
    Member,
    Sides,
    largest_windows,
)
from planner.joins.shared.shares import PassingPart, parts_of
from planner.time_limit import check


@dataclass(frozen=True, slots=True)
class Selection:
    """Queries of a join for which the same conditions must be looked at, on the two streams.

    A condition that all tuples inside pass stands here as one that asks nothing. `windows` is how
    old results may be on each side to be asked for by any of the queries; not above the join's
    start where none takes results of that side.
    """

    conditions: tuple[Condition, Condition]
    members: tuple[Member, ...]
    windows: Sides

    @property
    def is_needed(self) -> bool:
        """Whether anything is looked at."""
        return not all(condition.is_open for condition in self.conditions)

    def __str__(self) -> str:
        return " and ".join(str(c) for c in self.conditions if not c.is_open)


@dataclass(frozen=True)
class SlicedJoin:
    """A regular join or a slice of a chain.

    Of `query`, `parts` and `sliced` at most one is set: they say which tuples enter. Those that
    pass one query's conditions, those of one part of each stream, those whose survival (stored) or
    reach (probing) is above the start; else all.
    """

    group: Group
    start: int
    ends: Sides
    members: tuple[Member, ...]
    query: Member | None = None
    parts: tuple[PassingPart, PassingPart] | None = None
    sliced: bool = False
    # Where the slice before this one begins.
    previous: int | None = None

    @property
    def end(self) -> int:
        """Where the longer side ends."""
        return max(self.ends)

    def windows(self, side: int) -> tuple[int, ...]:
        """How far results of this side are wanted: the different ends that queries have here."""
        end = self.ends[side]
        wanted = {min(m.windows[side], end) for m in self.members if m.windows[side] > self.start}
        return tuple(sorted(wanted)) if end > self.start else ()

    @cached_property
    def interior(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The windows that end inside, by side: results are compared with each."""
        return self._inside(0), self._inside(1)

    def _inside(self, side: int) -> tuple[int, ...]:
        return tuple(w for w in self.windows(side) if w < self.ends[side])

    @cached_property
    def selections(self) -> tuple[Selection, ...]:
        """The queries by the conditions that results are held against for them."""
        check()
        looked = [self._looked(side) for side in BOTH]
        if self.members and not any(looked):
            return (Selection((OPEN, OPEN), self.members, self.reached(self.members)),)
        by_pair: dict[tuple[Condition, Condition], list[Member]] = {}
        for member in self.members:
            left, right = (
                condition if look else OPEN
                for condition, look in zip(member.conditions, looked, strict=True)
            )
            by_pair.setdefault((left, right), []).append(member)
        return tuple(
            Selection(pair, tuple(members), self.reached(members))
            for pair, members in by_pair.items()
        )

    def _looked(self, side: int) -> bool:
        """Whether conditions on this stream must be looked at: not if all that enters passes."""
        if self.query is not None or self.parts is not None:
            return False
        if not self.sliced:
            return True
        if not self.group.has_conditions:
            return False
        later = (m for m in self.group.members if m.longest > self.start)
        return len({m.conditions[side] for m in later}) > 1

    def reached(self, members: Sequence[Member]) -> Sides:
        """How old results of each side may be to be wanted by any of these queries."""
        wanted = largest_windows(members)
        return min(wanted[0], self.ends[0]), min(wanted[1], self.ends[1])


def chain(group: Group, ends: Sequence[int]) -> Iterator[SlicedJoin]:
    """The slices of a chain with these ends, the last of them the largest window."""
    previous: int | None = None
    for start, end in pairwise((0, *ends)):
        sides = (min(end, group.largest[0]), min(end, group.largest[1]))
        members = tuple(m for m in group.members if m.longest > start)
        yield SlicedJoin(group, start, sides, members, sliced=True, previous=previous)
        previous = start


def pulled_up(group: Group) -> SlicedJoin:
    """One join over the largest windows, before any selection."""
    return SlicedJoin(group, 0, group.largest, group.members)


def unshared(group: Group, member: Member) -> SlicedJoin:
    """The join of one query, after its filters."""
    return SlicedJoin(group, 0, member.windows, (member,), query=member)


def pushed_down(group: Group) -> Iterator[SlicedJoin]:
    """A join for every two parts of the streams that serve a query together."""
    for left in parts_of(group, 0):
        for right in parts_of(group, 1):
            check()
            served = tuple(
                m
                for m in group.members
                if left.passes(m.conditions[0]) and right.passes(m.conditions[1])
            )
            if served:
                yield SlicedJoin(group, 0, largest_windows(served), served, parts=(left, right))
