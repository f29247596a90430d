"""The paper's join memory state graph (Algorithm 3.1): all a window can hold, and the best path.

There may be as many states at an instant as there are ways to choose the share from the window: it
is for small cases. A flow finds the same (`flow.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import networkx as nx
import numpy as np

from planner.families.load_shedding.offline.matches import Gains, Worth, matches_of, with_rows
from planner.families.load_shedding.star import Star
from planner.families.load_shedding.star_tuples import ArmTuples, Integers, StarTuples, star_tuples
from planner.files.tuple_table import Table

# The tuples of a state, oldest first, by their rows in the table.
Held = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A decision: from what was held to what is held now; `worth` is found on the way."""

    before: Held
    after: Held
    worth: int


@dataclass(frozen=True, slots=True)
class Layer:
    """The states at the end of an instant: the most that can be found until then, and the state
    before on the way to it. Edges are left out where nobody draws them."""

    ts: int
    most: Mapping[Held, int]
    before: Mapping[Held, Held]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class StateGraph:
    """The graph of one stream, the states along the best path, and what is found on it."""

    alias: str
    layers: tuple[Layer, ...]
    path: tuple[Held, ...]
    gained: int

    @property
    def states(self) -> int:
        return sum(len(layer.most) for layer in self.layers)

    def leaves(self, ts: Integers) -> Integers:
        """When each tuple of the table leaves on the best path; when it arrives if never kept."""
        found = ts.copy()
        times = [layer.ts for layer in self.layers]
        for held, after in zip(self.path, [*times[1:], times[-1] + 1], strict=True):
            found[list(held)] = after
        return found

    def to_networkx(self) -> nx.DiGraph:
        """Nodes are (number of a layer, what is held), with their `most`; edges have a `worth`."""
        graph = nx.DiGraph()
        start: tuple[int, Held] = (-1, ())
        graph.add_node(start, most=0)
        for number, layer in enumerate(self.layers):
            for held, most in layer.most.items():
                graph.add_node((number, held), most=most)
            for edge in layer.edges:
                graph.add_edge((number - 1, edge.before), (number, edge.after), worth=edge.worth)
        return graph


@dataclass(frozen=True, slots=True)
class StateGraphs:
    """A graph for each stream; `together` is found by tuples that arrive at one instant."""

    arms: tuple[StateGraph, ...]
    together: int

    @property
    def gained(self) -> int:
        return self.together + sum(graph.gained for graph in self.arms)


def state_graphs(
    star: Star,
    tables: Mapping[str, Table],
    worth: Worth = "importance",
    prefilter: bool = True,
    edges: bool = True,
) -> StateGraphs:
    """The graphs of a star of two arms. Without the pre-filter tuples without a row are held too;
    without edges there is just what the best path needs."""
    tuples = star_tuples(star, tables)
    matches = matches_of(tuples, worth)
    graphs = []
    for place, gains in enumerate(matches.arms):
        steps = _Steps(tuples, place, gains, matches.instants, prefilter)
        layers = tuple(steps.layers(edges))
        graphs.append(_graph(tuples.arms[place], layers))
    return StateGraphs(tuple(graphs), matches.together)


class _Steps:
    """One stream, instant after instant."""

    def __init__(
        self, tuples: StarTuples, place: int, gains: Gains, instants: Integers, prefilter: bool
    ) -> None:
        own = tuples.arms[place]
        self.share, self.lifetime = own.arm.share, own.arm.lifetime
        self.ts = dict(zip(own.row.tolist(), own.ts.tolist(), strict=True))
        self.instants = instants.tolist()
        may_enter = np.full(len(own.ts), not prefilter)
        may_enter[with_rows(tuples, place)[0]] = True
        self.arriving: list[list[int]] = [[] for _ in self.instants]
        when = np.searchsorted(instants, own.ts)
        for row, number, enters in zip(own.row.tolist(), when.tolist(), may_enter, strict=True):
            if enters:
                self.arriving[number].append(row)
        self.worth: list[dict[int, int]] = [{} for _ in self.instants]
        for one, number, worth in zip(
            own.row[gains.tuple].tolist(), gains.instant.tolist(), gains.worth.tolist(), strict=True
        ):
            self.worth[number][one] = worth

    def layers(self, edges: bool) -> Iterator[Layer]:
        """The states of every instant, from those of the one before."""
        states: dict[Held, int] = {(): 0}
        for number, now in enumerate(self.instants):
            most: dict[Held, int] = {}
            before: dict[Held, Held] = {}
            drawn = []
            worth = self.worth[number]
            for state, so_far in states.items():
                for after in self._next(state, now, self.arriving[number]):
                    found = sum([worth[one] for one in after if one in worth]) if worth else 0
                    if edges:
                        drawn.append(Edge(state, after, found))
                    if so_far + found > most.get(after, -1):
                        most[after] = so_far + found
                        before[after] = state
            yield Layer(now, most, before, tuple(drawn))
            states = most

    def _next(self, state: Held, now: int, arriving: list[int]) -> list[Held]:
        """What may be held after a state: a tuple takes a place, replaces another or is dropped."""
        left = 0
        while left < len(state) and now - self.ts[state[left]] >= self.lifetime:
            left += 1
        following = [state[left:]]
        for new in arriving:
            further = []
            for held in following:
                if len(held) < self.share:
                    further.append((*held, new))
                    continue
                further.append(held)
                further.extend(
                    (*held[:place], *held[place + 1 :], new) for place in range(len(held))
                )
            following = further
        return following


def _graph(own: ArmTuples, layers: tuple[Layer, ...]) -> StateGraph:
    if not layers:
        return StateGraph(own.arm.source.alias, (), (), 0)
    last = layers[-1].most
    held = max(last, key=last.__getitem__)
    gained, path = last[held], []
    for layer in reversed(layers):
        path.append(held)
        held = layer.before[held]
    return StateGraph(own.arm.source.alias, layers, tuple(reversed(path)), gained)
