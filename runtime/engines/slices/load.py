"""The kernels of sliced joins compiled or loaded, before anything is timed."""

from __future__ import annotations

from functools import cache

import numpy as np

from runtime.engines.kernels.digest import tuple_hashes
from runtime.engines.slices.kernel.gates import (
    Conditions,
    attach,
    filter_one_by_one,
    split,
    survive,
)
from runtime.engines.slices.kernel.slices import no_newest, run_slice
from runtime.engines.slices.kernel.types import (
    SLICE_COUNTS,
    Members,
    Passage,
    Predicates,
    Slice,
    Span,
)


@cache
def load_slice_kernels() -> None:
    """Compile the kernels for their one set of types, or load them; only the first call works."""
    none, one, values = np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros((0, 1))
    truth, keys = np.zeros(0, np.bool_), np.zeros(0, np.int32)
    hashes = tuple_hashes(np.zeros(0, np.int16), none)
    members = Members(
        none, none, keys, none, none, none, truth, none, none, hashes, hashes,
        np.zeros((0, 1), np.int32), values, np.zeros((0, 1), np.uint64),
    )  # fmt: skip
    predicates = Predicates(True, False, none, none, none, none, np.zeros(0))
    two = np.zeros((2, 1), np.int64)
    sides = np.ones(2, np.int64)
    piece = Slice(sides, 1, two, sides, sides, two, two, one)
    run_slice(
        members, predicates, piece, Span(0, 1), Passage(none, none, none, none),
        np.zeros(SLICE_COUNTS, np.int64), np.zeros((1, 2), np.int64), np.zeros(1), no_newest(1),
        0, 1, True,
    )  # fmt: skip
    conditions = Conditions.of([])
    counts = np.zeros((1, 2), np.int64)
    attach(none, values, conditions, members.bits)
    far = np.zeros((0, 2), np.int64)
    survive(none, values, conditions, none, far, one, truth, counts[0], none, none)
    split(none, values, conditions, none, np.zeros((0, 0), np.bool_), truth, counts[0], none)
    filter_one_by_one(none, values, conditions, 0, truth, counts, truth)
