"""Planning ends within a stated time, or says what to narrow; it stops when nobody waits for it.

Long loops call `check`. Commands and pages say how long planning may take (`planning_limit`), and
pages what is asked now and then (`stoppable`): Streamlit ends a script there whose tab is closed.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NoReturn

from planner.errors import PlanError

SECONDS = 10.0
SETTING = "SLUICE_PLANNING_SECONDS"
# A list of all plans has tens of thousands of them, each with its price.
LISTING_SECONDS = 120.0
# How often somebody else is asked whether the work is still wanted.
_ASK_SECONDS = 0.1

Clock = Callable[[], float]


class _Work:
    """Work that somebody waits for: until when, and what is asked meanwhile."""

    def __init__(
        self, seconds: float, clock: Clock, ask: Callable[[], None], outer: _Work | None
    ) -> None:
        self.seconds, self.clock, self.ask, self.outer = seconds, clock, ask, outer
        self.spent = 0.0  # what planning inside has taken so far
        self.ends = clock() + seconds - (outer.spent if outer is not None else 0.0)
        if outer is not None and outer.ends < self.ends:
            # It is part of work that must end before.
            self.seconds, self.ends = outer.seconds, outer.ends
        self.next_ask = -math.inf
        # Set where planning inside has taken too long: there is no use in trying again.
        self.given_up: PlanError | None = None

    def check(self) -> None:
        now = self.clock()
        if now >= self.next_ask:
            self.next_ask = now + _ASK_SECONDS
            self.ask()
        if now > self.ends:
            self._give_up(_too_long(self.seconds))

    def _give_up(self, error: PlanError) -> NoReturn:
        around = self.outer
        while around is not None:
            around.given_up = error
            around = around.outer
        raise error


_work: ContextVar[_Work | None] = ContextVar("planning", default=None)


def check() -> None:
    """End the work where it has taken too long, or where nobody waits for it any more."""
    work = _work.get()
    if work is not None:
        work.check()


@contextmanager
def planning_limit(seconds: float | None = None, clock: Clock = time.monotonic) -> Iterator[None]:
    """Planning inside may take so long; by default as long as the user's environment says.

    Inside `stoppable` that is the time of all of it together, and what was given up once is given
    up at once when it is asked for again.
    """
    outer = _work.get()
    if outer is not None and outer.given_up is not None:
        raise outer.given_up
    ask = outer.ask if outer is not None else _nothing
    allowed = planning_seconds() if seconds is None else seconds
    begun = clock()
    try:
        with _working(_Work(allowed, clock, ask, outer)):
            yield
    finally:
        if outer is not None and seconds is None:
            outer.spent += clock() - begun


@contextmanager
def stoppable(ask: Callable[[], None], clock: Clock = time.monotonic) -> Iterator[None]:
    """Work inside asks this now and then, and ends with what it raises."""
    with _working(_Work(math.inf, clock, ask, None)):
        yield


def planning_seconds() -> float:
    """How long planning may take."""
    text = os.environ.get(SETTING, "")
    try:
        seconds = float(text) if text else SECONDS
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise PlanError(f"must be a number of seconds above 0, got {text!r}", SETTING)
    return seconds


def listing_seconds() -> float:
    """How long listing all plans may take: that is more than finding the best."""
    return max(LISTING_SECONDS, planning_seconds())


@contextmanager
def _working(work: _Work) -> Iterator[None]:
    before = _work.set(work)
    try:
        yield
    finally:
        _work.reset(before)


def _nothing() -> None:
    pass


def _too_long(seconds: float) -> PlanError:
    return PlanError(
        f"took longer than {seconds:g} s; narrow it to one family or one query, or to fewer "
        f"queries, streams or conditions, or allow more time ({SETTING})",
        "planning",
    )
