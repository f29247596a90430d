"""Policies as one algorithm: the paper's matrix, ties, deadlines, stretches, and labels."""

from __future__ import annotations

from fractions import Fraction

import pytest

from planner.errors import PlanError
from planner.families.registry import family
from planner.families.shared_schedule.labels import (
    EDF,
    FAIR,
    LWO,
    MQT,
    OUT,
    SWF,
    WMQT,
    Schedule,
    schedule_of,
)
from planner.families.shared_schedule.policies import NEVER_NS, Rule, Wanted, rule_of
from planner.families.shared_schedule.space import Schedules
from planner.joins.shared.query_groups import groups_of
from tests.planner.schedules import TABLE_1, scheduled, urgent

WINDOWS = (2, 3, 6)


def rule(
    policy: str, windows: tuple[int, ...] = WINDOWS, ties: str = "larger", **more: object
) -> Rule:
    count = len(windows)
    given = {
        "queries": (1,) * count,
        "weights": (Fraction(1),) * count,
        "outputs": tuple(map(Fraction, windows)),
        "deadlines": (None,) * count,
        "isolated": lambda: [1.0 * window for window in windows],
        **more,
    }
    points = (0, windows[-1]) if policy == LWO else (0, *windows)
    return rule_of(policy, points, Wanted(windows, **given), ties)  # type: ignore[arg-type]


def values(found: Rule) -> dict[tuple[int, int], tuple[str, int]]:
    return {
        (i, j): (str(score.value), score.target)
        for i, row in enumerate(found.scores)
        for j, score in enumerate(row)
        if score is not None
    }


def test_the_matrix_of_the_papers_figure_4() -> None:
    assert values(rule(MQT)) == {
        (0, 1): ("1/2", 1),
        (0, 2): ("2/3", 2),
        (0, 3): ("2/3", 2),
        (1, 2): ("1", 2),
        (1, 3): ("1", 2),
        (2, 3): ("1/3", 3),
    }
    assert rule(MQT).ranks() == ((-1, 1, 2, 2), (-1, -1, 3, 3), (-1, -1, -1, 0))


def test_several_queries_of_a_window_count() -> None:
    found = values(rule(MQT, queries=(1, 1, 30)))
    assert found[0, 3] == ("16/3", 3), "32 queries in 6"
    assert found[1, 3] == ("31/4", 3)


def test_equal_throughputs_go_to_the_larger_window_unless_asked_otherwise() -> None:
    evenly = (10, 20, 30)
    assert [target for _, target in values(rule(MQT, evenly)).values()] == [1, 2, 3, 2, 3, 3]
    smaller = rule(MQT, evenly, "smaller")
    assert [target for _, target in values(smaller).values()] == [1, 1, 1, 2, 2, 3]
    assert smaller.smaller


def test_weights_and_outputs_are_counted_exactly() -> None:
    weighted = rule(WMQT, weights=(Fraction("0.1"), Fraction("0.2"), Fraction("0.7")))
    assert weighted.unit == 10
    assert values(weighted)[0, 3] == ("5/3", 3), "10 tenths in 6"
    assert values(rule(OUT))[0, 3] == ("11/6", 3), "2 + 3 + 6 results in 6"


def test_deadlines_are_those_still_ahead() -> None:
    found = rule(EDF, deadlines=(0.5, None, 0.2))
    assert (found.mode, found.due_ns) == ("due", (200_000_000, 200_000_000, 200_000_000))
    assert rule(EDF, deadlines=(0.1, None, None)).due_ns == (100_000_000, NEVER_NS, NEVER_NS)


def test_stretches_are_divided_by_the_square_of_the_delay_alone() -> None:
    found = rule(FAIR)
    assert found.mode == "stretch"
    small, middle, large = found.lengths
    assert large == 2**40
    assert (large / small, large / middle) == pytest.approx((9, 4), rel=1e-6)


def test_the_others_scan_whole_or_window_by_window() -> None:
    assert rule(LWO).targets() == ((0, 1),)
    first = rule(SWF)
    assert first.at_ends
    assert [score.target for row in first.scores for score in row if score] == [1, 1, 1, 2, 2, 3]
    assert first.ranks()[0][1] > first.ranks()[1][2] > first.ranks()[2][3]


def test_labels_name_a_policy_and_where_it_decides() -> None:
    (group,) = groups_of(scheduled((5, 10, 30)))
    assert schedule_of(group, "MQT") == Schedule(MQT)
    sliced = schedule_of(group, "MQT@chain:0-10-30")
    assert sliced == Schedule(MQT, (10_000_000, 30_000_000))
    assert sliced.label(group) == "MQT@chain:0-10-30"
    assert sliced.points(group) == (0, 10_000_000, 30_000_000)
    assert Schedule(LWO).points(group) == (0, 30_000_000)
    assert Schedule(SWF).points(group) == (0, 5_000_000, 10_000_000, 30_000_000)


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("mqt", "there are LWO, SWF, MQT, WMQT, EDF, FAIR, OUT"),
        ("MQT@chain:0-7-30", "'7' is no window of a query; slices end at 5, 10, 30"),
        ("MQT@chain:0-10", "the last slice must end at 30"),
        ("MQT@chain:5-30", "begins with 0; there are LWO"),
        ("MQT@chain:", "such as MQT@chain:0-5-10-30"),
    ],
)
def test_a_wrong_label_is_told_what_is_right(label: str, message: str) -> None:
    (group,) = groups_of(scheduled((5, 10, 30)))
    with pytest.raises(PlanError, match=message):
        schedule_of(group, label)


def test_pages_can_show_the_matrix() -> None:
    shown = family("shared_schedule").space(urgent(scheduled(WINDOWS)))
    assert isinstance(shown, Schedules)
    entries = shown.matrix("MQT")
    assert [(e.start, e.limit, e.until) for e in entries] == [
        (0, 2, 2), (0, 3, 3), (0, 6, 3), (2, 3, 3), (2, 6, 3), (3, 6, 6),
    ]  # fmt: skip
    assert [e.value for e in entries] == pytest.approx([1 / 2, 2 / 3, 2 / 3, 1, 1, 1 / 3])
    assert [e.served for e in shown.matrix("WMQT")] == [1, 3, 6, 2, 2, 3], "weights 1, 2 and 3"
    assert [e.served for e in shown.matrix("OUT@chain:0-3-6")] == [5, 11, 6]
    assert shown.matrix("SWF") == ()


def test_many_windows_are_ranked_at_once() -> None:
    windows = tuple(range(1, 301))
    found = rule(MQT, windows)
    assert len(found.ranks()) == 300
    assert rule(MQT, TABLE_1["Uniform"]).ranks()[0][1] > 0
