"""Chains of sliced joins as text: what a program of them is made of, and how it is read back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from runtime.engines.kernels.conditions import Predicates
from runtime.engines.sliced_chain.kernel.types import Slice

# Where no slice follows: no tuple gets that far.
BEYOND = 2**62
# How arriving tuples get into chains.
OPEN, SURVIVE, SPLIT, FILTER = range(4)


@dataclass(frozen=True, slots=True)
class Gate:
    """What the arriving tuples of a stream pass before they enter chains.

    `chosen` are conditions. SURVIVE: those that are evaluated in turn; `far` says how far a tuple
    gets by each, as a female and as a male, and `least` how far every tuple gets. SPLIT: `parts`
    says for each part which of them hold. FILTER: the one condition. Its counts are the `counts`
    rows from `row` on.
    """

    kind: int
    stream: int
    row: int = 0
    counts: int = 0
    chosen: list[int] = field(default_factory=list)
    far: list[list[int]] = field(default_factory=list)
    least: list[int] = field(default_factory=list)
    parts: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class QueryTap:
    """A query that takes results of a chain: its windows and conditions (-1: none) on both sides.

    `pairs` has for each slice the pair of conditions that are looked at for it (-1: it takes
    nothing there). `turned`: its FROM names the second stream first. It wants tuples that arrived
    at `since` or later.
    """

    query: int
    windows: list[int]
    conditions: list[int]
    pairs: list[int]
    turned: bool
    since: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Slices of the join of two streams, each from the end of the one before it.

    `gates` has for each side a gate and, of a gate that splits, the part that enters. `pairs` are,
    for each slice, the different conditions that are looked at on both sides (-1: none), and since
    when. Counts are in rows from `row` on, those of selects from `select_rows` on, one per pair.
    `join` is the same for chains of the same join in all eras.
    """

    join: str
    sides: list[int]
    rows: bool
    ends: list[int]
    key: int
    others: list[int]
    theta: list[list[float]]
    buckets: int
    gates: list[list[int]]
    taps: list[QueryTap]
    pairs: list[list[list[int]]]
    number: int
    row: int
    select_rows: list[int]

    @property
    def widest(self) -> list[int]:
        """The largest window of each side."""
        return [max(tap.windows[side] for tap in self.taps) for side in (0, 1)]


@dataclass(frozen=True, slots=True)
class ChainEra:
    """What runs from the time `at` on: gates, chains, and the conditions on each stream."""

    at: int
    number: int
    conditions: list[list[list[list[float]]]]
    gates: list[Gate]
    chains: list[Chain]


@dataclass(frozen=True, slots=True)
class Piece:
    """A slice for the kernel, and what each query takes: segments from 0 on by side, of a pair."""

    kernel: Slice
    takes: np.ndarray
    pairs: np.ndarray


def pieces_of(chain: Chain) -> list[Piece]:
    """The slices of a chain as the kernel runs them."""
    starts = [0, *chain.ends[:-1]]
    followers = [*chain.ends[:-1], BEYOND]
    windows = np.array([tap.windows for tap in chain.taps], np.int64)
    made = []
    for number, (start, end) in enumerate(zip(starts, chain.ends, strict=True)):
        ends = np.array([min(end, widest) for widest in chain.widest], np.int64)
        inner = [np.unique(windows[:, o]) for o in (0, 1)]
        inner = [inner[o][(inner[o] > start) & (inner[o] < ends[o])] for o in (0, 1)]
        inside = np.array([len(w) for w in inner], np.int64)
        padded = np.zeros((2, max(1, inside.max())), np.int64)
        takes = np.zeros((len(windows), 2), np.int64)
        pair_of = np.array([tap.pairs[number] for tap in chain.taps], np.int64)
        pairs = np.array(chain.pairs[number], np.int64).T.copy()
        wanted = np.zeros((2, pairs.shape[1]), np.int64)
        for o in (0, 1):
            padded[o, : inside[o]] = inner[o]
            upto = np.searchsorted(inner[o], windows[:, o], side="left") + 1
            takes[:, o] = np.where(windows[:, o] > start, upto, 0)
            taking = takes[:, o] > 0
            np.maximum.at(wanted[o], pair_of[taking], takes[taking, o])
        kernel = Slice(
            ends,
            followers[number],
            padded,
            inside,
            (takes == inside + 1).any(axis=0).astype(np.int64),
            pairs[:2],
            wanted,
            pairs[2],
        )
        made.append(Piece(kernel, takes, pair_of))
    return made


def predicates_of(chain: Chain) -> Predicates:
    """What joins the tuples of a chain, for the kernel."""
    return Predicates.of(chain.key, chain.buckets, chain.others, chain.theta)
