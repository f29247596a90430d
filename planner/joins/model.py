"""The cost model of a multi-way window join (Golab and Özsu 2003, Appendix A), a loop at a time.

A composite is what a nest of loops has joined so far. Below the loop of the new tuples it is held
to the windows as the query states them; above that loop its members come from all that is stored.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from planner.joins.graph import JoinGraph, Key, KeyClass
from planner.joins.keys import looked_up, values_present
from planner.joins.model_builder import graph_of, timing_of, twins_of, window_of
from planner.joins.windows import Activity, JoinWindow, Timing
from planner.workload.workload import Workload


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
        return tuple(window.alias for window in self.windows)

    @cached_property
    def origins(self) -> tuple[int, ...]:
        """The sources whose tuples start results: the streams."""
        return tuple(p for p, window in enumerate(self.windows) if not window.is_relation)

    @cached_property
    def is_single(self) -> bool:
        """Whether all sources join on one attribute, and on nothing else."""
        return self.graph.is_single(len(self.windows))

    @cached_property
    def is_changing(self) -> bool:
        """Whether a relation gains rows, which older tuples do not join."""
        return any(window.turnover for window in self.windows)

    def activity(self, origin: int | None) -> Activity:
        """How rows of relations were active with tuples as old as those that a tuple of the origin
        joins; without an origin, with all that is stored."""
        turnover = [window.turnover for window in self.windows]
        if origin is None:
            stored = [w.examined / w.rate if w.rate else 0.0 for w in self.windows]
            return Activity(turnover, stored, self.timing.evaluate or 0.0)
        seconds = [
            0.0 if place == origin or w.is_relation or not w.per_second else w.seconds
            for place, w in enumerate(self.windows)
        ]
        return Activity(turnover, seconds)

    @cached_property
    def activities(self) -> dict[int | None, Activity]:
        """The activity for each origin, and for what is stored."""
        return {origin: self.activity(origin) for origin in (*self.origins, None)}

    def active(self, origin: int, joined: Sequence[int]) -> float:
        """The share of composites whose rows were active at the arrival of all their tuples."""
        if not self.is_changing:
            return 1.0
        if origin in joined:
            return self.activities[origin].share(joined)
        if all(self.windows[place].is_relation for place in joined):
            return 1.0
        # Rows that wait for an evaluation to leave are in the sizes; few tuples meet them.
        rows = [self.windows[place] for place in joined if self.windows[place].is_relation]
        there = math.prod(w.tuples / w.examined for w in rows if w.examined)
        return there * self.activities[None].share(joined)

    def label(self, order: Sequence[int]) -> str:
        names = self.aliases
        return ",".join([names[place] for place in order])

    def as_printed(self) -> JoinModel:
        """The paper's lazy model: every window is as long as a scan finds it, for results too."""
        windows = tuple(
            replace(
                w,
                tuples=w.examined,
                per_second=w.rate / w.examined if w.examined else 0.0,
                active=1.0,
            )
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

    def with_buckets(self, counts: Sequence[int]) -> JoinModel:
        """The same join with so many buckets for each window; one with 1 is scanned."""
        windows = tuple(
            replace(window, access="hash" if count > 1 else "scan", buckets=count)
            for window, count in zip(self.windows, counts, strict=True)
        )
        return replace(self, windows=windows)

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
        """How often per second the loops of this origin run: not where nothing is new."""
        window, tau = self.windows[origin], self.timing.evaluate
        return window.rate if tau is None else window.active / tau

    def new_tuples(self, origin: int) -> float:
        """How many new tuples of the origin one evaluation has, where it has any."""
        window, tau = self.windows[origin], self.timing.evaluate
        if tau is None:
            return 1.0
        return window.rate * tau / window.active if window.active else 0.0

    def matches(self, origin: int, joined: Sequence[int]) -> float:
        """Composites of these windows per second in the loops of `origin`."""
        if origin not in joined:
            found = self.stored(joined) * self.graph.share(joined)
            if self._meet(joined):
                rest = self._without_copy(joined)
                found += self.stored(rest) * self.graph.share(rest)
            return self.evaluations(origin) * found * self.active(origin, joined)
        sizes = [w.tuples for w in self.windows]
        per_second = self.windows[origin].per_second
        found = self._held(joined, sizes)
        twins = self.graph.twins
        if twins is not None and self._meet(joined) and origin != twins.earlier:
            left_out = twins.earlier if origin == twins.later else twins.longer
            found += self._held([p for p in joined if p != left_out], sizes)
        return found * per_second * self.active(origin, joined)

    def stored(self, members: Sequence[int]) -> float:
        """Combinations of all that is stored of these windows, on average over evaluations."""
        windows = [self.windows[place] for place in members]
        if not self.varies:
            return math.prod(w.examined for w in windows)
        return sum(
            weight * math.prod(w.stored(more) for w in windows)
            for more, weight in self.timing.phases
        )

    @cached_property
    def varies(self) -> bool:
        """Whether evaluations find more or less, by how long ago the last expiration was."""
        return not self.grows and len(self.timing.phases) > 1

    def met(self, origin: int, joined: Sequence[int], target: int) -> float:
        """The tuples of the target's window that a composite finds there, looked up or not."""
        examined = self.windows[target].examined
        if origin in joined or not self.varies:
            return examined
        # Where composites are many the target is long too: both have grown since an expiration.
        combined = self.stored(joined)
        return self.stored((*joined, target)) / combined if combined else examined

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
        return looked_up(known.spread(joined), key.spread, window.buckets, known.declared)

    def scanned(
        self, origin: int, joined: Sequence[int], target: int, part: float | None = None
    ) -> float:
        """The tuples that one composite examines in the target's loop; `part` of its window."""
        if target == origin:
            return self.new_tuples(origin)
        if part is None:
            part = self.fraction(joined, target)
        met = self.met(origin, joined, target)
        return met * part + self.copies(origin, joined, target) * (1 - part)

    def copies(self, origin: int, joined: Sequence[int], target: int) -> float:
        """In a self-join, how many copies of the composite's own tuple the target holds."""
        twins = self.graph.twins
        if twins is None or (other := twins.other(target)) not in joined:
            return 0.0
        if other == origin:
            # A batch is stored as a whole before its loops run, so that every copy is there.
            return 1.0 if origin == twins.later or self.timing.evaluate is not None else 0.0
        return 1.0 if target == twins.longer else twins.shared

    def comparisons(self, origin: int, joined: Sequence[int], target: int) -> float:
        """Tuples of `target` examined per second by what the loops of `origin` have joined."""
        return self.matches(origin, joined) * self.scanned(origin, joined, target)

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


def join_of(workload: Workload) -> JoinModel:
    """The model of the one query of a workload; its family has seen that it is covered."""
    query = workload.queries[0]
    timing, graph = timing_of(workload.execution), graph_of(workload, query)
    windows = tuple(window_of(workload, query, s, graph, timing) for s in query.sources)
    return JoinModel(query.name, windows, replace(graph, twins=twins_of(windows, graph)), timing)
