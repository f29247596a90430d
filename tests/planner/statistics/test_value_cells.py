"""How often tuples pass the conditions of queries that share a join, by their values."""

from __future__ import annotations

import pytest

from planner.joins.shared.value_cells import cell_shares, cells_of
from planner.workload.query import Column, Filter
from planner.workload.streams import Attribute, Constant

TEXT = Attribute(distinct=6, type="string")
WHOLE = Attribute(distinct=10)


def _filter(*constants: Constant) -> Filter:
    return Filter(Column("S", "x"), "=", constants)


def _passing(attribute: Attribute, *declared: tuple[Filter, float | None]) -> list[float]:
    """The share that passes each filter, given what is declared of them."""
    (cells,) = cells_of([(f,) for f, _ in declared])
    stated = {f: share for f, share in declared if share is not None}
    shares = cell_shares(cells, attribute, stated)
    return [
        sum(share for mask, share in shares.items() if mask >> place & 1)
        for place in range(len(declared))
    ]


def test_several_constants_pass_as_often_as_each_of_them_together() -> None:
    assert _passing(WHOLE, (_filter(2, 5, 99), None)) == pytest.approx([0.2])
    assert _passing(WHOLE, (_filter(2, 5), 0.5), (_filter(2), None)) == pytest.approx([0.5, 0.25])


def test_texts_of_own_data_each_have_the_share_that_was_counted() -> None:
    """Inferred columns do not list their texts: all stand below or above those that are made up."""
    shares = [0.1, 0.2, 0.3]
    declared = [(_filter(text), share) for text, share in zip("abz", shares, strict=True)]
    assert _passing(TEXT, *declared) == pytest.approx(shares)
    both = (_filter("a", "z"), 0.4)
    assert _passing(TEXT, *declared, both) == pytest.approx([*shares, 0.4])
    assert _passing(TEXT, both, (_filter("a"), 0.1)) == pytest.approx([0.4, 0.1])
