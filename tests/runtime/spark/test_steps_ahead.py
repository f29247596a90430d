"""Steps that run early: in order, once, and only where their tuples have come."""

from __future__ import annotations

import threading

import pytest

from runtime.spark.steps_ahead import StepsAhead


def test_the_next_step_runs_while_the_caller_is_busy() -> None:
    done: list[int] = []
    second = threading.Event()

    def step(number: int) -> int:
        done.append(number)
        if number == 1:
            second.set()
        return number * 10

    steps = StepsAhead(step, lambda number: number < 3)
    assert steps.take(0) == 0
    # Nobody has asked for the second step yet.
    assert second.wait(60)
    assert [steps.take(1), steps.take(2)] == [10, 20]
    steps.end()
    assert done == [0, 1, 2]


def test_what_has_not_come_is_not_begun() -> None:
    done: list[int] = []
    come = 1
    steps = StepsAhead(done.append, lambda number: number < come)
    steps.take(0)
    come = 2
    steps.take(1)
    steps.end()
    assert done == [0, 1]


def test_a_step_that_failed_early_fails_when_it_is_asked_for() -> None:
    def step(number: int) -> None:
        if number:
            raise ValueError("damaged")

    steps = StepsAhead(step, lambda number: number < 2)
    steps.take(0)
    with pytest.raises(ValueError, match="damaged"):
        steps.take(1)
    steps.end()
