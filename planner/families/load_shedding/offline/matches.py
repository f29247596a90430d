"""All matches of two streams with their instants, and what each is worth to the tuple that waits.

The older tuple of a match has to be kept until the younger one arrives; tuples that arrive together
match without being kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.errors import RunError
from planner.families.load_shedding.star_tuples import Integers, StarTuples

Worth = Literal["importance", "results"]

# The time of the optimum grows with the square of them: half of these take a minute.
MOST_MATCHES = 1_000_000
NARROWER = "shorten the run or the windows, or take another policy"


@dataclass(frozen=True, slots=True)
class Gains:
    """What the tuples of an arm gain if they are kept: at which instant (its number) and how much,
    ordered by tuple and instant; several matches at one instant are one gain."""

    tuple: Integers
    instant: Integers
    worth: Integers


@dataclass(frozen=True, slots=True)
class Matches:
    """The gains of both arms, what arrivals of one instant are worth, and all instants' times."""

    arms: tuple[Gains, Gains]
    together: int
    instants: Integers

    @property
    def exact(self) -> int:
        """What all matches are worth."""
        return self.together + sum(int(gains.worth.sum()) for gains in self.arms)


def matches_of(tuples: StarTuples, worth: Worth) -> Matches:
    """The matches of two arms."""
    instants = np.unique(np.concatenate([own.ts for own in tuples.arms]))
    first, second = (
        _gains(tuples, waiting, instants, worth) for waiting in range(len(tuples.arms))
    )
    waiting, arriving, both = _pairs(tuples, 0, together=True)
    together = int(_worth(tuples, 0, waiting, arriving, worth).sum()) if both else 0
    return Matches((first, second), together, instants)


def single_worth(tuples: StarTuples, worth: Worth) -> int:
    """What the matches of a single stream with the relation are worth: nothing has to wait."""
    (own,) = tuples.arms
    arriving, _ = with_rows(tuples, 0)
    return len(arriving) if worth == "results" else int(own.importance[arriving].sum())


def _gains(tuples: StarTuples, waiting: int, instants: Integers, worth: Worth) -> Gains:
    older, younger, _ = _pairs(tuples, waiting, together=False)
    when = np.searchsorted(instants, tuples.arms[1 - waiting].ts[younger])
    place = older * len(instants) + when
    places, which = np.unique(place, return_inverse=True)
    sums = np.zeros(len(places), np.int64)
    np.add.at(sums, which, _worth(tuples, waiting, older, younger, worth))
    return Gains(places // max(1, len(instants)), places % max(1, len(instants)), sums)


def _worth(
    tuples: StarTuples, waiting: int, older: Integers, younger: Integers, worth: Worth
) -> Integers:
    if worth == "results":
        return np.ones(len(older), np.int64)
    own, others = tuples.arms[waiting], tuples.arms[1 - waiting]
    return np.minimum(own.importance[older], others.importance[younger])


def _pairs(tuples: StarTuples, waiting: int, together: bool) -> tuple[Integers, Integers, int]:
    """The tuples of an arm with those that arrive later (or together) in the other one and match.

    A pair comes once for each row that joins it.
    """
    own, others = tuples.arms[waiting], tuples.arms[1 - waiting]
    arriving, row = with_rows(tuples, 1 - waiting)
    now = others.ts[arriving]
    oldest = np.maximum(tuples.begin[row], now - own.arm.lifetime + 1)
    order = np.lexsort((own.ts, own.key))
    key = tuples.rows[row, waiting]
    if together:
        begin, end = _places(own.key[order], own.ts[order], key, now, now + 1)
    else:
        begin, end = _places(own.key[order], own.ts[order], key, oldest, now)
    count = np.maximum(0, end - begin)
    total = int(count.sum())
    if total > MOST_MATCHES:
        raise RunError(
            f"weighs every two tuples that match, and {total:,} do; at most {MOST_MATCHES:,} are "
            f"weighed: {NARROWER}",
            "the optimum",
        )
    within = np.arange(total) - np.repeat(np.cumsum(count) - count, count)
    return order[np.repeat(begin, count) + within], np.repeat(arriving, count), total


def _places(
    keys: Integers, ts: Integers, key: Integers, since: Integers, until: Integers
) -> tuple[Integers, Integers]:
    """Where tuples of a key in [since, until) are among those sorted by key and time."""
    times = np.unique(ts)
    width = len(times) + 1
    sorted_by = keys * width + np.searchsorted(times, ts)
    begin = np.searchsorted(sorted_by, key * width + np.searchsorted(times, since))
    end = np.searchsorted(sorted_by, key * width + np.searchsorted(times, until))
    return begin.astype(np.int64), end.astype(np.int64)


def with_rows(tuples: StarTuples, arm: int) -> tuple[Integers, Integers]:
    """The tuples of an arm with the rows that are active when they arrive and match."""
    own = tuples.arms[arm]
    order = np.argsort(tuples.rows[:, arm], kind="stable")
    keys = tuples.rows[order, arm]
    begin, end = np.searchsorted(keys, own.key), np.searchsorted(keys, own.key, side="right")
    count = end - begin
    within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    row: Integers = order[np.repeat(begin, count) + within]
    tuple_: Integers = np.repeat(np.arange(len(own.ts)), count)
    active: NDArray[np.bool_] = (tuples.begin[row] <= own.ts[tuple_]) & (
        own.ts[tuple_] < tuples.end[row]
    )
    return tuple_[active], row[active]
