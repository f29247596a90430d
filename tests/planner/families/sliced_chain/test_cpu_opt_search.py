"""The shortest path through the graph of mergings: what the plain algorithm finds, edge by edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from unittest import mock

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from planner.families.sliced_chain.chain_search import shortest_path
from planner.families.sliced_chain.chain_search.chains import GroupChains
from planner.families.sliced_chain.model import GroupModel
from planner.joins.query_groups import groups_of
from planner.workload.streams import Arrivals, Attribute
from tests.examples import examples
from tests.planner.chains import joined, joins, stream

FILTERS = ["A.v > 30", "A.v > 60", "A.v > 97", "B.v < 40", "A.u > 50"]
ARRIVALS = [Arrivals(), Arrivals("regular"), Arrivals("pareto", 3)]


def plain(chains: GroupChains) -> tuple[float, float]:
    """What the cheapest path costs, every edge priced; and the path that `cheapest` is."""
    best = chains.first.copy()
    every = np.arange(len(best))
    for start in range(1, len(best) - 1):
        reached = best[start] + chains.cost(every[start : start + 1], every[start + 1 :])
        best[start + 1 :] = np.minimum(best[start + 1 :], reached)
    ends = np.array(chains.cheapest)
    rest = chains.cost(ends[:-1], ends[1:]).sum() if len(ends) > 1 else 0.0
    return float(best[-1]), float(chains.first[ends[0]] + rest)


def chains_of(
    windows: Any,
    rate: float = 40.0,
    keys: int = 10,
    asked: Sequence[str] = (),
    rows: bool = False,
    arrivals: Arrivals = ARRIVALS[0],
    c_sys: float = 0.0,
    apart: int = 0,
) -> GroupChains:
    """The chains of many windows, without a query text for each; the largest ones are filtered.

    Those on B are longer by `apart`.
    """
    streams = (stream("A", rate, arrivals=arrivals), stream("B", rate, arrivals=arrivals))
    spread = [replace(s, attributes={**s.attributes, "k": Attribute(keys)}) for s in streams]
    texts = [joined(1), *(joined(1, condition) for condition in asked)]
    if rows:
        texts = [text.replace("[RANGE 1]", "[ROWS 1]") for text in texts]
    workload = joins(texts, streams=(spread[0], spread[1]))
    (group,) = groups_of(workload)
    members = tuple(
        replace(
            group.members[place * len(texts) // len(windows)],
            windows=(int(window), int(window) + apart),
        )
        for place, window in enumerate(windows)
    )
    return GroupChains(GroupModel(workload, replace(group, members=members)), c_sys)


@st.composite
def many_chains(draw: st.DrawFn) -> GroupChains:
    steps = draw(st.lists(st.integers(1, 400), min_size=4, max_size=120))
    rows = draw(st.booleans())
    # From windows far below a tuple apart to windows with many tuples between them.
    unit = 1 if rows else draw(st.sampled_from([20, 1_000, 20_000]))
    return chains_of(
        np.cumsum(steps) * unit,
        draw(st.sampled_from([0.3, 3.0, 40.0])),
        draw(st.sampled_from([2, 10, 100])),
        draw(st.lists(st.sampled_from(FILTERS), max_size=3, unique=True)),
        rows,
        draw(st.sampled_from(ARRIVALS)),
        draw(st.sampled_from([0.0, 0.5, 40.0])),
        draw(st.sampled_from([0, 0, 0, 50 * unit])),
    )


@examples(100)
@given(chains=many_chains(), leaf=st.integers(2, 48), few=st.sampled_from([1, 20, 4_096]))
def test_the_search_finds_what_the_plain_one_does(chains: GroupChains, leaf: int, few: int) -> None:
    # Small limits, so that a hundred windows are searched as a hundred thousand are.
    with mock.patch.multiple(shortest_path, _LEAF=leaf, _FEW=few, _MOST=4 * few):
        least, found = plain(chains)
    assert found == pytest.approx(least, rel=1e-12)


@examples(60)
@given(chains=many_chains())
def test_the_inequality_holds_among_long_slices(chains: GroupChains) -> None:
    last = chains.edges.last
    every = np.arange(last + 1)
    costs = chains.cost(every[:, None], every)
    # Neighbours: the inequality of all others is a sum of theirs.
    starts, ends = np.meshgrid(every[1:-1], every[1:-1], indexing="ij")
    known = ends >= chains.edges.long_from[starts + 1]
    left = costs[starts, ends] + costs[starts + 1, ends + 1]
    crossed = costs[starts, ends + 1] + costs[starts + 1, ends]
    assert np.all(left[known] <= crossed[known] * (1 + 1e-12))


def test_among_short_slices_it_fails() -> None:
    """Were it to hold there too, no slice would have to be priced for being short."""
    chains = chains_of(np.arange(1, 200) * 10_000, keys=100)
    every = np.arange(chains.edges.last + 1)
    costs = chains.cost(every[:, None], every)
    # The windows of a slice over one boundary, of its two neighbours and of all three.
    assert costs[1, 3] + costs[2, 4] > costs[1, 4] + costs[2, 3]
    assert chains.edges.long_from[2] > 3


@pytest.mark.parametrize("most", [2_000, 20_000, 2_000_000])
@pytest.mark.parametrize("c_sys", [0.0, 400.0])
def test_thousands_of_windows_close_and_apart(most: int, c_sys: float) -> None:
    steps = np.random.default_rng(1).integers(1, most, 2_500)
    least, found = plain(chains_of(np.cumsum(steps), asked=FILTERS[:3], c_sys=c_sys))
    assert found == pytest.approx(least, rel=1e-12)


def test_where_few_tuples_arrive_and_join_every_slice_is_priced() -> None:
    """Slices are mostly empty, and routing costs next to nothing."""
    chains = chains_of(np.arange(1, 120) * 10_000, rate=0.2, keys=10**6)
    assert chains.edges.long == 0
    least, found = plain(chains)
    assert found == pytest.approx(least, rel=1e-12)
