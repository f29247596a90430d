"""The groups of the output: how many there are, and how many an arrival or departure changes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.states import state_arrays, state_of
from planner.families.early_aggregation.window_sizes import (
    WEIGHTS,
    CellBlocks,
    crossed,
    filled,
    grid_of,
    occupied,
    on_grid,
    values_of,
)
from planner.joins.arrays import Floats
from planner.joins.graph import KeyClass
from planner.joins.keys import Spread

# Combinations of blocks of groups that are taken one by one; more are taken by their results.
_MOST_COMBINATIONS = 4096


class OutputGroups:
    """The groups of one aggregation; the same under every plan."""

    def __init__(self, model: AggregationModel) -> None:
        self._model = model
        self._graph = model.join.graph
        self._trees: dict[int, tuple[dict[int, int], dict[int, float], list[int]]] = {}

    def touched(self, origin: int) -> float:
        """The groups that one arrival or departure of the origin changes, on average."""
        model = self._model
        if model.count == 1:
            return 1.0
        if self._graph.is_single(model.count):
            # On one attribute, entries that an event meets differ in their groups.
            everything = (1 << model.count) - 1
            state = state_of(everything, everything, origin)
            return float(state_arrays(model).per_event(origin)[state])
        total = 0.0
        for number, shares in self._combinations(origin):
            total += number * self.chance_of_match(origin, shares)
        return total

    @cached_property
    def changes(self) -> float:
        """Changes of groups per second."""
        model = self._model
        return sum(model.contents[k].events * self.touched(k) for k in model.origins)

    @cached_property
    def expected(self) -> float:
        """How many groups the output is expected to have."""
        if self._model.count > 1 and self._graph.is_single(self._model.count):
            on_one = self._on_one_attribute(self._graph.classes[0])
            if on_one is not None:
                return on_one
        grouped = [place for place, rule in enumerate(self._model.rules) if rule.grouped]
        if len(grouped) > 1:
            # Every view leaves out something that results have in common, and sees too many.
            return min(self._seen_from(place) for place in grouped)
        smallest = min(range(self._model.count), key=lambda p: self._model.contents[p].mean(False))
        place = grouped[0] if grouped else smallest
        return self._of_one_source(place)

    @cached_property
    def fixed(self) -> tuple[KeyClass, ...]:
        """The classes of equal attributes that are grouped by: a group has one key of each."""
        columns = {(column.alias, column.attribute) for column in self._model.group_by}
        names = self._model.join.aliases
        return tuple(
            known
            for known in self._graph.classes
            if any((names[key.place], key.attribute) in columns for key in known.keys)
        )

    def chance_of_match(
        self, place: int, shares: Mapping[int, float] | None = None, single: int | None = None
    ) -> float:
        """How likely a tuple of this source is part of a result: along a tree of the join graph.

        With `shares` only so much of the tuples of each source is looked at: those of one group.
        Of the source `single` one given tuple is to be part of it.
        """
        return self._chances_below(place, shares or {}, single)[place]

    def _chances_below(
        self, root: int, shares: Mapping[int, float], single: int | None = None
    ) -> dict[int, float]:
        """How likely a tuple of each source finds all that stands below it, seen from the root."""
        parent, matches, order = self._tree(root)
        chances = dict.fromkeys(range(self._model.count), 1.0)
        for following in reversed(order):
            met = matches[following] * shares.get(following, 1.0) * chances[following]
            held = self._model.contents[following].mean(False)
            one = min(1.0, met / held) if held else 0.0
            chances[parent[following]] *= one if following == single else -math.expm1(-met)
        return chances

    def _tree(self, root: int) -> tuple[dict[int, int], dict[int, float], list[int]]:
        """Each source's parent on the way from the root, what a tuple of that finds, the way."""
        if root not in self._trees:
            self._trees[root] = self._grown(root)
        return self._trees[root]

    def _grown(self, root: int) -> tuple[dict[int, int], dict[int, float], list[int]]:
        joined, parent, matches = [root], {}, {}
        while len(joined) < self._model.count:
            left = [p for p in range(self._model.count) if p not in joined]
            # Breadth first: whatever the root itself is linked with stands below the root.
            at, following = min(
                (at, p)
                for p in left
                for at, other in enumerate(joined)
                if self._graph.connected((other,), p)
            )
            before = self._graph.share(joined)
            share = self._graph.share([*joined, following]) / before if before else 0.0
            share *= self._active(root, [*joined, following]) / self._active(root, joined)
            matches[following] = self._model.contents[following].mean(False) * share
            parent[following] = joined[at]
            joined.append(following)
        return parent, matches, joined[1:]

    def _active(self, root: int, joined: list[int]) -> float:
        """The share of combinations, seen from the root, whose rows were there all the time."""
        join = self._model.join
        if not join.is_changing:
            return 1.0
        return join.activities.get(root, join.activities[None]).share(joined)

    def _combinations(self, origin: int) -> Iterator[tuple[float, dict[int, float]]]:
        """Groups beside the origin's own part: how many, and their share of each source's tuples.

        A key that is grouped by divides the first of its sources on the way from the origin.
        """
        way = self._tree(origin)[2]
        parts: list[tuple[int, CellBlocks]] = [
            (p, self._model.contents[p].group_cells) for p in way
        ]
        for known in self.fixed:
            if known.key(origin) is None:
                place = next(p for p in way if known.key(p) is not None)
                parts.append((place, values_of(known.spread([key.place for key in known.keys]))))
        parts += [(p, values_of(spread)) for p, spread in self._compared(origin)]
        if math.prod(len(cells.counts) for _, cells in parts) > _MOST_COMBINATIONS:
            # As many cells, all with the same share.
            numbers = [(p, np.array([cells.number])) for p, cells in parts]
            parts = [(p, CellBlocks(number, 1 / number)) for p, number in numbers]
        for blocks in product(*(range(len(cells.counts)) for _, cells in parts)):
            number, shares = 1.0, dict.fromkeys(way, 1.0)
            for block, (place, cells) in zip(blocks, parts, strict=True):
                number *= cells.counts[block]
                shares[place] *= cells.shares[block]
            yield number, shares

    def _compared(self, origin: int | None) -> Iterator[tuple[int, Spread]]:
        """Attributes that are grouped by and that other predicates than `=` compare."""
        in_classes = {(k.place, k.attribute) for known in self._graph.classes for k in known.keys}
        for place, rule in enumerate(self._model.rules):
            spreads = dict(zip(rule.joined, self._model.contents[place].keys, strict=True))
            for column in rule.grouped:
                alone = (place, column.attribute) not in in_classes
                if place != origin and column in spreads and alone:
                    yield place, spreads[column]

    def _of_one_source(self, place: int) -> float:
        content = self._model.contents[place]
        chance = self.chance_of_match(place) if self._model.count > 1 else 1.0
        cells = self.own_cells(place)
        varying = content.varying or chance < 1
        filled_at = [occupied(cells, float(t) * chance, varying) for t in content.tuples]
        return float(WEIGHTS @ np.array(filled_at))

    def own_cells(self, place: int) -> CellBlocks:
        """The groups that the GROUP BY attributes of one source make."""
        rule, content = self._model.rules[place], self._model.contents[place]
        # A tuple whose key is missing is in no group.
        keys = [values_of(spread) for spread in content.keys]
        values = dict(zip(rule.columns, (*keys, *content.values[len(keys) :]), strict=True))
        return crossed(values[column] for column in rule.grouped)

    def _seen_from(self, place: int) -> float:
        """The groups of several sources: of this one's tuples of a group, one has to match."""
        own, total = self.own_cells(place), 0.0
        held = self._model.contents[place].mean(False)
        for number, shares in self._combinations(place):
            chances = self._chances_below(place, shares)
            for cells, share in zip(own.counts, own.shares, strict=True):
                total += number * cells * self._any_match(place, held * share, shares, chances)
        return float(total)

    def _any_match(
        self, place: int, held: float, shares: Mapping[int, float], chances: Mapping[int, float]
    ) -> float:
        """The chance of a result with one of so many tuples of a source.

        Tuples with one key find the same tuples beyond it: for each key both sides have to be
        there.
        """
        parent, matches, order = self._tree(place)
        below = [following for following in order if parent[following] == place]
        met = {f: matches[f] * shares.get(f, 1.0) * chances[f] for f in below}
        found = {f: -math.expm1(-met[f]) for f in below}
        least = -math.expm1(-held * math.prod(found.values()))
        for following in below:
            if matches[following] and self._linked_by_a_free_key(place, following):
                keys = self._model.contents[following].mean(False) / matches[following]
                others = math.prod(found[f] for f in below if f != following)
                both = -math.expm1(-held / keys * others) * found[following]
                least = min(least, -math.expm1(keys * math.log1p(-both)) if both < 1 else 1.0)
        return least

    def _linked_by_a_free_key(self, one: int, other: int) -> bool:
        """Whether two sources have equal keys that no group decides."""
        return any(
            known.key(one) is not None and known.key(other) is not None and known not in self.fixed
            for known in self._graph.classes
        )

    def _on_one_attribute(self, known: KeyClass) -> float | None:
        """A group is there if for some key every source has a tuple with the key and its part."""
        contents = self._model.contents
        cells = [content.group_cells for content in contents]
        if math.prod(len(part.counts) for part in cells) > _MOST_COMBINATIONS:
            return None
        keys = [key.spread for key in known.keys]
        grid = grid_of(keys) if any(spread[2] for spread in keys) else _plain_grid(keys)
        values = [on_grid(spread, grid) for spread in keys]
        counts = np.diff(grid)
        total = 0.0
        for phase, weight in enumerate(WEIGHTS):
            there = np.ones((1, len(counts)))
            number = np.ones(1)
            for value, key, part, content in zip(values, known.keys, cells, contents, strict=True):
                shares = part.shares[:, None] * (key.present * value.shares)[None, :]
                chance = filled(shares, float(content.tuples[phase]), content.varying)
                there = (there[:, None, :] * chance[None, :, :]).reshape(-1, len(counts))
                number = np.outer(number, part.counts).ravel()
            total += weight * float(number @ self._present(there, counts))
            if all(content.clock is None for content in contents):
                return float(total / weight)
        return total

    def _present(self, there: Floats, counts: Floats) -> Floats:
        if self.fixed:
            # The key is part of the group: each key makes groups of its own.
            return there @ counts
        with np.errstate(divide="ignore"):
            return -np.expm1(np.log1p(-there) @ counts)


def _plain_grid(spreads: list[Spread]) -> Floats:
    return np.array(sorted({float(e) for low, high, _ in spreads for e in (low, high + 1)}))


@lru_cache(maxsize=8)
def groups_of(model: AggregationModel) -> OutputGroups:
    return OutputGroups(model)
