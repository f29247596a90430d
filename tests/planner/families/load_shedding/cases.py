"""Small random star joins: bursts, gaps, missing keys and rows that come and go."""

from __future__ import annotations

from hypothesis import strategies as st

from planner.families.load_shedding.star import Star, star_of
from planner.files.tuple_table import Table
from tests.planner.stars import relation_table, star_workload, stream_table

Case = tuple[Star, dict[str, Table]]


@st.composite
def cases(draw: st.DrawFn, arms: int = 2, most: int = 7) -> Case:
    """A star of so many arms, with at most so many tuples of each stream."""
    # A single stream is joined with a relation or with nothing.
    with_relation = arms == 1 or draw(st.booleans())
    lifetime = draw(st.integers(1, 5))
    memory = draw(st.integers(0, 3)) * arms
    workload = star_workload(arms, lifetime, max(1, memory), 4 if with_relation else None, keys=3)
    tables = {}
    for name in "RSTUVW"[:arms]:
        size = draw(st.integers(1, most))
        times = sorted(draw(st.lists(st.integers(0, 8), min_size=size, max_size=size)))
        keys = draw(st.lists(st.sampled_from([1, 1, 2, 2, 3, None]), min_size=size, max_size=size))
        weights = draw(st.lists(st.sampled_from([1, 2, 2.5, 7]), min_size=size, max_size=size))
        tables[name] = stream_table(times, keys, weights)
    if with_relation:
        rows = draw(st.lists(st.tuples(*[st.integers(1, 3)] * arms), min_size=1, max_size=6))
        spans = [
            (begin, begin + draw(st.integers(0, 12)))
            for begin in draw(st.lists(st.integers(-2, 6), min_size=len(rows), max_size=len(rows)))
        ]
        tables["F"] = relation_table(rows, spans)
    return star_of(workload), tables
