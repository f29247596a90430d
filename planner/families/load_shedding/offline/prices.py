"""What a slot of memory is worth at each instant, roughly: what makes the flow quick.

The solver moves the values of nodes step by step, and along a line of thousands of instants they
add up. Given near the truth beforehand it has little left to move; the optimum stays what it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.families.load_shedding.star_tuples import Integers

ROUNDS = 60
# The first steps of prices: parts of the mean price, and of the mean gain where that is near 0.
OF_PRICE, OF_GAIN = 0.03, 0.003
SHRINKS = 0.1


@dataclass(frozen=True, slots=True)
class Chains:
    """The gains of kept tuples, those of a tuple one after the other: it takes a slot from `enter`
    and has gained `worth` when it reaches `leave`, places on a line of `length` instants."""

    tuple: Integers
    enter: Integers
    leave: Integers
    worth: Integers
    length: int

    @property
    def is_first(self) -> NDArray[np.bool_]:
        return np.append(True, self.tuple[1:] != self.tuple[:-1])

    def shortened(self, share: int) -> Chains:
        """The same without the steps of the line at which all would fit: they bind nobody."""
        firsts = np.flatnonzero(self.is_first)
        lasts = np.append(firsts[1:], len(self.tuple)) - 1
        wanted = _used(self.enter[firsts], self.leave[lasts], self.length)
        places = np.append(0, np.cumsum(wanted > share))
        return Chains(
            self.tuple, places[self.enter], places[self.leave], self.worth, int(places[-1]) + 1
        )


def prices(chains: Chains, share: int) -> Integers:
    """The sum of the prices before each place of the line: that of a slot for each step."""
    wish = _Wishes(chains)
    even = _even_price(wish, share)
    step = (OF_PRICE * even + OF_GAIN * float(chains.worth.mean())) / max(1.0, share**0.5)
    price = np.full(chains.length - 1, float(even))
    best, least = price, np.inf
    for number in range(ROUNDS):
        used, gained = wish.at(_summed(price))
        # What all would gain beyond the prices and what slots earn: at its least where both agree.
        bound = gained + share * float(np.rint(price).sum())
        if bound < least:
            best, least = price, bound
        price = np.maximum(0.0, price + step * (used - share) / (1 + SHRINKS * number))
    return _summed(best)


class _Wishes:
    """How long each tuple would be kept at given prices, if there were slots for all."""

    def __init__(self, chains: Chains) -> None:
        self.chains = chains
        is_first = chains.is_first
        self.starts = np.flatnonzero(is_first)
        self.group = np.cumsum(is_first) - 1
        total = np.cumsum(chains.worth)
        self.gained = total - (total[self.starts] - chains.worth[self.starts])[self.group]

    def at(self, summed: Integers) -> tuple[Integers, float]:
        """The slots used at each step, and what is gained beyond the prices."""
        enter, leave = self.chains.enter, self.chains.leave
        left = self.gained - (summed[leave] - summed[enter])
        most = np.maximum.reduceat(left, self.starts)
        at_best = np.flatnonzero((left == most[self.group]) & (left > 0))
        _, firsts = np.unique(self.group[at_best], return_index=True)
        stops = at_best[firsts]
        used = _used(enter[stops], leave[stops], self.chains.length)
        return used, float(most[most > 0].sum())


def _even_price(wish: _Wishes, share: int) -> int:
    """The least price, the same at each step, at which on average enough slots are left."""
    low, high = 0, int(wish.chains.worth.max())
    line = np.arange(wish.chains.length)
    while high - low > 1:
        middle = (low + high) // 2
        if wish.at(line * middle)[0].mean() > share:
            low = middle
        else:
            high = middle
    return high


def _used(enter: Integers, leave: Integers, length: int) -> Integers:
    """How many are kept at each step of a line."""
    changes = np.bincount(enter, minlength=length) - np.bincount(leave, minlength=length)
    return np.cumsum(changes)[: length - 1]


def _summed(price: NDArray[np.float64]) -> Integers:
    return np.append(0, np.cumsum(np.rint(price).astype(np.int64)))
