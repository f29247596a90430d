"""The kernels of scheduled joins, compiled or loaded: one tiny batch goes through all of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from runtime.engines.kernels.conditions import ALWAYS
from runtime.engines.kernels.loop_types import Rows
from runtime.engines.shared_schedule.batch import ScheduleBatch
from runtime.engines.shared_schedule.counters import ScheduleCounters
from runtime.engines.shared_schedule.kernel.types import FOREVER, TABLE, MeasuredSpan
from runtime.engines.shared_schedule.policies import PolicyTable
from runtime.engines.shared_schedule.schedule_program import NO_SLOT, SERVERS, Join, ScheduleEra
from runtime.engines.shared_schedule.state import Waiting


@cache
def load_schedule_kernels() -> None:
    """Compile the kernels for their one set of types, or load them; only the first call works."""
    policy = PolicyTable(TABLE, [0, 1], [[-1, 0]], [[0, 1]], [0], [1], smaller=False, at_ends=False)
    era = ScheduleEra(
        at=ALWAYS,
        number=0,
        windows=[1],
        conditions=[[], []],
        classes=[[-1, -1, ALWAYS, 1]],
        slots=[[1, 0], [NO_SLOT, 0]],
        queries=[[0, 0, 0]],
        policies=[policy, *[None] * (SERVERS - 1)],
        cell=0,
        slot=0,
        window=0,
    )
    times, numbers = np.zeros(2, np.int64), np.arange(2)
    seen = Rows(
        np.array([0, 1], np.int16), times, numbers, numbers, times, np.zeros((2, 0), np.int64),
        np.zeros((2, 1), np.int32), np.zeros((2, 1)), np.zeros((2, 0), np.int64),
    )  # fmt: skip
    ScheduleBatch(
        join=Join([0, 1], False, 0, [], [], 2, [1000, 1000]),
        era=era,
        alias=-1,
        counters=ScheduleCounters.zero([era], 2),
        span=MeasuredSpan(0, 1),
        seen=seen,
        old=0,
        dropped=np.zeros(2, np.int64),
        free=np.zeros(1, np.int64),
        waiting=Waiting(1, 1),
        most_rows=0,
    ).through(0, FOREVER, FOREVER)
