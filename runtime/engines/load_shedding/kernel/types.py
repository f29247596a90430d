"""What the kernel of star joins is given and works on: arrays under their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Who goes where there is no room. PLANNED tuples bring the time at which they leave.
EXACT, PLANNED, RANDOM, IMPORTANCE, MATCHES, MATCHES_OF_NOW, GAIN_AND_LOSS, EXPECTED = range(8)
# How a stream's arrivals reach the rows of the relation.
INDEX, SCAN, HASH, SEARCH = range(4)
# Why a tuple is not kept, or no longer.
NO_MATCH, RELATION_ENDED, NOT_ADMITTED, REPLACED, EXPIRED, PROCESSOR_SHORT = range(6)
REASONS = 6
# The arm of a tuple that was dropped before it was joined; rows of the relation have -1.
DROPPED = -2
STEPS = 60
# A sum of importance has a high and a low part: the low one is below this.
IMPORTANCE_BASE = 2**62
NEVER = np.iinfo(np.int64).max
# Places of `Learned.sums`.
KNOWN, COUNTED, ARRIVED, IMPORTANCE_ARRIVED = range(4)


class SheddingArrivals(NamedTuple):
    """Arriving tuples. A row of the relation arrives when it begins, before tuples of that time.

    `keys` has a column per arm: a row's key for each, and a tuple's own in that of its arm.
    `importance` is in millionths. A row ends at `until`; a planned tuple is kept before `leave`.
    """

    source: np.ndarray
    ts: np.ndarray
    seq: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    importance: np.ndarray
    until: np.ndarray
    leave: np.ndarray

    @property
    def key(self) -> np.ndarray:
        """What tuples are shared out by, where all arms are joined on one attribute."""
        return self.keys[:, 0]

    def take(self, chosen: np.ndarray | slice) -> SheddingArrivals:
        """The chosen tuples, by mask, index or slice."""
        return SheddingArrivals(*(column[chosen] for column in self))

    def followed_by(self, later: SheddingArrivals) -> SheddingArrivals:
        """These tuples and then the later ones."""
        return SheddingArrivals(*(np.concatenate(pair) for pair in zip(self, later, strict=True)))


class StarShape(NamedTuple):
    """The join. By source: its arm (-1: the relation, whose rows the last source has if there is
    none). By arm: its place in FROM, lifetime, room (NEVER: no bound), access and buckets.

    Keys of an arm are below its `codes`, of which the last is a missing one. `alpha` is in
    microseconds by arm. `evaluations` are the times at which aggregates are evaluated; each adds up
    the values in a slot of a source (-1: results are counted), by the group in a slot of a source
    (-1: none). `pairs` is how much less often pairs of an arm survive a random choice than their
    tuples would alone: the ratio of the two logarithms. At most `buffer` tuples wait for the
    processor, which takes `compare` and `output` microseconds for a comparison and for a result.

    Work is counted from `warmup` to `end`; what was shed, by steps of `every` microseconds from
    `begin`. A partition is given its own tuples only, so that it has the first and only one of the
    `shares` of their work.
    """

    arm_of: np.ndarray
    place: np.ndarray
    lifetime: np.ndarray
    room: np.ndarray
    access: np.ndarray
    buckets: np.ndarray
    codes: np.ndarray
    alpha: np.ndarray
    beta: float
    seed: np.uint64
    policy: int
    prefilter: bool
    implicit: bool
    sources: int
    warmup: int
    end: int
    begin: int
    every: int
    shares: int
    share: int
    evaluations: np.ndarray
    amount_source: np.ndarray
    amount_slot: np.ndarray
    group_source: int
    group_slot: int
    pairs: np.ndarray
    buffer: int
    compare: float
    output: float


class Facts(NamedTuple):
    """The relation's rows: their keys by arm, and what holds them together.

    Rows of one key of an arm are a list (`first` to `last`); so are those of a bucket
    where arrivals scan or hash. `ordered` has the active rows by their key for a search.
    `stored[r, a]` counts the kept tuples of an arm that r is valid for.
    """

    tuples: np.ndarray
    keys: np.ndarray
    begin: np.ndarray
    stored: np.ndarray
    first: np.ndarray
    last: np.ndarray
    next: np.ndarray
    previous: np.ndarray
    bucket_first: np.ndarray
    bucket_last: np.ndarray
    bucket_next: np.ndarray
    bucket_previous: np.ndarray
    ordered: np.ndarray
    active: np.ndarray


class KeptTuples(NamedTuple):
    """The stored tuples, by arm and slot. A slot's `key` is -1 if nothing old is in it.

    `order` has the slots in arrival order, from `start` to `stop`. Lowest `priority` goes first,
    then lowest `importance`, then fewest `matches`. `since` is the logarithm of the chance to
    survive all choices before a tuple came; `used` in how many results of this instant it was;
    `moments` what the errors of aggregates need, by evaluation or group and by aggregate.
    """

    key: np.ndarray
    tuples: np.ndarray
    priority: np.ndarray
    importance: np.ndarray
    matches: np.ndarray
    since: np.ndarray
    used: np.ndarray
    moments: np.ndarray
    order: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    free: np.ndarray
    free_count: np.ndarray
    high: np.ndarray


class Fresh(NamedTuple):
    """Of the arriving tuples: how many rows each matches, its priority, and what decides ties."""

    matches: np.ndarray
    priority: np.ndarray
    importance: np.ndarray
    ties: np.ndarray


class ProbeResults(NamedTuple):
    """Where a probe collects: rows found, which of them wait for a key, and members by row and arm.

    A member is a tuple and its slot (-1: it arrives now). By level of a combination: the member
    to come next, the one chosen, and the hash, least importance and chance of those chosen so far.
    `amounts` are what a result adds to each aggregate.
    """

    rows: np.ndarray
    wanted: np.ndarray
    wanted_next: np.ndarray
    members: np.ndarray
    counts: np.ndarray
    node_tuple: np.ndarray
    node_slot: np.ndarray
    node_next: np.ndarray
    cursor: np.ndarray
    chosen: np.ndarray
    chosen_slot: np.ndarray
    hash: np.ndarray
    least: np.ndarray
    chance: np.ndarray
    amounts: np.ndarray


class Learned(NamedTuple):
    """What goes on from batch to batch, by arm: choices so far, the logarithm of the chance to
    survive all of them, and what is expected of keys; and when the processor will have done its
    work, in microseconds from the beginning.

    `arrived` and `total` are the arrivals of each key and their importance, of which old ones are
    forgotten; `known` says whether a key ever arrived. `sums` has by arm the known keys, the sum of
    `arrived`, and all arrivals and their importance.
    """

    choices: np.ndarray
    survived: np.ndarray
    known: np.ndarray
    arrived: np.ndarray
    total: np.ndarray
    sums: np.ndarray
    clock: np.ndarray


class ShedCounters(NamedTuple):
    """Counts of work after the warm-up; of shedding and of answers, over all of the run.

    `importance` has a high and a low part. `estimated` are the results that there would be without
    shedding, and their importance, where victims are chosen at random. `aggregates` are by
    evaluation or group; so are the `variances` of what chance has found of them. `waited` has the
    tuples served, for how many microseconds they waited together, and the longest of these.
    """

    looked_up: np.ndarray
    matched: np.ndarray
    chosen: np.ndarray
    probed: np.ndarray
    found: np.ndarray
    evaluated: np.ndarray
    passed: np.ndarray
    arrivals: np.ndarray
    inserts: np.ndarray
    expirations: np.ndarray
    held: np.ndarray
    replicas: np.ndarray
    importance: np.ndarray
    estimated: np.ndarray
    evictions: np.ndarray
    timeline: np.ndarray
    key_arrivals: np.ndarray
    key_shed: np.ndarray
    aggregates: np.ndarray
    variances: np.ndarray
    waited: np.ndarray

    @classmethod
    def zero(
        cls, arms: int, sources: int, filters: int, keys: int, aggregates: tuple[int, int]
    ) -> ShedCounters:
        """Nothing counted yet; `keys` is how many keys are counted apart, `aggregates` how many
        evaluations and groups there are, and of how many aggregates."""
        by_arm, by_source, by_filter = [arms] * 5, [sources] * 5, [filters] * 2
        shapes = (*by_arm, *by_filter, *by_source, 2, 2, (arms, REASONS), (arms, STEPS))
        more = ((arms, keys), (arms, keys), aggregates, aggregates, 3)
        zeros = cls(*(np.zeros(shape, np.int64) for shape in (*shapes, *more)))
        return zeros._replace(
            held=np.zeros(sources),
            estimated=np.zeros(2),
            aggregates=np.zeros(aggregates),
            variances=np.zeros(aggregates),
            waited=np.zeros(3),
        )

    @property
    def comparisons(self) -> np.ndarray:
        """Rows and stored tuples examined."""
        return self.looked_up + self.chosen + self.probed


class SheddingOutcome(NamedTuple):
    """What a batch produced, the tuples that stay with what is known of each, and those tuples and
    rows that still wait."""

    results: int
    digest: int
    rows: np.ndarray
    stay: np.ndarray
    priority: np.ndarray
    since: np.ndarray
    moments: np.ndarray
    waiting: np.ndarray
