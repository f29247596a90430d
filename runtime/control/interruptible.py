"""Work that cannot be stopped from outside, waited for only as long as its run is wanted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from runtime.control.cancellation import StopSignal

T = TypeVar("T")

_POLL_SECONDS = 0.1
_left_behind: list[threading.Thread] = []


def unless_stopped(work: Callable[[], T], stop: StopSignal) -> T:
    """What the work gives. If the run is to stop before, that is raised at once.

    Starting Spark, compiling a kernel or sorting tuples cannot be broken off: it then goes on by
    itself to its end.
    """
    stop.check()
    outcome: Future[T] = Future()

    def carry_out() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            # Raised in the thread that waits, if it still does.
            outcome.set_exception(error)

    thread = threading.Thread(target=carry_out, daemon=True)
    thread.start()
    try:
        while not outcome.done():
            stop.check()
            thread.join(_POLL_SECONDS)
    except BaseException:
        _left_behind.append(thread)
        raise
    return outcome.result()


def until_nothing_is_left(stop: StopSignal) -> None:
    """Wait for what stopped runs have left behind: it would slow down what is timed."""
    while _left_behind:
        _left_behind[0].join(_POLL_SECONDS)
        stop.check()
        if not _left_behind[0].is_alive():
            del _left_behind[0]
