"""The cost model of a multi-way window join (Golab and Özsu 2003, Appendix A), a loop at a time.

A composite is what a nest of loops has joined so far. Below the loop of the new tuples it is held
to the windows as the query states them; above that loop its members come from all that is stored.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from planner.errors import PlanError
from planner.families.join_order.coverage import refusal
from planner.families.join_order.graph import JoinGraph, Key, KeyClass
from planner.families.join_order.keys import skewed_bucket_fraction, values_present
from planner.families.join_order.reading import graph_of, timing_of, twins_of, window_of
from planner.families.join_order.windows import JoinWindow, Timing
from planner.workload import Workload


@dataclass(frozen=True)
class JoinModel:
    """Sizes and probe costs of one join. Windows are known by their place in FROM."""

    query: str
    windows: tuple[JoinWindow, ...]
    graph: JoinGraph
    timing: Timing
    # The paper's lazy model lets results grow with the windows; the corrected one does not.
    grows: bool = False

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """The aliases in FROM order."""
        return tuple(window.alias for window in self.windows)

    @cached_property
    def origins(self) -> tuple[int, ...]:
        """The sources whose tuples start results: the streams."""
        return tuple(p for p, window in enumerate(self.windows) if not window.is_relation)

    @cached_property
    def is_single(self) -> bool:
        """Whether all sources join on one attribute, and on nothing else."""
        return self.graph.is_single(len(self.windows))

    def label(self, order: Sequence[int]) -> str:
        """The label of a global order."""
        return self.labels([order])[0]

    def labels(self, orders: Iterable[Sequence[int]]) -> list[str]:
        """The labels of many global orders."""
        names = self.aliases
        return [",".join([names[place] for place in order]) for order in orders]

    def as_printed(self) -> JoinModel:
        """The paper's lazy model: every window is as long as a scan finds it, for results too."""
        windows = tuple(
            replace(w, tuples=w.examined, per_second=w.rate / w.examined if w.examined else 0.0)
            for w in self.windows
        )
        return replace(self, windows=windows, grows=True)

    def as_uniform(self) -> JoinModel:
        """The same join with every value of a key as frequent as any other."""
        classes = tuple(
            replace(known, keys=tuple(replace(key, zipf=0.0) for key in known.keys))
            for known in self.graph.classes
        )
        return replace(self, graph=replace(self.graph, classes=classes))

    def size(self, members: Sequence[int]) -> float:
        """phi: how many results the join of these windows holds. It depends on the set alone."""
        size = self._held(members, [w.tuples for w in self.windows])
        if self._meet(members):
            size += self._held(self._without_copy(members), [w.tuples for w in self.windows])
        return size

    @cached_property
    def filtering(self) -> float:
        """Comparisons per second that filters make, under every plan."""
        return sum(step.reached for window in self.windows for step in window.filters)

    def evaluations(self, origin: int) -> float:
        """How often per second the loops of this origin run."""
        tau = self.timing.evaluate
        return self.windows[origin].rate if tau is None else 1 / tau

    def new_tuples(self, origin: int) -> float:
        """How many new tuples of the origin one evaluation has."""
        tau = self.timing.evaluate
        return 1.0 if tau is None else self.windows[origin].rate * tau

    def matches(self, origin: int, joined: Sequence[int]) -> float:
        """Composites of these windows per second in the loops of `origin`."""
        if origin not in joined:
            sizes = [w.examined for w in self.windows]
            found = self._held(joined, sizes)
            if self._meet(joined):
                found += self._held(self._without_copy(joined), sizes)
            return self.evaluations(origin) * found
        sizes = [w.tuples for w in self.windows]
        per_second = self.windows[origin].per_second
        found = self._held(joined, sizes)
        twins = self.graph.twins
        if twins is not None and self._meet(joined) and origin != twins.earlier:
            left_out = twins.earlier if origin == twins.later else twins.longer
            found += self._held([p for p in joined if p != left_out], sizes)
        return found * per_second

    def fraction(self, joined: Sequence[int], target: int) -> float:
        """The part of the target's window that a composite looks through."""
        known = self.graph.linking(joined, target)
        if self.windows[target].access == "scan" or known is None:
            return 1.0
        return self.looked_up(known, joined, target)

    def looked_up(self, known: KeyClass, joined: Sequence[int], target: int) -> float:
        """The part of a hashed window that keys of this class find in their bucket."""
        window, key = self.windows[target], known.key(target)
        assert key is not None
        keys, values = known.spread(joined), key.spread
        if window.buckets != "per-value":
            return skewed_bucket_fraction(keys, values, window.buckets)
        if known.declared is not None:
            return known.declared
        return skewed_bucket_fraction(keys, values, max(keys[1], values[1]))

    def scanned(self, origin: int, joined: Sequence[int], target: int) -> float:
        """The tuples that one composite examines in the target's loop."""
        if target == origin:
            return self.new_tuples(origin)
        part = self.fraction(joined, target)
        return self.windows[target].examined * part + self.copies(origin, joined, target) * (
            1 - part
        )

    def copies(self, origin: int, joined: Sequence[int], target: int) -> float:
        """In a self-join, how many copies of the composite's own tuple the target holds."""
        twins = self.graph.twins
        if twins is None or target not in (twins.earlier, twins.later):
            return 0.0
        other = twins.earlier if target == twins.later else twins.later
        if other not in joined:
            return 0.0
        if other == origin:
            # A batch is stored as a whole before its loops run, so that every copy is there.
            return 1.0 if origin == twins.later or self.timing.evaluate is not None else 0.0
        return 1.0 if target == twins.longer else twins.shared

    def comparisons(self, origin: int, joined: Sequence[int], target: int) -> float:
        """Tuples of `target` examined per second by what the loops of `origin` have joined."""
        return self.matches(origin, joined) * self.scanned(origin, joined, target)

    def expirations(self, place: int, indexes: Collection[Key]) -> float:
        """Timestamp checks and visits to expire tuples from a window with these indexes.

        Eager: a visit per arriving tuple of any source (a count window is visited by its own
        only), a check per tuple that leaves, a visit of its bucket in every index. Lazy: a check
        per tuple that leaves, and every time all buckets of every index.
        """
        window = self.windows[place]
        every = self.timing.expire
        if every is None:
            visits = 0.0 if window.counted else sum(other.rate for other in self.windows)
            return visits + window.rate * (1 + len(indexes))
        return window.rate + self.buckets_visited(place, indexes) / every

    def buckets_visited(self, place: int, indexes: Collection[Key]) -> float:
        """The buckets that a lazy expiration looks into; of an index per value, those in use."""
        window = self.windows[place]
        if not indexes:
            return 1.0
        if window.buckets != "per-value":
            return float(window.buckets * len(indexes))
        full = window.tuples + window.rate * (self.timing.expire or 0.0)
        return sum(values_present(key.spread, full) for key in indexes)

    def _held(self, members: Iterable[int], sizes: Sequence[float]) -> float:
        held = list(members)
        return math.prod(sizes[p] for p in held) * self.graph.share(held)

    def _meet(self, members: Sequence[int]) -> bool:
        twins = self.graph.twins
        return twins is not None and twins.earlier in members and twins.later in members

    def _without_copy(self, members: Sequence[int]) -> list[int]:
        twins = self.graph.twins
        return [p for p in members if twins is None or p != twins.longer]


def model_of(workload: Workload) -> JoinModel:
    """The model of a covered workload; a PlanError that says why where it is not covered."""
    reason = refusal(workload)
    if reason is not None:
        raise PlanError(reason, "join_order")
    query = workload.queries[0]
    timing, graph = timing_of(workload.execution), graph_of(workload, query)
    windows = tuple(window_of(workload, query, s, graph, timing) for s in query.sources)
    return JoinModel(query.name, windows, replace(graph, twins=twins_of(windows, graph)), timing)
