"""What a simulation needs beside the tuples, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import LAST

NO_MATCH = "no match"
RELATION_ENDED = "relation ended"
NOT_ADMITTED = "not admitted"
REPLACED = "replaced"
EXPIRED = "expired"
REASONS = (NO_MATCH, RELATION_ENDED, NOT_ADMITTED, REPLACED, EXPIRED)
# Before it is joined; this is measured, not simulated.
PROCESSOR_SHORT = "processor short"

# What DGL-S loses at an instant without a result, in units of importance: the best of ten values
# under 10 and 40 tuples of memory, over 40 data sets of the paper's setting.
BETA = 0.3


@dataclass(frozen=True, slots=True)
class Settings:
    """Alpha in seconds and beta in units of importance are DGL-S's; the seed is RAND-S's.

    `leaves` are the times from which each tuple of a table is not kept, by alias; where it is None,
    OSSJ and SJA-S work them out. Work is counted from `since` until `until`, in microseconds.
    """

    alpha: float | None = None
    beta: float | None = None
    prefilter: bool = True
    seed: int = 7
    leaves: Mapping[str, NDArray[np.int64]] | None = None
    since: int = 0
    until: int = LAST


@dataclass(slots=True)
class ArmCounts:
    """What happened in an arm within the span: `held` is the sum of the microseconds that tuples
    were stored, `compared` counts tuples looked at to choose who goes, `probed` stored tuples of
    other arms that its arrivals looked at, `found` the results of its arrivals."""

    arrived: int = 0
    with_row: int = 0
    admitted: int = 0
    compared: int = 0
    probed: int = 0
    found: int = 0
    expiry_checks: int = 0
    held: int = 0


@dataclass(frozen=True, slots=True)
class EarlyAnswer:
    """What was found before the span of a simulation begins, and the exact answer until then."""

    results: int = 0
    importance: int = 0
    exact_results: int = 0
    exact_importance: int = 0


@dataclass(frozen=True, slots=True)
class Simulated:
    """The answer of a policy beside the exact one; importance is in millionths.

    `held` is the mean number of tuples stored by alias. Results, importance and evictions are of
    all tuples, `counts` and `held` of the span, `early` of what came before it.
    """

    results: int
    importance: int
    exact_results: int
    exact_importance: int
    evictions: dict[str, dict[str, int]]
    held: dict[str, float]
    counts: dict[str, ArmCounts]
    early: EarlyAnswer

    @property
    def recall(self) -> float:
        """The share of the exact results that were found; 1 where there are none."""
        return self.results / self.exact_results if self.exact_results else 1.0
