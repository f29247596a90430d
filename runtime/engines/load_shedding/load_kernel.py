"""The kernel of star joins, compiled or loaded: one tiny batch goes through all of it."""

from __future__ import annotations

from functools import cache

import numpy as np

from planner.families.load_shedding.labels import EXACT
from runtime.data.feed import Span
from runtime.engines.load_shedding.batch import SheddingState
from runtime.engines.load_shedding.kernel.types import NEVER, SheddingArrivals
from runtime.engines.load_shedding.star_join import StarArm, StarJoin


@cache
def load_star_kernel() -> None:
    """Compile the kernel for its one set of types, or load it; only the first call works."""
    arms = [StarArm(alias, place, 1, None, "index", 1, 1, 1.0) for place, alias in enumerate("RS")]
    join = StarJoin(EXACT, arms, sources=2, relation=None)
    zeros = np.zeros(3, np.int64)
    tuples = SheddingArrivals(
        np.array([2, 0, 1], np.int16), zeros, zeros, np.zeros((3, 2), np.int32), np.zeros((3, 1)),
        zeros, np.full(3, NEVER), zeros,
    )  # fmt: skip
    # As a batch's are, which share its memory and cannot be written to.
    packed = SheddingArrivals(
        *(np.frombuffer(c.tobytes(), c.dtype).reshape(c.shape) for c in tuples)
    )
    nothing = SheddingState.nothing(join, packed)
    nothing.after(join, Span(0, 1), 0, packed, join.zero(), last=True, most_rows=1)
