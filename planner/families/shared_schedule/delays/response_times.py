"""When results are released to each window, and how long they waited: means and quantiles.

A match of tuple k in partial window p goes to every window q from p on. The tuple before k has
completed q at D. Matches are released at max(found, D); under `at_ends`, at the end of k's first
scan from p on that is not before D. There is one server, so that D lies between k's scans: of
window q, all that was scanned before D is released at one time, the rest as it is found.

    k's scans      |--1--|--2--|          |--3--|        |--q--|
    D                               ^
    released       1 and 2 at D (at the end of 3 under `at_ends`), then as found
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.families.shared_schedule.delays.sample import ArrivalSample
from planner.families.shared_schedule.delays.simulation import Served
from planner.families.shared_schedule.delays.waiting_work import waiting_work
from planner.joins.arrays import Floats, Ints

# The sample is cut into so many stretches to see how means follow the work that is waiting.
STRETCHES = 40
QUANTILES = (0.5, 0.95, 0.99)


@dataclass(frozen=True)
class Responses:
    """Delays of one policy in seconds, by window: of results (by stretch of the sample, and over
    all of it), until they are found, of whole scans, quantiles of results and the longest."""

    by_stretch: Floats
    results: Floats
    found: Floats
    scans: Floats
    quantiles: Floats
    longest: Floats


def responses(
    sample: ArrivalSample, served: Served, find: float, at_ends: bool, most: int | None = None
) -> Responses:
    """The delays of a sample as it was served; `find` is what a match takes once it is examined.

    The longest is that of the first so many measured tuples.
    """
    measuring = _Measuring(sample, served, find, at_ends)
    count = sample.matches.shape[1]
    columns = [measuring.window(q) for q in range(count)]
    by_stretch, results, found, quantiles = (
        np.stack(column, axis=-1) for column in zip(*columns, strict=True)
    )
    scans = (served.ended - sample.ts[:, None])[sample.measured :].mean(axis=0)
    longest = np.array([measuring.longest(q, most) for q in range(count)])
    return Responses(by_stretch, results, found, scans, quantiles, longest)


def delays_alone(sample: ArrivalSample, find: float) -> Floats:
    """By window the mean delay of results by itself, on a server that serves in order."""
    first = sample.measured
    upto = _summed(sample.matches[first:].astype(np.float64))[:, 1:]
    delays = inside_scans(sample, find)
    for place in range(upto.shape[1]):
        waits = waiting_work(sample.ts, sample.spent[:, place + 1])[first:]
        whole = upto[:, place].sum()
        delays[place] += upto[:, place] @ waits / whole if whole else 0.0
    return delays


def inside_scans(sample: ArrivalSample, find: float) -> Floats:
    """By window how far into an undisturbed scan its matches are found, on the average."""
    first = sample.measured
    middle = (sample.spent[first:, :-1] + sample.spent[first:, 1:] + find) / 2
    whole = np.cumsum(sample.matches[first:].sum(axis=0)).astype(np.float64)
    total = np.cumsum((sample.matches[first:] * middle).sum(axis=0))
    return np.asarray(np.divide(total, whole, out=np.zeros_like(whole), where=whole > 0))


def by_stretches(figures: Floats, weights: Floats) -> Floats:
    """The mean of each stretch of a sample, 0 where nothing weighs."""
    places = np.linspace(0, len(figures), STRETCHES + 1).astype(np.int64)[:-1]
    whole = np.add.reduceat(weights, places)
    return np.divide(
        np.add.reduceat(figures * weights, places),
        whole,
        out=np.zeros(len(places)),
        where=whole > 0,
    )


class _Measuring:
    """The measured tuples of a sample: what they found when, and when the tuple before was done."""

    def __init__(self, sample: ArrivalSample, served: Served, find: float, at_ends: bool) -> None:
        first = sample.measured
        self._ts, self._at_ends = sample.ts[first:], at_ends
        self._begun, self._ended = served.begun[first:], served.ended[first:]
        # A match is found a little after the place where it lies.
        self._find = find / 2
        done = np.full((1, served.ended.shape[1]), -np.inf)
        self._done_before = np.concatenate((done, served.ended[:-1]))[first:]
        self._matches = sample.matches[first:].astype(np.float64)
        self._upto = _summed(self._matches)
        middle = (self._begun + self._ended) / 2 + self._find
        self._found = _summed(self._matches * middle)
        self._at_end = _summed(self._matches * self._ended)
        # Of each tuple one match stands for all, at random.
        self._lot = np.random.default_rng(len(self._ts)).random(len(self._ts))

    def window(self, q: int) -> tuple[Floats, float, float, Floats]:
        """Means by stretch and over all, the mean until found, and quantiles."""
        count = self._upto[:, q + 1]
        released = self._released(q)
        mean = np.divide(released, count, out=np.zeros_like(count), where=count > 0) - self._ts
        whole = count.sum()
        if not whole:
            nothing = np.zeros(len(QUANTILES))
            return np.zeros(STRETCHES), 0.0, 0.0, nothing
        found = (self._found[:, q + 1] - count * self._ts).sum() / whole
        result = (released - count * self._ts).sum() / whole
        return by_stretches(mean, count), float(result), float(found), self._quantiles(q)

    def _split(self, q: int) -> Ints:
        """How many partial windows up to q were scanned before the tuple before completed q."""
        done, ended = self._done_before[:, q], self._ended[:, : q + 1]
        late = ended < done[:, None] if self._at_ends else ended <= done[:, None]
        return np.asarray(late.sum(axis=1))

    def _released(self, q: int) -> Floats:
        """The sum of release times over the matches of window q, by tuple."""
        rows, split = np.arange(len(self._ts)), self._split(q)
        if self._at_ends:
            inside = np.minimum(split, q)
            together = self._ended[rows, inside] * self._upto[rows, inside + 1]
            behind = self._at_end[:, q + 1] - self._at_end[rows, inside + 1]
            return np.asarray(together + behind)
        # Where nothing was scanned before, it does not matter when that was.
        done = np.where(split > 0, self._done_before[:, q], 0.0)
        behind = self._found[:, q + 1] - self._found[rows, split]
        return np.asarray(self._upto[rows, split] * done + behind)

    def _quantiles(self, q: int) -> Floats:
        """Of delays, each tuple with one of its matches that counts for all of them."""
        rows, split, done = np.arange(len(self._ts)), self._split(q), self._done_before[:, q]
        wanted = self._lot * self._upto[:, q + 1]
        part = np.minimum((self._upto[:, 1 : q + 2] <= wanted[:, None]).sum(axis=1), q)
        if self._at_ends:
            release = self._ended[rows, np.maximum(part, np.minimum(split, q))]
        else:
            here = self._matches[rows, part]
            share = np.divide(
                wanted - self._upto[rows, part], here, out=np.zeros_like(here), where=here > 0
            )
            begin, end = self._begun[rows, part], self._ended[rows, part]
            release = np.maximum(begin + share * (end - begin) + self._find, done)
        return weighted_quantiles(release - self._ts, self._upto[:, q + 1])

    def longest(self, q: int, most: int | None) -> float:
        """Of the first so many tuples: the last result of each, where it has any."""
        rows, matches = np.arange(len(self._ts)), self._matches[:, : q + 1]
        # The last partial window with a match; of m matches the last is about here.
        last = q - np.argmax(matches[:, ::-1] > 0, axis=1)
        begin, end = self._begun[rows, last], self._ended[rows, last]
        if self._at_ends:
            release = self._ended[rows, np.maximum(last, np.minimum(self._split(q), q))]
        else:
            here = matches[rows, last]
            found = begin + here / (here + 1) * (end - begin) + self._find
            release = np.maximum(found, self._done_before[:, q])
        waited = (release - self._ts)[:most][self._upto[:most, q + 1] > 0]
        return float(waited.max(initial=0.0))


def _summed(figures: Floats) -> Floats:
    """Sums along windows, 0 before the first."""
    return np.concatenate((np.zeros((len(figures), 1)), np.cumsum(figures, axis=1)), axis=1)


def weighted_quantiles(figures: Floats, weights: Floats) -> Floats:
    """The quantiles of figures that count so often each."""
    order = np.argsort(figures)
    upto = np.cumsum(weights[order])
    places = np.searchsorted(upto, np.array(QUANTILES) * upto[-1])
    return np.asarray(figures[order][np.minimum(places, len(figures) - 1)])
