"""What composites find and pass on, for every way to join any sources, in arrays.

A state has a digit in base 3 for each source: not joined, joined as its window (or as the tuple
that arrived or left), joined as its set. Whatever a probe costs depends on the state before it
alone, so that these arrays hold all that plans are priced by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.skew import skewed_classes
from planner.families.early_aggregation.window_sizes import PHASES, WEIGHTS
from planner.joins.arrays import Bools, Floats, Ints
from planner.joins.graph import Twins
from planner.joins.sets import set_arrays


@dataclass(frozen=True, slots=True)
class Copies:
    """How often the copies of one stream's tuples meet, in one aggregation."""

    model: AggregationModel
    twins: Twins

    def met_by(self, origin: int) -> float:
        """How many copies of itself an event of this alias meets, on average."""
        contents = self.model.contents
        arrives = 1.0 if origin == self.twins.later else 0.0
        if contents[origin].window.ends != "each":
            return arrives
        # Who leaves first finds its copy there; of equals that is the earlier alias.
        same = (
            contents[self.twins.longer].window.tuples == contents[self.twins.shorter].window.tuples
        )
        first = self.twins.earlier if same else self.twins.shorter
        return (arrives + (origin == first)) / 2

    def counts(self, place: int, is_set: bool) -> float:
        """What a copy in this content adds to what is met anyway."""
        return 1 - self.model.contents[place].filled_anyway if is_set else 1.0

    def pairs(self, sets: Ints) -> Floats:
        """For another origin, pairs of copies per entry of the alias with the shorter window.

        `sets` says which of the two, shorter (1) and longer (2), are joined as sets.
        """
        shorter, longer = self.twins.shorter, self.twins.longer
        content = self.model.contents[shorter]
        tuples, entries = content.mean(is_set=False), content.mean(is_set=True)
        per_entry = tuples / entries if entries else 0.0
        table = [
            1.0,
            per_entry * self.counts(shorter, is_set=True),
            self.counts(longer, is_set=True),
            self.counts(longer, is_set=True),
        ]
        return np.array(table)[sets]


class StateArrays:
    """Composites and probes of every state of one aggregation."""

    def __init__(self, model: AggregationModel) -> None:
        self.model = model
        self._sets = set_arrays(model.join)
        self._skewed = skewed_classes(model)
        self._sizes: dict[int, Floats] = {}
        self._parts: dict[tuple[int, bool], Floats] = {}
        self._found: dict[int, Floats] = {}
        self.copies = Copies(model, model.twins) if model.twins is not None else None

    @cached_property
    def sets(self) -> Ints:
        """The set of sources that each state joins: bit i is source i."""
        return self._sum([(1 << place, 1 << place) for place in range(self.model.count)])

    def digit(self, place: int) -> Ints:
        """How each state has this source: 0 not at all, 1 as its window, 2 as its set."""
        return np.asarray(np.arange(3**self.model.count) // 3**place % 3)

    @cached_property
    def share(self) -> Floats:
        """The share of combinations of contents that satisfy every predicate among them."""
        share = self._sets.shares[self.sets]
        for masses in self._skewed:
            share = share * masses.correction
        return share

    def size(self, origin: int) -> Floats:
        """The mean product of what a tuple of the origin meets, for states that hold it."""
        if origin not in self._sizes:
            self._sizes[origin] = self._products(origin)
        return self._sizes[origin]

    def per_event(self, origin: int) -> Floats:
        """Composites that one tuple of the origin has joined, by state."""
        if origin not in self._found:
            found = self.size(origin) * self.share
            if self.copies is not None:
                found = found + self._with_copies(origin, found)
            self._found[origin] = found * self.active(origin)
        return self._found[origin]

    def matching(self, origin: int) -> Floats:
        """The share of what a tuple of the origin meets that makes composites, by state."""
        return self.share * self.active(origin)

    def passed(self, origin: int) -> Floats:
        """Composites per second that the pipeline of the origin has joined, by state."""
        return self.model.contents[origin].events * self.per_event(origin)

    def active(self, origin: int) -> Floats | float:
        """The share of composites whose rows of changing relations were there all the time."""
        join = self.model.join
        changing = join.is_changing and origin in join.activities
        return join.activities[origin].shares()[self.sets] if changing else 1.0

    def comparisons(self, origin: int, target: int, is_set: bool) -> Floats:
        """Entries examined per second where the target is probed after each state.

        It is infinite where the target is joined already, or where no predicate links it.
        """
        found = np.full(3**self.model.count, np.inf)
        probes = np.flatnonzero((self.digit(target) == 0) & self._linked(target))
        found[probes] = self.examined(origin, target, is_set, probes)
        return found

    def examined(self, origin: int, target: int, is_set: bool, states: Ints) -> Floats:
        """The same for states after which the target can be probed."""
        size, step = self.size(origin), (2 if is_set else 1) * 3**target
        met = np.zeros(len(states))
        np.divide(size[states + step], size[states], out=met, where=size[states] > 0)
        met *= self.with_ended(target)
        part = self.looked_through(target, is_set)[states]
        if self.copies is not None and self.copies.twins.other(target) is not None:
            met = met * part + self.own(origin, states + step, states) * (1 - part)
        else:
            met = met * part
        return np.asarray(self.passed(origin)[states] * met)

    def with_ended(self, target: int) -> float:
        """What a relation holds over the rows that are active: rows that ended are kept a while."""
        window = self.model.join.windows[target]
        return window.examined / window.tuples if window.is_relation and window.tuples else 1.0

    def own(self, origin: int, after: Ints, before: Ints) -> Floats:
        """Copies of its own tuple that a composite finds in the target, beside what it meets."""
        plain = self.size(origin) * self.share
        copies = self._with_copies(origin, plain)
        composites = (plain + copies)[before]
        found = np.zeros(len(before))
        np.divide(copies[after], composites, out=found, where=composites > 0)
        return found

    def _with_copies(self, origin: int, found: Floats) -> Floats:
        """Composites that join a tuple with its own copy."""
        assert self.copies is not None
        more = np.zeros(len(found))
        other = self.copies.twins.other(origin)
        if other is not None:
            digit = self.digit(other)
            for is_set in (False, True):
                states = np.flatnonzero(digit == (2 if is_set else 1))
                without = states - (2 if is_set else 1) * 3**other
                counts = self.copies.met_by(origin) * self.copies.counts(other, is_set)
                more[states] = counts * found[without]
            return more
        shorter, longer = self.copies.twins.shorter, self.copies.twins.longer
        digits = self.digit(shorter), self.digit(longer)
        states = np.flatnonzero((digits[0] > 0) & (digits[1] > 0))
        as_sets = (digits[0][states] == 2) + 2 * (digits[1][states] == 2)
        without = states - digits[1][states] * 3**longer
        more[states] = self.copies.pairs(as_sets) * found[without]
        return more

    def looked_through(self, target: int, is_set: bool) -> Floats:
        """The part of the target's content that a composite of each state looks through."""
        if (target, is_set) not in self._parts:
            self._parts[target, is_set] = self._looked_through(target, is_set)
        return self._parts[target, is_set]

    def _looked_through(self, target: int, is_set: bool) -> Floats:
        part = self._sets.looked_through(target)[self.sets]
        if self.model.join.windows[target].access == "scan":
            return part
        decided = np.zeros(1 << self.model.count, dtype=np.bool_)
        for known in self.model.join.graph.classes:
            if known.key(target) is None:
                continue
            members = sum(1 << key.place for key in known.keys if key.place != target)
            linked = (np.arange(1 << self.model.count) & members != 0) & ~decided
            decided |= linked
            for masses in self._skewed:
                if masses.known == known:
                    part = np.where(linked[self.sets], masses.met(target, is_set, part), part)
        return part

    def _linked(self, target: int) -> Bools:
        return self._sets.linked(target)[self.sets]

    def _products(self, origin: int) -> Floats:
        contents = self.model.contents
        found = np.ones(3**self.model.count)
        for clock in dict.fromkeys(content.clock for content in contents):
            members = [c.clock == clock and p != origin for p, c in enumerate(contents)]
            pairs = [
                (c.tuples, c.entries) if member else (np.ones(len(PHASES)),) * 2
                for c, member in zip(contents, members, strict=True)
            ]
            if clock is None:
                found *= self._product([(float(a[0]), float(b[0])) for a, b in pairs])
                continue
            mean = np.zeros(len(found))
            for phase, weight in enumerate(WEIGHTS):
                at_phase = [(float(a[phase]), float(b[phase])) for a, b in pairs]
                mean += weight * self._product(at_phase)
            found *= mean
        return found

    def _product(self, factors: list[tuple[float, float]]) -> Floats:
        """The product over the sources of each state of the factor of window or set."""
        values = np.ones(1)
        for window, entries in factors:
            values = np.concatenate([values, values * window, values * entries])
        return values

    def _sum(self, terms: list[tuple[int, int]]) -> Ints:
        values = np.zeros(1, dtype=np.int64)
        for window, entries in terms:
            values = np.concatenate([values, values + window, values + entries])
        return values


@lru_cache(maxsize=2)
def state_arrays(model: AggregationModel) -> StateArrays:
    """The arrays of one aggregation: search and pricing work on them."""
    return StateArrays(model)


def state_of(mask: int, members: int, origin: int) -> int:
    """The state in which a pipeline of the origin has joined these sources under a plan's mask."""
    state, place = 0, 0
    while members >> place:
        if members >> place & 1:
            state += (2 if mask >> place & 1 and place != origin else 1) * 3**place
        place += 1
    return state
