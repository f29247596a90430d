"""Planning ends in time, says what to narrow, and stops when nobody waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from planner.__main__ import main
from planner.errors import PlanError
from planner.families.registry import FAMILIES
from planner.families.sliced_chain.layout import pushed_down
from planner.files.query.text import parse_query
from planner.joins.shared.query_groups import groups_of
from planner.joins.shared.shares import parts_of
from planner.report.plans_report import plans_document
from planner.time_limit import (
    SETTING,
    check,
    listing_seconds,
    planning_limit,
    planning_seconds,
    stoppable,
)
from planner.workload.streams import Stream
from planner.workload.workload import Workload


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def ticks() -> Iterator[float]:
    """A clock of which every look takes a second."""
    return map(float, count())


def test_work_in_time_is_let_go_on() -> None:
    clock = Clock()
    with planning_limit(10, clock):
        clock.now = 10
        check()


def test_work_that_takes_too_long_says_what_to_narrow() -> None:
    clock = Clock()
    with planning_limit(10, clock):
        clock.now = 10.5
        with pytest.raises(PlanError, match="longer than 10 s; narrow it"):
            check()


def test_without_a_limit_nothing_is_stopped() -> None:
    check()


def test_what_was_given_up_is_not_tried_again_on_the_same_page() -> None:
    clock = Clock()
    with stoppable(lambda: None, clock):
        with planning_limit(10, clock):
            clock.now = 11
            with pytest.raises(PlanError):
                check()
        with pytest.raises(PlanError), planning_limit(10, clock):
            pytest.fail("it was tried again")


def test_work_inside_other_work_ends_with_it_and_is_not_tried_again() -> None:
    clock = Clock()
    with stoppable(lambda: None, clock):
        with planning_limit(10, clock):
            clock.now = 8
            with planning_limit(10, clock):
                clock.now = 11
                with pytest.raises(PlanError, match="longer than 10 s"):
                    check()
        with pytest.raises(PlanError), planning_limit(10, clock):
            pytest.fail("it was tried again")


def test_all_planning_of_a_page_shares_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "10")
    clock = Clock()
    with stoppable(lambda: None, clock):
        with planning_limit(clock=clock):
            clock.now = 6
            check()
        clock.now = 100  # what is not planning does not count
        with planning_limit(clock=clock):
            clock.now = 104
            check()
            clock.now = 105
            with pytest.raises(PlanError, match="longer than 10 s"):
                check()


class Closed(BaseException):
    """As Streamlit ends a script."""


def test_work_ends_with_its_session() -> None:
    def closed() -> None:
        raise Closed

    clock = Clock()
    with pytest.raises(Closed), stoppable(closed, clock), planning_limit(10, clock):
        check()


def test_the_session_is_not_asked_all_the_time() -> None:
    asked: list[float] = []
    clock = Clock()
    with stoppable(lambda: asked.append(clock.now), clock), planning_limit(10, clock):
        for _ in range(100):
            clock.now += 0.03
            check()
    assert 20 < len(asked) < 40


@pytest.mark.parametrize("text", ["0", "-1", "ten", "nan", "inf"])
def test_a_bad_setting_is_named(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, text)
    with pytest.raises(PlanError, match=SETTING):
        planning_seconds()


def test_listing_all_plans_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "10")
    assert listing_seconds() > planning_seconds()
    monkeypatch.setenv(SETTING, "1000")
    assert listing_seconds() == planning_seconds()


def test_two_parts_of_streams_are_paired_in_time() -> None:
    """Every query has conditions of its own on both streams: a join for each two of them."""
    streams = (Stream("A", 1), Stream("B", 1))
    text = "SELECT * FROM A [RANGE {0}], B [RANGE {0}] WHERE A.k = B.k AND A.x > {0} AND B.y < {0}"
    queries = tuple(parse_query(text.format(n), f"Q{n}") for n in range(1, 9))
    (group,) = groups_of(Workload("many parts", streams, queries))
    parts_of(group, 0), parts_of(group, 1)
    looks = ticks()
    with planning_limit(20, lambda: next(looks)), pytest.raises(PlanError):
        list(pushed_down(group))


def test_every_family_asks_for_the_time(samples: list[Workload]) -> None:
    for family in FAMILIES:
        workload = next((w for w in samples if family.refuses(w) is None), None)
        if workload is None:
            continue
        looks = ticks()
        with planning_limit(2, lambda looks=looks: next(looks)), pytest.raises(PlanError):
            plans_document(workload, [family], 10)


@pytest.fixture
def samples() -> list[Workload]:
    from pages.parts.shared import samples

    return [sample.workload for sample in samples.every()]


def test_a_command_ends_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(SETTING, "1e-9")
    assert main(["plans", "sample_data/golab-table-5.yaml"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("planning: took longer than 1e-09 s; narrow it")
    assert error.count("\n") == 1
