"""Which plans a ranking shows at first, and where the landscape draws them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.parts.plans.landscape_axes import rank_axis, score_axis
from pages.parts.plans.short_list import short_list
from planner.families.protocol import Candidate, Ranking
from planner.plan.cost import Cost
from planner.plan.objective import WORK
from tests.examples import examples


def ranked(scores: dict[str, float], considered: int | None = None) -> Ranking:
    every = tuple(
        Candidate(label, Cost(comparisons=score), score, ("baseline",) if label == "b" else ())
        for label, score in sorted(scores.items(), key=lambda pair: pair[1])
    )
    return Ranking(every, every[0].label, "b", considered or len(every), False, WORK)


SCORES = {f"a{place}": 100 + place / 10 for place in range(8)} | {"x": 150, "y": 160, "z": 900}


def test_near_equal_plans_are_folded_and_the_worst_is_the_last() -> None:
    found = short_list(ranked(SCORES | {"b": 300}), lambda label: label[0])
    assert [c.label for c in found.plans] == ["a0", "a1", "x", "y", "b", "z"]
    assert found.names["a1"] == ("runner-up",)
    assert found.names["x"] == ("other shape",)
    assert found.names["z"] == ("worst",)
    assert [c.label for c in found.ties] == [f"a{place}" for place in range(2, 8)]


def test_where_not_all_plans_are_ranked_none_is_the_worst() -> None:
    found = short_list(ranked(SCORES | {"b": 300}, considered=99), lambda label: label[0])
    assert not any("worst" in names for names in found.names.values())


def test_equal_plans_have_no_worst() -> None:
    found = short_list(ranked({"a": 5, "b": 5, "c": 5}), lambda label: label)
    assert not any("worst" in names for names in found.names.values())


@examples(40)
@given(st.lists(st.floats(1e-6, 1e12), min_size=1, max_size=9))
def test_every_score_is_between_the_ticks_at_the_ends(scores: list[float]) -> None:
    axis = score_axis(scores)
    places = [place for place, _ in axis.ticks]
    assert (places[0], places[-1]) == (0, 1)
    assert len(set(places)) == len(places) <= 14
    assert all(-1e-3 <= axis.place(score) <= 1 + 1e-3 for score in scores)


@pytest.mark.parametrize("count", [1, 2, 7, 100, 101, 40_320])
def test_ranks_go_from_end_to_end(count: int) -> None:
    axis = rank_axis(count)
    assert axis.place(1) == 0
    assert count == 1 or axis.place(count) == 1
    assert 1 <= len(axis.ticks) <= 8
