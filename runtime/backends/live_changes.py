"""Changes of a run that is going on: asked for by a page, made between two micro-batches."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from planner.errors import PlanError, RunError, SluiceError
from planner.workload.changes import stages_of
from planner.workload.execution import Change
from planner.workload.workload import Workload
from runtime.backends.interruption import StopSignal
from runtime.backends.kernels.prepare import PreparedKernelRun, changed
from runtime.runs.records import RunRequest

_POLL_SECONDS = 0.1

Answer = Literal["waiting", "made", "refused"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to change at once, and what became of it.

    The times of its changes are those at which they were made; until then they mean nothing.
    """

    number: int
    changes: tuple[Change, ...]
    answer: Answer = "waiting"
    why: str = ""


class Steering:
    """Between the page that asks and the run that answers: safe to use from both threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._wishes: list[Wish] = []
        self._request: RunRequest | None = None
        self._prepared: PreparedKernelRun | None = None
        self._reached = 0
        self._closed = False

    def begin(self, request: RunRequest, prepared: PreparedKernelRun) -> None:
        """The run is ready to go, and can be changed if its request says so."""
        with self._changed:
            self._request, self._prepared = request, prepared

    def close(self) -> None:
        """No boundary between batches is left: what waits cannot be made any more."""
        with self._changed:
            self._closed = True
            late = "it came after the last micro-batch had started"
            self._wishes = [
                replace(wish, answer="refused", why=late) if wish.answer == "waiting" else wish
                for wish in self._wishes
            ]

    @property
    def open(self) -> bool:
        """Whether changes can be asked for now."""
        request = self._request
        return request is not None and request.steerable and not self._closed

    @property
    def current(self) -> tuple[RunRequest, PreparedKernelRun] | None:
        """What runs, with the changes made so far."""
        with self._changed:
            if self._request is None or self._prepared is None:
                return None
            return self._request, self._prepared

    @property
    def wishes(self) -> tuple[Wish, ...]:
        """All that was asked for, in its order."""
        with self._changed:
            return tuple(self._wishes)

    def ask(self, changes: Sequence[Change]) -> None:
        """Ask for changes that are made together. A mistake is raised now, and nothing is asked."""
        current = self.current
        if current is None or not self.open:
            raise RunError("the run cannot be changed now", "run")
        request, prepared = current
        waiting = [c for wish in self.wishes if wish.answer == "waiting" for c in wish.changes]
        # As if it were made at once, after all that is asked for already; what comes of it is not
        # used: the run makes it when a batch is done.
        try:
            changed(prepared, request, at_time([*waiting, *changes], self._reached))
        except PlanError as error:
            # It has no place in a file yet.
            _, _, place = error.place.partition(": ")
            listed = error.place.startswith("run.changes")
            raise PlanError(error.message, place if listed else error.place) from error
        with self._changed:
            self._wishes.append(Wish(len(self._wishes), tuple(changes)))
            self._changed.notify_all()

    def soon(self) -> Workload:
        """The workload as it is when all is made that is asked for."""
        current = self.current
        assert current is not None, "a run that can be changed has begun"
        workload, reached = current[1].workload, self._reached
        waiting = [c for wish in self.wishes if wish.answer == "waiting" for c in wish.changes]
        changes = (*workload.run.changes, *at_time(waiting, reached))
        stages = stages_of(replace(workload, run=replace(workload.run, changes=changes)))
        return [stage for stage in stages if (stage.at or 0) <= reached][-1].workload

    def wait(self, seconds: float, stop: StopSignal) -> None:
        """Wait so long, or until something is asked for or the run is to stop."""
        with self._changed:
            self._changed.wait_for(self._waits, min(seconds, _POLL_SECONDS))
        stop.check()

    def _waits(self) -> bool:
        return any(wish.answer == "waiting" for wish in self._wishes)

    def made_at(self, at: int) -> tuple[RunRequest, PreparedKernelRun] | None:
        """Make what is asked for at this time of the stream; None where nothing is made.

        A wish that cannot be made is refused, and the run goes on as it was.
        """
        current, made = self.current, False
        assert current is not None, "a run that is going has begun"
        request, prepared = current
        for wish in self.wishes:
            if wish.answer != "waiting":
                continue
            changes = at_time(wish.changes, at)
            try:
                prepared = changed(prepared, request, changes)
            except SluiceError as error:
                self._answer(replace(wish, answer="refused", why=str(error)))
                continue
            request = replace(request, steered=(*request.steered, *changes))
            made = True
            self._answer(replace(wish, changes=changes, answer="made"))
        with self._changed:
            self._reached = at
            self._request, self._prepared = request, prepared
        return (request, prepared) if made else None

    def _answer(self, wish: Wish) -> None:
        with self._changed:
            self._wishes[wish.number] = wish


def at_time(changes: Sequence[Change], at: int) -> tuple[Change, ...]:
    """The changes at this time, in microseconds."""
    return tuple(replace(change, at=at / 1e6) for change in changes)


def boundary(after: int, upto: int) -> int:
    """The roundest time after one batch and not beyond the first tuple of the next.

    >>> boundary(11_987_654, 12_034_567), boundary(5, 6), boundary(-1, 0)
    (12000000, 6, 0)
    """
    step = 10**12
    while upto // step * step <= after:
        step //= 10
    return upto // step * step
