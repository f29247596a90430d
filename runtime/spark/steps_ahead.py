"""The job of the next micro-batch runs while Spark commits the one before.

Spark writes its log between two batches and plans the next, for longer than most kernels take. What
a step reads and writes has the number of its batch, so a step that is done early and not committed
is simply done again when the run is resumed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")


class StepsAhead(Generic[T]):
    """Runs steps in order, the next one early where its tuples have come."""

    def __init__(self, step: Callable[[int], T], has_come: Callable[[int], bool]) -> None:
        self._step, self._has_come = step, has_come
        self._thread = ThreadPoolExecutor(1)
        self._early: tuple[int, Future[T]] | None = None

    def take(self, number: int) -> T:
        """What the step of this batch returns; the one after it begins."""
        early, self._early = self._early, None
        if early is not None and early[0] == number:
            result = early[1].result()
        else:
            result = self._thread.submit(self._step, number).result()
        if self._has_come(number + 1):
            self._early = number + 1, self._thread.submit(self._step, number + 1)
        return result

    def end(self) -> None:
        """Wait for a step that is under way; its workers have been told to leave off."""
        self._thread.shutdown(wait=True, cancel_futures=True)
