"""What is stored at an instant: tuples by arm and key, and the active rows by arm and key.

Tuples are numbered by arrival in each arm, so that lists of them are in order of age.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import groupby
from math import prod
from operator import itemgetter

import numpy as np

from planner.families.load_shedding.star_tuples import StarTuples


@dataclass(frozen=True, slots=True)
class InstantChange:
    """What happens at an instant: rows that leave and come, and each arm's tuples that arrive."""

    ts: int
    ends: tuple[int, ...]
    begins: tuple[int, ...]
    arrivals: tuple[tuple[int, ...], ...]


class Instants:
    """The tuples of a star join as lists, instant after instant; made once for many simulations."""

    def __init__(self, tuples: StarTuples) -> None:
        self.tuples = tuples
        self.arms = range(len(tuples.arms))
        self.ts = [own.ts.tolist() for own in tuples.arms]
        self.key = [own.key.tolist() for own in tuples.arms]
        self.importance = [own.importance.tolist() for own in tuples.arms]
        self.lifetime = [own.arm.lifetime for own in tuples.arms]
        self.rows = tuples.rows.tolist()
        # The first tuple of each arm that arrives after a row has begun: none before is valid.
        self.first = [
            np.searchsorted(own.ts, tuples.begin, side="left").tolist() for own in tuples.arms
        ]
        self.others = [[j for j in self.arms if j != i] for i in self.arms]
        self.changes = self._changes()

    def _changes(self) -> list[InstantChange]:
        times = np.unique(np.concatenate([own.ts for own in self.tuples.arms])).tolist()
        arriving = [
            {ts: tuple(map(itemgetter(0), group)) for ts, group in groupby(enumerate(own), _second)}
            for own in self.ts
        ]
        begin, end = self.tuples.begin, self.tuples.end
        begins, ends = (
            np.searchsorted(times, column, side="left").tolist() for column in (begin, end)
        )
        coming: list[list[int]] = [[] for _ in times]
        leaving: list[list[int]] = [[] for _ in times]
        for row, (come, leave) in enumerate(zip(begins, ends, strict=True)):
            # A row between two instants is never seen.
            if come < leave:
                coming[come].append(row)
                if leave < len(times):
                    leaving[leave].append(row)
        return [
            InstantChange(
                ts,
                tuple(leaving[number]),
                tuple(coming[number]),
                tuple(arrivals.get(ts, ()) for arrivals in arriving),
            )
            for number, ts in enumerate(times)
        ]


_second = itemgetter(1)


class SimulationState:
    """The windows and the relation of one simulation, and what can be asked about them."""

    def __init__(self, instants: Instants) -> None:
        self.instants = instants
        self.now = self.number = 0
        keys = range(instants.tuples.keys + 1)
        # A missing key is -1, the last list of each: nothing is ever put there.
        self.active: list[list[list[int]]] = [[[] for _ in keys] for _ in instants.arms]
        self.held: list[list[int]] = [[] for _ in instants.arms]
        self.by_key: list[list[list[int]]] = [[[] for _ in keys] for _ in instants.arms]

    def change_rows(self, change: InstantChange) -> None:
        """Take out the rows that have ended, and put in those that begin."""
        for row in change.ends:
            for own, key in zip(self.active, self.instants.rows[row], strict=True):
                own[key].remove(row)
        for row in change.begins:
            for own, key in zip(self.active, self.instants.rows[row], strict=True):
                own[key].append(row)

    def insert(self, arm: int, new: int) -> None:
        self.held[arm].append(new)
        if (key := self.instants.key[arm][new]) >= 0:
            self.by_key[arm][key].append(new)

    def remove(self, arm: int, old: int) -> None:
        self.held[arm].remove(old)
        if (key := self.instants.key[arm][old]) >= 0:
            self.by_key[arm][key].remove(old)

    def has_row(self, arm: int, stored: int) -> bool:
        """Whether an active row is valid for the tuple."""
        first = self.instants.first[arm]
        return any(first[row] <= stored for row in self.active[arm][self.instants.key[arm][stored]])

    def valid(self, arm: int, row: int) -> list[int]:
        """The stored tuples of an arm that are joined through a row."""
        stored = self.by_key[arm][self.instants.rows[row][arm]]
        first = self.instants.first[arm][row]
        if not stored or stored[0] >= first:
            return stored
        return stored[bisect_left(stored, first) :]

    def matches(self, arm: int, stored: int) -> int:
        """How many combinations of stored tuples of the other arms a tuple is joined with."""
        first, others = self.instants.first[arm], self.instants.others[arm]
        found = 0
        if len(others) == 1:
            # The usual case, and where simulations spend their time.
            (other,) = others
            rows, theirs, since = self.instants.rows, self.by_key[other], self.instants.first[other]
            for row in self.active[arm][self.instants.key[arm][stored]]:
                there = theirs[rows[row][other]]
                if there and first[row] <= stored:
                    late = there[0] >= since[row]
                    found += len(there) if late else len(there) - bisect_left(there, since[row])
            return found
        for row in self.active[arm][self.instants.key[arm][stored]]:
            if first[row] <= stored:
                found += prod(len(self.valid(other, row)) for other in others)
        return found
