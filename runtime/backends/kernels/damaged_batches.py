"""Micro-batches that turn out to be damaged while they are run: made again, and run again."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from typing import TypeVar

from planner.errors import RunError
from runtime.backends.interruption import LimitReachedError
from runtime.backends.kernels.prepare import PreparedKernelRun, prepare
from runtime.data.microbatches import are_damaged
from runtime.runs.records import RunRequest

logger = logging.getLogger(__name__)

T = TypeVar("T")


def with_sound_batches(
    request: RunRequest, prepared: PreparedKernelRun, work: Callable[[], T]
) -> T:
    """What the work gives. If it fails over damaged micro-batches, it is done again with new ones.

    All of them are read only when something has failed: then the time is well spent.
    """
    try:
        return work()
    except LimitReachedError:
        raise
    except RunError as error:
        if not are_damaged(prepared.batches):
            raise
        logger.warning("%s; damaged micro-batches are made again", error)
    _make_again(request, prepared)
    return work()


def _make_again(request: RunRequest, prepared: PreparedKernelRun) -> None:
    """Put the same micro-batches where the damaged ones were."""
    shutil.rmtree(prepared.batches.folder, ignore_errors=True)
    again = prepare(request, prepared.partitions)
    if again.batches != prepared.batches:
        raise RunError(
            "its micro-batches were damaged, and its data have changed since; run the plan again",
            "run",
        )
