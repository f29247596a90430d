"""The simulator that kernels are compared with, itself compared with the paper's examples.

Hammad, Franklin, Aref, Elmagarmid (2003): Figures 3(a) and 4, Equations 1 and 2.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean

import pytest

from runtime.engines.shared_schedule.simulation.policies import (
    largest_window_only,
    maximum_query_throughput,
    query_throughput,
    smallest_window_first,
)
from runtime.engines.shared_schedule.simulation.server import (
    Outer,
    Policy,
    ScheduleTrace,
    WorkClock,
    isolated,
    released,
    scheduled,
)

SECOND = 1_000_000_000
# A comparison takes half a second: two of them, as long as it is from a11 to b12.
HALF = WorkClock(500 * SECOND)
# Windows of 4, 8 and 12; a tuple of A at odd seconds, of B at even ones; same symbols join.
A11 = Outer(11 * SECOND, [[None, "b8"], [None, "b4"], [None, "b0"]])
B12 = Outer(12 * SECOND, [[None, "a9"], [None, "a5"], [None, "a1"]])


def _steps(trace: ScheduleTrace, policy: Policy) -> dict[str, list[tuple[float, str, str]]]:
    """What each query is given: when, in seconds, by whom and with whom."""
    names = ("a11", "b12")
    return {
        f"Q{window}": [
            (at / SECOND, names[outer], inner)
            for at, outer, inner in released(trace, policy, window)
        ]
        for window in (1, 2, 3)
    }


def test_figure_3a_releases_by_swf() -> None:
    """SWF: a11 and b12 take turns; what b12 finds waits for a11 to complete larger windows."""
    policy = smallest_window_first((0, 1, 2, 3))
    trace = scheduled([A11, B12], policy, HALF)
    assert [(scan.outer, scan.last, scan.end // SECOND) for scan in trace.scans] == [
        (0, 1, 12), (1, 1, 13), (0, 2, 14), (1, 2, 15), (0, 3, 16), (1, 3, 17),
    ]  # fmt: skip
    assert [found.inner for found in trace.found] == ["b8", "a9", "b4", "a5", "b0", "a1"]
    assert _steps(trace, policy) == {
        # Step 2: to all three queries. Step 4: to the first alone.
        "Q1": [(12, "a11", "b8"), (13, "b12", "a9")],
        # Steps 6 and 8: the two of b12 are released together.
        "Q2": [(12, "a11", "b8"), (14, "a11", "b4"), (15, "b12", "a9"), (15, "b12", "a5")],
        # Steps 10 and 12.
        "Q3": [
            (12, "a11", "b8"), (14, "a11", "b4"), (16, "a11", "b0"),
            (17, "b12", "a9"), (17, "b12", "a5"), (17, "b12", "a1"),
        ],
    }  # fmt: skip


def test_figure_2a_releases_by_lwo() -> None:
    """LWO: b12 waits until a11 has scanned the largest window; all is released as it is found."""
    policy = largest_window_only(3)
    trace = scheduled([A11, B12], policy, HALF)
    assert _steps(trace, policy) == {
        "Q1": [(12, "a11", "b8"), (15, "b12", "a9")],
        "Q2": [(12, "a11", "b8"), (13, "a11", "b4"), (15, "b12", "a9"), (16, "b12", "a5")],
        "Q3": [
            (12, "a11", "b8"), (13, "a11", "b4"), (14, "a11", "b0"),
            (15, "b12", "a9"), (16, "b12", "a5"), (17, "b12", "a1"),
        ],
    }  # fmt: skip


def test_figure_4_releases_by_mqt() -> None:
    """MQT with windows 2, 3 and 6 and every pair a match, a tuple every second.

    a11 scans to w2; b12 then does, and its results go to Q1 and Q2 before it has completed w2;
    then both complete w3, and what b12 found goes to Q3 as soon as a11 is done.
    """
    a11 = Outer(11 * SECOND, [["b10"], ["b8"], ["b6"]])
    b12 = Outer(12 * SECOND, [["a11"], ["a9"], ["a7"]])
    policy = maximum_query_throughput((0, 2, 3, 6), (0, 1, 1, 1), (0, 1, 2, 3))
    trace = scheduled([a11, b12], policy, WorkClock(1000 * SECOND))
    assert [(scan.outer, scan.first, scan.last) for scan in trace.scans] == [
        (0, 0, 2), (1, 0, 2), (0, 2, 3), (1, 2, 3),
    ]  # fmt: skip
    assert _steps(trace, policy) == {
        "Q1": [(12, "a11", "b10"), (14, "b12", "a11")],
        "Q2": [(12, "a11", "b10"), (13, "a11", "b8"), (14, "b12", "a11"), (15, "b12", "a9")],
        "Q3": [
            (12, "a11", "b10"), (13, "a11", "b8"), (16, "a11", "b6"),
            (16, "b12", "a11"), (16, "b12", "a9"), (17, "b12", "a7"),
        ],
    }  # fmt: skip


def test_the_matrix_of_windows_2_3_and_6() -> None:
    """(0,1) = 1/2, (0,2) = (0,3) = 2/3, (1,2) = (1,3) = 1, (2,3) = 1/3."""
    matrix = {
        (i, j): max(query_throughput((0, 2, 3, 6), (0, 1, 1, 1), i, j).values())
        for i in range(3)
        for j in range(i + 1, 4)
    }
    two_thirds = Fraction(2, 3)
    assert matrix == {
        (0, 1): Fraction(1, 2), (0, 2): two_thirds, (0, 3): two_thirds,
        (1, 2): 1, (1, 3): 1, (2, 3): Fraction(1, 3),
    }  # fmt: skip


# So many tuples of the other stream are in each window.
SIZES = (3, 10, 40)


def _batch(count: int) -> list[Outer]:
    """Tuples of one stream that arrive together; each joins with all of the other (alpha = 1)."""
    sides = zip((0, *SIZES), SIZES, strict=False)
    partials = [[f"b{n}" for n in range(first, last)] for first, last in sides]
    return [Outer(0, partials) for _ in range(count)]


def _mean_delay(trace: ScheduleTrace, policy: Policy, window: int) -> float:
    return fmean(result.at for result in released(trace, policy, window))


@pytest.mark.parametrize("count", [1, 2, 7])
def test_equation_1_and_isolated_execution(count: int) -> None:
    policy, compare = largest_window_only(3), 1000
    trace = scheduled(_batch(count), policy, WorkClock(compare * 1000))
    for window, size in enumerate(SIZES, start=1):
        printed = compare / 2 * ((size + 1) + (count - 1) * SIZES[-1])
        assert _mean_delay(trace, policy, window) == printed
        alone = isolated(_batch(count), window, WorkClock(compare * 1000))
        assert fmean(found.at for found in alone.found) == compare / 2 * (count * size + 1)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_equation_2_is_of_completed_scans(count: int) -> None:
    compare = 1000
    trace = scheduled(_batch(count), smallest_window_first((0, 1, 2, 3)), WorkClock(compare * 1000))
    for window, (smaller, size) in enumerate(zip((0, *SIZES), SIZES, strict=False), start=1):
        printed = count * smaller * compare + (count + 1) / 2 * (size - smaller) * compare
        assert fmean(ends[window] for ends in trace.ends) == printed
